//! Problems: a model with the names around it, in memory and as a file (problem.h).

use crate::array::{check_length, pointer, size, AlignedBytes};
use crate::error::call;
use crate::handle::Handle;
use crate::host::with_host;
use crate::model::Keep;
use crate::{sys, Error, Model, Result, Status, TextList};
use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;

/// A frozen model and the names a person needs to read it; saved and loaded as a file. `'a` is how
/// long what the model borrows lives.
///
/// ```
/// use chorale::{Chain, ModelBuilder, Problem, TextList};
/// # fn main() -> chorale::Result<()> {
/// let mut builder = ModelBuilder::new()?;
/// builder.add_chain(&Chain::new(&[[2.0, 0.1], [0.3, 0.4]]), None, 0)?;
/// let mut problem = Problem::new(&builder.freeze()?)?;
/// problem.set_texts(TextList::LABELS, &["Other", "Name"])?;
/// problem.set_gold(Some(&[0, 1]))?;
/// problem.set_note("licence", "MIT")?;
///
/// let bytes = problem.write()?;
/// let again = Problem::read(&bytes)?;
/// assert_eq!(again.text(TextList::LABELS, 1), Some("Name"));
/// assert_eq!(again.model().chain_length(0), 2);
/// assert_eq!(again.write()?, bytes);
/// # Ok(())
/// # }
/// ```
pub struct Problem<'a> {
    // Before what it borrows.
    handle: Handle<sys::chorale_problem>,
    keep: Arc<Keep<'a>>,
    /// Positions of all chains.
    positions: usize,
}

// Calls that change it take `&mut self`.
unsafe impl Send for Problem<'_> {}
unsafe impl Sync for Problem<'_> {}

/// A text that C lends; None where there is none.
///
/// # Safety
/// It lives for `'p`.
unsafe fn lent<'p>(text: sys::chorale_text) -> Option<&'p str> {
    if text.bytes.is_null() {
        return None;
    }
    let bytes = std::slice::from_raw_parts(text.bytes.cast(), text.length);
    std::str::from_utf8(bytes).ok()
}

fn raw_text(text: &str) -> sys::chorale_text {
    sys::chorale_text {
        bytes: text.as_ptr().cast(),
        length: text.len(),
    }
}

fn c_path(path: &Path) -> Result<CString> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec();
    #[cfg(not(unix))]
    let bytes = path.to_string_lossy().into_owned().into_bytes();
    CString::new(bytes).map_err(|_| {
        Error::new(
            Status::INPUT_OUTPUT,
            format!("the path {} holds a NUL", path.display()),
        )
    })
}

impl Problem<'static> {
    /// A problem from a file's bytes, which are copied.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Self::from_bytes(bytes, false, Keep::default())
    }

    /// A problem from a file, read into memory and used there in place.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let failed = |error: std::io::Error| {
            Error::new(
                Status::INPUT_OUTPUT,
                format!("{} cannot be read: {error}", path.display()),
            )
        };
        let bytes = read_aligned(path).map_err(failed)?;
        let lent: *const [u8] = &*bytes;
        let keep = Keep {
            _bytes: Some(bytes),
            ..Keep::default()
        };
        // The bytes do not move with their owner, which the problem and its models keep.
        Self::from_bytes(unsafe { &*lent }, true, keep)
    }

    /// A problem from a file that is mapped into memory where the system can.
    ///
    /// # Safety
    /// Nobody may write to the file, or shorten it, while the problem or a model of it lives.
    pub unsafe fn load_mapped(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        let handle = with_host(|host| {
            Handle::create(|made, error| {
                sys::chorale_problem_load(host, path.as_ptr(), made, error)
            })
        })?;
        Ok(Self::with(handle, Arc::default()))
    }
}

