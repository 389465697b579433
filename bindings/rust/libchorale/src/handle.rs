//! Handles: owners of objects of the library. Dropping a handle destroys the object, or releases
//! the handle's reference if the object is shared.

use crate::error::call_quietly;
use crate::{c, panics, Error, Result, Status};
use std::ptr::NonNull;

pub(crate) trait Raw {
    /// Destroys an object that has one owner, or releases one reference to a shared object.
    unsafe fn drop_raw(handle: *mut Self);
}

/// An object that counts its references.
pub(crate) trait Shared: Raw {
    /// Adds a reference.
    unsafe fn retain(handle: *const Self) -> *mut Self;
}

macro_rules! raw {
    ($($type:ident $drop:ident $($retain:ident)?,)*) => {$(
        impl Raw for c::$type {
            unsafe fn drop_raw(handle: *mut Self) {
                c::$drop(handle);
            }
        }
        $(impl Shared for c::$type {
            unsafe fn retain(handle: *const Self) -> *mut Self {
                c::$retain(handle)
            }
        })?
    )*};
}

raw! {
    chorale_cancel chorale_cancel_destroy,
    chorale_potential chorale_potential_release chorale_potential_retain,
    chorale_clique_solver chorale_clique_solver_destroy,
    chorale_transitions chorale_transitions_release chorale_transitions_retain,
    chorale_chain_solver chorale_chain_solver_destroy,
    chorale_property chorale_property_release chorale_property_retain,
    chorale_model_builder chorale_model_builder_destroy,
    chorale_model chorale_model_release chorale_model_retain,
    chorale_run chorale_run_destroy,
    chorale_problem chorale_problem_destroy,
    chorale_decoded chorale_decoded_destroy,
    chorale_learnt chorale_learnt_destroy,
    chorale_ledger chorale_ledger_destroy,
}

pub(crate) struct Handle<T: Raw>(NonNull<T>);

// Safe: an object of the library may move between threads, and several threads may make calls at once
// that only read it. Types that hold a handle change the object in calls that take `&mut self`, or
// atomically (`Cancel`). Callbacks that an object holds are Send, and Sync if several threads call them.
unsafe impl<T: Raw> Send for Handle<T> {}
unsafe impl<T: Raw> Sync for Handle<T> {}

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

    pub(crate) fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Shared> Handle<T> {
    /// Adds a reference to an object, and makes a handle that owns it.
    ///
    /// # Safety
    /// The object must exist.
    pub(crate) unsafe fn retain(object: *const T) -> Self {
        Self(NonNull::new(T::retain(object)).expect("a handle"))
    }
}

impl<T: Shared> Clone for Handle<T> {
    fn clone(&self) -> Self {
        // Safe: the object exists as long as this handle.
        unsafe { Self::retain(self.as_ptr()) }
    }
}

pass! {
    <T: Raw> handle: &Handle<T> => *mut T { handle.as_ptr() }
    <T: Raw> handle: &Handle<T> => *const T { handle.as_ptr() }
}

impl<T: Raw> Drop for Handle<T> {
    fn drop(&mut self) {
        unsafe { T::drop_raw(self.as_ptr()) };
        // Destroying an object may drop the captured values of a callback. If one of their
        // destructors panicked, the panic is pending and is resumed here.
        panics::resume();
    }
}
