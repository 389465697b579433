//! Bad input gives an error with the status and a message that names the rule, never a crash. This
//! crate checks shapes, before C sees a pointer; the library checks numbers.

use libchorale::*;
use std::time::Duration;

fn status<T>(result: Result<T>) -> Status {
    let error = result.err().expect("a refusal");
    assert!(!error.message().is_empty());
    let told = error.to_string();
    assert!(!told.contains("->") && !told.contains("NULL"), "{told}");
    assert!(!told.to_lowercase().contains("chorale"), "{told}");
    assert!(told.ends_with(&format!("({})", error.status())), "{told}");
    error.status()
}

#[test]
fn shapes() {
    let data = [0.0; 6];
    assert_eq!(status(Matrix::new(&data, 2, 2)), Status::Shape);
    assert_eq!(status(Matrix::new(&data, usize::MAX, 2)), Status::Shape);
    assert_eq!(status(Matrix::strided(&data, 2, 3, 4, 1)), Status::Shape);
    assert_eq!(
        status(Matrix::strided(&data, usize::MAX, 3, usize::MAX, 1)),
        Status::Shape
    );
    assert_eq!(status(Matrix::flat(&data, 4)), Status::Shape);
    assert_eq!(status(Matrix::flat(&data, 0)), Status::Shape);
    assert_eq!(Matrix::flat(&data, 3).unwrap().rows(), 2);
    assert_eq!(Matrix::flat(&data[..0], 0).unwrap().rows(), 0);
    let matrix = Matrix::strided(&data, 2, 3, 3, 1).unwrap();
    assert_eq!((matrix.get(1, 2), matrix.get(2, 0)), (Some(0.0), None));
    assert!(matrix.get(usize::MAX, usize::MAX).is_none());
    assert!(!matrix.is_owned() && matrix.entries() == data);
    assert!(Matrix::strided(&data, 0, 3, 9, 9).is_ok()); // without rows, no entry is outside
    let repeated = Matrix::strided(&data[..3], 2, 3, 0, 1).unwrap();
    assert!(repeated.is_owned() && repeated.entries() == data);
}

#[test]
fn rows_without_columns() {
    let rows = |count| Matrix::<f64>::new(&[], count, 0).unwrap();
    let most = isize::MAX as usize;
    let corpus = Corpus::new([rows(most - 1), rows(1)]).unwrap();
    assert_eq!((corpus.chains(), corpus.rows()), (2, most));
    let mut builder = ModelBuilder::new().unwrap();
    assert_eq!(status(builder.add_corpus(&corpus)), Status::Size);
    for counts in [[most, 1], [usize::MAX, 0], [usize::MAX; 2]] {
        let refused = Corpus::new(counts.map(rows));
        assert_eq!(status(refused), Status::SizeOverflow);
    }
}

#[test]
fn rows_of_their_own() {
    let rows = vec![vec![0.5, 1.0, 2.0], vec![0.0, 3.0, 0.25]];
    let slices: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
    let pair = [&rows[0][..], &rows[1][..]];
    let owned = [rows[0].clone(), rows[1].clone()];
    let all: [Matrix<'_, f64>; 6] = [
        (&rows).into_matrix().unwrap(),
        (&rows[..]).into_matrix().unwrap(),
        (&slices).into_matrix().unwrap(),
        (&slices[..]).into_matrix().unwrap(),
        (&pair).into_matrix().unwrap(),
        (&owned).into_matrix().unwrap(),
    ];
    for matrix in &all {
        assert_eq!((matrix.rows(), matrix.columns()), (2, 3));
        for (r, row) in rows.iter().enumerate() {
            for (c, &entry) in row.iter().enumerate() {
                assert_eq!(matrix.get(r, c), Some(entry));
            }
        }
        assert!(matrix.is_owned());
    }
    let none: Vec<Vec<f32>> = Vec::new();
    assert_eq!((&none).into_matrix().unwrap().rows(), 0);
    assert!(!(&[[0.0; 2]; 3]).into_matrix().unwrap().is_owned());

    let ragged = vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![0.5], vec![]];
    let longer = vec![vec![1.0], vec![0.0, 1.0]];
    let refused = Chain::new(&longer).unwrap_err();
    assert!(
        refused.message().contains("row 1 has 2 entries"),
        "{refused}"
    );
    let name = |error: Error| {
        assert_eq!(error.status(), Status::Shape);
        let (name, message) = error.message().split_once(": ").unwrap();
        assert_eq!(message, "row 2 has 1 entries; it must have 2, as row 0");
        name.to_owned()
    };
    let chain = Chain::new(&[[0.0, 1.0]]).unwrap();
    let bytes = vec![vec![1u8, 0], vec![1, 1], vec![1]];
    let options = PotentialOptions::new();
    let names = [
        Chain::new(&ragged).map(drop),
        chain.clone().edges(&ragged).map(drop),
        chain.clone().allowed(&bytes).map(drop),
        CliqueProblem::new(&ragged).map(drop),
        Transitions::new(&ragged).map(drop),
        Potential::sum(2, &ragged, &options).map(drop),
        Potential::majority(&ragged, None, &options).map(drop),
        Potential::pairs(&ragged, &options).map(drop),
    ];
    let names = names.map(|result| name(result.unwrap_err()));
    let expected = ["unary", "edges", "allowed", "scores", "scores"];
    assert_eq!(names[..5], expected);
    assert_eq!(names[5..], ["tables", "weights", "scores"]);
}

