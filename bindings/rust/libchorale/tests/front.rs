//! Corpora and `decode` give the same bits as the single calls that they replace. CHORALE_TEST_SEED
//! sets the seed of the random cases.

use libchorale::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

const LABELS: usize = 3;
const EDGES: [[f64; LABELS]; LABELS] = [[0.5, -0.25, 0.0], [0.0, 0.25, 0.5], [0.125, 0.0, 0.0]];

/// A small generator of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn new(salt: u64) -> Self {
        let seed = std::env::var("CHORALE_TEST_SEED").ok();
        let seed = seed
            .and_then(|seed| seed.parse().ok())
            .unwrap_or(20_261_122);
        println!("CHORALE_TEST_SEED={seed}");
        Self(seed ^ salt)
    }
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Random chains of 0 to 3 positions, with everything that a corpus may have.
struct Drawn<N> {
    chains: Vec<Vec<Vec<N>>>,
    /// The token of every position, chain after chain.
    tokens: Vec<i32>,
    keys: Vec<i32>,
    groups: Option<Vec<i64>>,
    transitions: Option<Transitions>,
}

impl<N: Element + From<f32>> Drawn<N> {
    fn new(random: &mut Random) -> Self {
        let mut chains = Vec::new();
        for _ in 0..1 + random.below(6) {
            let mut score = |_| N::from(random.below(33) as f32 / 16.0);
            let scores: Vec<N> = (0..3 * LABELS).map(&mut score).collect();
            let length = random.below(4);
            let rows = scores.chunks(LABELS).take(length);
            chains.push(rows.map(<[N]>::to_vec).collect());
        }
        let positions: usize = chains.iter().map(Vec::len).sum();
        let mut ids = || (0..positions).map(|_| random.below(5) as i32 - 1).collect();
        let (tokens, keys) = (ids(), ids());
        let groups = chains.iter().map(|_| random.below(2) as i64).collect();
        let transitions = Transitions::new(&EDGES).unwrap().build().unwrap();
        Self {
            tokens,
            keys,
            groups: random.chance(70).then_some(groups),
            transitions: random.chance(70).then_some(transitions),
            chains,
        }
    }
    /// Returns the chain of every position, and the position within this chain.
    fn places(&self) -> Vec<(usize, usize)> {
        let lengths = self.chains.iter().map(Vec::len).enumerate();
        lengths
            .flat_map(|(chain, length)| (0..length).map(move |position| (chain, position)))
            .collect()
    }
    fn group(&self, chain: usize) -> i64 {
        self.groups.as_ref().map_or(0, |groups| groups[chain])
    }
    fn dressed<'s>(&'s self, mut corpus: Corpus<'s, N>) -> Corpus<'s, N> {
        if let Some(transitions) = &self.transitions {
            corpus = corpus.transitions(transitions);
        }
        if let Some(groups) = &self.groups {
            corpus = corpus.groups(groups);
        }
        corpus
    }
    fn corpus(&self) -> Corpus<'_, N> {
        let corpus = Corpus::new(&self.chains).unwrap();
        self.dressed(corpus).tokens(&self.tokens)
    }
    fn add_one_by_one(&self, builder: &mut ModelBuilder) {
        let mut tokens = &self.tokens[..];
        for (number, rows) in self.chains.iter().enumerate() {
            let empty: [[N; LABELS]; 0] = [];
            let mut chain = match rows.is_empty() {
                true => Chain::new(&empty).unwrap(),
                false => Chain::new(rows).unwrap(),
            };
            if let Some(transitions) = &self.transitions {
                chain = chain.transitions(transitions);
            }
            let (own, rest) = tokens.split_at(rows.len());
            tokens = rest;
            let group = self.group(number);
            assert_eq!(builder.add_chain(&chain, Some(own), group).unwrap(), number);
        }
    }
}

/// Returns everything that the builder's model holds, as the bytes of a problem file.
fn bytes(builder: ModelBuilder) -> Vec<u8> {
    let model = builder.freeze().unwrap();
    Problem::new(&model).unwrap().write().unwrap()
}

