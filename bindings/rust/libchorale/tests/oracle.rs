//! Compares small problems with an enumeration of all labellings, in every layout that arrays may
//! have. CHORALE_TEST_SEED sets the seed of the random problems.

use libchorale::*;

/// A small generator of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn new(salt: u64) -> Self {
        let seed = std::env::var("CHORALE_TEST_SEED").ok();
        let seed = seed
            .and_then(|seed| seed.parse().ok())
            .unwrap_or(20_261_120);
        println!("CHORALE_TEST_SEED={seed}");
        Self(seed ^ salt)
    }
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }
    /// Returns a multiple of 1/64, so that sums are exact, or now and then minus infinity.
    fn score(&mut self) -> f64 {
        if self.below(12) == 0 {
            return f64::NEG_INFINITY;
        }
        (self.below(513) as f64 - 256.0) / 64.0
    }
    fn finite(&mut self) -> f64 {
        (self.below(513) as f64 - 256.0) / 64.0
    }
}

/// Returns every list of `length` numbers below `bound`.
fn enumerate(length: usize, bound: usize) -> impl Iterator<Item = Vec<i32>> {
    let total = bound.pow(length as u32);
    (0..total).map(move |mut code| {
        (0..length)
            .map(|_| {
                let digit = code % bound;
                code /= bound;
                digit as i32
            })
            .collect()
    })
}

/// Writes a matrix to a buffer in a random layout, with NaN in the gaps. Returns the buffer and the
/// strides of rows and columns.
fn laid_out(
    random: &mut Random,
    rows: usize,
    columns: usize,
    values: &[f64],
) -> (Vec<f64>, [usize; 2]) {
    let gap = random.below(3);
    let strides = match random.below(3) {
        0 => [columns + gap, 1],
        1 => [1, rows + gap],
        _ => [(columns - 1) * 2 + 1 + gap, 2],
    };
    let length = (rows - 1) * strides[0] + (columns - 1) * strides[1] + 1;
    let mut data = vec![f64::NAN; length];
    for row in 0..rows {
        for column in 0..columns {
            data[row * strides[0] + column * strides[1]] = values[row * columns + column];
        }
    }
    (data, strides)
}

type Formula = Box<dyn Fn(&[i64]) -> f64>;