#[test]
fn potentials() {
    let options = PotentialOptions::new();
    let table = [[0.0, 1.0]; 2];
    assert_eq!(status(Potential::potts(0, 1.0)), Status::Size);
    assert_eq!(
        status(Potential::potts(usize::MAX, 1.0)),
        Status::SizeOverflow
    );
    assert_eq!(status(Potential::potts(2, f64::NAN)), Status::NotANumber);
    assert_eq!(
        status(Potential::entropy(2, f64::INFINITY)),
        Status::Infinite
    );
    assert_eq!(status(Potential::sum(3, &table, &options)), Status::Shape);
    let transposed = Matrix::strided(&[0.0; 4], 2, 2, 1, 2).unwrap();
    assert_eq!(
        Potential::max(2, transposed, &options).unwrap().values(),
        2 // the rows were copied
    );
    let wide = Matrix::new(&[0.0; 6], 2, 3).unwrap();
    assert_eq!(
        status(Potential::majority(&wide, None, &options)),
        Status::Shape
    );
    assert_eq!(
        status(Potential::majority(&table, Some(&[0.0]), &options)),
        Status::Shape
    );
    assert_eq!(status(Potential::pairs(&wide, &options)), Status::Shape);
    assert_eq!(
        status(Potential::cardinality(3, &[0.0, 1.0], &options)),
        Status::Shape
    );
    let counted = PotentialOptions::new().counted(&[true]);
    assert_eq!(
        status(Potential::potts_with(2, 1.0, &counted)),
        Status::Shape
    );
    let potts = Potential::potts(2, 1.0).unwrap();
    assert_eq!(
        status(potts.evaluate(&[1, 1, 1], 3)),
        Status::ValuesMismatch
    );
    assert_eq!(status(potts.evaluate(&[1, 1], 3)), Status::OutOfRange);
    assert_eq!(potts.values(), 2);
}