fn corpora_of<N: Element + From<f32>>(random: &mut Random) {
    let drawn = Drawn::<N>::new(random);
    let mut one = ModelBuilder::new().unwrap();
    drawn.add_one_by_one(&mut one);
    let expected = bytes(one);
    let count = drawn.chains.len();
    let lengths: Vec<usize> = drawn.chains.iter().map(Vec::len).collect();
    let built = |corpus: &Corpus<'_, N>, layout: &str| {
        assert_eq!((corpus.chains(), corpus.labels()), (count, LABELS));
        let mut builder = ModelBuilder::new().unwrap();
        assert_eq!(builder.add_corpus(corpus).unwrap(), 0..count);
        let model = builder.freeze().unwrap();
        let found: Vec<_> = (0..count).map(|chain| model.chain_length(chain)).collect();
        assert_eq!(found, lengths);
        let copied = Problem::new(&model).unwrap().write().unwrap();
        assert!(copied == expected, "{layout}");
    };
    if !drawn.tokens.is_empty() {
        built(&drawn.corpus(), "vectors");
    }

    // The rows of the chains lie in a larger matrix, whose other entries are NaN: rows before the
    // first chain and after the last, and two more columns.
    let before = random.below(3);
    let wide = LABELS + 2;
    let gap = N::from(f32::NAN);
    let mut flat = vec![gap; before * wide];
    for row in drawn.chains.iter().flatten() {
        flat.extend(row);
        flat.extend([gap; 2]);
    }
    flat.extend(vec![gap; wide]);
    let rows = before + drawn.tokens.len() + 1;
    let mut offsets = vec![before as i64];
    for length in &lengths {
        offsets.push(offsets[offsets.len() - 1] + *length as i64);
    }
    let mut tokens = vec![-7; before];
    tokens.extend(&drawn.tokens);
    tokens.push(-7);
    let matrix = Matrix::strided(&flat, rows, LABELS, wide, 1).unwrap();
    let ragged = Corpus::ragged(matrix, &offsets).unwrap().tokens(&tokens);
    built(&drawn.dressed(ragged), "rows with gaps");
    let columns: Vec<N> = (0..rows * LABELS)
        .map(|at| flat[at % rows * wide + at / rows])
        .collect();
    let matrix = Matrix::strided(&columns, rows, LABELS, 1, rows).unwrap();
    let ragged = Corpus::ragged(matrix, &offsets).unwrap().tokens(&tokens);
    built(&drawn.dressed(ragged), "columns");
}

#[test]
fn a_corpus_is_its_chains() {
    let mut random = Random::new(1);
    for _ in 0..100 {
        corpora_of::<f64>(&mut random);
        corpora_of::<f32>(&mut random);
    }
    let items = Corpus::items(&[[1.0, 2.0], [3.0, 4.0]]).unwrap();
    assert_eq!((items.chains(), items.rows(), items.labels()), (2, 2, 2));
    assert_eq!(items.unary().get(1, 0), Some(3.0));
    let none: [[[f64; 2]; 1]; 0] = [];
    assert_eq!(Corpus::new(&none).unwrap().chains(), 0);
}

#[test]
fn many_cliques_are_as_one_by_one() {
    let mut random = Random::new(2);
    let potential = Potential::potts(LABELS, 0.5).unwrap();
    let property = first_label();
    let positions = CliqueSetup::positions(LABELS, &potential);
    let wholes = CliqueSetup::property(&property, &potential);
    for _ in 0..100 {
        let drawn = Drawn::<f64>::new(&mut random);
        let cliques = random.below(4);
        let (mut offsets, mut chains, mut within) = (vec![0], Vec::new(), Vec::new());
        let (mut whole_offsets, mut whole_chains) = (vec![0], Vec::new());
        for _ in 0..cliques {
            for (chain, position) in drawn.places() {
                if random.chance(50) {
                    chains.push(chain as i64);
                    within.push(position as i64);
                }
            }
            offsets.push(chains.len() as i64);
            whole_chains.extend((0..drawn.chains.len() as i64).filter(|_| random.chance(50)));
            whole_offsets.push(whole_chains.len() as i64);
        }
        let mut many = ModelBuilder::new().unwrap();
        drawn.add_one_by_one(&mut many);
        let first = many.add_cliques(&positions, cliques).unwrap();
        let second = many.add_cliques(&wholes, cliques).unwrap();
        assert_eq!(
            (first.clone(), second.clone()),
            (0..cliques, cliques..2 * cliques)
        );
        many.add_members(
            first.start,
            &Members::new(&chains).offsets(&offsets).positions(&within),
        )
        .unwrap();
        many.add_members(
            second.start,
            &Members::new(&whole_chains).offsets(&whole_offsets),
        )
        .unwrap();

        let mut one = ModelBuilder::new().unwrap();
        drawn.add_one_by_one(&mut one);
        for setup in [&positions, &wholes] {
            for _ in 0..cliques {
                one.add_cliques(setup, 1).unwrap();
            }
        }
        for clique in 0..cliques {
            for at in offsets[clique] as usize..offsets[clique + 1] as usize {
                let (chain, position) = (chains[at] as usize, within[at] as usize);
                one.add_members(
                    clique,
                    &Members::new(&[chain as i64]).positions(&[position as i64]),
                )
                .unwrap();
            }
            let whole = whole_offsets[clique] as usize..whole_offsets[clique + 1] as usize;
            for &chain in &whole_chains[whole] {
                one.add_members(
                    cliques + clique,
                    &Members::new(&[(chain as usize) as i64]).positions(&[-1]),
                )
                .unwrap();
            }
        }
        assert!(bytes(many) == bytes(one));
    }
}