/// Returns potentials over three values, each with its name and its formula.
fn potentials(random: &mut Random, members: usize) -> Vec<(&'static str, Potential, Formula)> {
    let options = PotentialOptions::new();
    let lambda = random.finite();
    let tables: Vec<f64> = (0..3 * (members + 1)).map(|_| random.finite()).collect();
    let (data, strides) = laid_out(random, 3, members + 1, &tables);
    let table = Matrix::strided(&data, 3, members + 1, strides[0], strides[1]).unwrap();
    let weights: Vec<f64> = (0..9).map(|_| random.finite()).collect();
    let (data, strides) = laid_out(random, 3, 3, &weights);
    let matrix = Matrix::strided(&data, 3, 3, strides[0], strides[1]).unwrap();
    let bias: Vec<f64> = (0..3).map(|_| random.finite()).collect();
    let at = move |tables: &[f64], value: usize, count: i64| {
        tables[value * (members + 1) + count as usize]
    };
    let (of_sum, of_max) = (tables.clone(), tables.clone());
    let (of_majority, of_pairs) = (weights.clone(), weights.clone());
    let of_bias = bias.clone();
    let most = move |counts: &[i64], f: &dyn Fn(f64) -> f64| {
        let each = counts.iter().map(|&n| lambda * f(n as f64));
        each.fold(f64::NEG_INFINITY, f64::max)
    };
    vec![
        (
            "potts",
            Potential::potts(3, lambda).unwrap(),
            Box::new(move |counts: &[i64]| {
                lambda * counts.iter().map(|&n| (n * n) as f64).sum::<f64>()
            }) as Formula,
        ),
        (
            "entropy",
            Potential::entropy(3, lambda).unwrap(),
            Box::new(move |counts: &[i64]| {
                let term = |&n: &i64| {
                    if n > 0 {
                        n as f64 * (n as f64).ln()
                    } else {
                        0.0
                    }
                };
                lambda * counts.iter().map(term).sum::<f64>()
            }),
        ),
        (
            "makespan",
            Potential::makespan(3, lambda).unwrap(),
            Box::new(move |counts: &[i64]| most(counts, &|n| n)),
        ),
        (
            "square makespan",
            Potential::square_makespan(3, lambda).unwrap(),
            Box::new(move |counts: &[i64]| most(counts, &|n| n * n)),
        ),
        (
            "sum",
            Potential::sum(3, &table, &options).unwrap(),
            Box::new(move |counts: &[i64]| (0..3).map(|v| at(&of_sum, v, counts[v])).sum()),
        ),
        (
            "max",
            Potential::max(3, &table, &options).unwrap(),
            Box::new(move |counts: &[i64]| {
                (0..3)
                    .map(|v| at(&of_max, v, counts[v]))
                    .fold(f64::NEG_INFINITY, f64::max)
            }),
        ),
        (
            "majority",
            Potential::majority(&matrix, Some(&bias), &options).unwrap(),
            Box::new(move |counts: &[i64]| {
                let most = *counts.iter().max().unwrap();
                (0..3)
                    .filter(|&a| counts[a] == most)
                    .map(|a| {
                        let linear: f64 = (0..3)
                            .map(|v| of_majority[a * 3 + v] * counts[v] as f64)
                            .sum();
                        of_bias[a] + linear
                    })
                    .fold(f64::NEG_INFINITY, f64::max)
            }),
        ),
        (
            "pairs",
            Potential::pairs(&matrix, &options).unwrap(),
            Box::new(move |counts: &[i64]| {
                let mut sum = 0.0;
                for v in 0..3 {
                    for w in 0..3 {
                        let pairs = counts[v] * (counts[w] - i64::from(v == w));
                        sum += of_pairs[v * 3 + w] * pairs as f64;
                    }
                }
                sum
            }),
        ),
    ]
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(1.0)
}

#[test]
fn cliques() {
    let mut random = Random::new(1);
    let mut solver = CliqueSolver::new().unwrap();
    for round in 0..60 {
        let members = 1 + random.below(5);
        let scores: Vec<f64> = (0..members * 3).map(|_| random.score()).collect();
        let gap = random.below(3);
        let mut data = vec![f64::NAN; (members - 1) * (3 + gap) + 3];
        for row in 0..members {
            data[row * (3 + gap)..][..3].copy_from_slice(&scores[row * 3..][..3]);
        }
        let matrix = Matrix::strided(&data, members, 3, 3 + gap, 1).unwrap();
        let problem = CliqueProblem::new(matrix).unwrap();
        for (name, potential, formula) in potentials(&mut random, members) {
            let mut best = f64::NEG_INFINITY;
            let mut marginals = vec![f64::NEG_INFINITY; members * 3];
            for assignment in enumerate(members, 3) {
                let mut counts = [0; 3];
                let mut score = 0.0;
                for (member, &value) in assignment.iter().enumerate() {
                    counts[value as usize] += 1;
                    score += scores[member * 3 + value as usize];
                }
                let of_counts = formula(&counts);
                let evaluated = potential.evaluate(&counts, members).unwrap();
                assert!(
                    near(evaluated, of_counts),
                    "{name}: {evaluated} {of_counts}"
                );
                score += of_counts;
                let result = solver.evaluate(&potential, &problem, &assignment).unwrap();
                assert!(near(result.score, score), "{name}, round {round}");
                best = best.max(score);
                for (member, &value) in assignment.iter().enumerate() {
                    let marginal = &mut marginals[member * 3 + value as usize];
                    *marginal = marginal.max(score);
                }
            }
            let proof = CliqueOptions::new().gap(0.0);
            let solution = solver.solve(&potential, &problem, &proof).unwrap();
            assert!(solution.result.score <= best + 1e-9);
            if solution.result.proven {
                assert!(near(solution.result.score, best), "{name}, round {round}");
            }
            assert!(solution.assignment.is_some() == (best > f64::NEG_INFINITY));
            if name == "pairs" {
                continue; // PAIRS has no exact max-marginals
            }
            let exact = CliqueOptions::new().exact_marginals(true);
            let found = solver.max_marginals(&potential, &problem, &exact).unwrap();
            for member in 0..members {
                for value in 0..3 {
                    let marginal = found.marginals.get(member, value).unwrap();
                    assert!(near(marginal, marginals[member * 3 + value]), "{name}");
                }
            }
        }
    }
}