#[test]
fn cliques() {
    let potts = Potential::potts(2, 1.0).unwrap();
    let mut solver = CliqueSolver::new().unwrap();
    let scores = [[0.0, 1.0], [0.5, 0.25]];
    let plain = CliqueOptions::new();
    let problem = CliqueProblem::new(&scores).unwrap();
    let with_scores = |scores: &'static [[f64; 2]]| CliqueProblem::new(scores).unwrap();
    let none = with_scores(&[]);
    assert_eq!(status(solver.solve(&potts, &none, &plain)), Status::Size);
    assert_eq!(
        status(solver.solve(&potts, &CliqueProblem::new(&[[0.0; 3]]).unwrap(), &plain)),
        Status::ValuesMismatch
    );
    assert_eq!(
        status(solver.solve(&potts, &with_scores(&[[f64::NAN, 0.0]]), &plain)),
        Status::NotANumber
    );
    assert_eq!(
        status(solver.solve(&potts, &problem.clone().fixed(&[0]), &plain)),
        Status::Shape
    );
    assert_eq!(
        status(solver.solve(&potts, &problem.clone().fixed(&[0, 2]), &plain)),
        Status::OutOfRange
    );
    // A column-major matrix is copied to a row-major one.
    let columns = Matrix::strided(&[0.0, 9.0, 1.0, 0.0], 2, 2, 1, 2).unwrap();
    let columns = CliqueProblem::new(columns).unwrap().fixed(&[1, -1]);
    let solution = solver.solve(&potts, &columns, &plain).unwrap();
    assert_eq!(solution.assignment, Some(vec![1, 0]));
    let with = CliqueOptions::new;
    for (options, expected) in [
        (
            with().algorithm(Algorithm::ExactMajority),
            Status::AlgorithmMismatch,
        ),
        (
            with().algorithm(Algorithm::Other(5)),
            Status::UnknownConstant,
        ),
        (with().start(Start::Value(7)), Status::OutOfRange),
        (with().start(Start::Value(usize::MAX)), Status::OutOfRange),
        (with().subset_size(usize::MAX), Status::OutOfRange),
        (with().start(Start::Assignment(&[0])), Status::Shape),
        (with().start(Start::Assignment(&[0, 9])), Status::OutOfRange),
        (with().gap(f64::NAN), Status::NotANumber),
        (with().subset_size(0), Status::Size),
    ] {
        let options = match expected {
            Status::OutOfRange | Status::ForbiddenValue => options.algorithm(Algorithm::Icm),
            Status::Size => options.algorithm(Algorithm::GeneralisedAlphaPass),
            _ => options,
        };
        assert_eq!(status(solver.solve(&potts, &problem, &options)), expected);
    }
    assert_eq!(
        status(solver.evaluate(&potts, &problem, &[0])),
        Status::Shape
    );
    assert_eq!(
        status(solver.evaluate(&potts, &problem, &[0, -1])),
        Status::OutOfRange
    );
    // The solver still works. If every value is forbidden, that is an outcome, not an error.
    let forbidden = with_scores(&[[f64::NEG_INFINITY; 2]]);
    let solution = solver.solve(&potts, &forbidden, &plain).unwrap();
    assert_eq!(
        (solution.assignment, solution.result.outcome),
        (None, Outcome::Infeasible)
    );
    let limits = with()
        .time_limit(Duration::from_secs(9))
        .node_limit(3)
        .node_pool(9)
        .iteration_limit(4)
        .tolerance(0.1)
        .cancel(&Cancel::new().unwrap());
    for options in [
        limits.clone(),
        limits
            .clone()
            .start(Start::Independent)
            .algorithm(Algorithm::Icm),
        limits.start(Start::AlphaPass).algorithm(Algorithm::Icm),
    ] {
        let solution = solver.solve(&potts, &problem, &options).unwrap();
        let assignment = solution.assignment.unwrap();
        assert!(assignment[0] == assignment[1]); // ICM may end at either pair of equal values
    }
    assert_eq!(Algorithm::from_name("beta-pass"), None);
    assert_eq!(
        Algorithm::from_name("alpha-pass"),
        Some(Algorithm::AlphaPass)
    );
    assert_eq!(Algorithm::CountBoxes.name(), "count-boxes");
}

