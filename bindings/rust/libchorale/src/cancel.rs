//! Flags by which computations are ended early.

use crate::handle::Handle;
use crate::{c, Result};
use std::sync::Arc;

/// A flag by which any thread requests that a computation ends early. Clones share the flag.
#[derive(Clone)]
pub struct Cancel(Arc<Handle<c::chorale_cancel>>);

debug!(Cancel: is_raised);

impl Cancel {
    /// Makes a flag that is not raised.
    pub fn new() -> Result<Self> {
        Ok(Self(Arc::new(create!(chorale_cancel_create())?)))
    }

    /// Requests that every computation with this flag ends.
    pub fn raise(&self) {
        unsafe { c::chorale_cancel_raise(self.0.as_ptr()) };
    }
    /// Withdraws the request.
    pub fn lower(&self) {
        unsafe { c::chorale_cancel_lower(self.0.as_ptr()) };
    }
    /// True if the flag is raised.
    pub fn is_raised(&self) -> bool {
        unsafe { c::chorale_cancel_is_raised(self.0.as_ptr()) != 0 }
    }
    pub(crate) fn as_ptr(&self) -> *const c::chorale_cancel {
        self.0.as_ptr()
    }
}

pass! {
    flag: &Option<Cancel> => *const c::chorale_cancel {
        flag.as_ref().map_or(std::ptr::null(), Cancel::as_ptr)
    }
}
