//! Errors, and the functions through which every library call that can fail is made.

use crate::pass::Pass;
use crate::{c, panics, Status};
use std::ffi::CStr;
use std::fmt;
use std::mem::MaybeUninit;
use std::os::raw::c_char;

/// The error of a call: a status, and a message that names the argument, its value and the rule
/// that the value breaks.
///
/// ```
/// use libchorale as ch;
/// let error = ch::Potential::potts(0, 1.0).unwrap_err();
/// assert_eq!(error.status(), ch::Status::Size);
/// assert!(error.message().contains("values is 0"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    status: Status,
    message: String,
}

/// The result of a call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, message }
    }
    pub(crate) fn shape(message: impl Into<String>) -> Self {
        Self::new(Status::Shape, message)
    }
    /// Returns this error with `name`, the name of an argument, put before its message.
    pub(crate) fn of(self, name: &str) -> Self {
        Self::new(self.status, format!("{name}: {}", self.message))
    }

    /// Returns the status, which tells what kind of rule was broken.
    pub fn status(&self) -> Status {
        self.status
    }
    /// Returns the message, which names the argument, its value and the rule that the value breaks.
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
    /// Writes the status in words, such as "out of memory".
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = unsafe { text(c::chorale_status_name(self.number())) };
        let words = name.rsplit("ERROR_").next().unwrap_or(name);
        formatter.write_str(&words.replace('_', " ").to_lowercase())
    }
}

/// Converts a text in static storage of the library to a `str`; "?" if the text is not UTF-8.
pub(crate) unsafe fn text(text: *const c_char) -> &'static str {
    CStr::from_ptr(text).to_str().unwrap_or("?")
}

/// Names that messages of the library put before a field of a C struct, as in "options->tokens".
/// `in_rust` removes these names, since the crate has other types in place of the structs.
const STRUCTS: &str =
    "rules automaton chain corpus evidence map members mentions options problem run scores setup";

/// Translates a message of the library to the names of this crate: "options->tokens[0]" becomes
/// "tokens[0]", "is NULL" becomes "is missing", and constants lose the prefix CHORALE_.
fn in_rust(message: &str) -> String {
    let words = message.split_inclusive([' ', '(']);
    let words = words.map(|word| {
        STRUCTS.split(' ').fold(word, |word, name| {
            let field = word
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix("->"));
            field.unwrap_or(word)
        })
    });
    words
        .collect::<String>()
        .replace(" is NULL", " is missing")
        .replace("CHORALE_", "")
        .replace("_ constant", " constant")
}

/// Calls the library, and turns a status other than OK into an error. Then resumes the panic of a
/// callback, if one is pending on this thread. A call that creates an object must not be made
/// through this function, because the panic would leak the object; `Handle::create` drops the
/// object first.
pub(crate) fn call(
    function: impl FnOnce(*mut c::chorale_error) -> c::chorale_status,
) -> Result<()> {
    let result = call_quietly(function);
    panics::resume();
    result
}

/// Calls the library, and turns a status other than OK into an error. If a callback panicked, the
/// panic stays pending.
pub(crate) fn call_quietly(
    function: impl FnOnce(*mut c::chorale_error) -> c::chorale_status,
) -> Result<()> {
    panics::forget();
    let mut error = MaybeUninit::<c::chorale_error>::uninit();
    let status = function(error.as_mut_ptr());
    if status == c::CHORALE_OK {
        return Ok(());
    }
    // Safe: the library filled the message up to a NUL. Bytes after the NUL are not read.
    let message = unsafe {
        let message = std::ptr::addr_of!((*error.as_ptr()).message).cast::<c_char>();
        in_rust(&CStr::from_ptr(message).to_string_lossy())
    };
    Err(Error::new(status.pass(), message))
}
