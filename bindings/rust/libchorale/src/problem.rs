//! Problems: models with their names, gold labels and notes, in memory and as files.

use crate::array::{check_length, count, pointer, size, written};
use crate::error::call;
use crate::handle::Handle;
use crate::model::{length_of, Keep};
use crate::{c, Error, Host, Model, Result, Shown, Status, TextList};
use std::ffi::CString;
use std::os::raw::c_char;
use std::path::Path;
use std::sync::Arc;

/// A frozen model with its names, gold labels and notes, which can be saved to a file and loaded.
/// `'a` is the lifetime of the arrays that the model borrows.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let mut builder = ch::ModelBuilder::new()?;
/// builder.add_chain(&ch::Chain::new(&[[2.0, 0.1], [0.3, 0.4]])?, None, 0)?;
/// let mut problem = ch::Problem::new(&builder.freeze()?)?;
/// problem.set_texts(ch::TextList::Labels, &["Other", "Name"])?;
/// problem.set_gold(Some(&[0, 1]))?;
/// problem.set_note("licence", "MIT")?;
///
/// let bytes = problem.write()?;
/// let again = ch::Problem::read(&bytes)?;
/// assert_eq!(again.text(ch::TextList::Labels, 1), Some("Name"));
/// assert_eq!(again.model().chain_length(0), 2);
/// assert_eq!(again.write()?, bytes);
/// # Ok(())
/// # }
/// ```
pub struct Problem<'a> {
    // Declared first, so that the library's problem is destroyed before the objects that it
    // borrows.
    handle: Handle<c::chorale_problem>,
    pub(crate) keep: Arc<Keep<'a>>,
    /// The number of positions of all chains together.
    positions: usize,
}

// Safe: calls that change the problem take `&mut self`, and all others only read.
unsafe impl Send for Problem<'_> {}
unsafe impl Sync for Problem<'_> {}

/// Returns a text in the library's memory; None if there is no text. text: a function of the
/// library that returns the bytes and stores their number.
///
/// # Safety
/// The bytes must stay valid and unchanged for `'p`.
unsafe fn lent<'p>(text: impl FnOnce(*mut usize) -> *const c_char) -> Option<&'p str> {
    let mut length = 0;
    let bytes = text(&mut length);
    if bytes.is_null() {
        return None;
    }
    std::str::from_utf8(std::slice::from_raw_parts(bytes.cast(), length)).ok()
}

fn c_path(path: &Path) -> Result<CString> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec();
    #[cfg(not(unix))]
    let bytes = path.to_string_lossy().into_owned().into_bytes();
    CString::new(bytes).map_err(|_| {
        Error::new(
            Status::InputOutput,
            format!("the path {} holds a NUL", path.display()),
        )
    })
}

/// A note of a problem: a text under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Note<'p> {
    /// The name, such as "title" or "licence".
    pub name: &'p str,
    /// The text.
    pub text: &'p str,
}

impl Problem<'static> {
    /// Reads a problem from the bytes of a problem file. The bytes are copied. Errors: FileFormat,
    /// FileByteOrder, FileVersion, FileTruncated, FileChecksum, FileSection, all errors of building
    /// such a model by calls, OutOfMemory.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Self::from_bytes(bytes, false, None)
    }
    /// Reads a problem as [`read`](Self::read) does, in memory of `host`.
    pub fn read_in(bytes: &[u8], host: &Host) -> Result<Self> {
        Self::from_bytes(bytes, false, Some(host))
    }

    /// Loads a problem file. A regular file is mapped into memory, if the system can, and read in
    /// place. A pipe is read up to the length in the file's header. Errors: as for
    /// [`read`](Self::read); InputOutput.
    ///
    /// # Files that change
    ///
    /// While the problem or its model lives, a mapped file must not be written to or truncated: the
    /// mapped memory would change, and reading beyond the end would kill the process. It is allowed
    /// to rename another file to its name, as [`save`](Self::save) does. For a file that may
    /// change, read its bytes and pass them to [`read`](Self::read).
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_path(path.as_ref(), None)
    }
    /// Loads a problem as [`load`](Self::load) does, in memory of `host`.
    pub fn load_in(path: impl AsRef<Path>, host: &Host) -> Result<Self> {
        Self::from_path(path.as_ref(), Some(host))
    }
    fn from_path(path: &Path, host: Option<&Host>) -> Result<Self> {
        let path = c_path(path)?;
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::chorale_problem_load(host, path.as_ptr(), made, error)
        })?;
        Ok(Self::with(handle, Arc::default()))
    }
}

