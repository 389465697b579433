//! Models, runs and problems. Models and problems return what they were made from. The score of a
//! run is equation 1 (`chorale/model.h`), which the tests add up from its terms.

use libchorale::*;
use std::collections::BTreeSet;

const NAMES: [&str; 4] = ["O", "B-Title", "I-Title", "B-Year"];

/// The scores of three references, positions x labels. Each reference begins with a title of two
/// words. By the scores alone, the title is followed by a year in the first two references, and by
/// O in the third.
const UNARY: [[[f32; 4]; 3]; 3] = [
    [
        [0.0, 2.0, 0.0, 0.5],
        [0.0, 0.5, 1.5, 0.0],
        [0.5, 0.0, 0.0, 2.0],
    ],
    [
        [0.0, 2.0, 0.0, 0.5],
        [0.0, 0.0, 1.5, 0.0],
        [0.5, 0.0, 0.0, 2.0],
    ],
    [
        [0.0, 2.0, 0.0, 0.5],
        [0.0, 0.0, 1.5, 0.0],
        [0.9, 0.0, 0.0, 0.8],
    ],
];
const TOKENS: [[i32; 3]; 3] = [[4, 5, 9], [6, 7, 9], [8, 5, 9]];

fn transitions() -> Transitions {
    let mask = Mask::new(Scheme::Bio, &NAMES).unwrap();
    Transitions::zeros::<f32>(4).mask(&mask).build().unwrap()
}

/// Makes a model of the references with a property clique over all chains, a clique of repeated
/// words, and a centred clique.
#[allow(clippy::redundant_clone)] // tests that a clone serves as well as the original
fn references(agreement: f64) -> Model {
    let transitions = transitions();
    let map = LabelMap::from_names(Scheme::Bio, &NAMES).unwrap();
    let ignored = [false; 4];
    let options = PropertyOptions::new()
        .ignored(&ignored)
        .rule(SegmentRule::EndsAtIgnored);
    let next = Property::next_label(&map, 1, &options).unwrap();
    assert_eq!(transitions.labels(), NAMES.len());
    // Clones are second references to the same objects.
    let next = next.clone();
    let follows = Potential::potts(3, agreement).unwrap();
    let words = Potential::potts(3, agreement / 4.0).unwrap();
    let links: Vec<Potential> = (0..2)
        .map(|c| Potential::potts(2, 0.125 * f64::from(c)).unwrap())
        .collect();
    let mut builder = ModelBuilder::new().unwrap();
    for (unary, tokens) in UNARY.iter().zip(&TOKENS) {
        let chain = Chain::new(unary).unwrap().transitions(&transitions);
        builder.add_chain(&chain, Some(tokens), 7).unwrap();
    }
    let setup = CliqueSetup::property(&next, &follows);
    let clique = builder.add_cliques(&setup, 1).unwrap().start;
    for chain in 0..3 {
        builder
            .add_members(clique, &Members::new(&[chain as i64]).positions(&[-1]))
            .unwrap();
    }
    let kinds = [0, 1, 1, 2];
    let setup = CliqueSetup::positions(3, &words).label_values(&kinds);
    assert_eq!(builder.add_cliques(&setup, 1).unwrap(), 1..2);
    let last = Members::new(&[0, 1, 2]).positions(&[2, 2, 2]);
    builder.add_members(1, &last).unwrap(); // the token 9
    let links: Vec<&Potential> = links.iter().collect();
    let two = [0, 1, 1, -1];
    let setup = CliqueSetup::centred(2, &links)
        .label_values(&two)
        .centre_label_values(&[0, 1, 1, 1]);
    let centred = builder.add_cliques(&setup, 1).unwrap().start;
    builder
        .add_members(centred, &Members::new(&[0]).positions(&[0]))
        .unwrap();
    builder
        .add_members(centred, &Members::new(&[1]).positions(&[0]))
        .unwrap();
    builder
        .add_members(centred, &Members::new(&[]).centres(&[2], &[0]))
        .unwrap();
    builder.freeze().unwrap()
}