fn first_label() -> Property {
    Property::first_label(&LabelMap::identity(LABELS), &PropertyOptions::new()).unwrap()
}

/// A random agreement as plain data. From it the test makes both an [`Agreement`] and, by hand, the
/// cliques that this agreement should make.
struct Wish {
    kind: usize, // 0: words, 1: keys, 2: property, 3: cliques
    across: bool,
    strength: f64,
    own_potential: bool,
    minimum: usize,
    stop: Vec<i32>,
}

/// Returns the cliques that an agreement should make. A member is a chain with a position, or with
/// None for the whole chain.
fn cliques_by_hand(wish: &Wish, drawn: &Drawn<f64>) -> Vec<Vec<(usize, Option<usize>)>> {
    let mut cliques = BTreeMap::<(i64, i32), Vec<_>>::new();
    let group = |chain| if wish.across { 0 } else { drawn.group(chain) };
    match wish.kind {
        0 | 1 => {
            let keys = [&drawn.tokens, &drawn.keys][wish.kind];
            for ((chain, position), &key) in drawn.places().into_iter().zip(keys) {
                if key >= 0 && !wish.stop.contains(&key) {
                    let clique = cliques.entry((group(chain), key)).or_default();
                    clique.push((chain, Some(position)));
                }
            }
        }
        2 => {
            for chain in 0..drawn.chains.len() {
                cliques
                    .entry((group(chain), 0))
                    .or_default()
                    .push((chain, None));
            }
        }
        _ => {
            for (at, (chain, position)) in drawn.places().into_iter().enumerate() {
                let clique = cliques.entry((0, (at % 2) as i32)).or_default();
                clique.push((chain, Some(position)));
            }
        }
    }
    let cliques = cliques.into_values();
    cliques
        .filter(|clique| clique.len() >= wish.minimum)
        .collect()
}

#[test]
fn decode_is_the_same_call_by_call() {
    let mut random = Random::new(3);
    let property = first_label();
    let entropy = Potential::entropy(LABELS, 0.75).unwrap();
    let mut reasons = 0;
    for _ in 0..400 {
        let drawn = Drawn::<f64>::new(&mut random);
        if drawn.tokens.is_empty() {
            continue;
        }
        let wishes: Vec<Wish> = (0..random.below(4))
            .map(|_| Wish {
                kind: random.below(4),
                across: random.chance(40),
                // Not 0, which is no agreement.
                strength: random.below(6) as f64 / 2.0 - 0.75,
                own_potential: random.chance(20),
                minimum: 1 + random.below(3),
                stop: vec![random.below(4) as i32; random.below(2)],
            })
            .collect();
        let even = drawn.tokens.len().div_euclid(2) + drawn.tokens.len() % 2;
        let offsets = [0, even as i64, drawn.tokens.len() as i64];
        let all = 0..drawn.tokens.len() as i64;
        let members: Vec<i64> = all
            .clone()
            .step_by(2)
            .chain(all.skip(1).step_by(2))
            .collect();
        let agreements: Vec<_> = wishes
            .iter()
            .map(|wish| {
                let agreement = match wish.kind {
                    0 => Agreement::words(),
                    1 => Agreement::keys(&drawn.keys),
                    2 => Agreement::property(&property),
                    _ => Agreement::cliques(&offsets, &members),
                };
                let agreement = agreement.across(wish.across).strength(wish.strength);
                let agreement = agreement.minimum(wish.minimum).stop(&wish.stop);
                match wish.own_potential {
                    true => agreement.potential(&entropy),
                    false => agreement,
                }
            })
            .collect();
        let steps = random.below(3);
        let options = || RunOptions::new().bound_steps(steps);
        let corpus = drawn.corpus();
        let labelled = decode(&corpus, &agreements, options()).unwrap();

        let mut builder = ModelBuilder::new().unwrap();
        drawn.add_one_by_one(&mut builder);
        let mut made = Vec::new();
        for (place, wish) in wishes.iter().enumerate() {
            let scaled = PotentialOptions::new().scale(Scale::ByMembers);
            let potts = Potential::potts_with(LABELS, wish.strength, &scaled).unwrap();
            let potential = if wish.own_potential { &entropy } else { &potts };
            let setup = match wish.kind {
                2 => CliqueSetup::property(&property, potential),
                _ => CliqueSetup::positions(LABELS, potential),
            };
            for members in cliques_by_hand(wish, &drawn) {
                let clique = builder.add_cliques(&setup, 1).unwrap().start;
                made.push(place);
                for (chain, position) in members {
                    match position {
                        Some(position) => builder
                            .add_members(
                                clique,
                                &Members::new(&[chain as i64]).positions(&[position as i64]),
                            )
                            .unwrap(),
                        None => builder
                            .add_members(clique, &Members::new(&[chain as i64]).positions(&[-1]))
                            .unwrap(),
                    }
                }
            }
        }
        let model = builder.freeze().unwrap();
        assert_eq!(labelled.model().cliques(), made.len());
        let mut run = Run::new(&model, options()).unwrap();
        let result = run.solve().unwrap();
        assert_eq!(labelled.result().unwrap(), result);
        assert_eq!(
            labelled.labels().unwrap(),
            run.all_labels(Labelling::Together).unwrap()
        );
        assert_eq!(
            labelled.alone().unwrap(),
            run.all_labels(Labelling::Alone).unwrap()
        );
        let told = labelled.reasons().unwrap();
        let of_run = run.all_reasons().unwrap();
        assert_eq!(told.len(), of_run.len());
        for (reason, mut other) in told.iter().zip(of_run) {
            assert_eq!(other.agreement, None);
            other.agreement = Some(made[other.clique]);
            assert_eq!(*reason, other);
            let shown = run.shown(reason.clique, Labelling::Together).unwrap();
            let agreeing = shown.iter().filter(|&&value| value == reason.value).count() - 1;
            let alone = run.shown(reason.clique, Labelling::Alone).unwrap();
            let before = alone.iter().filter(|&&value| value == reason.value).count();
            let told = (reason.others, reason.agreeing_before, reason.agreeing);
            assert_eq!(told, (shown.len() - 1, before, agreeing));
        }
        reasons += told.len();

        let mut further = labelled.into_run();
        drop(corpus); // the model has a copy of the rows
        assert!(further.solve().unwrap().score >= result.score);
    }
    assert!(reasons > 50, "{reasons}");
}

