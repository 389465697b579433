//! All memory comes from the host's allocator and goes back to it, even if an allocation fails.
#![cfg(feature = "experimental")]

use libchorale::experimental::*;
use libchorale::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::Arc;

/// The numbers of live blocks, live bytes and allocations, and the number (from 1) of the
/// allocation that fails; 0: none.
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

/// Makes an object of every type that allocates memory, and drops them all, some before the objects
/// that depend on them.
fn use_everything(host: &Host) -> Result<()> {
    let names = ["O", "B-X", "I-X"];
    let cancel = Cancel::new_in(host)?;
    let mask = Mask::new(Scheme::Bio, &names)?;
    let map = LabelMap::from_names(Scheme::Bio, &names)?;
    let transitions = Transitions::zeros::<f64>(3)
        .mask(&mask)
        .host(host)
        .build()?;
    let options = PropertyOptions::new()
        .ignored(&[true, false, false])
        .host(host);
    let property = Property::first_label(&map, &options)?;
    let mut rules = PropertyBuilder::new_in(3, 1, 2, host)?;
    rules.add_state()?;
    rules.rule(0, ANY, 1, 1, Action::Value(0))?;
    let by_rules = rules.finish(&PropertyOptions::new())?;
    let dictionary = Dictionary::new_in(&[1], Unlisted::AsValue, host)?;
    let best = Dictionary::best_in(Some(&dictionary), &[1.0, 2.0], 1, Unlisted::AsValue, host)?;
    let on_host = PotentialOptions::new().host(host);
    let callback = Potential::callback_with(2, |counts, _| Some(counts[0] as f64), &on_host)?;

    let mut solver = CliqueSolver::new_in(host)?;
    let members = CliqueProblem::new(&[[0.0, 1.0], [0.5, 0.0]])?;
    let _ = solver.solve(&callback, &members, &CliqueOptions::new())?;

    let unary = [[0.0, 1.0, 0.2], [0.3, 0.1, 0.9]];
    let chain = Chain::new(&unary)?.transitions(&transitions);
    let mut chains = ChainSolver::new_in(host)?;
    let _ = chains.k_best(&chain, 3)?;
    let attached = [Attachment::new(&property), Attachment::new(&by_rules)];
    let _ = chains.messages(&chain, &attached, &MessageOptions::new())?;

    let mut builder = ModelBuilder::new_in(host)?;
    let first = builder.add_chain(&chain, Some(&[5, 5]), 0)?;
    let setup = CliqueSetup::property(&property, &callback).dictionary(&best);
    let clique = builder.add_cliques(&setup, 1)?.start;
    builder.add_members(clique, &Members::new(&[first as i64]).positions(&[-1]))?;
    let words = Potential::potts_with(3, 0.25, &on_host)?;
    builder.add_repeated_words(&words, &RepeatedWords::new())?;
    let model = builder.freeze()?;
    drop((callback, property, dictionary, best, transitions));
    let mut prices = Prices::new(&model, &[1], RunOptions::new().host(host))?;
    prices.solve(&[[0.0, 0.5, 0.0]])?;
    assert_eq!(prices.counts()?.len(), 1);
    let options = RunOptions::new().host(host).cancel(&cancel).bound_steps(2);
    let mut run = Run::new(&model, options)?;
    run.solve()?;
    let mut later = Run::from_earlier(&model, RunOptions::new().host(host), &run)?;
    drop((model, run, cancel));
    later.solve()?;
    prices.solve::<[f64; 3]>(&[])?;

    let mut builder = ModelBuilder::new_in(host)?;
    builder.add_chain(&Chain::new(&unary)?, None, 0)?;
    let mut problem = Problem::new_in(&builder.freeze()?, host)?;
    problem.set_texts(TextList::Labels, &names)?;
    problem.set_gold(Some(&[1, 2]))?;
    problem.set_note("a", "note")?;
    let bytes = AlignedBytes::copy_of(&problem.write()?)?;
    let read = Problem::read_in(&bytes, host)?;
    let borrowed = Problem::read_borrowed_in(&bytes, host)?;
    assert_eq!(borrowed.write()?, bytes[..]);
    drop(problem);
    let model = read.model();
    drop(read);
    let mut run = Run::new(&model, RunOptions::new().host(host))?;
    drop(model);
    run.solve()?;
    let corpus = Corpus::items(&[[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]])?.tokens(&[5, 5, 5]);
    let options = RunOptions::new().host(host);
    let labelled = decode_borrowed(&corpus, &[Agreement::words()], options)?;
    assert_eq!(labelled.reasons()?.len(), 1);
    Ok(())
}

#[test]
fn everything_goes_back() {
    let counts = Arc::new(Counts::default());
    use_everything(&Host::new().allocator(Counting(Arc::clone(&counts)))).unwrap();
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
        let result = use_everything(&Host::new().allocator(Counting(Arc::clone(&counts))));
        assert_eq!(counts.live.load(Ordering::Relaxed), 0, "failure {fail_at}");
        assert_eq!(Arc::strong_count(&counts), 1, "failure {fail_at}");
        match result {
            Ok(()) => {
                println!("{} failures", fail_at - 1);
                assert!(fail_at > 30);
                break;
            }
            Err(error) => assert_eq!(error.status(), Status::OutOfMemory, "{error}"),
        }
    }
}

#[test]
fn a_host_outlives_what_it_serves() {
    let counts = Arc::new(Counts::default());
    let host = Host::new().allocator(Counting(Arc::clone(&counts)));
    let model = {
        let mut builder = ModelBuilder::new_in(&host).unwrap();
        builder
            .add_chain(&Chain::new(&[[0.0, 1.0]]).unwrap(), None, 0)
            .unwrap();
        builder.freeze().unwrap()
    };
    drop(host);
    assert_eq!(Arc::strong_count(&counts), 2);
    // The run has memory of the default allocator, and keeps the model, which has memory of the
    // host.
    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    drop(model);
    run.solve().unwrap();
    assert_eq!(Arc::strong_count(&counts), 2);
    std::thread::spawn(move || drop(run)).join().unwrap();
    assert_eq!(Arc::strong_count(&counts), 1);
    assert_eq!(counts.live.load(Ordering::Relaxed), 0);
}

#[test]
fn what_has_run_asks_for_nothing() {
    let counts = Arc::new(Counts::default());
    let host = Host::new().allocator(Counting(Arc::clone(&counts)));
    let potts = Potential::potts(3, 0.5).unwrap();
    let mut solver = CliqueSolver::new_in(&host).unwrap();
    let options = CliqueOptions::new();
    let scores = vec![[0.5, 0.25, 0.75]; 50];
    let members = CliqueProblem::new(&scores).unwrap();
    let _ = solver.solve(&potts, &members, &options).unwrap();
    let model = {
        let mut builder = ModelBuilder::new_in(&host).unwrap();
        builder
            .add_chain(&Chain::new(&[[0.0, 1.0]]).unwrap(), Some(&[1]), 0)
            .unwrap();
        let words = RepeatedWords::new().minimum(1);
        builder
            .add_repeated_words(&Potential::potts(2, 1.0).unwrap(), &words)
            .unwrap();
        builder.freeze().unwrap()
    };
    let mut run = Run::new(&model, RunOptions::new().host(&host)).unwrap();
    let before = counts.made.load(Ordering::Relaxed);
    assert!(before > 3);
    let _ = solver.solve(&potts, &members, &options).unwrap();
    run.solve().unwrap();
    assert_eq!(counts.made.load(Ordering::Relaxed), before);
}