#[test]
fn a_model_is_what_it_was_told() {
    let model = references(0.5);
    assert_eq!((model.chains(), model.cliques()), (3, 3));
    assert_eq!((model.chain_length(2), model.chain_length(3)), (3, 0));
    let members = |clique| model.members_of(clique).map_or(0, |all| all.len());
    let sizes = |clique| (members(clique), model.clique_values(clique));
    assert_eq!([0, 1, 2, 3].map(sizes), [(3, 3), (3, 3), (3, 2), (0, 0)]);
    let member = |clique, member| {
        let found: Member = model.members_of(clique).unwrap()[member];
        (found.chain, found.position)
    };
    assert_eq!(member(0, 1), (1, None));
    assert_eq!(member(1, 2), (2, Some(2)));
    assert_eq!(member(2, 2), (2, Some(0)));
    assert_eq!(model.chain_labels(0).unwrap(), 4);
    let given = model.chain_tokens(1).unwrap();
    assert_eq!((given.tokens, given.group), (Some(&TOKENS[1][..]), 7));
    let given = match model.chain(1).unwrap() {
        ChainView::F32(chain) => chain,
        other => panic!("{other:?}"),
    };
    for (t, row) in UNARY[1].iter().enumerate() {
        for (y, score) in row.iter().enumerate() {
            assert_eq!(given.unary().get(t, y), Some(*score));
        }
    }
    // The chain that a model returns can be solved by itself, without the model's cliques.
    let mut solver = ChainSolver::new().unwrap();
    let best = solver.best(&given).unwrap();
    assert_eq!(best.labelling, Some(vec![1, 2, 3]));
}

#[test]
fn a_run_is_equation_1() {
    let model = references(0.5);
    let options = RunOptions::new().bound_steps(200);
    let mut run = Run::new(&model, options).unwrap();
    assert_eq!(run.result().unwrap().rounds, 0);
    let result = run.solve().unwrap();
    assert_eq!(run.result().unwrap(), result);
    let mut total = 0.0;
    let mut changed = 0;
    let all = run.all_labels(Labelling::Together).unwrap();
    let of = model.score(&all).unwrap();
    for chain in 0..3 {
        let labels = run.labels(chain, Labelling::Together).unwrap();
        assert_eq!(labels, all[3 * chain..][..3]);
        let own = run.labels(chain, Labelling::Alone).unwrap();
        let unary = Chain::new(&UNARY[chain]).unwrap();
        let score = unary.score(&labels).unwrap(); // allowed transitions score 0
        assert_eq!(score, of.chain_scores[chain]);
        changed += usize::from(labels != own);
        total += score;
    }
    total += of.clique_scores.iter().sum::<f64>();
    assert_eq!(total, result.score);
    assert_eq!(result.score, result.chain_score + result.clique_score);
    assert_eq!(changed, result.changed_chains);
    assert_eq!(changed, 1);
    assert!(result.own_score < result.score && result.score <= result.upper_bound + 1e-9);
    assert_eq!(result.gap, result.upper_bound - result.score);

    // The third reference ends with a year because the other two do. Its reasons name the two
    // cliques that cause this.
    assert_eq!(run.labels(2, Labelling::Alone).unwrap(), [1, 2, 0]);
    assert_eq!(run.labels(2, Labelling::Together).unwrap(), [1, 2, 3]);
    let shown = |which| run.shown(0, which).unwrap();
    let [zero, one, two] = [0, 1, 2].map(Shown::Value);
    assert_eq!(shown(Labelling::Alone), [two, two, zero]);
    assert_eq!(shown(Labelling::Together), [two; 3]);
    // The value of a position comes from `label_values`, that of the centre from
    // `centre_label_values`.
    let shown = run.shown(2, Labelling::Together).unwrap();
    assert_eq!(shown, [one; 3]);
    let reasons = run.reasons(2).unwrap();
    let who: BTreeSet<_> = reasons
        .iter()
        .map(|p| (p.clique, p.member, p.position))
        .collect();
    assert_eq!(who, BTreeSet::from([(0, 2, None), (1, 2, Some(2))]));
    let of_property = reasons.iter().find(|p| p.clique == 0).unwrap();
    assert_eq!((of_property.own_value, of_property.value), (zero, two));
    assert_eq!(of_property.amount, 0.5 * (9.0 - 5.0));
    assert!(run.reasons(0).unwrap().is_empty());
    assert_eq!(run.all_reasons().unwrap(), reasons);

    let found = run.max_marginals(2).unwrap();
    for t in 0..3 {
        let row = found.marginals.row(t).unwrap();
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let label = run.labels(2, Labelling::Together).unwrap()[t] as usize;
        assert_eq!(row[label], most);
        assert!(found.margins[t] >= 0.0);
    }
    let marginals = &found.marginals;
    assert_eq!((marginals.columns(), marginals.row(3)), (4, None));

    let found = run.probabilities(2, 0.5).unwrap();
    assert_eq!((found.probabilities.columns(), found.exact), (4, true));
    for t in 0..3 {
        let row = found.probabilities.row(t).unwrap();
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
    }
    assert_eq!(found.probabilities.row(3), None);
}