#[test]
fn chains() {
    let mut random = Random::new(2);
    let mut solver = ChainSolver::new().unwrap();
    for _ in 0..200 {
        let (length, labels) = (1 + random.below(4), 1 + random.below(3));
        let unary: Vec<f64> = (0..length * labels).map(|_| random.score()).collect();
        let one_each = random.below(2) == 0;
        let count = if one_each { length - 1 } else { 1 };
        let edges: Vec<f64> = (0..count * labels * labels)
            .map(|_| random.score())
            .collect();
        let start: Vec<f64> = (0..labels).map(|_| random.finite()).collect();
        let end: Vec<f64> = (0..labels).map(|_| random.finite()).collect();
        let edge = |t: usize, x: usize, y: usize| {
            let matrix = if one_each { t - 1 } else { 0 };
            edges[(matrix * labels + x) * labels + y]
        };
        let score_of = |labelling: &[i32]| {
            let label = |t: usize| labelling[t] as usize;
            let mut score = start[label(0)] + end[label(length - 1)];
            for t in 0..length {
                score += unary[t * labels + label(t)];
                if t > 0 {
                    score += edge(t, label(t - 1), label(t));
                }
            }
            score
        };
        let mut all: Vec<(f64, Vec<i32>)> = enumerate(length, labels)
            .map(|labelling| (score_of(&labelling), labelling))
            .collect();
        all.retain(|(score, _)| *score > f64::NEG_INFINITY);
        all.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap());

        let (data, strides) = laid_out(&mut random, length, labels, &unary);
        let wide = Matrix::strided(&data, length, labels, strides[0], strides[1]).unwrap();
        let chain = Chain::new(wide).unwrap().each_edge(&edges).unwrap();
        let chain = chain.start(&start).end(&end);
        // The same chain in single precision, which holds all these numbers exactly.
        let single = |array: &[f64]| array.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let (data32, edges32) = (single(&data), single(&edges));
        let (start32, end32) = (single(&start), single(&end));
        let narrow = Matrix::strided(&data32, length, labels, strides[0], strides[1]).unwrap();
        let chain32 = Chain::new(narrow)
            .unwrap()
            .each_edge(&edges32)
            .unwrap()
            .start(&start32)
            .end(&end32);

        let best = all.first().map_or(f64::NEG_INFINITY, |(score, _)| *score);
        let solution = solver.best(&chain).unwrap();
        assert_eq!(solution.result.score, best);
        if best > f64::NEG_INFINITY {
            let labelling = solution.labelling.unwrap();
            assert_eq!(score_of(&labelling), best);
            assert_eq!(chain.score(&labelling).unwrap(), best);
        } else {
            assert_eq!(solution.result.outcome, Outcome::Infeasible);
            assert_eq!(solution.labelling, None);
        }
        assert_eq!(solver.best(&chain32).unwrap().result.score, best);
        // The same chain made from rows that are separate arrays.
        let rows: Vec<Vec<f64>> = unary.chunks(labels).map(<[f64]>::to_vec).collect();
        let rows = Chain::new(&rows).unwrap().start(&start).end(&end);
        let apart: Vec<&[f64]> = edges.chunks(labels).collect();
        let rows = match one_each {
            true => rows.each_edge(&edges),
            false => rows.edges(&apart),
        };
        let rows = rows.unwrap();
        assert_eq!(solver.best(&rows).unwrap().result.score, best);
        // A model returns the chains that it was given.
        let mut builder = ModelBuilder::new().unwrap();
        builder.add_chain(&chain, None, 0).unwrap();
        builder.add_chain(&chain32, None, 0).unwrap();
        builder.add_chain(&rows, None, 0).unwrap();
        drop(rows);
        let model = builder.freeze().unwrap();
        let views = [0, 1, 2].map(|chain| model.chain(chain).unwrap());
        match views {
            [ChainView::F64(wide), ChainView::F32(narrow), ChainView::F64(kept)] => {
                for labelling in enumerate(length, labels) {
                    assert_eq!(wide.score(&labelling).unwrap(), score_of(&labelling));
                    assert_eq!(narrow.score(&labelling).unwrap(), score_of(&labelling));
                    assert_eq!(kept.score(&labelling).unwrap(), score_of(&labelling));
                }
            }
            other => panic!("{other:?}"),
        }

        let k = 1 + random.below(6);
        let several = solver.k_best(&chain, k).unwrap();
        assert_eq!(several.labellings.rows(), k.min(all.len()));
        for (rank, score) in several.scores.iter().enumerate() {
            assert_eq!(*score, all[rank].0);
            assert_eq!(score_of(several.labellings.row(rank).unwrap()), *score);
        }
        assert!(several.labellings.row(several.scores.len()).is_none());

        let of_edges = solver.edge_marginals(&chain).unwrap();
        let found = solver.max_marginals(&chain32).unwrap();
        let best_with = |fits: &dyn Fn(&[i32]) -> bool| {
            let first = all.iter().find(|(_, labelling)| fits(labelling));
            first.map_or(f64::NEG_INFINITY, |(score, _)| *score)
        };
        for t in 0..length {
            for y in 0..labels {
                let expected = best_with(&|labelling| labelling[t] == y as i32);
                assert_eq!(found.marginals.get(t, y), Some(expected));
                for x in (0..labels).filter(|_| t > 0) {
                    let fits = |l: &[i32]| l[t - 1] == x as i32 && l[t] == y as i32;
                    let entry = ((t - 1) * labels + x) * labels + y;
                    assert_eq!(of_edges[entry], best_with(&fits));
                }
            }
        }
    }
}

