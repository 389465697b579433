//! Dictionaries: subsets of the values of a property, for the cliques that use them.

use crate::array::{count, size};
use crate::handle::Handle;
use crate::{c, Host, Result, Unlisted};
use std::fmt;

/// A subset of a property's values, numbered anew from 0 in ascending order. One more number,
/// UNLISTED, may stand for all values outside the subset. A dictionary never changes, and clones
/// share it.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let dictionary = ch::experimental::Dictionary::new(&[70, 12, 12, 40],
/// ch::experimental::Unlisted::AsValue)?; assert_eq!(dictionary.len(), 4);
/// assert_eq!((dictionary.find(40), dictionary.find(41)), (Some(1), Some(3)));
/// assert_eq!((dictionary.value(1), dictionary.value(3)), (Some(40), None));
/// # Ok(())
/// # }
/// ```
pub struct Dictionary {
    handle: Handle<c::chorale_dictionary>,
}

// Safe: a dictionary never changes, and its reference count is atomic.
unsafe impl Send for Dictionary {}
unsafe impl Sync for Dictionary {}

impl Dictionary {
    /// Makes a dictionary of `values`, which may be in any order and repeated. unlisted: how all
    /// other values are treated. Errors: Size (no values and no UNLISTED), OutOfRange, OutOfMemory.
    pub fn new(values: &[i32], unlisted: Unlisted) -> Result<Self> {
        Self::create(values, unlisted, None)
    }
    /// Makes a dictionary as [`new`](Self::new) does, in memory of `host`.
    pub fn new_in(values: &[i32], unlisted: Unlisted, host: &Host) -> Result<Self> {
        Self::create(values, unlisted, Some(host))
    }

    fn create(values: &[i32], unlisted: Unlisted, host: Option<&Host>) -> Result<Self> {
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::chorale_dictionary_create(
                host,
                values.as_ptr(),
                size(values.len()),
                unlisted.raw(),
                made,
                error,
            )
        })?;
        Ok(Self { handle })
    }

    /// Makes a dictionary of the `keep` values with the highest scores, without values that score
    /// minus infinity. full: a dictionary that holds the values to choose from; None: the values to
    /// choose from are 0 to scores.len() - 1. scores: one for each value to choose from. With
    /// `full`, entry i is the score of the value that has the number i in `full`. There must then
    /// be at least full.len() entries; the entry of UNLISTED and entries after it are not read.
    /// unlisted: how all values that are not chosen are treated. Errors: ValuesMismatch, Size,
    /// NotANumber, OutOfMemory.
    pub fn best(
        full: Option<&Self>,
        scores: &[f64],
        keep: usize,
        unlisted: Unlisted,
    ) -> Result<Self> {
        Self::create_best(full, scores, keep, unlisted, None)
    }
    /// Makes a dictionary as [`best`](Self::best) does, in memory of `host`.
    pub fn best_in(
        full: Option<&Self>,
        scores: &[f64],
        keep: usize,
        unlisted: Unlisted,
        host: &Host,
    ) -> Result<Self> {
        Self::create_best(full, scores, keep, unlisted, Some(host))
    }

    fn create_best(
        full: Option<&Self>,
        scores: &[f64],
        keep: usize,
        unlisted: Unlisted,
        host: Option<&Host>,
    ) -> Result<Self> {
        let full = full.map_or(std::ptr::null(), Self::as_ptr);
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::chorale_dictionary_create_best(
                host,
                full,
                scores.as_ptr(),
                size(scores.len()),
                size(keep),
                unlisted.raw(),
                made,
                error,
            )
        })?;
        Ok(Self { handle })
    }

    /// Returns the number of values, including UNLISTED.
    #[allow(clippy::len_without_is_empty)] // no dictionary is empty
    pub fn len(&self) -> usize {
        count(unsafe { c::chorale_dictionary_values(self.as_ptr()) })
    }
    /// Returns the number that a value of the property has in the dictionary. For a value outside
    /// the dictionary: the number of UNLISTED, or None if the dictionary has no UNLISTED.
    pub fn find(&self, value: usize) -> Option<usize> {
        // A value too large for the library is outside the dictionary.
        let value = i32::try_from(value).unwrap_or(i32::MAX);
        let number = unsafe { c::chorale_dictionary_find(self.as_ptr(), value) };
        usize::try_from(number).ok()
    }
    /// Returns the value of the property that has this number in the dictionary; None for the
    /// number of UNLISTED, and for a number out of range.
    pub fn value(&self, number: usize) -> Option<usize> {
        let value = unsafe { c::chorale_dictionary_value(self.as_ptr(), size(number)) };
        usize::try_from(value).ok()
    }

    /// Makes another handle of a dictionary of the library, and adds a reference to it; None for
    /// NULL.
    pub(crate) unsafe fn retain(raw: *const c::chorale_dictionary) -> Option<Self> {
        let handle = Handle::from_raw_or_null(c::chorale_dictionary_retain(raw))?;
        Some(Self { handle })
    }
    pub(crate) fn as_ptr(&self) -> *const c::chorale_dictionary {
        self.handle.as_ptr()
    }
}

impl Clone for Dictionary {
    fn clone(&self) -> Self {
        let handle = unsafe { Handle::from_raw(c::chorale_dictionary_retain(self.as_ptr())) };
        Self { handle }
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Dictionary({} values)", self.len())
    }
}
