//! What a program gives to the library: memory and a log.

use crate::{c, panics, LogLevel};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::CStr;
use std::fmt;
use std::os::raw::{c_char, c_void};
use std::sync::Arc;

type Log = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;
type Allocator = Arc<dyn GlobalAlloc + Send + Sync>;

/// An allocator and a log for objects of the library. A host is passed when an object is created:
/// by the method `host` of its options, or to a method whose name ends in `_in`. The object then
/// uses this allocator and log as long as it lives. Each object has its own host: a run may have
/// another host than its model.
///
/// Without a host, memory comes from `malloc` and nothing is logged.
///
/// ```
/// use libchorale as ch;
/// use std::sync::{Arc, Mutex};
/// # fn main() -> ch::Result<()> {
/// let lines = Arc::new(Mutex::new(Vec::new()));
/// let log = Arc::clone(&lines);
/// let host = ch::Host::new().log(move |_, line| log.lock().unwrap().push(line.to_owned()));
///
/// let agreement = ch::Potential::potts(2, 1.0)?;
/// let mut builder = ch::ModelBuilder::new_in(&host)?;
/// builder.add_cliques(&ch::CliqueSetup::positions(2, &agreement), 1)?; // without members
/// builder.freeze()?;
/// assert!(!lines.lock().unwrap().is_empty());
/// # Ok(())
/// # }
/// ```
#[must_use = "a host serves only the objects that it is given to"]
#[derive(Clone)]
pub struct Host(Arc<Inner>);

/// The allocator and the log. The library stores the address of this struct and passes it to the
/// callbacks below. Each block of memory that the library holds counts as one reference to the
/// struct, so that the struct outlives every object of the library made with it.
struct Inner {
    log: Option<Log>,
    allocator: Allocator,
}

impl Host {
    /// Makes a host with the system's allocator and no log.
    pub fn new() -> Self {
        Self(Arc::new(Inner {
            log: None,
            allocator: Arc::new(System),
        }))
    }

    /// Returns a host with this log, and with the allocator of `self`. The log is called with the
    /// level and the text of each message, on the thread that makes the call into the library. It
    /// must not use the object of that call. A panic in the log is resumed when the call is over.
    pub fn log(self, log: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner {
            log: Some(Arc::new(log)),
            allocator: Arc::clone(&self.0.allocator),
        }))
    }

    /// Returns a host with this allocator, and with the log of `self`.
    pub fn allocator(self, allocator: impl GlobalAlloc + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner {
            log: self.0.log.clone(),
            allocator: Arc::new(allocator),
        }))
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Host")
            .field("log", &self.0.log.is_some())
            .finish_non_exhaustive()
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

/// Calls `function` with the host as a C struct, which is valid only during the call, or with NULL
/// if `host` is None.
pub(crate) fn with_host<T>(
    host: Option<&Host>,
    function: impl FnOnce(*const c::chorale_host) -> T,
) -> T {
    let host = match host {
        None => return function(std::ptr::null()),
        Some(host) => host,
    };
    let user = Arc::as_ptr(&host.0) as *mut c_void;
    let allocator = c::chorale_allocator {
        user,
        allocate: Some(allocate),
        deallocate: Some(deallocate),
    };
    let mut raw = init!(chorale_host);
    raw.allocator = &allocator;
    if host.0.log.is_some() {
        raw.log = Some(write_log);
        raw.log_user = user;
    }
    function(&raw)
}

unsafe extern "C" fn allocate(user: *mut c_void, bytes: usize, alignment: usize) -> *mut c_void {
    let inner = user as *const Inner;
    let layout = match Layout::from_size_align(bytes, alignment) {
        Ok(layout) => layout,
        Err(_) => return std::ptr::null_mut(),
    };
    let memory = (*inner).allocator.alloc(layout);
    if !memory.is_null() {
        Arc::increment_strong_count(inner);
    }
    memory.cast()
}

unsafe extern "C" fn deallocate(
    user: *mut c_void,
    memory: *mut c_void,
    bytes: usize,
    alignment: usize,
) {
    let inner = user as *const Inner;
    let layout = Layout::from_size_align_unchecked(bytes, alignment);
    (*inner).allocator.dealloc(memory.cast(), layout);
    // If no `Host` is left, the last deallocation drops the caller's allocator and log, whose
    // destructors may panic.
    panics::caught_always(|| Arc::decrement_strong_count(inner));
}

unsafe extern "C" fn write_log(
    user: *mut c_void,
    level: c::chorale_log_level,
    message: *const c_char,
) {
    let inner = &*(user as *const Inner);
    panics::caught(|| {
        if let Some(log) = &inner.log {
            log(
                LogLevel::from_raw(level),
                &CStr::from_ptr(message).to_string_lossy(),
            );
        }
    });
}
