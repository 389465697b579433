//! Learning: agreement in random documents is found, applied, saved and read; wrong arguments fail.

use libchorale::{
    learn, Agreement, Corpus, Labelling, LearnOptions, Learnt, Outcome, Problem, Run, RunOptions,
    Status, Verdict,
};
use std::ops::ControlFlow;
use std::time::Duration;

/// Makes a problem of 20 documents with five words each. A word occurs three times in its document,
/// each time with the same gold label. At about one position in four, the scores prefer the wrong
/// label.
fn lesson() -> Problem {
    let mut state = 1u64;
    let mut below = |count: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        (state >> 33) % count
    };
    let (mut scores, mut gold) = (Vec::new(), Vec::new());
    let (mut tokens, mut groups) = (Vec::new(), Vec::new());
    for document in 0..20 {
        for word in 0..5 {
            let label = below(2) as usize;
            for _ in 0..3 {
                let mut row = [0.0, 0.0];
                row[if below(4) == 0 { 1 - label } else { label }] = 1.1;
                scores.push(row);
                tokens.push(word);
                groups.push(document);
                gold.push(label as i32);
            }
        }
    }
    let corpus = Corpus::items(&scores).unwrap();
    let corpus = corpus.tokens(&tokens).groups(&groups);
    Problem::agreeing(&corpus, &[Agreement::words()], Some(&gold)).unwrap()
}

#[test]
fn what_agrees_is_learnt() {
    let problem = lesson();
    let mut told = Vec::new();
    let options = LearnOptions::new()
        .costs(&[0.0, 1.0, 1.0, 0.0], 2)
        .threads(2)
        .progress(|progress| {
            told.push(*progress);
            ControlFlow::Continue(())
        });
    let learnt = learn(&[&problem], options).unwrap();
    let report = learnt.report().unwrap();
    assert_eq!(report.outcome, Outcome::Complete);
    assert!(report.applied && report.verdict == Verdict::Gain);
    assert_eq!(
        (report.groups, report.positions, report.kinds),
        (20, 300, 1)
    );
    assert!(report.agreeing_cost < report.tagger_cost);
    assert!(report.agreeing_accuracy > report.tagger_accuracy);
    assert!(report.changed_right_after > report.changed_right_before);
    assert!(report.changed >= report.changed_right_after + report.changed_right_before);
    assert!((0.0..=0.05).contains(&report.agreement_p) && !report.warnings.few_groups);
    assert_eq!(told.last().unwrap().runs, report.runs);
    assert!(told.iter().all(|told| told.runs <= told.runs_most));

    let kinds = learnt.kinds().unwrap();
    assert!(kinds[0].strength > 0.0 && !kinds[0].uses_log_odds);
    assert_eq!((kinds[0].cliques, kinds[0].members), (100, 300));

    let json = learnt.to_json().unwrap();
    let again = Learnt::from_json(&json).unwrap();
    assert_eq!(again.to_json().unwrap(), json);
    assert!(again.to_lines().unwrap().contains("agreement"));
    let potential = again.potential(0, 2, None).unwrap();
    let expected = kinds[0].strength * 5.0 / 3.0 + kinds[0].bonus * 3.0;
    let found = potential.evaluate(&[2, 1], 3).unwrap();
    assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()));

    let model = again.apply(&problem).unwrap();
    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    run.solve().unwrap();
    let wrong = |which| {
        let labels = run.all_labels(which).unwrap();
        let pairs = labels.iter().zip(problem.gold().unwrap());
        pairs.filter(|(label, gold)| label != gold).count()
    };
    assert!(wrong(Labelling::Together) < wrong(Labelling::Alone));
}

