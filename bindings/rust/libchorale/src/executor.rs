//! Runs whose work is done by threads of the caller.

use crate::array::count;
use crate::{c, panics};
use std::os::raw::c_void;
use std::sync::atomic::{AtomicI64, Ordering};

/// A parallel loop of a run. It is divided into pieces, which the caller's executor distributes to
/// threads.
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
    /// Returns the greatest number of threads that may take part in the loop.
    pub fn workers(&self) -> usize {
        count(self.workers)
    }
    /// Returns the number of pieces.
    pub fn pieces(&self) -> usize {
        count(self.count)
    }
    /// Does pieces of the loop on the calling thread until every piece has been started. Only the
    /// first [`workers`](Self::workers) calls do so; further calls do nothing.
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

/// The callback by which the library hands a parallel loop to the executor. user: the address of an
/// `Executor`.
pub(crate) unsafe extern "C" fn run_executor(
    user: *mut c_void,
    count: i64,
    workers: i64,
    body: c::chorale_parallel_body,
    body_user: *mut c_void,
) {
    let executor = &*(user as *const Executor<'_>);
    let body = match body {
        Some(body) => body,
        None => return,
    };
    // Safe: the library allows several workers to call the body at the same time.
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
    // After the executor has returned or panicked, `finish` does the pieces that are left, as
    // worker 0. No other thread still takes part then, since `Work` cannot outlive the executor's
    // call.
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
