//! Callbacks that return, stop and panic. A panic is resumed after the call, on the thread that
//! made the call, and the called object can be used again.
#![cfg(feature = "experimental")]

use libchorale::experimental::*;
use libchorale::*;
use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

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
fn models(potential: &Potential, times: usize) -> Model<'static> {
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

fn model(potential: &Potential) -> Model<'static> {
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
            panic_of(|| solver.max_marginals(&potential, &members, &options, MarginalForm::Score)),
            broken
        );
        assert_eq!(panic_of(|| run.solve()), broken);
        assert_eq!(panic_of(|| run.solve()), broken);
        fuse.store(false, Ordering::Relaxed);
        assert_eq!(potential.evaluate(&[1, 2], 3).unwrap(), 5.0);
        let solution = solver.solve(&potential, &members, &options).unwrap();
        assert_eq!(solution.assignment, Some(&[0, 0, 0][..]));
        run.solve().unwrap();
        let labels = run.all_labels(Labelling::Together).unwrap();
        assert!(labels == [0; 3 * MANY]);
        // `reasons` and `json` need the potential at other counts than those of the labelling, so
        // they call the function.
        fuse.store(true, Ordering::Relaxed);
        assert_eq!(panic_of(|| run.reasons(2)), broken);
        assert_eq!(panic_of(|| run.json()), broken);
        // The potential that the model returns calls the same function.
        let told = model.clique_potential(MANY - 1).unwrap();
        assert_eq!(panic_of(|| told.evaluate(&[1, 2], 3)), broken);
        fuse.store(false, Ordering::Relaxed);
        assert_eq!(run.reasons(2).unwrap().len(), 1);
        assert_eq!(told.evaluate(&[1, 2], 3).unwrap(), 5.0);
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
fn an_executor_may_do_nothing_or_panic() {
    let model = models(&Potential::potts(2, 0.4).unwrap(), MANY);
    let mut plain = Run::new(&model, RunOptions::new()).unwrap();
    let expected = plain.solve().unwrap();
    let calls = AtomicUsize::new(0);
    {
        let options = RunOptions::new().executor(4, |work| {
            calls.fetch_add(1, Ordering::Relaxed);
            assert!(work.workers() == 4 && work.pieces() > 0);
        });
        let mut run = Run::new(&model, options).unwrap();
        assert_eq!(run.solve().unwrap(), expected);
    }
    assert!(calls.load(Ordering::Relaxed) > 0);
    // More threads than workers call `participate`.
    let options = RunOptions::new().executor(2, |work| {
        std::thread::scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|| work.participate());
            }
        });
    });
    let mut run = Run::new(&model, options).unwrap();
    assert_eq!(run.solve().unwrap(), expected);

    let options = RunOptions::new().executor(2, |work| {
        work.participate();
        panic!("the executor is broken");
    });
    let mut run = Run::new(&model, options).unwrap();
    assert_eq!(panic_of(|| run.solve()), "the executor is broken");
}

#[test]
fn the_log_speaks_and_panics() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&lines);
    let host = Host::new().log(move |level, line| {
        log.lock().unwrap().push((level, line.to_owned()));
    });
    let potential = Potential::potts(2, 1.0).unwrap();
    let freeze = |host: Option<&Host>| {
        let builder = host.map_or_else(ModelBuilder::new, ModelBuilder::new_in);
        let mut builder = builder.unwrap();
        builder
            .add_cliques(&CliqueSetup::positions(2, &potential), 1)
            .unwrap();
        builder.freeze()
    };
    freeze(Some(&host)).unwrap();
    assert_eq!(lines.lock().unwrap()[0].0, LogLevel::Warning);
    let told = lines.lock().unwrap().len();
    freeze(None).unwrap(); // this builder has no host
    assert_eq!(lines.lock().unwrap().len(), told);

    // A chain solver logs the score that it found.
    let chain = Chain::new(&SCORES).unwrap();
    let mut solver = ChainSolver::new_in(&host).unwrap();
    lines.lock().unwrap().clear();
    let score = solver.best(&chain).unwrap().result.score;
    let lines = lines.lock().unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].0, LogLevel::Debug);
    assert!(lines[0].1.contains(&format!("score {score}")), "{lines:?}");

    let host = Host::new().log(|_, _| panic!("the log is full"));
    assert_eq!(panic_of(|| freeze(Some(&host))), "the log is full");
    freeze(None).unwrap();
    let mut solver = ChainSolver::new_in(&host).unwrap();
    assert_eq!(panic_of(|| solver.best(&chain)), "the log is full");
}

/// An instance that acts like a chain of one position with two labels.
struct Item {
    scores: [f64; 2],
    trouble: Arc<Mutex<Option<&'static str>>>,
}