/// With classes, micro F1 is maximised. Computes the F1 of the tagger's own labels from counts, and
/// compares it with the report.
#[test]
fn what_counts_is_learnt_for() {
    let problem = lesson();
    let without_0 = [None, Some(7)];
    let options = LearnOptions::new().classes(&without_0);
    let learnt = learn(&[&problem], options).unwrap();
    let report = learnt.report().unwrap();
    let model = learnt.apply(&problem).unwrap();
    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    run.solve().unwrap();
    let own = run.all_labels(Labelling::Alone).unwrap();
    let gold = problem.gold().unwrap();
    let count = |label, right| {
        let pairs = own.iter().zip(gold);
        pairs.filter(|pair| *pair == (&label, &right)).count() as f64
    };
    let (hits, invented, missed) = (count(1, 1), count(1, 0), count(0, 1));
    let f1 = 2.0 * hits / (2.0 * hits + invented + missed);
    assert!((report.tagger_f1 - f1).abs() < 1e-12);
    assert!(report.temperature > 0.0);
    let found = run.probabilities(0, report.temperature).unwrap();
    let row = found.probabilities.row(0).unwrap();
    assert!(found.exact && (row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let again = Learnt::from_json(&learnt.to_json().unwrap()).unwrap();
    let read = again.report().unwrap();
    assert_eq!(
        (read.verdict, read.warnings),
        (report.verdict, report.warnings)
    );
    assert!((read.tagger_f1 - report.tagger_f1).abs() < 1e-12); // numbers have 14 digits
    let plain = learn(&[&problem], LearnOptions::new()).unwrap();
    let plain = plain.report().unwrap();
    assert_eq!(
        (plain.tagger_f1, plain.tagger_cost),
        (0.0, invented + missed)
    );
    let spans = LearnOptions::new()
        .classes(&without_0)
        .begins(&[false, false]);
    let spans = learn(&[&problem], spans).unwrap().report().unwrap();
    assert_eq!(spans.tagger_f1, report.tagger_f1); // every chain has one position
    let lengths = LearnOptions::new().classes(&without_0).begins(&[true]);
    assert_eq!(
        learn(&[&problem], lengths).unwrap_err().status(),
        Status::Shape
    );

    let refused = |classes: &[Option<usize>]| {
        let options = LearnOptions::new().classes(classes);
        learn(&[&problem], options).unwrap_err().status()
    };
    assert_eq!(refused(&[]), Status::Size);
    assert_eq!(refused(&[None, None]), Status::OutOfRange);
    assert_eq!(refused(&[None, Some(1 << 31)]), Status::OutOfRange);
    assert_eq!(refused(&[None, Some(0), None]), Status::LabelsMismatch);
    for classes in [&without_0[..], &without_0[1..]] {
        let options = LearnOptions::new().costs(&[0.0, 1.0, 1.0, 0.0], 2);
        let refused = learn(&[&problem], options.classes(classes)).unwrap_err();
        assert_eq!(refused.status(), Status::Kind);
    }
}

#[test]
fn limits_and_mistakes() {
    let mut problem = lesson();
    let refused = |problems: &[&Problem], options: LearnOptions<'_>| {
        learn(problems, options).unwrap_err().status()
    };
    let given = [&problem];
    let costs = LearnOptions::new().costs(&[0.0; 3], 2);
    assert_eq!(refused(&given, costs), Status::Shape);
    assert_eq!(refused(&[], LearnOptions::new()), Status::Size);
    let late = LearnOptions::new().time_limit(Some(Duration::ZERO));
    let report = learn(&given, late).unwrap().report().unwrap();
    assert_eq!(report.outcome, Outcome::Deadline);
    assert!(!report.applied && report.verdict == Verdict::Interrupted);
    let stopped = LearnOptions::new().progress(|_| ControlFlow::Break(()));
    let report = learn(&given, stopped).unwrap().report().unwrap();
    assert_eq!((report.outcome, report.runs), (Outcome::Cancelled, 1));
    let panicked = std::panic::catch_unwind(|| {
        let options = LearnOptions::new().progress(|_| panic!("of the progress"));
        learn(&[&lesson()], options)
    });
    assert!(panicked.is_err());
    problem.set_gold(None).unwrap();
    let found = learn(&[&problem], LearnOptions::new().without_gold(true)).unwrap();
    assert_eq!(found.report().unwrap().verdict, Verdict::WithoutGold);
    assert!(found.kinds().unwrap()[0].strength > 0.0);
    assert_eq!(refused(&[&problem], LearnOptions::new()), Status::NoGold);
    assert_eq!(Learnt::from_json("{}").unwrap_err().status(), Status::Text);
}
