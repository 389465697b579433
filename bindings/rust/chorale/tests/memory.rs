//! Memory comes from the host's allocator and goes back to it, also when there is none left.

use chorale::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::Arc;

/// Counts; fails at the allocation of a number, from 1; 0: never.
#[derive(Default)]
struct Counts {
    live: AtomicIsize,
    bytes: AtomicIsize,
    made: AtomicUsize,
    fail_at: AtomicUsize,
}

struct Counting(Arc<Counts>);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let number = self.0.made.fetch_add(1, Ordering::Relaxed) + 1;
        if number == self.0.fail_at.load(Ordering::Relaxed) {
            return std::ptr::null_mut();
        }
        self.0.live.fetch_add(1, Ordering::Relaxed);
        let bytes = layout.size() as isize;
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        System.alloc(layout)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        self.0.live.fetch_sub(1, Ordering::Relaxed);
        let bytes = layout.size() as isize;
        self.0.bytes.fetch_sub(bytes, Ordering::Relaxed);
        System.dealloc(memory, layout);
    }
}

struct Nothing(i32);

impl Instance for Nothing {
    fn length(&self) -> usize {
        0
    }
    fn labels(&self) -> usize {
        1
    }
    fn messages(&self, _: &Incoming<'_>, outgoing: &mut Outgoing<'_>) -> std::ops::ControlFlow<()> {
        for port in 0..outgoing.ports() {
            outgoing.port(port)[self.0 as usize] = 0.0;
        }
        std::ops::ControlFlow::Continue(())
    }
    fn decode(
        &self,
        _: &Incoming<'_>,
        _: &mut [i32],
        values: &mut [i32],
    ) -> std::ops::ControlFlow<(), f64> {
        values.fill(self.0);
        std::ops::ControlFlow::Continue(0.0)
    }
}

/// Uses everything that holds memory, and lets all of it go, some of it in another order than it
/// was made in.
fn use_everything() -> Result<()> {
    let names = ["O", "B-X", "I-X"];
    let cancel = Cancel::new()?;
    let mask = Mask::new(Scheme::BIO, &names)?;
    let map = LabelMap::from_names(Scheme::BIO, &names)?;
    let transitions = Transitions::zeros::<f64>(3).mask(&mask).build()?;
    let property = Property::first_label(&map, Some(&[true, false, false]))?;
    let mut rules = PropertyBuilder::new(3, 1, 2)?;
    rules.add_state()?;
    rules.rule(0, ANY, 1, 1, Action::value(0))?;
    let by_rules = rules.finish(None)?;
    let dictionary = Dictionary::new(&[1], true)?;
    let best = Dictionary::best(Some(&dictionary), &[1.0, 2.0], 1, true)?;
    let callback = Potential::callback(2, |counts, _| Some(counts[0] as f64))?;
    let scaled = callback.scaled(0.5)?;
    let potts = Potential::potts(2, 0.5)?;

    let mut solver = CliqueSolver::new()?;
    let options = CliqueOptions::new().gap(0.0);
    solver.reserve(&potts, 4, &options, CliqueTask::MAX_MARGINALS)?;
    solver.solve(&scaled, &[[0.0, 1.0], [0.5, 0.0]], &CliqueOptions::new())?;
    drop(callback);

    let unary = [[0.0, 1.0, 0.2], [0.3, 0.1, 0.9]];
    let chain = Chain::new(&unary).transitions(&transitions);
    let mut chains = ChainSolver::new()?;
    chains.reserve(&chain, ChainTask::K_BEST, 3)?;
    chains.k_best(&chain, 3)?;
    let attached = [Attachment::new(&property), Attachment::new(&by_rules)];
    chains.messages(&chain, &attached, &MessageOptions::new())?;

    let mut builder = ModelBuilder::new()?;
    let first = builder.add_chain(&chain, Some(&[5, 5]), 0)?;
    let instance = builder.add_instance(Nothing(0))?;
    let setup = CliqueSetup::property(&property, &scaled).dictionary(&best);
    let clique = builder.add_clique(&setup)?;
    builder.add_member(clique, first)?;
    builder.add_member(clique, instance)?;
    let words = Potential::potts(3, 0.25)?;
    builder.add_repeated_words(&words, &RepeatedWords::new())?;
    let model = builder.freeze()?;
    drop((scaled, property, dictionary, best, transitions));
    let weaker = model.reweigh(&[0.5, 0.5])?;
    let mut run = Run::new(&model, RunOptions::new().cancel(&cancel).bound_steps(2))?;
    run.solve()?;
    let mut later = Run::from_earlier(&weaker, RunOptions::new(), &run)?;
    drop((model, weaker, run, cancel));
    later.solve()?;

    let mut builder = ModelBuilder::new()?;
    builder.add_chain(&Chain::new(&unary), None, 0)?;
    let mut problem = Problem::new(&builder.freeze()?)?;
    problem.set_texts(TextList::LABELS, &names)?;
    problem.set_gold(Some(&[1, 2]))?;
    problem.set_note("a", "note")?;
    let bytes = problem.write()?;
    let read = Problem::read(&bytes)?;
    drop(problem);
    let model = read.model();
    drop(read);
    let mut run = Run::new(&model, RunOptions::new())?;
    drop(model);
    run.solve()?;
    Ok(())
}

