//! Prices: one name in three documents, prices and bounds compared with their definitions, and
//! calls that fail.
#![cfg(feature = "experimental")]

use libchorale::experimental::*;
use libchorale::*;

const SCORES: [[[f64; 2]; 3]; 3] = [
    [[2.0, 0.0], [1.0, 0.0], [0.5, 0.0]],
    [[1.5, 0.0], [1.0, 0.0], [0.0, 0.25]],
    [[0.0, 0.5], [0.0, 0.75], [0.0, 1.0]],
];

fn scaled_potts(lambda: f64) -> Potential {
    let options = PotentialOptions::new().scale(Scale::ByMembers);
    Potential::potts_with(2, lambda, &options).unwrap()
}

/// Makes a model of single items, in which every `size` successive items form a clique.
fn items(scores: &[[f64; 2]], size: usize, potential: &Potential) -> Model<'static> {
    let mut builder = ModelBuilder::new().unwrap();
    for (number, row) in scores.iter().enumerate() {
        if number % size == 0 {
            let setup = CliqueSetup::positions(2, potential);
            builder.add_cliques(&setup, 1).unwrap();
        }
        let chain = Chain::new(std::slice::from_ref(row)).unwrap();
        let chain = builder.add_chain(&chain, None, 0).unwrap();
        builder
            .add_members(
                number / size,
                &Members::new(&[chain as i64]).positions(&[0]),
            )
            .unwrap();
    }
    builder.freeze().unwrap()
}