const SCORES: [[f64; 2]; 3] = [[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]];

#[test]
fn limits_and_callbacks_of_the_options() {
    let corpus = Corpus::items(&SCORES).unwrap().tokens(&[5, 5, 5]);
    let words = [Agreement::words().strength(1.0)];
    let mut rounds = 0;
    let options = RunOptions::new().progress(|_| {
        rounds += 1;
        ControlFlow::Continue(())
    });
    drop(decode(&corpus, &words, options).unwrap());
    assert!(rounds > 0);

    let cancel = Cancel::new().unwrap();
    cancel.raise();
    let labelled = decode(&corpus, &words, RunOptions::new().cancel(&cancel)).unwrap();
    assert_eq!(labelled.result().unwrap().outcome, Outcome::Cancelled);
    cancel.lower();
    let mut run = labelled.into_run();
    assert_eq!(run.solve().unwrap().outcome, Outcome::Complete);
    assert_eq!(run.all_labels(Labelling::Together).unwrap(), [0, 0, 0]);
    std::thread::spawn(move || drop(run)).join().unwrap();
}

#[test]
fn a_potential_of_your_own_answers_and_panics() {
    let fuse = Arc::new(AtomicBool::new(false));
    let lit = Arc::clone(&fuse);
    let squares = move |counts: &[i64], _| {
        assert!(!lit.load(Ordering::Relaxed), "the potential is broken");
        Some(
            counts
                .iter()
                .map(|&count| (count * count) as f64 / 3.0)
                .sum(),
        )
    };
    let potential = Potential::callback(2, squares).unwrap();
    let corpus = Corpus::items(&SCORES).unwrap().tokens(&[5, 5, 5]);
    let words = [Agreement::words().potential(&potential)];
    let labelled = decode(&corpus, &words, RunOptions::new()).unwrap();
    assert_eq!(labelled.labels().unwrap(), [0, 0, 0]);
    assert_eq!(labelled.reasons().unwrap().len(), 1);
    let panics = |body: &dyn Fn()| {
        let payload = catch_unwind(AssertUnwindSafe(body)).expect_err("a panic");
        *payload.downcast::<&str>().unwrap() == "the potential is broken"
    };
    fuse.store(true, Ordering::Relaxed);
    assert!(panics(&|| drop(labelled.reasons())));
    assert!(panics(&|| drop(potential.evaluate(&[1, 2], 3))));
    assert!(panics(&|| drop(decode(&corpus, &words, RunOptions::new()))));
    fuse.store(false, Ordering::Relaxed);
    assert_eq!(labelled.reasons().unwrap()[0].agreeing, 2);
}