#[test]
fn chains() {
    let unary = [[0.0, 1.0], [0.5, 0.25]];
    let chain = Chain::new(&unary).unwrap();
    let mut solver = ChainSolver::new().unwrap();
    let mut best = |chain: Chain<'_>| status(solver.best(&chain).map(drop));
    assert_eq!(best(Chain::new(&[[f64::NAN]]).unwrap()), Status::NotANumber);
    assert_eq!(
        best(Chain::new(&[[f64::INFINITY]]).unwrap()),
        Status::Infinite
    );
    assert_eq!(best(Chain::new(&[[0.0; 0]; 3]).unwrap()), Status::Size);
    assert_eq!(status(chain.clone().edges(&[[0.0; 3]; 3])), Status::Shape);
    let three = chain.clone().each_edge(&[0.0; 12]);
    assert_eq!(best(three.unwrap()), Status::Shape);
    assert_eq!(status(chain.clone().each_edge(&[0.0; 3])), Status::Shape);
    assert_eq!(best(chain.clone().start(&[0.0])), Status::Shape);
    assert_eq!(best(chain.clone().end(&[0.0; 3])), Status::Shape);
    assert_eq!(best(chain.clone().parents(&[-1])), Status::Shape);
    assert_eq!(best(chain.clone().parents(&[-1, 5])), Status::OutOfRange);
    assert_eq!(best(chain.clone().parents(&[1, -1])), Status::ParentOrder);
    assert_eq!(best(chain.clone().forced(&[0])), Status::Shape);
    assert_eq!(best(chain.clone().forced(&[0, 2])), Status::OutOfRange);
    assert_eq!(
        best(chain.clone().allowed(&[[1; 2]]).unwrap()),
        Status::Shape
    );
    let columns = Matrix::strided(&[1; 4], 2, 2, 1, 2).unwrap();
    let copied = chain.clone().allowed(columns).unwrap();
    assert!(ChainSolver::new().unwrap().best(&copied).is_ok());
    let more = Transitions::zeros::<f64>(3).build().unwrap();
    assert_eq!(
        best(chain.clone().transitions(&more)),
        Status::LabelsMismatch
    );
    assert_eq!(status(chain.score(&[0])), Status::Shape);
    assert_eq!(status(chain.score(&[0, 2])), Status::OutOfRange);
    assert_eq!(status(solver.k_best(&chain, 0)), Status::Size);
    assert!(solver.k_best(&chain, usize::MAX).is_err());
    assert!(solver.k_best(&chain, 1 << 40).is_err());
    // A chain without positions is allowed.
    let none: [[f64; 2]; 0] = [];
    assert_eq!(
        solver
            .best(&Chain::new(&none).unwrap())
            .unwrap()
            .result
            .score,
        0.0
    );
    let empty = solver.max_marginals(&Chain::new(&none).unwrap()).unwrap();
    assert!(empty.margins.is_empty());
    let only = solver.k_best(&Chain::new(&none).unwrap(), 2).unwrap();
    assert_eq!((only.labellings.rows(), only.scores), (1, vec![0.0]));
    assert_eq!(solver.best(&chain).unwrap().labelling, Some(vec![1, 0]));
}

#[test]
fn transitions_and_names() {
    let wide = Matrix::new(&[0.0; 6], 2, 3).unwrap();
    assert_eq!(status(Transitions::new(&wide)), Status::Shape);
    let square = [[0.0; 2]; 2];
    let builder = Transitions::new(&square).unwrap();
    assert_eq!(status(builder.clone().start(&[0.0]).build()), Status::Shape);
    let mask = Mask::new(Scheme::Plain, &["A"]).unwrap();
    assert_eq!(status(builder.mask(&mask).build()), Status::Shape);
    assert_eq!(status(Transitions::zeros::<f32>(0).build()), Status::Size);
    assert_eq!(
        status(Transitions::zeros::<f32>(1 << 40).build()),
        Status::SizeOverflow
    );
    assert_eq!(status(Mask::new(Scheme::Bio, &["Q-X"])), Status::LabelName);
    assert_eq!(status(Mask::new(Scheme::Bio, &[""; 0])), Status::Size);
    assert_eq!(
        status(Mask::from_parts(vec![1; 3], vec![1; 2], vec![1; 2])),
        Status::Shape
    );
    assert_eq!(
        status(LabelMap::from_names(Scheme::Bio, &["Q-X"])),
        Status::LabelName
    );
    assert_eq!(
        status(LabelMap::new(1, vec![0, 0], Some(vec![true]))),
        Status::Shape
    );
    // A mask made from bytes works like a mask made from names.
    let own = Mask::from_parts(vec![1, 0, 1, 1], vec![1, 0], vec![1, 1]).unwrap();
    let transitions = Transitions::new(&square)
        .unwrap()
        .mask(&own)
        .build()
        .unwrap();
    let unary = [[0.0, 9.0], [0.0, 9.0]];
    let chain = Chain::new(&unary).unwrap().transitions(&transitions);
    assert_eq!(
        ChainSolver::new().unwrap().best(&chain).unwrap().labelling,
        Some(vec![0, 0])
    );
}

