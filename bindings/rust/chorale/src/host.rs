//! What a program lends the library: memory, a log, a way to cancel.

// Older clippy takes the constant in thread_local for one of the program.
#![allow(clippy::declare_interior_mutable_const)]

use crate::handle::Handle;
use crate::{panics, sys, LogLevel, Result};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::sync::Arc;

type Log = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;
type Allocator = Arc<dyn GlobalAlloc + Send + Sync>;

/// Memory and a log of your own, for what is created inside [`Host::enter`].
///
/// Without one, memory comes from `malloc` and nothing is logged.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// # fn main() -> chorale::Result<()> {
/// let lines = Arc::new(Mutex::new(Vec::new()));
/// let log = Arc::clone(&lines);
/// let host = chorale::Host::new().log(move |_, line| log.lock().unwrap().push(line.to_owned()));
///
/// let agreement = chorale::Potential::potts(2, 1.0)?;
/// host.enter(|| {
///     let mut builder = chorale::ModelBuilder::new()?;
///     builder.add_clique(&chorale::CliqueSetup::positions(2, &agreement))?; // without members
///     builder.freeze()
/// })?;
/// assert!(!lines.lock().unwrap().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Host(Arc<Inner>);

/// Its address is what the library gives back to the hooks. Every piece of memory that the library
/// holds counts as a reference, so the hooks outlive all handles, however these share each other.
struct Inner {
    log: Option<Log>,
    allocator: Allocator,
}

thread_local! {
    static CURRENT: RefCell<Option<Host>> = const { RefCell::new(None) };
}

impl Host {
    /// Memory from the system's allocator, no log.
    pub fn new() -> Self {
        Self(Arc::new(Inner {
            log: None,
            allocator: Arc::new(System),
        }))
    }

    /// A host with this log and the same memory. It is called on the thread that makes the call
    /// into the library, and must not use the same object. A panic in it goes on when that call is
    /// over.
    pub fn log(self, log: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner {
            log: Some(Arc::new(log)),
            allocator: Arc::clone(&self.0.allocator),
        }))
    }

    /// A host with memory from `allocator` and the same log.
    pub fn allocator(self, allocator: impl GlobalAlloc + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner {
            log: self.0.log.clone(),
            allocator: Arc::new(allocator),
        }))
    }

    /// Runs `body` with this host: what it creates on this thread, handles of this crate that is,
    /// takes memory from this host and logs to it for as long as it lives.
    pub fn enter<T>(&self, body: impl FnOnce() -> T) -> T {
        struct Leave(Option<Host>);
        impl Drop for Leave {
            fn drop(&mut self) {
                let outer = self.0.take();
                let _ = CURRENT.try_with(|current| *current.borrow_mut() = outer);
            }
        }
        let outer = CURRENT.with(|current| current.borrow_mut().replace(self.clone()));
        let _leave = Leave(outer);
        body()
    }

    /// The host that the thread is in.
    pub(crate) fn current() -> Option<Self> {
        CURRENT
            .try_with(|current| current.borrow().clone())
            .unwrap_or(None)
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

/// Calls `function` with the host that the thread is in, which the library copies.
pub(crate) fn with_host<T>(function: impl FnOnce(*const sys::chorale_host) -> T) -> T {
    let host = match Host::current() {
        None => return function(std::ptr::null()),
        Some(host) => host,
    };
    let user = Arc::as_ptr(&host.0) as *mut c_void;
    let allocator = sys::chorale_allocator {
        user,
        allocate: Some(allocate),
        deallocate: Some(deallocate),
    };
    let mut raw = init!(chorale_host, chorale_host_init);
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
    // The last piece: the hooks' own destructors may panic.
    panics::caught_always(|| Arc::decrement_strong_count(inner));
}

unsafe extern "C" fn write_log(
    user: *mut c_void,
    level: sys::chorale_log_level,
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

/// A flag by which any thread asks a computation to end early. Clones are the same flag.
#[derive(Clone)]
pub struct Cancel(Arc<Handle<sys::chorale_cancel>>);

// The flag is atomic.
unsafe impl Send for Handle<sys::chorale_cancel> {}
unsafe impl Sync for Handle<sys::chorale_cancel> {}

impl Cancel {
    /// A lowered flag.
    pub fn new() -> Result<Self> {
        with_host(|host| {
            Handle::create(|made, error| unsafe { sys::chorale_cancel_create(host, made, error) })
        })
        .map(|handle| Self(Arc::new(handle)))
    }
    pub fn raise(&self) {
        unsafe { sys::chorale_cancel_raise(self.0.as_ptr()) };
    }
    pub fn lower(&self) {
        unsafe { sys::chorale_cancel_lower(self.0.as_ptr()) };
    }
    pub fn is_raised(&self) -> bool {
        unsafe { sys::chorale_cancel_is_raised(self.0.as_ptr()) != 0 }
    }
    pub(crate) fn as_ptr(&self) -> *const sys::chorale_cancel {
        self.0.as_ptr()
    }
}
