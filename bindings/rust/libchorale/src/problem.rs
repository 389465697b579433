//! Problems: models with their names and gold labels, in memory and as files.

use crate::handle::Handle;
use crate::model::Slots;
use crate::pass::{count, lent, numbers, size};
use crate::{c, Error, Model, Result, Status, TextList};
use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;

/// A frozen model with its names and gold labels, which can be saved to a file and loaded.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let mut builder = ch::ModelBuilder::new()?;
/// builder.add_chain(&ch::Chain::new(&[[2.0, 0.1], [0.3, 0.4]])?, None, 0)?;
/// let mut problem = ch::Problem::new(&builder.freeze()?)?;
/// problem.set_texts(ch::TextList::Labels, &["Other", "Name"])?;
/// problem.set_gold(Some(&[0, 1]))?;
///
/// let bytes = problem.write()?;
/// let again = ch::Problem::read(&bytes)?;
/// assert_eq!(again.text(ch::TextList::Labels, 1), Some("Name"));
/// assert_eq!(again.model().chain_length(0), 2);
/// assert_eq!(again.write()?, bytes);
/// # Ok(())
/// # }
/// ```
pub struct Problem {
    handle: Handle<c::chorale_problem>,
    pub(crate) slots: Slots,
    /// The number of positions of all chains together.
    positions: usize,
}

debug!(Problem: model);

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

impl Problem {
    pub(crate) fn with(handle: Handle<c::chorale_problem>, slots: Slots) -> Self {
        let mut problem = Self {
            handle,
            slots,
            positions: 0,
        };
        let model = problem.model();
        problem.positions = (0..model.chains()).map(|at| model.chain_length(at)).sum();
        problem
    }

    /// Makes a problem of a model, without names and gold labels.
    pub fn new(model: &Model) -> Result<Self> {
        let handle = create!(chorale_problem_create(model.as_ptr()))?;
        Ok(Self::with(handle, Arc::clone(&model.slots)))
    }

    /// Reads a problem from the bytes of a problem file. The bytes are copied. Errors: FileFormat,
    /// FileByteOrder, FileVersion, FileTruncated, FileChecksum, FileSection, all errors of building
    /// such a model by calls.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let (from, borrow) = (bytes.as_ptr().cast(), false);
        let handle = create!(chorale_problem_read(from, bytes.len(), borrow))?;
        Ok(Self::with(handle, Arc::new([])))
    }

    /// Loads a problem file. A pipe is read up to the length in the file's header. Errors: as for
    /// [`read`](Self::read); InputOutput.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path.as_ref())?;
        let handle = create!(chorale_problem_load(path.as_ptr()))?;
        Ok(Self::with(handle, Arc::new([])))
    }

    /// Returns the model, which may outlive the problem.
    pub fn model(&self) -> Model {
        unsafe { Model::retain(c::chorale_problem_model(self.as_ptr()), &self.slots) }
    }

    pub(crate) fn as_ptr(&self) -> *mut c::chorale_problem {
        self.handle.as_ptr()
    }

    /// Sets or replaces a list of texts. An empty slice removes the list; a list of value names
    /// stays as an empty list. To add a list of value names, pass [`TextList::Values`] with the
    /// number of such lists so far. Errors: Shape (the number of texts does not fit the model),
    /// UnknownConstant ([`TextList::Values`] with a greater number), SizeOverflow.
    pub fn set_texts(&mut self, list: TextList, texts: &[impl AsRef<str>]) -> Result<()> {
        let list = list.raw()?;
        let raw = |text: &str| c::chorale_text {
            bytes: text.as_ptr().cast(),
            length: text.len(),
        };
        let texts: Vec<_> = texts.iter().map(|text| raw(text.as_ref())).collect();
        let (to, bytes) = (self.as_ptr(), std::mem::size_of::<c::chorale_text>());
        call!(chorale_problem_set_texts(
            to,
            list,
            &texts,
            bytes,
            texts.len()
        ))
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
        let mut length = 0;
        // Safe: the text stays as it is as long as the problem is borrowed.
        let text: &[u8] = unsafe {
            let bytes = c::chorale_problem_text(self.as_ptr(), list, size(index), &mut length);
            crate::chain::optional(bytes.cast(), length)?
        };
        std::str::from_utf8(text).ok()
    }

    /// Sets the kinds of all cliques, and the lists that name the values of cliques. Both arguments
    /// have one entry for each clique. kinds: an index into the texts of [`TextList::Kinds`], or -1
    /// for no kind. values: the list that holds the names of the clique's values, or None for no
    /// list. If `kinds` or `values` as a whole is None, what was set before stays. Errors: Shape,
    /// OutOfRange.
    pub fn set_cliques(
        &mut self,
        kinds: Option<&[i32]>,
        values: Option<&[Option<TextList>]>,
    ) -> Result<()> {
        let cliques = self.model().cliques();
        let kinds = lent("kinds", kinds, cliques)?;
        lent("values", values, cliques)?;
        let raw = |list: Option<TextList>| list.map_or(Ok(c::CHORALE_TEXTS_NONE), TextList::raw);
        let values = values.map(|lists| numbers(lists, raw)).transpose()?;
        let values = values.as_deref();
        call!(chorale_problem_set_cliques(self.as_ptr(), kinds, values))
    }

    /// Sets the gold labels: one for each position, chain after chain, -1 where the label is
    /// unknown. None removes all gold labels. Errors: Shape, OutOfRange (not a label of its chain).
    pub fn set_gold(&mut self, gold: Option<&[i32]>) -> Result<()> {
        let gold = lent("gold", gold, self.positions)?;
        call!(chorale_problem_set_gold(self.as_ptr(), gold))
    }
    /// Returns the gold labels: one for each position, chain after chain, -1 where the label is
    /// unknown. None if there are no gold labels.
    pub fn gold(&self) -> Option<&[i32]> {
        unsafe {
            let gold = c::chorale_problem_gold(self.as_ptr());
            crate::chain::optional(gold, self.positions)
        }
    }

    /// Returns the problem as the bytes of a problem file. Errors: NotSavable (the model has a
    /// callback potential).
    pub fn write(&self) -> Result<Vec<u8>> {
        written!(u8, chorale_problem_write(self.as_ptr()))
    }

    /// Writes a problem file: first to a temporary file in the same directory, which is then
    /// renamed to `path`. Errors: as for [`write`](Self::write); InputOutput.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        call!(chorale_problem_save(self.as_ptr(), path.as_ptr()))
    }
}