/// Returns the status and message of an error, and checks that the message has no names of C.
fn refused<T>(result: Result<T>) -> (Status, String) {
    let error = result.err().expect("a refusal");
    let told = error.message().to_owned();
    assert!(!told.contains("->") && !told.contains("NULL"), "{told}");
    assert!(!told.to_lowercase().contains("chorale"), "{told}");
    (error.status(), told)
}

macro_rules! refuses {
    ($result:expr, $status:ident, $text:literal) => {{
        let (status, told) = refused($result);
        assert_eq!(status, Status::$status, "{told}");
        assert!(told.contains($text), "{told}");
    }};
}

#[test]
fn scores_of_each_position() {
    let unary = [[0.0, 0.0]; 3];
    let edges = [9.0, 9.0, 9.0, 9.0, 0.0, 3.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0];
    let free = || Corpus::new([&unary[..]]).unwrap().edges(&edges);
    let labels = |corpus: &Corpus<'_>| {
        decode(corpus, &[], RunOptions::new())
            .unwrap()
            .labels()
            .unwrap()
    };
    assert_eq!(labels(&free()), [0, 1, 0]);
    assert_eq!(labels(&free().forced(&[-1, 0, -1])), [1, 0, 0]);
    assert_eq!(labels(&free().allowed(&[1, 1, 1, 1, 0, 1])), [0, 1, 1]);
    let (status, message) = refused(decode(&free().forced(&[0]), &[], RunOptions::new()));
    assert_eq!(status, Status::Shape);
    assert!(message.contains("forced has 1 entries"), "{message}");
}

#[test]
fn mistakes_of_a_corpus_are_named() {
    let scores = SCORES;
    let ragged = |offsets| Corpus::ragged(&scores, offsets).map(drop);
    refuses!(
        ragged(&[0, 1, 4]),
        Shape,
        "offsets[2] is 4; it must be at most 3, the length of unary"
    );
    refuses!(ragged(&[]), Shape, "offsets has 0 entries");
    let chains = [vec![vec![1.0, 2.0]], vec![vec![1.0, 2.0], vec![3.0]]];
    refuses!(
        Corpus::new(&chains),
        Shape,
        "chains[1]: row 1 has 1 entries"
    );
    let chains = [vec![], vec![[1.0, 2.0].to_vec()], vec![vec![3.0]]];
    refuses!(
        Corpus::new(&chains),
        Shape,
        "chains[2] has 1 labels; it must have 2, as chains[1]"
    );
    let rows = [vec![1.0, 2.0], vec![3.0]];
    refuses!(Corpus::items(&rows), Shape, "unary: row 1 has 1 entries");

    let mut builder = ModelBuilder::new().unwrap();
    let items = || Corpus::items(&scores).unwrap();
    let mut add = |corpus: Corpus<'_>| builder.add_corpus(&corpus);
    refuses!(
        add(items().tokens(&[1, 2])),
        Shape,
        "tokens has 2 entries; it must have 3"
    );
    refuses!(
        add(items().groups(&[1; 4])),
        Shape,
        "groups has 4 entries; it must have 3"
    );
    refuses!(
        add(items().counts(&[1, 0, 1])),
        OutOfRange,
        "counts[1] is 0; it must be from 1"
    );
    refuses!(
        add(items().tokens(&[1, -2, 3])),
        OutOfRange,
        "tokens[1] is -2"
    );
    let descending = Corpus::ragged(&scores, &[0, 2, 1]).unwrap();
    refuses!(add(descending), OutOfRange, "offsets[2] is 1");
    let negative = Corpus::ragged(&scores, &[i64::MIN, 2]).unwrap();
    refuses!(
        add(negative),
        OutOfRange,
        "offsets[0] is -9223372036854775808"
    );
    let broken = [[0.0, 1.0], [f64::NAN, 1.0]];
    refuses!(
        add(Corpus::items(&broken).unwrap()),
        NotANumber,
        "unary[1][0]"
    );
    let three = Transitions::new(&EDGES).unwrap().build().unwrap();
    refuses!(add(items().transitions(&three)), LabelsMismatch, "labels");
    // The calls that failed added nothing.
    assert_eq!(add(items()).unwrap(), 0..3);

    let potential = Potential::potts(2, 1.0).unwrap();
    let positions = CliqueSetup::positions(2, &potential);
    assert_eq!(builder.add_cliques(&positions, 2).unwrap(), 0..2);
    let mut add = |offsets: &[i64], chains: &[i64], positions: Option<&[i64]>| {
        let members = Members::new(chains).offsets(offsets);
        let members = positions.map_or(members, |positions| members.positions(positions));
        builder.add_members(0, &members)
    };
    refuses!(
        add(&[0, 1, 2], &[0], None),
        Shape,
        "offsets[2] is 2; it must be at most 1"
    );
    refuses!(
        add(&[0, 1, 2], &[0, 1], Some(&[0])),
        Shape,
        "positions has 1 entries"
    );
    refuses!(
        add(&[0, 2, 1], &[0, 1], None),
        OutOfRange,
        "offsets[2] is 1"
    );
    refuses!(
        add(&[0, 1, 2], &[0, 3], None),
        OutOfRange,
        "chains[1]: chain is 3"
    );
    refuses!(add(&[0, 2, 2], &[1, 1], None), DuplicateMember, "");
    add(&[0, 1, 3], &[0, 0, 1], None).unwrap();
    refuses!(add(&[0, 1, 2], &[2, 1], None), DuplicateMember, "");
    let refused = builder.add_members(0, &Members::new(&[0]).offsets(&[0, 9]));
    refuses!(
        refused,
        Shape,
        "offsets[1] is 9; it must be at most 1, the length of chains"
    );
    refuses!(
        builder.add_members(0, &Members::new(&[0]).positions(&[-1])),
        Kind,
        ""
    );
    let model = builder.freeze().unwrap();
    let members = (0..model.cliques()).map(|clique| model.members_of(clique).unwrap().len());
    assert_eq!(members.sum::<usize>(), 3);
}

