//! Handles of library objects: destroyed or released when dropped; what handles in lent memory keep.

use crate::error::call_quietly;
use crate::host::with_host;
use crate::{c, panics, Error, Host, Result, Status};
use std::marker::PhantomData;
use std::ptr::NonNull;

pub(crate) trait Raw {
    /// Destroys a handle, or releases one reference to it.
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
    Cancel cancel_destroy,
    Potential potential_release,
    CliqueSolver clique_solver_destroy,
    Transitions transitions_release,
    ChainSolver chain_solver_destroy,
    Property property_release,
    PropertyBuilder property_builder_destroy,
    Dictionary dictionary_release,
    ModelBuilder model_builder_destroy,
    Model model_release,
    Run run_destroy,
    Prices prices_destroy,
    Problem problem_destroy,
    Decoded decoded_destroy,
    Learnt learnt_destroy,
}

pub(crate) struct Handle<T: Raw>(NonNull<T>);

impl<T: Raw> Handle<T> {
    /// Calls `function` with the host for C, and returns the handle that it stores in its second
    /// argument.
    pub(crate) fn create(
        host: Option<&Host>,
        function: impl FnOnce(*const c::Host, *mut *mut T, *mut c::Error) -> c::Status,
    ) -> Result<Self> {
        let mut made = std::ptr::null_mut();
        let result = with_host(host, |host| {
            call_quietly(|error| function(host, &mut made, error))
        });
        let handle = NonNull::new(made).map(Self);
        panics::resume(); // with the handle, which is dropped
        result?;
        handle.ok_or_else(|| Error::new(Status::Internal, "a call that succeeded made nothing"))
    }

    /// Takes ownership of one reference to a handle.
    ///
    /// # Safety
    /// The caller owns the reference.
    pub(crate) unsafe fn from_raw(raw: *mut T) -> Self {
        Self::from_raw_or_null(raw).expect("a handle")
    }

    /// Takes ownership of one reference to a handle; None for NULL.
    ///
    /// # Safety
    /// The caller owns the reference.
    pub(crate) unsafe fn from_raw_or_null(raw: *mut T) -> Option<Self> {
        NonNull::new(raw).map(Self)
    }

    pub(crate) fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Raw> Drop for Handle<T> {
    fn drop(&mut self) {
        unsafe { T::drop_raw(self.as_ptr()) };
        // The destructor of a callback's captured values may have panicked.
        panics::resume();
    }
}

/// Kept by a solver in the caller's memory: the borrow of that memory, and the host whose log the solver
/// uses.
#[derive(Default)]
pub(crate) struct Lent<'m> {
    _memory: PhantomData<&'m mut [u8]>,
    _host: Option<Host>,
}

impl Lent<'_> {
    pub(crate) fn with_host(host: Option<&Host>) -> Self {
        Self {
            _memory: PhantomData,
            _host: host.cloned(),
        }
    }
}

/// Tells the compiler that the memory must outlive the solver, which is destroyed in that memory.
impl Drop for Lent<'_> {
    fn drop(&mut self) {}
}
