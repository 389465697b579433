//! Panics in callbacks: caught before they would unwind into C, and resumed after the call.

// Older clippy takes the constant in thread_local for one of the program.
#![allow(clippy::declare_interior_mutable_const)]

use crate::{Result, Status};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Payload = Box<dyn Any + Send + 'static>;

thread_local! {
    // Of callbacks that run on the thread of the call: the log, progress, an executor.
    static PENDING: RefCell<Option<Payload>> = const { RefCell::new(None) };
    // That a callback panicked on this thread for the sake of a call that is not over.
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Calls back; None after a panic, or while one is held back.
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

/// The same for what must be done whether or not a panic is held back.
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

/// Lets a panic go on that was held back on this thread.
pub(crate) fn resume() {
    if std::thread::panicking() {
        return;
    }
    let payload = PENDING.try_with(|pending| pending.borrow_mut().take());
    if let Ok(Some(payload)) = payload {
        resume_unwind(payload);
    }
}

/// Panics of a callback that workers of a run may call: held where the thread of the call finds
/// them.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Vec<Payload>>);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Vec<Payload>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As the function of this module.
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

/// This thread's part in a call begins or ends: whether a callback panicked in it.
pub(crate) fn forget() -> bool {
    PANICKED
        .try_with(|panicked| panicked.replace(false))
        .unwrap_or(false)
}

/// After a call that may have called back: a callback that stopped it by a panic goes on panicking.
pub(crate) fn settle<'s, T>(
    result: Result<T>,
    slots: impl IntoIterator<Item = &'s Arc<Slot>>,
) -> Result<T> {
    let stopped = matches!(&result, Err(error) if error.status() == Status::CallbackStopped);
    if forget() || stopped {
        // Several workers may have panicked in one call: one of them is told, none is left for
        // another call to find.
        let payloads = slots
            .into_iter()
            .flat_map(|slot| std::mem::take(&mut *slot.lock()));
        if let Some(payload) = payloads.collect::<Vec<_>>().into_iter().next() {
            resume_unwind(payload);
        }
    }
    result
}
