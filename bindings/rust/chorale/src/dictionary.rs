//! Which of a property's values a clique knows (property.h).

use crate::array::size;
use crate::handle::Handle;
use crate::host::with_host;
use crate::{sys, Result};

/// Values of a property, numbered anew in ascending order, and after them, if asked for, one value
/// OUT for all others. Immutable, shared by clones.
///
/// ```
/// use chorale::Dictionary;
/// # fn main() -> chorale::Result<()> {
/// let dictionary = Dictionary::new(&[70, 12, 12, 40], true)?;
/// assert_eq!(dictionary.len(), 4);
/// assert_eq!((dictionary.find(40), dictionary.find(41)), (Some(1), Some(3)));
/// assert_eq!((dictionary.value(1), dictionary.value(3)), (Some(40), None));
/// # Ok(())
/// # }
/// ```
pub struct Dictionary {
    handle: Handle<sys::chorale_dictionary>,
}

// Immutable, with atomic references.
unsafe impl Send for Dictionary {}
unsafe impl Sync for Dictionary {}

impl Dictionary {
    /// Values in any order, repetitions allowed.
    pub fn new(values: &[i32], with_out: bool) -> Result<Self> {
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_dictionary_create(
                    host,
                    values.as_ptr(),
                    size(values.len()),
                    with_out.into(),
                    made,
                    error,
                )
            })
        })?;
        Ok(Self { handle })
    }

    /// The `keep` best of the values of `full` (None: of 0 .. scores.len()) by their scores.
    pub fn best(full: Option<&Self>, scores: &[f64], keep: usize, with_out: bool) -> Result<Self> {
        let full = full.map_or(std::ptr::null(), Self::as_ptr);
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_dictionary_create_best(
                    host,
                    full,
                    scores.as_ptr(),
                    size(scores.len()),
                    size(keep),
                    with_out.into(),
                    made,
                    error,
                )
            })
        })?;
        Ok(Self { handle })
    }

    /// The number of values, OUT included.
    #[allow(clippy::len_without_is_empty)] // none is empty
    pub fn len(&self) -> usize {
        unsafe { sys::chorale_dictionary_values(self.as_ptr()) as usize }
    }
    /// The new number of a property's value; OUT, or None without one, for one outside.
    pub fn find(&self, value: i32) -> Option<i32> {
        let number = unsafe { sys::chorale_dictionary_find(self.as_ptr(), value) };
        (number >= 0).then_some(number)
    }
    /// The property's value of a new number; None for OUT and outside.
    pub fn value(&self, number: i32) -> Option<i32> {
        let value = unsafe { sys::chorale_dictionary_value(self.as_ptr(), number.into()) };
        (value >= 0).then_some(value)
    }

    pub(crate) fn as_ptr(&self) -> *const sys::chorale_dictionary {
        self.handle.as_ptr()
    }
}

impl Clone for Dictionary {
    fn clone(&self) -> Self {
        let handle = unsafe { Handle::from_raw(sys::chorale_dictionary_retain(self.as_ptr())) };
        Self { handle }
    }
}
