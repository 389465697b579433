//! Which of a property's values a clique knows.

use crate::array::{count, size};
use crate::handle::Handle;
use crate::{c, Host, Outside, Result};
use std::fmt;

/// Values of a property, numbered anew in ascending order, and after them, if asked for, one value
/// OUT for all others. Immutable, shared by clones.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let dictionary = ch::Dictionary::new(&[70, 12, 12, 40], ch::Outside::AsOut)?;
/// assert_eq!(dictionary.len(), 4);
/// assert_eq!((dictionary.find(40), dictionary.find(41)), (Some(1), Some(3)));
/// assert_eq!((dictionary.value(1), dictionary.value(3)), (Some(40), None));
/// # Ok(())
/// # }
/// ```
pub struct Dictionary {
    handle: Handle<c::Dictionary>,
}

// Immutable, with atomic references.
unsafe impl Send for Dictionary {}
unsafe impl Sync for Dictionary {}

impl Dictionary {
    /// The values of a property that are known, in any order, repetitions allowed. outside:
    /// what becomes of all others. Errors: Size (no values), OutOfRange, OutOfMemory.
    pub fn new(values: &[i32], outside: Outside) -> Result<Self> {
        Self::create(values, outside, None)
    }
    /// A dictionary as [`new`](Self::new) makes, in memory of `host`.
    pub fn new_in(values: &[i32], outside: Outside, host: &Host) -> Result<Self> {
        Self::create(values, outside, Some(host))
    }

    fn create(values: &[i32], outside: Outside, host: Option<&Host>) -> Result<Self> {
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::dictionary_create(
                host,
                values.as_ptr(),
                size(values.len()),
                outside.raw(),
                made,
                error,
            )
        })?;
        Ok(Self { handle })
    }

    /// The `keep` best of the values of `full` by their scores (without `full`: of the values 0 ..
    /// scores.len()). Errors: ValuesMismatch, Size, NotANumber, OutOfMemory.
    pub fn best(
        full: Option<&Self>,
        scores: &[f64],
        keep: usize,
        outside: Outside,
    ) -> Result<Self> {
        Self::create_best(full, scores, keep, outside, None)
    }
    /// A dictionary as [`best`](Self::best) makes, in memory of `host`.
    pub fn best_in(
        full: Option<&Self>,
        scores: &[f64],
        keep: usize,
        outside: Outside,
        host: &Host,
    ) -> Result<Self> {
        Self::create_best(full, scores, keep, outside, Some(host))
    }

    fn create_best(
        full: Option<&Self>,
        scores: &[f64],
        keep: usize,
        outside: Outside,
        host: Option<&Host>,
    ) -> Result<Self> {
        let full = full.map_or(std::ptr::null(), Self::as_ptr);
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::dictionary_create_best(
                host,
                full,
                scores.as_ptr(),
                size(scores.len()),
                size(keep),
                outside.raw(),
                made,
                error,
            )
        })?;
        Ok(Self { handle })
    }

    /// The number of values, OUT included.
    #[allow(clippy::len_without_is_empty)] // none is empty
    pub fn len(&self) -> usize {
        count(unsafe { c::dictionary_values(self.as_ptr()) })
    }
    /// The number that a value of the property has in the dictionary: that of OUT for a value
    /// outside, None where there is no OUT.
    pub fn find(&self, value: usize) -> Option<usize> {
        // What is too large for the library is outside.
        let value = i32::try_from(value).unwrap_or(i32::MAX);
        let number = unsafe { c::dictionary_find(self.as_ptr(), value) };
        usize::try_from(number).ok()
    }
    /// The property's value of a number of the dictionary; None for OUT and outside.
    pub fn value(&self, number: usize) -> Option<usize> {
        let value = unsafe { c::dictionary_value(self.as_ptr(), size(number)) };
        usize::try_from(value).ok()
    }

    /// Another reference to a dictionary of the library; None for NULL.
    pub(crate) unsafe fn retain(raw: *const c::Dictionary) -> Option<Self> {
        let handle = Handle::from_raw_or_null(c::dictionary_retain(raw))?;
        Some(Self { handle })
    }
    pub(crate) fn as_ptr(&self) -> *const c::Dictionary {
        self.handle.as_ptr()
    }
}

impl Clone for Dictionary {
    fn clone(&self) -> Self {
        let handle = unsafe { Handle::from_raw(c::dictionary_retain(self.as_ptr())) };
        Self { handle }
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Dictionary({} values)", self.len())
    }
}