impl Item {
    fn trouble(&self) -> ControlFlow<()> {
        let trouble = *self.trouble.lock().unwrap();
        match trouble {
            None => ControlFlow::Continue(()),
            Some("stop") => ControlFlow::Break(()),
            Some(text) => panic!("{}", text),
        }
    }
}

impl Instance for Item {
    fn length(&self) -> usize {
        1
    }
    fn labels(&self) -> usize {
        2
    }
    fn messages(&self, incoming: &Incoming<'_>, outgoing: &mut Outgoing<'_>) -> ControlFlow<()> {
        self.trouble()?;
        assert_eq!(incoming.memberships(), outgoing.memberships());
        assert!(incoming.scores(incoming.memberships()).is_empty());
        assert!(outgoing.scores(incoming.memberships()).is_empty());
        for membership in 0..outgoing.memberships() {
            for value in 0..2 {
                let others = (0..incoming.memberships()).filter(|&other| other != membership);
                let heard: f64 = others.map(|other| incoming.scores(other)[value]).sum();
                outgoing.scores(membership)[value] = self.scores[value] + heard;
            }
        }
        ControlFlow::Continue(())
    }
    fn decode(
        &self,
        incoming: &Incoming<'_>,
        labelling: &mut [i32],
        shown: &mut MemberValues<'_>,
    ) -> ControlFlow<(), f64> {
        if self.trouble().is_break() {
            return ControlFlow::Break(());
        }
        let total = |value: usize| {
            let memberships = 0..incoming.memberships();
            self.scores[value]
                + memberships
                    .map(|membership| incoming.scores(membership)[value])
                    .sum::<f64>()
        };
        let best = usize::from(total(1) > total(0));
        labelling[0] = best as i32;
        for membership in 0..shown.memberships() {
            shown.set(membership, best);
        }
        shown.set(shown.memberships(), 9); // no such membership
        ControlFlow::Continue(self.scores[best])
    }
}

#[test]
fn instances_join_stop_and_panic() {
    let potential = Potential::potts(2, 0.4).unwrap();
    let trouble = Arc::new(Mutex::new(None));
    let mut builder = ModelBuilder::new().unwrap();
    for _ in 0..MANY {
        let clique = builder
            .add_cliques(&CliqueSetup::positions(2, &potential), 1)
            .unwrap()
            .start;
        for scores in SCORES {
            let trouble = Arc::clone(&trouble);
            let item = builder.add_instance(Item { scores, trouble }).unwrap();
            builder
                .add_members(clique, &Members::new(&[item as i64]).positions(&[-1]))
                .unwrap();
        }
    }
    let wrapped = builder.freeze().unwrap();
    let mut plain = Run::new(&models(&potential, MANY), RunOptions::new()).unwrap();
    let expected = plain.solve().unwrap();
    for threads in [1, 2] {
        let mut run = Run::new(&wrapped, RunOptions::new().threads(threads)).unwrap();
        let result = run.solve().unwrap();
        assert_eq!(result.score.to_bits(), expected.score.to_bits());
        assert!(run.all_labels(Labelling::Together).unwrap() == [0; 3 * MANY]);
        assert_eq!(run.reasons(2).unwrap()[0].position, None);
        // Calls that need a chain fail for an instance.
        assert_eq!(run.max_marginals(2).unwrap_err().status(), Status::Kind);
        static SCORE: [[f64; 2]; 1] = [SCORES[0]];
        let chain = Chain::new(&SCORE).unwrap();
        assert_eq!(run.set_chain(2, &chain).unwrap_err().status(), Status::Kind);
        assert_eq!(wrapped.chain(2).unwrap_err().status(), Status::Kind);
        assert_eq!(wrapped.chain_tokens(2).unwrap_err().status(), Status::Kind);
        run.reset();
        *trouble.lock().unwrap() = Some("the instance is broken");
        assert_eq!(panic_of(|| run.solve()), "the instance is broken");
        *trouble.lock().unwrap() = Some("stop");
        assert_eq!(run.solve().unwrap_err().status(), Status::CallbackStopped);
        *trouble.lock().unwrap() = None;
        assert_eq!(
            run.solve().unwrap().score.to_bits(),
            expected.score.to_bits()
        );
    }
    assert!(wrapped.chain(0).is_err());
    let problem = Problem::new(&wrapped).unwrap();
    assert_eq!(problem.write().unwrap_err().status(), Status::NotSavable);
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
    let flag = Cancel::new().unwrap();
    flag.raise();
    run.set_limits(None, Some(&flag)).unwrap();
    run.reset();
    drop(flag);
    assert_eq!(run.solve().unwrap().outcome, Outcome::Cancelled);
    run.set_limits(Some(std::time::Duration::from_secs(60)), None)
        .unwrap();
    assert_eq!(run.solve().unwrap().outcome, Outcome::Complete);
}
