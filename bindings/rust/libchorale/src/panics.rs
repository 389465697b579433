//! Panics in callbacks. They are caught before they unwind into C, and resumed after the call into
//! the library.
//!
//! A callback that is always called on the thread of the call (progress) leaves its
//! panic *pending* on this thread. A callback that other threads may call (potential)
//! leaves its panic in a `Slot`.

// Older versions of clippy wrongly apply this lint to the constants inside thread_local.
#![allow(clippy::declare_interior_mutable_const)]

use crate::{Result, Status};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Payload = Box<dyn Any + Send + 'static>;

thread_local! {
    // The pending panic of a callback. It is kept for this thread, which made the call into the
    // library and on which the library called the callback.
    static PENDING: RefCell<Option<Payload>> = const { RefCell::new(None) };
    // True if a callback with a `Slot` panicked on this thread during a call that is not over yet.
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `callback` and returns its result. If it panics, leaves the panic pending on this thread
/// and returns None. If an earlier panic is pending, returns None without calling `callback`.
pub(crate) fn caught<T>(callback: impl FnOnce() -> T) -> Option<T> {
    let pending = PENDING.try_with(|pending| pending.borrow().is_some());
    if pending.unwrap_or(false) {
        return None;
    }
    let mut result = None;
    caught_always(|| result = Some(callback()));
    result
}

/// Calls `callback` even if an earlier panic is pending. If it panics too, its panic replaces the
/// pending panic.
pub(crate) fn caught_always(callback: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(callback)) {
        let _ = PENDING.try_with(|pending| *pending.borrow_mut() = Some(payload));
    }
}

/// Resumes the pending panic of this thread, if there is one.
pub(crate) fn resume() {
    if std::thread::panicking() {
        return;
    }
    let payload = PENDING.try_with(|pending| pending.borrow_mut().take());
    if let Ok(Some(payload)) = payload {
        resume_unwind(payload);
    }
}

/// Holds the panics of one callback that several threads may call, until the thread that made the
/// call into the library takes them.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Vec<Payload>>);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Vec<Payload>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `callback` and returns its result. If it panics, stores the panic in this slot and
    /// returns None. If a callback with a slot has already panicked on this thread during this call
    /// into the library, returns None without calling `callback`.
    pub(crate) fn caught<T>(&self, callback: impl FnOnce() -> T) -> Option<T> {
        if PANICKED.try_with(Cell::get).unwrap_or(false) {
            return None; // only the first panic of a thread is kept
        }
        match catch_unwind(AssertUnwindSafe(callback)) {
            Ok(value) => Some(value),
            Err(payload) => {
                let _ = PANICKED.try_with(|panicked| panicked.set(true));
                self.lock().push(payload);
                None
            }
        }
    }
}

/// Clears this thread's mark that a callback panicked, and returns whether the mark was set. Called
/// when a thread begins and ends its part in a call.
pub(crate) fn forget() -> bool {
    PANICKED
        .try_with(|panicked| panicked.replace(false))
        .unwrap_or(false)
}

/// Returns `result`, the result of a call into the library. If a callback with one of `slots`
/// panicked in this call, resumes the panic instead.
pub(crate) fn settle<'s, T>(
    result: Result<T>,
    slots: impl IntoIterator<Item = &'s Arc<Slot>>,
) -> Result<T> {
    let stopped = matches!(&result, Err(error) if error.status() == Status::CallbackStopped);
    if forget() || stopped {
        // Callbacks may have panicked on several threads in one call. One of the panics is resumed
        // and the others are dropped, so that no later call finds them.
        let payloads = slots
            .into_iter()
            .flat_map(|slot| std::mem::take(&mut *slot.lock()));
        if let Some(payload) = payloads.collect::<Vec<_>>().into_iter().next() {
            resume_unwind(payload);
        }
    }
    result
}
