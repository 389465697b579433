//! Dictionaries: the values of a property that a clique uses.

use crate::array::{count, size};
use crate::handle::Handle;
use crate::{c, Host, Outside, Result};
use std::fmt;

/// A subset of a property's values, numbered from 0 in ascending order, optionally followed by one value
/// OUT, which represents all other values. Immutable, shared by clones.
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

// Safe: immutable, with atomic reference counts.
unsafe impl Send for Dictionary {}
unsafe impl Sync for Dictionary {}

impl Dictionary {
    /// A dictionary of `values`, in any order, repetitions allowed. outside: the treatment of all other
    /// values. Errors: Size (no values), OutOfRange, OutOfMemory.
    pub fn new(values: &[i32], outside: Outside) -> Result<Self> {
        Self::create(values, outside, None)
    }
    /// A dictionary as made by [`new`](Self::new), in memory of `host`.
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

    /// A dictionary of the `keep` values of `full` with the highest scores (without `full`: of the
    /// values 0 .. scores.len()). Errors: ValuesMismatch, Size, NotANumber, OutOfMemory.
    pub fn best(
        full: Option<&Self>,
        scores: &[f64],
        keep: usize,
        outside: Outside,
    ) -> Result<Self> {
        Self::create_best(full, scores, keep, outside, None)
    }
    /// A dictionary as made by [`best`](Self::best), in memory of `host`.
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

    /// The number of values, including OUT.
    #[allow(clippy::len_without_is_empty)] // none is empty
    pub fn len(&self) -> usize {
        count(unsafe { c::dictionary_values(self.as_ptr()) })
    }
    /// The number of a property's value in the dictionary; for a value outside, that of OUT, or None
    /// without OUT.
    pub fn find(&self, value: usize) -> Option<usize> {
        // A value too large for the library is outside the dictionary.
        let value = i32::try_from(value).unwrap_or(i32::MAX);
        let number = unsafe { c::dictionary_find(self.as_ptr(), value) };
        usize::try_from(number).ok()
    }
    /// The property's value with a number in the dictionary; None for OUT and out of range.
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