#[test]
fn properties() {
    let map = LabelMap::identity(2);
    let plain = PropertyOptions::new();
    assert_eq!(
        status(Property::position_label(&map, usize::MAX)),
        Status::SizeOverflow
    );
    assert_eq!(
        status(Property::token_label(&map, usize::MAX)),
        Status::OutOfRange
    );
    let short = PropertyOptions::new().ignored(&[true]);
    assert_eq!(status(Property::first_label(&map, &short)), Status::Shape);
    for anchor in [2, usize::MAX] {
        assert_eq!(
            status(Property::next_label(&map, anchor, &plain)),
            Status::OutOfRange
        );
    }
    let refused = Property::token_before(&map, 0, 2, &plain.clone().edge_value(2));
    assert_eq!(status(refused), Status::ValueOutsideRange);
    let refused = Property::next_label(&map, 0, &plain.clone().edge_value(usize::MAX));
    assert_eq!(status(refused), Status::OutOfRange);
    let wrong = LabelMap::new(1, vec![0, 5], None).unwrap();
    assert_eq!(
        status(Property::position_label(&wrong, 0)),
        Status::OutOfRange
    );
    assert_eq!(
        status(Property::local(2, 1, 1, &[Action::Nothing; 5], None)),
        Status::Shape
    );
    assert_eq!(
        status(Property::local(usize::MAX, 9, 1, &[], None)),
        Status::SizeOverflow
    );
    let fires = [
        Action::Nothing,
        Action::Label,
        Action::Nothing,
        Action::Nothing,
    ];
    let automaton = Automaton::new(2, 2, 2, &[0, 1, 1, 1]).actions(&fires);
    let property = Property::automaton(&automaton).unwrap();
    assert_eq!((property.labels(), property.values()), (2, 2));
    let refused = |automaton| status(Property::automaton(&automaton));
    let short = Automaton::new(2, 2, 2, &[0, 1]).actions(&fires);
    assert_eq!(refused(short), Status::Shape);
    let outside = automaton.actions(&[Action::Value(7); 4]);
    assert_eq!(refused(outside), Status::ValueOutsideRange);
    let huge = Automaton::new(2, 2, 2, &[0, usize::MAX, 1, 1]).actions(&fires);
    assert_eq!(refused(huge), Status::OutOfRange);
    assert_eq!(refused(automaton.label_values(&[0])), Status::Shape);
}

#[test]
fn builders_and_runs() {
    let potts = Potential::potts(2, 1.0).unwrap();
    let map = LabelMap::identity(2);
    let property = Property::token_label(&map, 0).unwrap();
    let mut builder = ModelBuilder::new().unwrap();
    let unary = [[0.0, 1.0]];
    let chain = Chain::new(&unary).unwrap();
    assert_eq!(
        status(builder.add_chain(&chain, Some(&[1, 2]), 0)),
        Status::Shape
    );
    assert_eq!(
        status(builder.add_chain(&chain, Some(&[-2]), 0)),
        Status::OutOfRange
    );
    let first = builder.add_chain(&chain, None, 0).unwrap();
    assert_eq!(first, 0, "what was refused has no number");
    let setup = CliqueSetup::property(&property, &potts);
    let by_property = builder.add_cliques(&setup, 1).unwrap().start;
    let plain = builder
        .add_cliques(&CliqueSetup::positions(2, &potts), 1)
        .unwrap()
        .start;
    assert_eq!(
        status(builder.add_cliques(&CliqueSetup::positions(3, &potts), 1)),
        Status::ValuesMismatch
    );
    let labels = [0, 5];
    let setup = CliqueSetup::positions(2, &potts).label_values(&labels);
    assert_eq!(status(builder.add_cliques(&setup, 1)), Status::OutOfRange);
    assert_eq!(
        status(builder.add_members(by_property, &Members::new(&[0]).positions(&[-1]))),
        Status::TokensMissing
    );
    assert_eq!(
        status(builder.add_members(plain, &Members::new(&[0]).positions(&[-1]))),
        Status::Kind
    );
    assert_eq!(
        status(builder.add_members(9, &Members::new(&[0]).positions(&[-1]))),
        Status::OutOfRange
    );
    assert_eq!(
        status(builder.add_members(by_property, &Members::new(&[9]).positions(&[-1]))),
        Status::OutOfRange
    );
    let table: Option<&[i32]> = Some(&[0, 0]);
    assert_eq!(
        status(builder.add_members(by_property, &Members::new(&[0]).tables(&[table]))),
        Status::Shape
    );
    assert_eq!(
        status(builder.add_members(by_property, &Members::new(&[9]).tables(&[table]))),
        Status::OutOfRange
    );
    assert_eq!(
        status(builder.add_members(plain, &Members::new(&[0]).positions(&[1]))),
        Status::OutOfRange
    );
    assert_eq!(
        status(builder.add_members(plain, &Members::new(&[(usize::MAX) as i64]).positions(&[0]))),
        Status::OutOfRange
    );
    builder
        .add_members(plain, &Members::new(&[0]).positions(&[0]))
        .unwrap();
    assert_eq!(
        status(builder.add_members(plain, &Members::new(&[0]).positions(&[0]))),
        Status::DuplicateMember
    );
    assert_eq!(
        status(builder.add_members(plain, &Members::new(&[]).centres(&[0], &[0]))),
        Status::Kind
    );
    assert_eq!(
        status(builder.add_members(by_property, &Members::new(&[0]).positions(&[0]))),
        Status::Kind
    );
    let model = builder.freeze().unwrap();

    let mut builder = ModelBuilder::new().unwrap();
    let both = [&potts, &potts];
    builder
        .add_cliques(&CliqueSetup::centred(2, &both), 1)
        .unwrap();
    assert_eq!(status(builder.freeze()), Status::State); // no centre

    assert_eq!(status(model.members_of(5)), Status::OutOfRange);
    assert_eq!(status(model.members_of(5)), Status::OutOfRange);
    assert_eq!(status(model.chain(5)), Status::OutOfRange);
    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    assert_eq!(
        status(run.all_labels(Labelling::Together)),
        Status::NoLabelling
    );
    assert_eq!(status(run.reasons(0)), Status::NoLabelling);
    run.solve().unwrap();
    assert_eq!(
        status(run.labels(7, Labelling::Together)),
        Status::OutOfRange
    );
    assert_eq!(
        status(run.shown(7, Labelling::Together)),
        Status::OutOfRange
    );
    assert_eq!(status(run.reasons(7)), Status::OutOfRange);
    assert_eq!(status(run.max_marginals(7)), Status::OutOfRange);
    assert_eq!(status(run.probabilities(7, 1.0)), Status::OutOfRange);
    for (temperature, expected) in [
        (0.0, Status::OutOfRange),
        (f64::NAN, Status::NotANumber),
        (f64::INFINITY, Status::Infinite),
    ] {
        assert_eq!(status(run.probabilities(0, temperature)), expected);
    }
}