/// Returns what a labelling of a chain or tree shows: the value of the only member of a clique.
fn shown(property: &Property, tree: &Chain<'_>, labelling: &[i32], tokens: &[i32]) -> Shown {
    let counts = |_: &[i64], _| Some(0.0);
    let potential = Potential::callback(property.values(), counts).unwrap();
    let mut builder = ModelBuilder::new().unwrap();
    let chain = tree.clone().forced(labelling);
    builder.add_chain(&chain, Some(tokens), 0).unwrap();
    let setup = CliqueSetup::property(property, &potential);
    let clique = builder.add_cliques(&setup, 1).unwrap().start;
    builder.add_members(clique, &Members::new(&[0])).unwrap();
    let mut run = Run::new(&builder.freeze().unwrap(), RunOptions::new()).unwrap();
    run.solve().unwrap();
    run.shown(clique, Labelling::Together).unwrap()[0]
}

/// Runs over one chain with a clique of its own for each of two properties find the labelling that
/// enumeration finds.
#[test]
fn properties_by_enumeration() {
    let mut random = Random::new(3);
    let map = LabelMap::from_names(Scheme::Bio, &["O", "B-X", "I-X", "B-Y"]).unwrap();
    let ignored = [true, false, false, false];
    let options = PropertyOptions::new().rule(SegmentRule::SpansIgnored);
    let at_end = options.clone().ignored(&ignored).edge_value(2);
    let next = Property::next_label(&map, 1, &at_end).unwrap();
    let before = Property::token_before(&map, 2, 4, &options.edge_value(0)).unwrap();
    for _ in 0..20 {
        let length = 1 + random.below(3);
        let unary: Vec<f64> = (0..length * 4).map(|_| random.finite()).collect();
        let tokens: Vec<i32> = (0..length).map(|_| random.below(5) as i32 - 1).collect();
        let chain = Chain::new(Matrix::new(&unary, length, 4).unwrap()).unwrap();
        // Scores of the values, then of EMPTY and CONFLICT, by tables of the counts 0 and 1.
        let said = [&next, &before].map(|property| {
            let score = |_| [0.0, random.finite()];
            (0..property.values() + 2).map(score).collect::<Vec<_>>()
        });
        let mut builder = ModelBuilder::new().unwrap();
        builder.add_chain(&chain, Some(&tokens), 0).unwrap();
        for (property, tables) in [&next, &before].into_iter().zip(&said) {
            let options = PotentialOptions::new();
            let potential = Potential::sum(tables.len(), &tables[..], &options).unwrap();
            let setup = CliqueSetup::property(property, &potential);
            let clique = builder.add_cliques(&setup, 1).unwrap().start;
            builder.add_members(clique, &Members::new(&[0])).unwrap();
        }
        let options = RunOptions::new().joint_mode(JointMode::Exact);
        let mut run = Run::new(&builder.freeze().unwrap(), options).unwrap();
        let found = run.solve().unwrap().score;
        let best = enumerate(length, 4).map(|labelling| {
            let of = [&next, &before].map(|property| {
                match shown(property, &chain, &labelling, &tokens) {
                    Shown::Value(value) => value,
                    Shown::Empty => property.values(),
                    Shown::Conflict => property.values() + 1,
                    other => panic!("{other:?}"),
                }
            });
            chain.score(&labelling).unwrap() + said[0][of[0]][1] + said[1][of[1]][1]
        });
        assert!(near(found, best.fold(f64::NEG_INFINITY, f64::max)));
    }
}

