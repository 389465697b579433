//! Handles: owners of objects of the library. Dropping a handle destroys the object, or releases
//! the handle's reference if the object is shared.

use crate::error::call_quietly;
use crate::{c, panics, Error, Result, Status};
use std::ptr::NonNull;

pub(crate) trait Raw {
    /// Destroys an object that has one owner, or releases one reference to a shared object.
    unsafe fn drop_raw(handle: *mut Self);
}

macro_rules! raw {
    ($($type:ident $drop:ident,)*) => {
        $(impl Raw for c::$type {
            unsafe fn drop_raw(handle: *mut Self) {
                c::$drop(handle);
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
    chorale_model_builder chorale_model_builder_destroy,
    chorale_model chorale_model_release,
    chorale_run chorale_run_destroy,
    chorale_problem chorale_problem_destroy,
    chorale_decoded chorale_decoded_destroy,
    chorale_learnt chorale_learnt_destroy,
    chorale_ledger chorale_ledger_destroy,
}

pub(crate) struct Handle<T: Raw>(NonNull<T>);

impl<T: Raw> Handle<T> {
    /// Calls `function`, which creates an object in the library, and returns a handle of the
    /// object. The arguments of `function`: no host, where to store the object's address, and where
    /// to store the error.
    pub(crate) fn create(
        function: impl FnOnce(
            *const c::chorale_host,
            *mut *mut T,
            *mut c::chorale_error,
        ) -> c::chorale_status,
    ) -> Result<Self> {
        let mut made = std::ptr::null_mut();
        let result = call_quietly(|error| function(std::ptr::null(), &mut made, error));
        let handle = NonNull::new(made).map(Self);
        panics::resume(); // the panic of a callback, if any: unwinding drops `handle`
        result?;
        handle.ok_or_else(|| Error::new(Status::Internal, "a call that succeeded made nothing"))
    }

    /// Makes a handle that owns one reference to an object.
    ///
    /// # Safety
    /// The caller must own this reference and gives it up.
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
        // Destroying an object may drop the captured values of a callback. If one of their
        // destructors panicked, the panic is pending and is resumed here.
        panics::resume();
    }
}