#[test]
fn mistakes_of_a_specification_are_named() {
    let corpus = Corpus::items(&SCORES).unwrap();
    let words = corpus.clone().tokens(&[5, 5, 5]);
    let decoded = |agreement: Agreement<'_>| {
        let agreements = [Agreement::words(), agreement];
        decode(&words, &agreements, RunOptions::new()).map(drop)
    };
    let fine = Agreement::words;
    refuses!(
        decoded(Agreement::keys(&[1])),
        Shape,
        "agreements[1].keys has 1 entries; it must have 3"
    );
    refuses!(
        decoded(Agreement::keys(&[0, -2, 1])),
        OutOfRange,
        "agreements[1].keys[1] is -2"
    );
    let cliques = Agreement::cliques(&[0, 3], &[0, 1]);
    refuses!(
        decoded(cliques),
        Shape,
        "agreements[1].clique_offsets[1] is 3; it must be at most 2"
    );
    refuses!(
        decoded(Agreement::cliques(&[], &[])),
        Shape,
        "agreements[1].clique_offsets"
    );
    let cliques = Agreement::cliques(&[0, 2], &[0, 3]);
    refuses!(
        decoded(cliques),
        OutOfRange,
        "agreements[1].members[1] is 3"
    );
    let cliques = Agreement::cliques(&[0, 2], &[1, 1]);
    refuses!(decoded(cliques), DuplicateMember, "agreements[1]");
    let cliques = Agreement::cliques(&[1, -2], &[1, 1]);
    refuses!(
        decoded(cliques),
        OutOfRange,
        "agreements[1].clique_offsets[1]"
    );
    refuses!(
        decoded(Agreement::property(&first_label())),
        LabelsMismatch,
        "agreements[1].property"
    );
    let three = Potential::potts(3, 1.0).unwrap();
    refuses!(
        decoded(fine().potential(&three)),
        ValuesMismatch,
        "agreements[1].potential"
    );
    refuses!(
        decoded(fine().strength(f64::NAN)),
        NotANumber,
        "agreements[1].strength"
    );
    refuses!(
        decoded(fine().strength(f64::INFINITY)),
        Infinite,
        "agreements[1].strength"
    );
    refuses!(
        decoded(fine().minimum(0)),
        Size,
        "agreements[1].minimum is 0"
    );
    let refused = decode(&corpus, &[fine()], RunOptions::new());
    refuses!(
        refused,
        TokensMissing,
        "agreements[0] is over words, and tokens is missing"
    );
    let damped = RunOptions::new().damping(1.0);
    refuses!(decode(&words, &[], damped), OutOfRange, "damping");
    // Without agreements, every chain is labelled alone.
    let labelled = decode(&corpus, &[], RunOptions::new()).unwrap();
    assert_eq!(labelled.labels().unwrap(), [0, 0, 1]);
    assert_eq!(labelled.alone().unwrap(), [0, 0, 1]);
    assert!(labelled.reasons().unwrap().is_empty());
    assert!(decoded(Agreement::cliques(&[0], &[])).is_ok());
}

