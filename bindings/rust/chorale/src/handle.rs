//! Handles of the library: destroyed or released when dropped.

use crate::error::call_quietly;
use crate::{panics, sys, Result};
use std::ptr::NonNull;

pub(crate) trait Raw {
    /// Gives up a handle, or one reference of it.
    unsafe fn drop_raw(handle: *mut Self);
}

macro_rules! raw {
    ($($type:ident $drop:ident,)*) => {
        $(impl Raw for sys::$type {
            unsafe fn drop_raw(handle: *mut Self) {
                sys::$drop(handle);
            }
        })*
    };
}

raw! {
    chorale_cancel chorale_cancel_destroy,
    chorale_potential chorale_potential_release,
    chorale_clique_solver chorale_clique_solver_destroy,
    chorale_transitions chorale_transitions_release,
    chorale_chain_solver chorale_chain_solver_destroy,
    chorale_property chorale_property_release,
    chorale_property_builder chorale_property_builder_destroy,
    chorale_dictionary chorale_dictionary_release,
    chorale_model_builder chorale_model_builder_destroy,
    chorale_model chorale_model_release,
    chorale_run chorale_run_destroy,
    chorale_problem chorale_problem_destroy,
}

pub(crate) struct Handle<T: Raw>(NonNull<T>);

impl<T: Raw> Handle<T> {
    /// What `function` stores in its first argument.
    pub(crate) fn create(
        function: impl FnOnce(*mut *mut T, *mut sys::chorale_error) -> sys::chorale_status,
    ) -> Result<Self> {
        let mut made = std::ptr::null_mut();
        let result = call_quietly(|error| function(&mut made, error));
        let handle = NonNull::new(made).map(Self);
        panics::resume(); // with the handle, which is dropped
        result?;
        Ok(handle.expect("a successful call makes a handle"))
    }

    /// Takes over a reference.
    ///
    /// # Safety
    /// The caller owns it.
    pub(crate) unsafe fn from_raw(raw: *mut T) -> Self {
        Self(NonNull::new(raw).expect("a handle"))
    }

    pub(crate) fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Raw> Drop for Handle<T> {
    fn drop(&mut self) {
        unsafe { T::drop_raw(self.as_ptr()) };
        // A callback's own destructor may have panicked.
        panics::resume();
    }
}
