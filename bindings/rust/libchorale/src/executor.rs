//! The work of a run on threads of the caller.

use crate::array::count;
use crate::{c, panics};
use std::os::raw::c_void;
use std::sync::atomic::{AtomicI64, Ordering};

/// A parallel loop of a run, divided into pieces, which the caller's executor distributes to threads.
///
/// ```
/// use libchorale as ch;
/// let options = ch::RunOptions::new().executor(2, |work: &ch::Work<'_>| {
///     std::thread::scope(|scope| {
///         scope.spawn(|| work.participate());
///         work.participate();
///     });
/// });
/// ```
pub struct Work<'a> {
    body: &'a (dyn Fn(i64, i64) + Sync),
    count: i64,
    workers: i64,
    next_piece: AtomicI64,
    next_worker: AtomicI64,
}

impl Work<'_> {
    /// The greatest number of threads that may take part at once.
    pub fn workers(&self) -> usize {
        count(self.workers)
    }
    /// The number of pieces.
    pub fn pieces(&self) -> usize {
        count(self.count)
    }
    /// Works on pieces until all have been started. Returns at once if `workers` threads already take
    /// part.
    pub fn participate(&self) {
        let worker = self.next_worker.fetch_add(1, Ordering::Relaxed);
        if worker < self.workers {
            panics::forget();
            self.finish(worker);
            panics::forget();
        }
    }
    fn finish(&self, worker: i64) {
        loop {
            let piece = self.next_piece.fetch_add(1, Ordering::Relaxed);
            if piece >= self.count {
                return;
            }
            (self.body)(piece, worker);
        }
    }
}

pub(crate) type Executor<'a> = Box<dyn Fn(&Work<'_>) + Send + Sync + 'a>;

/// The executor callback of the library. user: the address of an `Executor`.
pub(crate) unsafe extern "C" fn run_executor(
    user: *mut c_void,
    count: i64,
    workers: i64,
    body: c::ParallelBody,
    body_user: *mut c_void,
) {
    let executor = &*(user as *const Executor<'_>);
    let body = match body {
        Some(body) => body,
        None => return,
    };
    // Safe: the library allows different workers to call the body at the same time.
    struct Shared(*mut c_void);
    unsafe impl Sync for Shared {}
    impl Shared {
        fn get(&self) -> *mut c_void {
            self.0
        }
    }
    let shared = Shared(body_user);
    let work = Work {
        body: &|piece, worker| body(shared.get(), piece, worker),
        count,
        workers,
        next_piece: AtomicI64::new(0),
        next_worker: AtomicI64::new(0),
    };
    // Does the pieces that the executor left undone, also after a panic. No other thread takes part
    // after the call of the executor, since `Work` cannot outlive the call.
    panics::caught(|| executor(&work));
    work.finish(0);
}

impl std::fmt::Debug for Work<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Work")
            .field("pieces", &self.pieces())
            .field("workers", &self.workers())
            .finish()
    }
}