/// Returns the sum of the scores of the labels plus strength / n * sum_v n_v^2. n_v is the sum of
/// the weights of the members with label v, n the sum of all weights. labels: returns the label of
/// member i.
fn weighted_score(
    scores: &[[f64; 2]],
    weights: &[i64],
    strength: f64,
    labels: impl Fn(usize) -> usize,
) -> f64 {
    let (mut score, mut counts) = (0.0, [0.0; 2]);
    for (i, row) in scores.iter().enumerate() {
        score += row[labels(i)];
        counts[labels(i)] += weights[i] as f64;
    }
    let all: f64 = counts.iter().sum();
    score + strength / all * counts.iter().map(|n| n * n).sum::<f64>()
}

/// With two labels every method is exact: enumeration, a clique solver, a run and `decode` find the
/// same best score.
#[test]
fn weights_are_what_enumeration_finds() {
    let mut random = Random::new(44);
    let mut solver = CliqueSolver::new().unwrap();
    let mut moved = 0;
    for _ in 0..100 {
        let n = 1 + random.below(6);
        let strength = 0.25 * (1 + random.below(12)) as f64;
        let scores: Vec<[f64; 2]> = (0..n)
            .map(|_| [random.below(257) as f64 / 32.0 - 4.0, 0.0])
            .collect();
        let weights: Vec<i64> = (0..n).map(|_| 1 + random.below(5) as i64).collect();
        let score =
            |labels: &[i32]| weighted_score(&scores, &weights, strength, |i| labels[i] as usize);
        let best = (0..1 << n)
            .map(|bits: usize| weighted_score(&scores, &weights, strength, |i| bits >> i & 1))
            .fold(f64::NEG_INFINITY, f64::max);
        let close = |found: f64| assert!((found - best).abs() < 1e-9, "{found}, not {best}");

        let options = PotentialOptions::new().scale(Scale::ByMembers);
        let potential = Potential::potts_with(2, strength, &options).unwrap();
        let problem = CliqueProblem::new(&scores).unwrap().weights(&weights);
        let found = solver
            .solve(&potential, &problem, &CliqueOptions::new())
            .unwrap();
        close(found.result.score);
        close(score(&found.assignment.unwrap()));

        let mut builder = ModelBuilder::new().unwrap();
        let clique = builder
            .add_cliques(&CliqueSetup::positions(2, &potential), 1)
            .unwrap()
            .start;
        let corpus = Corpus::items(&scores).unwrap();
        builder.add_corpus(&corpus).unwrap();
        let chains: Vec<i64> = (0..).take(n).collect();
        let members = Members::new(&chains).weights(&weights);
        builder.add_members(clique, &members).unwrap();
        let model = builder.freeze().unwrap();
        let told = model.members_of(clique).unwrap();
        assert!(told
            .iter()
            .map(|member| member.weight)
            .eq(weights.iter().copied()));
        let mut run = Run::new(&model, RunOptions::new()).unwrap();
        close(run.solve().unwrap().score);

        let keys = vec![0; n];
        let agreement = Agreement::keys(&keys)
            .strength(strength)
            .minimum(1)
            .weights(&weights);
        let labelled = decode(&corpus, &[agreement], RunOptions::new()).unwrap();
        let labels = labelled.labels().unwrap();
        close(score(&labels));
        moved += usize::from(labels != labelled.alone().unwrap());
    }
    assert!(moved > 10, "{moved} moved");
}

#[test]
fn weights_that_are_refused() {
    let scores = [[0.0, 1.0], [1.0, 0.0]];
    let corpus = Corpus::items(&scores).unwrap();
    let refused = |weights: &[i64], strength| {
        let agreement = Agreement::keys(&[0, 0]).strength(strength).weights(weights);
        let error = decode(&corpus, &[agreement], RunOptions::new())
            .err()
            .unwrap();
        (error.status(), error.message().to_string())
    };
    let (status, message) = refused(&[1, 0], 1.0);
    assert_eq!(status, Status::OutOfRange);
    assert!(message.contains("agreements[0].weights[1]"), "{message}");
    assert_eq!(refused(&[1], 1.0).0, Status::Shape);
    assert_eq!(refused(&[1, 2], -1.0).0, Status::Weights);
    assert_eq!(
        refused(&[i64::from(i32::MAX), 1], 1.0).0,
        Status::SizeOverflow
    );
    let mut builder = ModelBuilder::new().unwrap();
    assert_eq!(
        builder
            .add_members(0, &Members::new(&[0]).weights(&[1]))
            .err()
            .unwrap()
            .status(),
        Status::OutOfRange
    );
}

