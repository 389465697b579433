//! Callbacks that return, stop and panic. A panic is resumed after the call, on the thread that
//! made the call, and the called object can be used again.

use libchorale::*;
use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

/// Calls `body`, which must panic, and returns the text of the panic.
fn panic_of<T>(body: impl FnOnce() -> T) -> String {
    let payload = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(_) => panic!("it did not panic"),
        Err(payload) => payload,
    };
    match payload.downcast::<&'static str>() {
        Ok(text) => text.to_string(),
        Err(payload) => *payload.downcast::<String>().expect("a text"),
    }
}

const SCORES: [[f64; 2]; 3] = [[2.0, 0.1], [1.8, 0.3], [0.9, 1.0]];
/// A number of cliques large enough that a run divides the work among its threads.
const MANY: usize = 400;

/// Makes a model of `times` cliques, each of three chains of one position.
fn models(potential: &Potential, times: usize) -> Model {
    let mut builder = ModelBuilder::new().unwrap();
    for _ in 0..times {
        let clique = builder
            .add_cliques(&CliqueSetup::positions(2, potential), 1)
            .unwrap()
            .start;
        for unary in SCORES {
            let unary = [unary];
            let chain = builder
                .add_chain(&Chain::new(&unary).unwrap(), None, 0)
                .unwrap();
            builder
                .add_members(clique, &Members::new(&[chain as i64]).positions(&[0]))
                .unwrap();
        }
    }
    builder.freeze().unwrap()
}

fn model(potential: &Potential) -> Model {
    models(potential, 1)
}

#[test]
fn a_potential_that_panics() {
    let fuse = Arc::new(AtomicBool::new(false));
    let lit = Arc::clone(&fuse);
    let potential = Potential::callback(2, move |counts, _| {
        assert!(!lit.load(Ordering::Relaxed), "the potential is broken");
        Some(counts.iter().map(|&count| (count * count) as f64).sum())
    })
    .unwrap();
    let mut solver = CliqueSolver::new().unwrap();
    let options = CliqueOptions::new();
    let members = CliqueProblem::new(&SCORES).unwrap();
    let model = models(&potential, MANY);
    for threads in [1, 3] {
        let mut run = Run::new(&model, RunOptions::new().threads(threads)).unwrap();
        fuse.store(true, Ordering::Relaxed);
        let broken = "the potential is broken";
        assert_eq!(panic_of(|| potential.evaluate(&[1, 2], 3)), broken);
        assert_eq!(
            panic_of(|| solver.solve(&potential, &members, &options)),
            broken
        );
        assert_eq!(
            panic_of(|| solver.max_marginals(&potential, &members, &options)),
            broken
        );
        assert_eq!(panic_of(|| run.solve()), broken);
        assert_eq!(panic_of(|| run.solve()), broken);
        fuse.store(false, Ordering::Relaxed);
        assert_eq!(potential.evaluate(&[1, 2], 3).unwrap(), 5.0);
        let solution = solver.solve(&potential, &members, &options).unwrap();
        assert_eq!(solution.assignment, Some(vec![0, 0, 0]));
        run.solve().unwrap();
        let labels = run.all_labels(Labelling::Together).unwrap();
        assert!(labels == [0; 3 * MANY]);
        // `reasons` needs the potential at other counts than those of the labelling, so it calls the
        // function.
        fuse.store(true, Ordering::Relaxed);
        assert_eq!(panic_of(|| run.reasons(2)), broken);
        fuse.store(false, Ordering::Relaxed);
        assert_eq!(run.reasons(2).unwrap().len(), 1);
    }
}

#[test]
fn a_potential_that_stops_or_lies() {
    let stops = Potential::callback(2, |_, _| None).unwrap();
    let status = |potential: &Potential| potential.evaluate(&[1, 2], 3).unwrap_err().status();
    assert_eq!(status(&stops), Status::CallbackStopped);
    let lies = Potential::callback(2, |_, _| Some(f64::NAN)).unwrap();
    assert_eq!(status(&lies), Status::CallbackValue);
    let mut run = Run::new(&model(&stops), RunOptions::new()).unwrap();
    assert_eq!(run.solve().unwrap_err().status(), Status::CallbackStopped);
}

#[test]
fn a_potential_is_dropped_once() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let dropped = Arc::new(AtomicUsize::new(0));
    let make = |values| {
        let counted = Counted(Arc::clone(&dropped));
        Potential::callback(values, move |_, _| {
            let _ = &counted;
            Some(0.0)
        })
    };
    assert!(make(0).is_err());
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    let potential = make(2).unwrap();
    let other = potential.clone();
    let model = model(&other);
    drop((potential, other));
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    drop(model);
    assert_eq!(dropped.load(Ordering::Relaxed), 2);

    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let bomb = Bomb;
    let potential = Potential::callback(2, move |_, _| {
        let _ = &bomb;
        None
    });
    assert_eq!(panic_of(|| drop(potential)), "dropped");
}

#[test]
fn progress_tells_stops_and_panics() {
    let model = model(&Potential::potts(2, 0.4).unwrap());
    let mut seen = Vec::new();
    {
        let options = RunOptions::new().progress(|progress| {
            seen.push((progress.round, progress.best_score));
            ControlFlow::Continue(())
        });
        let mut run = Run::new(&model, options).unwrap();
        let result = run.solve().unwrap();
        assert_eq!(result.outcome, Outcome::Complete);
    }
    assert_eq!(seen[0].0, 0);
    assert!(seen.len() > 1);

    let options = RunOptions::new().progress(|_| ControlFlow::Break(()));
    let mut run = Run::new(&model, options).unwrap();
    assert_eq!(run.solve().unwrap().outcome, Outcome::Cancelled);

    let mut first = true;
    let options = RunOptions::new().progress(move |_| {
        assert!(!std::mem::take(&mut first), "no progress");
        ControlFlow::Continue(())
    });
    let mut run = Run::new(&model, options).unwrap();
    assert_eq!(panic_of(|| run.solve()), "no progress");
    assert_eq!(run.solve().unwrap().outcome, Outcome::Complete);
    assert_eq!(run.all_labels(Labelling::Together).unwrap(), [0, 0, 0]);
}

#[test]
fn a_cancel_ends_a_run_from_another_thread() {
    let cancel = Cancel::new().unwrap();
    let model = model(&Potential::potts(2, 0.4).unwrap());
    let mut run = Run::new(&model, RunOptions::new().cancel(&cancel)).unwrap();
    let other = cancel.clone();
    std::thread::spawn(move || other.raise()).join().unwrap();
    assert!(cancel.is_raised());
    assert_eq!(run.solve().unwrap().outcome, Outcome::Cancelled);
    assert_eq!(
        run.labels(0, Labelling::Together).unwrap(),
        run.labels(0, Labelling::Alone).unwrap()
    );
    cancel.lower();
    drop(cancel); // the run keeps a clone
    assert_eq!(run.solve().unwrap().outcome, Outcome::Complete);
}