#[test]
fn trees_and_local_properties() {
    // A local property that fires the label of every position whose parent has label 1.
    let mut actions = vec![Action::Nothing; 2 * 3];
    actions[1] = Action::Value(0); // label 0, parent with label 1
    actions[3 + 1] = Action::Label;
    let property = Property::local(2, 1, 2, &actions, None).unwrap();
    let parents = [-1, 0, 0];
    let unary = [[0.0, 1.0], [0.5, 0.0], [0.0, 0.25]];
    let tree = Chain::new(&unary).unwrap().parents(&parents);
    let mut solver = ChainSolver::new().unwrap();
    assert_eq!(solver.best(&tree).unwrap().labelling, Some(vec![1, 0, 1]));
    let shown = |labelling: &[i32]| shown(&property, &tree, labelling, &[0; 3]);
    assert_eq!(shown(&[1, 0, 1]), Shown::Conflict);
    assert_eq!(shown(&[1, 1, 1]), Shown::Value(1));
    assert_eq!(shown(&[0, 1, 1]), Shown::Empty);
    assert_eq!(
        solver.k_best(&tree, 2).unwrap_err().status(),
        Status::NotAChain
    );
    let map = LabelMap::identity(2);
    let automaton = Property::first_label(&map, &PropertyOptions::new()).unwrap();
    let potential = Potential::potts(2, 1.0).unwrap();
    let mut builder = ModelBuilder::new().unwrap();
    builder.add_chain(&tree, None, 0).unwrap();
    let setup = CliqueSetup::property(&automaton, &potential);
    let clique = builder.add_cliques(&setup, 1).unwrap().start;
    let refused = builder.add_members(clique, &Members::new(&[0]));
    assert_eq!(refused.unwrap_err().status(), Status::AutomatonOnTree);
}
