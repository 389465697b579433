//! Panics in callbacks: caught before they unwind into C, and resumed after the call.

// Older versions of clippy report the constant inside thread_local as one of the program.
#![allow(clippy::declare_interior_mutable_const)]

use crate::{Result, Status};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Payload = Box<dyn Any + Send + 'static>;

thread_local! {
    // The pending panic of a callback on the thread of the call: the log, progress, an executor.
    static PENDING: RefCell<Option<Payload>> = const { RefCell::new(None) };
    // True if a callback panicked on this thread in a call that is not over.
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `callback`. None if it panics, or if an earlier panic is pending on this thread.
pub(crate) fn caught<T>(callback: impl FnOnce() -> T) -> Option<T> {
    if pending() {
        return None;
    }
    match catch_unwind(AssertUnwindSafe(callback)) {
        Ok(value) => Some(value),
        Err(payload) => {
            hold(payload);
            None
        }
    }
}

/// Calls `callback` even if an earlier panic is pending.
pub(crate) fn caught_always(callback: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(callback)) {
        hold(payload);
    }
}

pub(crate) fn pending() -> bool {
    PENDING
        .try_with(|pending| pending.borrow().is_some())
        .unwrap_or(false)
}

fn hold(payload: Payload) {
    let _ = PENDING.try_with(|pending| *pending.borrow_mut() = Some(payload));
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

/// The panics of a callback that workers of a run may call, stored where the thread that called the run
/// finds them.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Vec<Payload>>);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Vec<Payload>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `callback`. None if it panics, or if a callback has already panicked on this thread in this
    /// call.
    pub(crate) fn caught<T>(&self, callback: impl FnOnce() -> T) -> Option<T> {
        if PANICKED.try_with(Cell::get).unwrap_or(false) {
            return None; // the call goes on to its end: one panic a thread is enough
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

/// Clears this thread's mark that a callback panicked, at the beginning and the end of its part in a
/// call. True if the mark was set.
pub(crate) fn forget() -> bool {
    PANICKED
        .try_with(|panicked| panicked.replace(false))
        .unwrap_or(false)
}

/// Resumes the panic of a callback that stopped a call, and otherwise returns the call's result.
pub(crate) fn settle<'s, T>(
    result: Result<T>,
    slots: impl IntoIterator<Item = &'s Arc<Slot>>,
) -> Result<T> {
    let stopped = matches!(&result, Err(error) if error.status() == Status::CallbackStopped);
    if forget() || stopped {
        // Several workers may have panicked in one call: resumes the first panic and discards the
        // others, so that no later call finds them.
        let payloads = slots
            .into_iter()
            .flat_map(|slot| std::mem::take(&mut *slot.lock()));
        if let Some(payload) = payloads.collect::<Vec<_>>().into_iter().next() {
            resume_unwind(payload);
        }
    }
    result
}