#[test]
fn a_chain_without_labelling_is_left_out() {
    let bad = [[0.3, 0.2], [f64::NEG_INFINITY, f64::NEG_INFINITY]];
    let good = [[2.1, 0.3], [0.4, 0.2]];
    let corpus = Corpus::new(&[good, bad, good]).unwrap();
    let labelled = decode(&corpus, &[], RunOptions::new()).unwrap();
    assert_eq!(labelled.labels().unwrap(), [0, 0, -1, -1, 0, 0]);
    assert_eq!(labelled.result().unwrap().left_out, 1);
    let left_out = labelled.run().left_out().unwrap();
    assert_eq!(left_out.len(), 1);
    assert_eq!((left_out[0].chain, left_out[0].position), (1, Some(1)));
    assert_eq!(left_out[0].obstacle, Obstacle::Scores);
}

#[test]
fn strengths_are_given_or_found() {
    let corpus = Corpus::new(&[[[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]]).unwrap();
    let (offsets, members) = ([0, 3], [0, 1, 2]);
    let given = [Agreement::cliques(&offsets, &members).strength(1.5)];
    let labelled = decode(&corpus, &given, RunOptions::new()).unwrap();
    assert_eq!(labelled.strength(0), 1.5);
    assert_eq!(labelled.strength(1), 0.0);
    let found = [Agreement::cliques(&offsets, &members)];
    let labelled = decode(&corpus, &found, RunOptions::new()).unwrap();
    assert!(labelled.strength(0) > 0.0 && labelled.strength(0) <= 2.0);
}

#[test]
fn a_chain_stands_for_many() {
    let scores = [[2.0, 0.0], [0.0, 1.0]];
    let corpus = Corpus::items(&scores).unwrap().counts(&[3, 1]);
    let (offsets, members) = ([0, 2], [0, 1]);
    let agree = [Agreement::cliques(&offsets, &members).strength(1.0)];
    let result = decode(&corpus, &agree, RunOptions::new())
        .unwrap()
        .result()
        .unwrap();
    assert_eq!(result.own_score, 7.0 + 10.0 / 4.0);
    assert_eq!(result.score, 6.0 + 16.0 / 4.0);
}

#[test]
fn rules_are_kept() {
    let scores = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]];
    let corpus = Corpus::new([&scores]).unwrap();
    let once = Rule::each(RuleKind::AtMost);
    let rules = Rules::new(&[once]);
    let labelled = decode(&corpus, &[], RunOptions::new().rules(&rules)).unwrap();
    assert_eq!(labelled.labels().unwrap(), [0, 1, 1]);
    assert_eq!(labelled.alone().unwrap(), [0, 1, 0]);
    let result = labelled.result().unwrap();
    assert!(result.proven && result.score == 2.0);
    let reason = labelled.rule_reasons().unwrap()[0];
    assert_eq!((reason.position, reason.own_label, reason.label), (2, 0, 1));
    let ruled = labelled.ruled_chains().unwrap();
    assert_eq!((ruled.len(), ruled[0].cost, ruled[0].gap), (1, 0.5, 0.0));

    // Both labels twice, and each once: impossible, so the chain keeps its own labels.
    let map = LabelMap::identity(2);
    let twice = Rule::new(RuleKind::AtLeast, 0).k(2);
    let rules = Rules::new(&[once, twice.chains(&[0])]).map(&map);
    let labelled = decode(&corpus, &[], RunOptions::new().rules(&rules)).unwrap();
    assert_eq!(labelled.labels().unwrap(), [0, 1, 0]);
    let state = labelled.ruled_chains().unwrap()[0].state;
    assert_eq!(state, RuleState::Impossible);
    let conflicts = labelled.rule_conflicts().unwrap();
    assert_eq!(conflicts.iter().map(|c| c.rule).collect::<Vec<_>>(), [0, 1]);

    // At a price of 0.25 it is better to break the rule.
    let rules = Rules::new(&[once.price(0.25)]).most_cost(1.0);
    let labelled = decode(&corpus, &[], RunOptions::new().rules(&rules)).unwrap();
    assert_eq!(labelled.labels().unwrap(), [0, 1, 0]);
    assert_eq!(labelled.result().unwrap().score, 2.25);

    let wrong = Rules::new(&[once, Rule::pair(RuleKind::Before, 0, 7)]);
    let error = decode(&corpus, &[], RunOptions::new().rules(&wrong)).unwrap_err();
    assert!(
        error.to_string().contains("rules[1] (before).b is 7"),
        "{error}"
    );
}