impl<'a> Problem<'a> {
    pub(crate) fn with(handle: Handle<c::chorale_problem>, keep: Arc<Keep<'a>>) -> Self {
        let model = unsafe { c::chorale_problem_model(handle.as_ptr()) };
        let positions = unsafe {
            (0..c::chorale_model_chain_count(model))
                .map(|chain| length_of(model, chain))
                .sum()
        };
        Self {
            handle,
            keep,
            positions,
        }
    }

    /// Makes a problem of a model, without names, gold labels and notes. Errors: OutOfMemory.
    pub fn new(model: &Model<'a>) -> Result<Self> {
        Self::create(model, None)
    }
    /// Makes a problem as [`new`](Self::new) does, in memory of `host`.
    pub fn new_in(model: &Model<'a>, host: &Host) -> Result<Self> {
        Self::create(model, Some(host))
    }
    fn create(model: &Model<'a>, host: Option<&Host>) -> Result<Self> {
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::chorale_problem_create(host, model.as_ptr(), made, error)
        })?;
        Ok(Self::with(handle, Arc::clone(&model.keep)))
    }

    /// Reads a problem from the bytes of a problem file, which are borrowed and must be aligned to
    /// 64 bytes. Errors: as for [`read`](Self::read); Alignment.
    ///
    /// ```compile_fail,E0505
    /// use libchorale as ch;
    /// let bytes = ch::AlignedBytes::new(100).unwrap();
    /// let problem = ch::Problem::read_borrowed(&bytes).unwrap();
    /// drop(bytes);
    /// problem.model();
    /// ```
    pub fn read_borrowed(bytes: &'a [u8]) -> Result<Self> {
        Self::from_bytes(bytes, true, None)
    }
    /// Reads a problem as [`read_borrowed`](Self::read_borrowed) does, in memory of `host`.
    pub fn read_borrowed_in(bytes: &'a [u8], host: &Host) -> Result<Self> {
        Self::from_bytes(bytes, true, Some(host))
    }

    fn from_bytes(bytes: &[u8], borrow: bool, host: Option<&Host>) -> Result<Self> {
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::chorale_problem_read(
                host,
                bytes.as_ptr().cast(),
                bytes.len(),
                borrow.into(),
                made,
                error,
            )
        })?;
        Ok(Self::with(handle, Arc::default()))
    }

    /// Returns the model, which may outlive the problem.
    pub fn model(&self) -> Model<'a> {
        unsafe { Model::retain(c::chorale_problem_model(self.as_ptr()), &self.keep) }
    }

    pub(crate) fn as_ptr(&self) -> *mut c::chorale_problem {
        self.handle.as_ptr()
    }

    /// Sets or replaces a list of texts. An empty slice removes the list; a list of value names
    /// stays as an empty list. To add a list of value names, pass [`TextList::Values`] with the
    /// number of such lists so far. Errors: Shape (the number of texts does not fit the model),
    /// UnknownConstant ([`TextList::Values`] with a greater number), SizeOverflow, OutOfMemory.
    pub fn set_texts(&mut self, list: TextList, texts: &[impl AsRef<str>]) -> Result<()> {
        let list = list.raw()?;
        let raw = |text: &str| c::chorale_text {
            bytes: text.as_ptr().cast(),
            length: text.len(),
        };
        let texts: Vec<_> = texts.iter().map(|text| raw(text.as_ref())).collect();
        call(|error| unsafe {
            c::chorale_problem_set_texts(
                self.as_ptr(),
                list,
                texts.as_ptr(),
                std::mem::size_of::<c::chorale_text>(),
                size(texts.len()),
                error,
            )
        })
    }
    /// Returns the number of texts of a list; 0 if the list is absent.
    pub fn text_count(&self, list: TextList) -> usize {
        list.raw().map_or(0, |list| {
            count(unsafe { c::chorale_problem_text_count(self.as_ptr(), list) })
        })
    }
    /// Returns a text of a list; None if there is no such text.
    pub fn text(&self, list: TextList, index: usize) -> Option<&str> {
        let list = list.raw().ok()?;
        unsafe { lent(|length| c::chorale_problem_text(self.as_ptr(), list, size(index), length)) }
    }

    /// Sets the kinds of all cliques, and the lists that name the values of cliques. Both arguments
    /// have one entry for each clique. kinds: an index into the texts of [`TextList::Kinds`], or -1
    /// for no kind. values: the list that holds the names of the clique's values, or None for no
    /// list. If `kinds` or `values` as a whole is None, what was set before stays. Errors: Shape,
    /// OutOfRange, OutOfMemory.
    pub fn set_cliques(
        &mut self,
        kinds: Option<&[i32]>,
        values: Option<&[Option<TextList>]>,
    ) -> Result<()> {
        let cliques = self.model().cliques();
        check_length("kinds", kinds, cliques)?;
        check_length("values", values, cliques)?;
        let raw = |list: &Option<TextList>| list.map_or(Ok(c::CHORALE_TEXTS_NONE), TextList::raw);
        let values: Option<Vec<_>> = values
            .map(|values| values.iter().map(raw).collect::<Result<_>>())
            .transpose()?;
        call(|error| unsafe {
            c::chorale_problem_set_cliques(
                self.as_ptr(),
                pointer(kinds),
                pointer(values.as_deref()),
                error,
            )
        })
    }
    /// Returns the kind of a clique; None if the clique has no kind.
    pub fn clique_kind(&self, clique: usize) -> Option<usize> {
        let kind = unsafe { c::chorale_problem_clique_kind(self.as_ptr(), size(clique)) };
        usize::try_from(kind).ok()
    }
    /// Returns the name of a value of a clique's members; None if the value has no name.
    pub fn value_name(&self, clique: usize, shown: Shown) -> Option<&str> {
        let value = i32::try_from(shown.value()?).ok()?;
        unsafe {
            lent(|length| c::chorale_problem_value_name(self.as_ptr(), size(clique), value, length))
        }
    }

    /// Sets the gold labels: one for each position, chain after chain, -1 where the label is
    /// unknown. None removes all gold labels. Errors: Shape, OutOfRange (not a label of its chain),
    /// OutOfMemory.
    pub fn set_gold(&mut self, gold: Option<&[i32]>) -> Result<()> {
        check_length("gold", gold, self.positions)?;
        call(|error| unsafe { c::chorale_problem_set_gold(self.as_ptr(), pointer(gold), error) })
    }
    /// Returns the gold labels: one for each position, chain after chain, -1 where the label is
    /// unknown. None if there are no gold labels.
    pub fn gold(&self) -> Option<&[i32]> {
        unsafe {
            let gold = c::chorale_problem_gold(self.as_ptr());
            crate::chain::optional(gold, self.positions)
        }
    }

    /// Sets a note: a text under a name. An empty text removes the note. Errors: Size (an empty
    /// name), OutOfMemory.
    pub fn set_note(&mut self, name: &str, text: &str) -> Result<()> {
        call(|error| unsafe {
            c::chorale_problem_set_note(
                self.as_ptr(),
                name.as_ptr().cast(),
                name.len(),
                text.as_ptr().cast(),
                text.len(),
                error,
            )
        })
    }
    /// Returns all notes, in the order in which they were set.
    pub fn notes(&self) -> impl Iterator<Item = Note<'_>> {
        let count = unsafe { c::chorale_problem_note_count(self.as_ptr()) };
        (0..count).filter_map(move |index| unsafe {
            let name = lent(|length| c::chorale_problem_note_name(self.as_ptr(), index, length))?;
            let text = lent(|length| c::chorale_problem_note(self.as_ptr(), index, length))?;
            Some(Note { name, text })
        })
    }

    /// Returns the problem as the bytes of a problem file. Errors: NotSavable (the model has a
    /// callback potential), OutOfMemory.
    pub fn write(&self) -> Result<Vec<u8>> {
        written(0u8, |bytes, capacity, needed, error| unsafe {
            c::chorale_problem_write(self.as_ptr(), bytes.cast(), capacity, needed, error)
        })
    }

    /// Writes a problem file: first to a temporary file in the same directory, which is then
    /// renamed to `path`. Errors: as for [`write`](Self::write); InputOutput.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        call(|error| unsafe { c::chorale_problem_save(self.as_ptr(), path.as_ptr(), error) })
    }
}

impl std::fmt::Debug for Problem<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Problem")
            .field("model", &self.model())
            .finish_non_exhaustive()
    }
}