fn read_aligned(path: &Path) -> std::io::Result<AlignedBytes> {
    use std::io::Read;
    let mut file = std::fs::File::open(path)?;
    let length = usize::try_from(file.metadata()?.len())
        .ok()
        .filter(|&length| length <= isize::MAX as usize - 64)
        .ok_or(std::io::ErrorKind::OutOfMemory)?;
    let mut bytes = AlignedBytes::new(length);
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

impl<'a> Problem<'a> {
    fn with(handle: Handle<sys::chorale_problem>, keep: Arc<Keep<'a>>) -> Self {
        let model = unsafe { sys::chorale_problem_model(handle.as_ptr()) };
        let positions = unsafe {
            (0..sys::chorale_model_chains(model))
                .map(|chain| sys::chorale_model_chain_length(model, chain) as usize)
                .sum()
        };
        Self {
            handle,
            keep,
            positions,
        }
    }

    /// A problem around a model.
    pub fn new(model: &Model<'a>) -> Result<Self> {
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_problem_create(host, model.as_ptr(), made, error)
            })
        })?;
        Ok(Self::with(handle, Arc::clone(&model.keep)))
    }

    /// A problem from a file's bytes, aligned to 64, which are read in place.
    ///
    /// ```compile_fail,E0505
    /// let bytes = chorale::AlignedBytes::new(100);
    /// let problem = chorale::Problem::read_borrowed(&bytes).unwrap();
    /// drop(bytes);
    /// problem.model();
    /// ```
    pub fn read_borrowed(bytes: &'a [u8]) -> Result<Self> {
        Self::from_bytes(bytes, true, Keep::default())
    }

    fn from_bytes(bytes: &[u8], borrow: bool, keep: Keep<'a>) -> Result<Self> {
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_problem_read(
                    host,
                    bytes.as_ptr().cast(),
                    bytes.len(),
                    borrow.into(),
                    made,
                    error,
                )
            })
        })?;
        Ok(Self::with(handle, Arc::new(keep)))
    }

    /// The model.
    pub fn model(&self) -> Model<'a> {
        unsafe { Model::retain(sys::chorale_problem_model(self.as_ptr()), &self.keep) }
    }

    fn as_ptr(&self) -> *mut sys::chorale_problem {
        self.handle.as_ptr()
    }

    /// Sets a list of texts; an empty one removes it. A new list of value names is
    /// [`TextList::values`] of the number of such lists so far.
    pub fn set_texts(&mut self, list: TextList, texts: &[impl AsRef<str>]) -> Result<()> {
        let texts: Vec<_> = texts.iter().map(|text| raw_text(text.as_ref())).collect();
        call(|error| unsafe {
            sys::chorale_problem_set_texts(
                self.as_ptr(),
                list.raw(),
                texts.as_ptr(),
                size(texts.len()),
                error,
            )
        })
    }
    /// How many texts a list has; 0 for one that is absent.
    pub fn text_count(&self, list: TextList) -> usize {
        unsafe { sys::chorale_problem_text_count(self.as_ptr(), list.raw()) as usize }
    }
    pub fn text(&self, list: TextList, index: usize) -> Option<&str> {
        unsafe {
            lent(sys::chorale_problem_text(
                self.as_ptr(),
                list.raw(),
                size(index),
            ))
        }
    }

    /// What cliques are about, by clique: an index into the texts of KINDS, or -1; and the list that
    /// names their values. None leaves it as it is.
    pub fn set_cliques(
        &mut self,
        kinds: Option<&[i32]>,
        values: Option<&[TextList]>,
    ) -> Result<()> {
        let cliques = self.model().cliques();
        check_length("kinds", kinds, cliques)?;
        check_length("values", values, cliques)?;
        let values: Option<Vec<_>> =
            values.map(|values| values.iter().map(|list| list.raw()).collect());
        call(|error| unsafe {
            sys::chorale_problem_set_cliques(
                self.as_ptr(),
                pointer(kinds),
                pointer(values.as_deref()),
                error,
            )
        })
    }
    /// The kind of a clique.
    pub fn clique_kind(&self, clique: usize) -> Option<usize> {
        let kind = unsafe { sys::chorale_problem_clique_kind(self.as_ptr(), size(clique)) };
        usize::try_from(kind).ok()
    }
    /// The name of a value of a clique.
    pub fn value_name(&self, clique: usize, value: i32) -> Option<&str> {
        unsafe {
            lent(sys::chorale_problem_value_name(
                self.as_ptr(),
                size(clique),
                value,
            ))
        }
    }

    /// Gold labels by position, of all chains end to end, -1: not known. None removes them.
    pub fn set_gold(&mut self, gold: Option<&[i32]>) -> Result<()> {
        check_length("gold", gold, self.positions)?;
        call(|error| unsafe { sys::chorale_problem_set_gold(self.as_ptr(), pointer(gold), error) })
    }
    pub fn gold(&self) -> Option<&[i32]> {
        unsafe {
            let gold = sys::chorale_problem_gold(self.as_ptr());
            crate::chain::optional(gold, self.positions)
        }
    }

    /// Any text under any name; an empty one removes the note.
    pub fn set_note(&mut self, name: &str, text: &str) -> Result<()> {
        call(|error| unsafe {
            sys::chorale_problem_set_note(self.as_ptr(), raw_text(name), raw_text(text), error)
        })
    }
    /// Notes, name and text, in the order of setting.
    pub fn notes(&self) -> impl Iterator<Item = (&str, &str)> {
        let count = unsafe { sys::chorale_problem_note_count(self.as_ptr()) };
        (0..count).filter_map(move |index| unsafe {
            let name = lent(sys::chorale_problem_note_name(self.as_ptr(), index))?;
            let text = lent(sys::chorale_problem_note(self.as_ptr(), index))?;
            Some((name, text))
        })
    }

    /// The bytes of the file. Errors: NOT_SAVABLE (an instance, a callback potential).
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut needed = 0;
        call(|error| unsafe {
            let nowhere = std::ptr::null_mut();
            sys::chorale_problem_write(self.as_ptr(), nowhere, 0, &mut needed, error)
        })?;
        let mut bytes = Vec::new();
        crate::array::fill(&mut bytes, needed, 0u8)?;
        call(|error| unsafe {
            sys::chorale_problem_write(
                self.as_ptr(),
                bytes.as_mut_ptr().cast(),
                bytes.len(),
                &mut needed,
                error,
            )
        })?;
        Ok(bytes)
    }

    /// Writes the file, through one beside it that takes its place when complete.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        call(|error| unsafe { sys::chorale_problem_save(self.as_ptr(), path.as_ptr(), error) })
    }
}