/// Solves every document under prices. Returns the counts and the score of all documents together,
/// and the prices of the next round.
fn round(
    documents: &mut [Prices<'_>],
    potential: &Potential,
    prices: &[f64],
) -> (Vec<i64>, f64, Vec<f64>) {
    let (mut counts, mut score) = (vec![0; 2], 0.0);
    for document in documents {
        score += document.solve(&[prices]).unwrap().score;
        for (sum, count) in counts.iter_mut().zip(&document.counts().unwrap()[0]) {
            *sum += count;
        }
    }
    let found = potential.prices(&counts, 9).unwrap();
    (counts, score + found.score, found.prices)
}

#[test]
fn a_name_in_three_documents() {
    let potential = scaled_potts(1.0);
    let open = |scores: &[[f64; 2]; 3]| {
        // `Prices` keeps the model alive.
        let model = items(scores, 3, &scaled_potts(7.0));
        Prices::new(&model, &[0], RunOptions::new()).unwrap()
    };
    let mut documents: Vec<_> = SCORES.iter().map(open).collect();
    let whole = items(&SCORES.concat(), 9, &potential);
    for (begin, expected, total) in [
        ([0, 0], [5, 4], 13.06),
        ([9, 0], [9, 0], 15.0),
        ([0, 9], [1, 8], 11.72),
    ] {
        let mut prices = potential.prices(&begin, 9).unwrap().prices;
        let (mut counts, mut score, mut before) = (vec![], 0.0, f64::NEG_INFINITY);
        for _ in 0..3 {
            (counts, score, prices) = round(&mut documents, &potential, &prices);
            assert!(score >= before);
            before = score;
        }
        assert_eq!(counts, expected);
        assert!((score - total).abs() < 0.005, "{score}");
        // In one model of all documents, the labels have the same score. Their counts are as
        // expected.
        let labels: Vec<i32> = documents
            .iter()
            .flat_map(|document| document.run().all_labels(Labelling::Together).unwrap())
            .collect();
        assert!((whole.score(&labels).unwrap().score - score).abs() < 1e-9);
        let places = labels.iter().filter(|&&label| label == 1).count();
        assert_eq!(expected[1], places as i64);
    }
}

#[test]
fn what_a_part_tells() {
    let rows = [[0.5, 0.0], [0.0, 1.0], [0.25, 0.0], [0.0, 0.125]];
    let model = items(&rows, 2, &Potential::potts(2, 0.5).unwrap());
    let mut prices = Prices::new(&model, &[1, 0], RunOptions::new()).unwrap();
    assert_eq!(prices.counts().unwrap_err().status(), Status::NoLabelling);
    let found = prices.solve(&[[0.0, 1.0], [2.0, 0.0]]).unwrap();
    assert_eq!(found.score, 0.5 + 0.0 + 0.0 + 0.125);
    assert_eq!(found.result.score, found.score + 2.0 * 2.0 + 2.0 * 1.0);
    assert_eq!(found.result.outcome, Outcome::Complete);
    assert_eq!(prices.counts().unwrap(), [[0, 2], [2, 0]]);
    let run = prices.run();
    assert_eq!(run.result().unwrap(), found.result);
    assert_eq!(run.all_labels(Labelling::Together).unwrap(), [0, 0, 1, 1]);
    assert_eq!(run.all_labels(Labelling::Alone).unwrap(), [0, 1, 0, 1]);
    assert_eq!(run.clique_score(1, Labelling::Together).unwrap(), 2.0);
    assert_eq!(run.reasons(1).unwrap()[0].amount, 2.0);
    assert_eq!(run.model().cliques(), 2);
    // Without rows, all prices are 0. A clique that is not shared keeps its potential.
    let found = prices.solve::<[f64; 2]>(&[]).unwrap();
    assert_eq!(found.score, 0.5 + 1.0 + 0.25 + 0.125);
    let mut some = Prices::new(&model, &[0], RunOptions::new()).unwrap();
    let found = some.solve(&[[0.0; 2]]).unwrap();
    assert_eq!(found.score, 0.5 + 1.0 + 0.25 + 0.5 * 4.0);
    assert_eq!(some.counts().unwrap(), [[1, 1]]);
    // A run can start from the run of a `Prices`.
    let mut later = Run::from_earlier(&model, RunOptions::new(), some.run()).unwrap();
    assert!(later.solve().unwrap().score >= model.score(&[0, 1, 0, 0]).unwrap().score);
}

#[test]
fn prices_are_slopes_and_most_is_a_bound() {
    let potts = Potential::potts(2, 0.5).unwrap();
    let found = potts.prices(&[3, 2], 7).unwrap(); // two of the 7 members have no value
    assert_eq!((found.prices, found.score), (vec![3.0, 2.0], 6.5));
    let prices = [1.5, 2.25];
    let mut most = f64::NEG_INFINITY;
    for first in 0..=7 {
        for second in 0..=7 - first {
            let score = potts.prices(&[first, second], 7).unwrap().score;
            most = most.max(score - prices[0] * first as f64 - prices[1] * second as f64);
        }
    }
    assert!((potts.most(&prices, 7).unwrap() - most).abs() < 1e-9);
}

#[test]
fn what_cannot_be() {
    fn refuses<T: std::fmt::Debug>(result: Result<T>, status: Status, message: &str) {
        let error = result.unwrap_err();
        assert_eq!(error.status(), status, "{error}");
        assert!(error.message().contains(message), "{error}");
    }
    use Status::*;
    let potts = Potential::potts(2, 1.0).unwrap();
    let model = items(&[[0.0, 1.0], [2.0, 0.0]], 1, &potts);
    let create = |cliques: &[usize]| Prices::new(&model, cliques, RunOptions::new());
    refuses(create(&[0, 2]), OutOfRange, "cliques[1] is 2");
    refuses(create(&[1, 1]), DuplicateMember, "cliques[1] is clique 1");
    let damped = Prices::new(&model, &[0], RunOptions::new().damping(2.0));
    refuses(damped, OutOfRange, "damping is 2");

    let mut prices = create(&[0, 1]).unwrap();
    prices.solve(&[[3.0, 0.0], [0.0, 3.0]]).unwrap();
    refuses(prices.solve(&[[0.0, 0.0]]), Shape, "prices has 1 entries");
    let rows = [vec![0.0, 0.0], vec![0.0]];
    refuses(prices.solve(&rows), Shape, "prices[1] has 1 entries");
    for (wrong, status) in [
        (f64::NAN, NotANumber),
        (f64::INFINITY, Infinite),
        (1e300, OutOfRange),
    ] {
        let rows = [[0.0, 0.0], [wrong, 0.0]];
        refuses(prices.solve(&rows), status, "prices[1][0] is");
        let rows = [[0.0, wrong], [0.0, 0.0]];
        refuses(prices.solve(&rows), status, "prices[0][1] is");
        refuses(potts.most(&[0.0, wrong], 3), status, "prices[1] is");
    }
    assert_eq!(prices.counts().unwrap(), [[1, 0], [0, 1]]); // the last labelling stays

    refuses(potts.prices(&[1], 3), ValuesMismatch, "values is 1");
    refuses(potts.prices(&[2, 2], 3), OutOfRange, "counts[1] is 2");
    refuses(potts.prices(&[-1, 2], 3), OutOfRange, "counts[0] is -1");
    refuses(potts.most(&[1.0], 3), ValuesMismatch, "values is 1");
    let concave = Potential::potts(2, -1.0).unwrap();
    refuses(concave.prices(&[1, 2], 3), Kind, "convex");
    refuses(concave.most(&[0.0, 0.0], 3), Kind, "convex");
}

#[test]
fn callbacks_stop_and_panic() {
    use std::ops::ControlFlow;
    let own = |_: &[i64], _: usize| -> Option<f64> { panic!("a potential") };
    let own = Potential::callback(2, own).unwrap();
    let model = items(&[[0.0, 1.0], [2.0, 0.0]], 1, &own);
    // The potential of a shared clique is never called.
    let mut prices = Prices::new(&model, &[0, 1], RunOptions::new()).unwrap();
    assert_eq!(prices.solve(&[[0.0; 2]; 2]).unwrap().score, 3.0);
    let solve = std::panic::AssertUnwindSafe(|| {
        let mut prices = Prices::new(&model, &[0], RunOptions::new())?;
        prices.solve(&[[0.0; 2]])
    });
    let panic = std::panic::catch_unwind(solve).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"a potential"));

    let mut told = 0;
    let options = RunOptions::new().progress(|_| {
        told += 1;
        ControlFlow::Break(())
    });
    let potts = Potential::potts(2, 1.0).unwrap();
    let model = items(&[[0.0, 1.0], [2.0, 0.0]], 1, &potts);
    let mut prices = Prices::new(&model, &[0], options).unwrap();
    let found = prices.solve(&[[0.0; 2]]).unwrap();
    assert_eq!(found.result.outcome, Outcome::Cancelled);
    drop(prices);
    assert_eq!(told, 1);
}