#[test]
fn everything_goes_back() {
    let counts = Arc::new(Counts::default());
    Host::new()
        .allocator(Counting(Arc::clone(&counts)))
        .enter(use_everything)
        .unwrap();
    let made = counts.made.load(Ordering::Relaxed);
    println!("{made} allocations");
    assert!(made > 30);
    assert_eq!(counts.live.load(Ordering::Relaxed), 0);
    assert_eq!(counts.bytes.load(Ordering::Relaxed), 0);
    assert_eq!(Arc::strong_count(&counts), 1, "the host itself is gone");
}

#[test]
fn nothing_is_lost_when_memory_runs_out() {
    let counts = Arc::new(Counts::default());
    for fail_at in 1.. {
        counts.made.store(0, Ordering::Relaxed);
        counts.fail_at.store(fail_at, Ordering::Relaxed);
        let result = Host::new()
            .allocator(Counting(Arc::clone(&counts)))
            .enter(use_everything);
        assert_eq!(counts.live.load(Ordering::Relaxed), 0, "failure {fail_at}");
        assert_eq!(Arc::strong_count(&counts), 1, "failure {fail_at}");
        match result {
            Ok(()) => {
                println!("{} failures", fail_at - 1);
                assert!(fail_at > 30);
                break;
            }
            Err(error) => assert_eq!(error.status(), Status::OUT_OF_MEMORY, "{error}"),
        }
    }
}

#[test]
fn a_host_outlives_what_it_serves() {
    let counts = Arc::new(Counts::default());
    let host = Host::new().allocator(Counting(Arc::clone(&counts)));
    let model = host.enter(|| {
        let mut builder = ModelBuilder::new().unwrap();
        builder
            .add_chain(&Chain::new(&[[0.0, 1.0]]), None, 0)
            .unwrap();
        builder.freeze().unwrap()
    });
    drop(host);
    assert_eq!(Arc::strong_count(&counts), 2);
    // Of the other allocator, with a reference to what is of this one.
    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    drop(model);
    run.solve().unwrap();
    assert_eq!(Arc::strong_count(&counts), 2);
    std::thread::spawn(move || drop(run)).join().unwrap();
    assert_eq!(Arc::strong_count(&counts), 1);
    assert_eq!(counts.live.load(Ordering::Relaxed), 0);
}

#[test]
fn reserved_solvers_ask_for_nothing() {
    let counts = Arc::new(Counts::default());
    Host::new()
        .allocator(Counting(Arc::clone(&counts)))
        .enter(|| {
            let potts = Potential::potts(3, 0.5).unwrap();
            let mut solver = CliqueSolver::new().unwrap();
            let options = CliqueOptions::new();
            solver
                .reserve(&potts, 50, &options, CliqueTask::SOLVE)
                .unwrap();
            let model = {
                let mut builder = ModelBuilder::new().unwrap();
                builder
                    .add_chain(&Chain::new(&[[0.0, 1.0]]), Some(&[1]), 0)
                    .unwrap();
                let words = RepeatedWords::new().minimum(1);
                builder
                    .add_repeated_words(&Potential::potts(2, 1.0).unwrap(), &words)
                    .unwrap();
                builder.freeze().unwrap()
            };
            let mut run = Run::new(&model, RunOptions::new()).unwrap();
            let before = counts.made.load(Ordering::Relaxed);
            let scores = vec![[0.5, 0.25, 0.75]; 50];
            solver.solve(&potts, &scores, &options).unwrap();
            run.solve().unwrap();
            assert_eq!(counts.made.load(Ordering::Relaxed), before);
        });
}

#[test]
fn memory_of_the_caller() {
    let potts = Potential::potts(2, 0.3).unwrap();
    let options = CliqueOptions::new();
    let bytes = CliqueSolver::bytes(&potts, 3, &options, CliqueTask::SOLVE).unwrap();
    let mut memory = AlignedBytes::new(bytes);
    let status = |result: Result<()>| result.unwrap_err().status();
    let make = |memory: &mut [u8]| CliqueSolver::new_in(memory).map(drop);
    assert_eq!(status(make(&mut memory[1..])), Status::ALIGNMENT);
    assert_eq!(status(make(&mut memory[..64])), Status::WORKSPACE_TOO_SMALL);
    let mut solver = CliqueSolver::new_in(&mut memory).unwrap();
    let scores = [[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]];
    let solution = solver.solve(&potts, &scores, &options).unwrap();
    assert_eq!(solution.assignment, Some(&[0, 0, 0][..]));
    let many = vec![[0.1, 0.2]; 5000];
    let refused = solver.solve(&potts, &many, &options).map(drop);
    assert_eq!(status(refused), Status::WORKSPACE_TOO_SMALL);
    drop(solver);
    memory[0] = 1; // the caller's again
    assert_eq!(memory.len(), bytes);
}