#[test]
fn constants_and_errors_print() {
    assert_eq!(format!("{:?}", Status::Shape), "Shape");
    assert_eq!(Status::OutOfMemory.to_string(), "out of memory");
    assert_eq!(Outcome::Other(12345).number(), 12345);
    assert_eq!(Outcome::IterationLimit.name(), "iteration-limit");
    assert_eq!(Outcome::Other(12345).name(), "unknown outcome");
    let error: Box<dyn std::error::Error + Send + Sync> =
        Box::new(Potential::potts(0, 1.0).unwrap_err());
    assert!(error.to_string().ends_with("(size)"));
    assert_eq!(abi(), ABI);
    assert_eq!(version(), env!("CARGO_PKG_VERSION"));
    // Messages use the names of this crate.
    let mut builder = ModelBuilder::new().unwrap();
    let chain = Chain::new(&[[0.0, 1.0]]).unwrap();
    let error = builder.add_chain(&chain, Some(&[-2]), 0).unwrap_err();
    assert!(error.message().starts_with("tokens[0] is -2"), "{error}");
    let fires = [Action::Value(7); 2];
    let error = Property::local(1, 1, 1, &fires, None).unwrap_err();
    assert!(error.message().contains("a FIRE constant"), "{error}");
    // Texts of the caller stay as they are.
    for text in ["the label a->b", "my_chain->x", "->", "é->ü"] {
        let error = Mask::new(Scheme::Bio, &[text]).unwrap_err();
        assert!(error.message().contains(text), "{error}");
    }
}

#[test]
fn what_threads_may_share_and_send() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Model>();
    shared::<Potential>();
    shared::<Property>();
    shared::<Transitions>();
    shared::<Cancel>();
    shared::<Matrix<'static, f32>>();
    shared::<Chain<'static, f32>>();
    shared::<CliqueProblem<'static>>();
    shared::<Problem>();
    shared::<Error>();
    shared::<CliqueOptions<'static>>();
    shared::<PotentialOptions>();
    shared::<PropertyOptions<'static>>();
    shared::<ModelBuilder>();
    shared::<Corpus<'static, f32>>();
    shared::<Agreement<'static>>();
    shared::<Decoded<'static>>();
    shared::<Run<'static>>(); // several threads may read it
    sent::<RunOptions<'static>>();
    sent::<ChainSolver>();
    sent::<CliqueSolver>();
}