#[test]
fn every_option_of_a_run_is_heard() {
    let model = references(0.5);
    let best = Run::new(&model, RunOptions::new())
        .unwrap()
        .solve()
        .unwrap();
    let options = [
        RunOptions::new().damping(0.3),
        RunOptions::new().algorithm(Algorithm::AlphaPass),
        RunOptions::new().exact_marginals(true),
        RunOptions::new().restrict_range(true),
        RunOptions::new()
            .joint_mode(JointMode::Beam)
            .beam_width(50)
            .max_states(100),
        RunOptions::new().message_element(MessageElement::Magnitude16),
        RunOptions::new().time_limit(std::time::Duration::from_secs(60)),
        RunOptions::new().threads(1 << 40), // counts as 256
    ];
    for options in options {
        let result = Run::new(&model, options).unwrap().solve().unwrap();
        assert_eq!(result.score, best.score);
    }
    let none = RunOptions::new().rounds(0).local_search(false);
    let result = Run::new(&model, none).unwrap().solve().unwrap();
    assert_eq!((result.rounds, result.changed_chains), (0, 0));
    assert_eq!(result.score, best.own_score);
    // Out of time from the start: every chain has its own labels.
    let late = RunOptions::new().time_limit(std::time::Duration::ZERO);
    let result = Run::new(&model, late).unwrap().solve().unwrap();
    assert_eq!(result.outcome, Outcome::Deadline);
    assert_eq!(result.score, best.own_score);
    let refused = [
        (RunOptions::new().damping(1.0), Status::OutOfRange),
        (RunOptions::new().damping(f64::NAN), Status::NotANumber),
        (RunOptions::new().threads(0), Status::Size),
    ];
    for (options, status) in refused {
        assert_eq!(Run::new(&model, options).err().unwrap().status(), status);
    }
}

#[test]
fn earlier_runs_and_other_strengths() {
    let model = references(0.5);
    let solve = |model: &Model, factors: [f64; 3]| {
        let mut run = Run::new(model, RunOptions::new().edits(true)).unwrap();
        for (clique, factor) in factors.into_iter().enumerate() {
            run.set_strength(clique, factor).unwrap();
        }
        let result = run.solve().unwrap();
        (result, run.all_labels(Labelling::Together).unwrap())
    };
    let (strong, direct) = (
        solve(&model, [2.0, 2.0, 1.0]),
        solve(&references(1.0), [1.0; 3]),
    );
    assert_eq!((strong.0.score, strong.1), (direct.0.score, direct.1));
    assert_eq!(solve(&model, [0.0; 3]).0.changed_chains, 0);

    let mut first = Run::new(&model, RunOptions::new()).unwrap();
    let found = first.solve().unwrap();
    let mut second = Run::from_earlier(&model, RunOptions::new(), &first).unwrap();
    assert_eq!(second.solve().unwrap().score, found.score);
    let smaller = ModelBuilder::new().unwrap().freeze().unwrap();
    let mismatch = Run::from_earlier(&smaller, RunOptions::new(), &first);
    assert_eq!(mismatch.err().unwrap().status(), Status::ModelMismatch);

    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    let refused = run.set_strength(0, 2.0);
    assert_eq!(refused.unwrap_err().status(), Status::State);
    let mut run = Run::new(&model, RunOptions::new().edits(true)).unwrap();
    run.solve().unwrap();
    let before = run.labels(2, Labelling::Together).unwrap()[0] as usize;
    let mut allowed = [true; 4];
    allowed[before] = false;
    run.set_allowed(2, 0, Some(&allowed)).unwrap();
    run.solve().unwrap();
    assert_ne!(
        run.labels(2, Labelling::Together).unwrap()[0] as usize,
        before
    );
    run.set_allowed(2, 0, None).unwrap();
    run.set_strength(0, 0.0).unwrap();
    run.solve().unwrap();
    run.set_strength(0, 1.0).unwrap();
    assert!(run.solve().unwrap().score >= found.score - 1e-9);
    let refused = run.set_allowed(2, 0, Some(&[true]));
    assert_eq!(refused.unwrap_err().status(), Status::Shape);
    let refused = run.set_allowed(2, 0, Some(&[false; 4]));
    assert_eq!(refused.unwrap_err().status(), Status::ForbiddenValue);
}

