//! Errors, and the one way in which the library is called.

use crate::{panics, sys, Status};
use std::ffi::CStr;
use std::fmt;
use std::mem::MaybeUninit;
use std::os::raw::c_char;

/// A call that could not be carried out: which rule was broken, and a message that names the
/// argument, its value and the rule.
///
/// ```
/// let error = chorale::Potential::potts(0, 1.0).unwrap_err();
/// assert_eq!(error.status(), chorale::Status::SIZE);
/// assert!(error.to_string().contains("values is 0"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    status: Status,
    message: String,
}

/// What a call gives that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, message }
    }
    pub(crate) fn shape(message: impl Into<String>) -> Self {
        Self::new(Status::SHAPE, message)
    }

    /// Which rule was broken.
    pub fn status(&self) -> Status {
        self.status
    }
    /// The argument, its value and the rule.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.message, self.status)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Status {
    /// The name of the status in C, `CHORALE_ERROR_SIZE` say.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(unsafe { text(sys::chorale_status_name(self.raw())) })
    }
}

/// A text of static storage.
pub(crate) unsafe fn text(text: *const c_char) -> &'static str {
    CStr::from_ptr(text).to_str().unwrap_or("?")
}

/// Calls the library with room for an error. A panic that a callback of this thread held back goes
/// on here, so a call that makes something goes through `Handle::create`.
pub(crate) fn call(
    function: impl FnOnce(*mut sys::chorale_error) -> sys::chorale_status,
) -> Result<()> {
    let result = call_quietly(function);
    panics::resume();
    result
}

/// The same, with the panic left for later.
pub(crate) fn call_quietly(
    function: impl FnOnce(*mut sys::chorale_error) -> sys::chorale_status,
) -> Result<()> {
    panics::forget();
    let mut error = MaybeUninit::<sys::chorale_error>::uninit();
    let status = function(error.as_mut_ptr());
    if status == sys::CHORALE_OK {
        return Ok(());
    }
    // The message ends in NUL; what lies behind it was never written.
    let message = unsafe {
        let message = std::ptr::addr_of!((*error.as_ptr()).message).cast::<c_char>();
        CStr::from_ptr(message).to_string_lossy().into_owned()
    };
    Err(Error::new(Status::from_raw(status), message))
}