#[test]
fn labels_of_ones_own_are_scored_and_gone_on_from() {
    let model = references(1.0);
    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    let result = run.solve().unwrap();
    let mut labels = run.all_labels(Labelling::Together).unwrap();
    let found = model.score(&labels).unwrap();
    assert_eq!(found.score, result.score);
    let own = model
        .score(&run.all_labels(Labelling::Alone).unwrap())
        .unwrap();
    assert_eq!(own.score, result.own_score);
    let options = RunOptions::new().rounds(0).local_search(false);
    let mut fresh = Run::new(&model, options).unwrap();
    fresh.set_labels(&labels).unwrap();
    let early = fresh.all_labels(Labelling::Together).unwrap_err();
    assert_eq!(early.status(), Status::NoLabelling);
    assert_eq!(fresh.solve().unwrap().score, result.score);
    assert_eq!(
        fresh.set_labels(&labels[1..]).unwrap_err().status(),
        Status::Shape
    );
    assert_eq!(model.score(&[]).unwrap_err().status(), Status::Shape);
    labels[0] = 99;
    assert_eq!(
        fresh.set_labels(&labels).unwrap_err().status(),
        Status::OutOfRange
    );
    assert_eq!(
        model.score(&labels).unwrap_err().status(),
        Status::OutOfRange
    );
}

#[test]
fn threads_share_a_model() {
    let model = references(0.5);
    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    run.solve().unwrap();
    let labels = |run: &Run<'_>| run.all_labels(Labelling::Together).unwrap();
    let expected = labels(&run);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut own = Run::new(&model.clone(), RunOptions::new()).unwrap();
                own.solve().unwrap();
                assert_eq!(labels(&own), expected);
                assert_eq!(labels(&run), expected); // read by several threads at once
            });
        }
    });
    // A run is moved to another thread, and keeps the model when the handle `model` is dropped.
    let moved = std::thread::spawn(move || {
        drop(model);
        run.solve().unwrap();
        labels(&run)
    });
    assert_eq!(moved.join().unwrap(), expected);
}

#[test]
fn a_problem_keeps_names() {
    let model = references(0.5);
    let mut problem = Problem::new(&model).unwrap();
    assert_eq!(
        (problem.text_count(TextList::Labels), problem.gold()),
        (0, None)
    );
    problem.set_texts(TextList::Labels, &NAMES).unwrap();
    problem
        .set_texts(TextList::Kinds, &["what follows", "words", "links"])
        .unwrap();
    problem
        .set_texts(TextList::Values(0), &["Other", "Title", "Year"])
        .unwrap();
    let words = ["Näher", "dran", "1999", "a\0b", "", "c", "d", "e", "f"];
    problem.set_texts(TextList::Words, &words).unwrap();
    problem
        .set_cliques(
            Some(&[0, 1, -1]),
            Some(&[Some(TextList::Values(0)), Some(TextList::Values(0)), None]),
        )
        .unwrap();
    problem
        .set_gold(Some(&[1, 2, 3, -1, -1, -1, 1, 2, 3]))
        .unwrap();

    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("names.chorale");
    problem.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes, problem.write().unwrap());
    let loaded = Problem::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    for problem in [&problem, &loaded] {
        assert_eq!(problem.text_count(TextList::Labels), 4);
        assert_eq!(problem.text(TextList::Labels, 2), Some("I-Title"));
        assert_eq!(problem.text(TextList::Labels, 4), None);
        assert_eq!(problem.text(TextList::Words, 0), Some("Näher"));
        assert_eq!(problem.text(TextList::Words, 3), Some("a\0b"));
        assert_eq!(problem.gold(), Some(&[1, 2, 3, -1, -1, -1, 1, 2, 3][..]));
    }
    problem.set_gold(None).unwrap();
    assert_eq!(problem.gold(), None);
    let status = |result: Result<()>| result.unwrap_err().status();
    assert_eq!(status(problem.set_gold(Some(&[1]))), Status::Shape);
    assert_eq!(status(problem.set_gold(Some(&[9; 9]))), Status::OutOfRange);
    assert_eq!(
        status(problem.set_texts(TextList::Chains, &["one"])),
        Status::Shape
    );
    assert_eq!(
        status(problem.set_texts(TextList::Values(5), &["one"])),
        Status::UnknownConstant
    );
    for list in [1 << 31, usize::MAX, (1 << 31) - 1] {
        let list = TextList::Values(list);
        assert_eq!(
            status(problem.set_texts(list, &["one"])),
            Status::OutOfRange
        );
        assert_eq!((problem.text_count(list), problem.text(list, 0)), (0, None));
    }
    assert_eq!(status(problem.set_cliques(Some(&[0]), None)), Status::Shape);
    assert_eq!(status(problem.save("no\0where")), Status::InputOutput);
    assert_eq!(
        status(problem.save("/there is/no such folder")),
        Status::InputOutput
    );
}
