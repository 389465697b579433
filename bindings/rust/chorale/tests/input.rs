//! Bad input: an error with the status and a message that names the rule, never a crash. Shapes are
//! checked here, before C sees a pointer; what numbers may be is the library's to say.

use chorale::*;
use std::time::Duration;

fn status<T>(result: Result<T>) -> Status {
    let error = result.err().expect("a refusal");
    assert!(!error.message().is_empty());
    assert!(error.to_string().contains("CHORALE_ERROR_"), "{error}");
    error.status()
}

#[test]
fn shapes() {
    let data = [0.0; 6];
    assert_eq!(status(Matrix::new(&data, 2, 2)), Status::SHAPE);
    assert_eq!(status(Matrix::new(&data, usize::MAX, 2)), Status::SHAPE);
    assert_eq!(status(Matrix::strided(&data, 2, 3, 4, 1)), Status::SHAPE);
    assert_eq!(status(Matrix::strided(&data, 2, 3, 0, 1)), Status::STRIDE);
    assert_eq!(status(Matrix::strided(&data, 2, 3, 3, 0)), Status::STRIDE);
    assert_eq!(
        status(Matrix::strided(&data, usize::MAX, 3, usize::MAX, 1)),
        Status::SHAPE
    );
    assert_eq!(status(Matrices::new(&data, 2, 2, 2)), Status::SHAPE);
    assert_eq!(
        status(Matrices::strided(&data, [2, 1, 3], [4, 3, 1])),
        Status::SHAPE
    );
    assert_eq!(
        status(Matrices::strided(&data, [2, 1, 3], [0, 3, 1])),
        Status::STRIDE
    );
    assert!(Matrix::strided(&data, 2, 3, 3, 1)
        .unwrap()
        .get(2, 0)
        .is_none());
    assert!(Matrix::strided(&data, 0, 3, 9, 9).is_ok()); // nothing is reached
    assert_eq!(Matrix::<f64>::from(&[[0.0; 0]; 4]).rows(), 4);
}

#[test]
fn potentials() {
    let options = PotentialOptions::new();
    let table = [[0.0, 1.0]; 2];
    assert_eq!(status(Potential::potts(0, 1.0)), Status::SIZE);
    assert_eq!(
        status(Potential::potts(usize::MAX, 1.0)),
        Status::SIZE_OVERFLOW
    );
    assert_eq!(status(Potential::potts(2, f64::NAN)), Status::NOT_A_NUMBER);
    assert_eq!(
        status(Potential::entropy(2, f64::INFINITY)),
        Status::INFINITE
    );
    assert_eq!(status(Potential::sum(3, &table, &options)), Status::SHAPE);
    let transposed = Matrix::strided(&[0.0; 4], 2, 2, 1, 2).unwrap();
    assert_eq!(
        status(Potential::max(2, transposed, &options)),
        Status::STRIDE
    );
    let wide = Matrix::new(&[0.0; 6], 2, 3).unwrap();
    assert_eq!(
        status(Potential::majority(wide, None, &options)),
        Status::SHAPE
    );
    assert_eq!(
        status(Potential::majority(&table, Some(&[0.0]), &options)),
        Status::SHAPE
    );
    assert_eq!(status(Potential::pairs(wide, &options)), Status::SHAPE);
    assert_eq!(
        status(Potential::cardinality(3, &[0.0, 1.0], &options)),
        Status::SHAPE
    );
    let counted = PotentialOptions::new().counted(&[true]);
    assert_eq!(
        status(Potential::potts_with(2, 1.0, &counted)),
        Status::SHAPE
    );
    let scale = PotentialOptions::new().scale(Scale::from_raw(9));
    assert_eq!(
        status(Potential::potts_with(2, 1.0, &scale)),
        Status::UNKNOWN_CONSTANT
    );
    let shape = PotentialOptions::new().shape(Shape::from_raw(9));
    assert_eq!(
        status(Potential::sum(2, &table, &shape)),
        Status::UNKNOWN_CONSTANT
    );
    let potts = Potential::potts(2, 1.0).unwrap();
    assert_eq!(status(potts.scaled(-1.0)), Status::OUT_OF_RANGE);
    assert_eq!(
        status(potts.evaluate(&[1, 1, 1], 3)),
        Status::VALUES_MISMATCH
    );
    assert_eq!(status(potts.evaluate(&[1, 1], 3)), Status::OUT_OF_RANGE);
    assert_eq!((potts.family(), potts.values()), (Family::SUM, 2));
    assert!(format!("{potts:?}").contains("Family::SUM"));
}

#[test]
fn cliques() {
    let potts = Potential::potts(2, 1.0).unwrap();
    let mut solver = CliqueSolver::new().unwrap();
    let scores = [[0.0, 1.0], [0.5, 0.25]];
    let plain = CliqueOptions::new();
    let problem = CliqueProblem::new(&scores);
    let none: [[f64; 2]; 0] = [];
    assert_eq!(status(solver.solve(&potts, &none, &plain)), Status::SIZE);
    assert_eq!(
        status(solver.solve(&potts, &[[0.0; 3]], &plain)),
        Status::VALUES_MISMATCH
    );
    assert_eq!(
        status(solver.solve(&potts, &[[f64::NAN, 0.0]], &plain)),
        Status::NOT_A_NUMBER
    );
    assert_eq!(
        status(solver.solve(&potts, problem.fixed(&[0]), &plain)),
        Status::SHAPE
    );
    assert_eq!(
        status(solver.solve(&potts, problem.fixed(&[0, 2]), &plain)),
        Status::OUT_OF_RANGE
    );
    let columns = Matrix::strided(&[0.0; 4], 2, 2, 1, 2).unwrap();
    assert_eq!(
        status(solver.solve(&potts, columns, &plain)),
        Status::STRIDE
    );
    let with = CliqueOptions::new;
    for (options, expected) in [
        (
            with().algorithm(Algorithm::EXACT_MAJORITY),
            Status::ALGORITHM_MISMATCH,
        ),
        (
            with().algorithm(Algorithm::from_raw(5)),
            Status::UNKNOWN_CONSTANT,
        ),
        (with().start_value(7), Status::OUT_OF_RANGE),
        (with().start_assignment(&[0]), Status::SHAPE),
        (with().start_assignment(&[0, 9]), Status::OUT_OF_RANGE),
        (with().gap(f64::NAN), Status::NOT_A_NUMBER),
        (with().subset_size(0), Status::SIZE),
    ] {
        let options = match expected {
            Status::OUT_OF_RANGE => options.algorithm(Algorithm::ICM),
            Status::SIZE => options.algorithm(Algorithm::GENERALISED_ALPHA_PASS),
            _ => options,
        };
        assert_eq!(status(solver.solve(&potts, problem, &options)), expected);
    }
    assert_eq!(
        status(solver.evaluate(&potts, problem, &[0])),
        Status::SHAPE
    );
    assert_eq!(
        status(solver.evaluate(&potts, problem, &[0, -1])),
        Status::OUT_OF_RANGE
    );
    let form = MarginalForm::SCORE;
    let mut short = [0.0; 3];
    let refused = solver.max_marginals_into(&potts, problem, &plain, form, &mut short, 2);
    assert_eq!(status(refused), Status::SHAPE);
    let form = MarginalForm::from_raw(9);
    assert_eq!(
        status(solver.max_marginals(&potts, problem, &plain, form)),
        Status::UNKNOWN_CONSTANT
    );
    let task = CliqueTask::SOLVE;
    assert_eq!(
        status(solver.reserve(&potts, 1 << 40, &plain, task)),
        Status::SIZE_OVERFLOW
    );
    // It still works, and what is forbidden throughout is an outcome.
    let forbidden = [[f64::NEG_INFINITY; 2]];
    let solution = solver.solve(&potts, &forbidden, &plain).unwrap();
    assert_eq!(
        (solution.assignment, solution.result.outcome),
        (None, Outcome::INFEASIBLE)
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
        limits.clone().start_independent().algorithm(Algorithm::ICM),
        limits.start_alpha_pass().algorithm(Algorithm::ICM),
    ] {
        let solution = solver.solve(&potts, problem, &options).unwrap();
        let assignment = solution.assignment.unwrap();
        assert!(assignment[0] == assignment[1]); // ICM may end at the lesser of the two
    }
    assert_eq!(Algorithm::from_name("beta-pass"), None);
    assert_eq!(Algorithm::COUNT_BOXES.name(), "count-boxes");
}

#[test]
fn chains() {
    let unary = [[0.0, 1.0], [0.5, 0.25]];
    let chain = Chain::new(&unary);
    let mut solver = ChainSolver::new().unwrap();
    let mut best = |chain: Chain<'_, '_>| status(solver.best(&chain).map(drop));
    assert_eq!(best(Chain::new(&[[f64::NAN]])), Status::NOT_A_NUMBER);
    assert_eq!(best(Chain::new(&[[f64::INFINITY]])), Status::INFINITE);
    assert_eq!(best(Chain::new(&[[0.0; 0]; 3])), Status::SIZE);
    assert_eq!(best(chain.clone().edges(&[[0.0; 3]; 3])), Status::SHAPE);
    let three = Matrices::new(&[0.0; 12], 3, 2, 2).unwrap();
    assert_eq!(best(chain.clone().edges(three)), Status::SHAPE);
    assert_eq!(best(chain.clone().start(&[0.0])), Status::SHAPE);
    assert_eq!(best(chain.clone().end(&[0.0; 3])), Status::SHAPE);
    assert_eq!(best(chain.clone().parents(&[-1])), Status::SHAPE);
    assert_eq!(best(chain.clone().parents(&[-1, 5])), Status::OUT_OF_RANGE);
    assert_eq!(best(chain.clone().parents(&[1, -1])), Status::PARENT_ORDER);
    assert_eq!(best(chain.clone().forced(&[0])), Status::SHAPE);
    assert_eq!(best(chain.clone().forced(&[0, 2])), Status::OUT_OF_RANGE);
    assert_eq!(best(chain.clone().allowed(&[[1; 2]])), Status::SHAPE);
    let columns = Matrix::strided(&[1; 4], 2, 2, 1, 2).unwrap();
    assert_eq!(best(chain.clone().allowed(columns)), Status::STRIDE);
    let turned = Orientation::from_raw(4);
    assert_eq!(
        best(chain.clone().edges(&[[0.0; 2]; 2]).orientation(turned)),
        Status::UNKNOWN_CONSTANT
    );
    let more = Transitions::zeros::<f64>(3).build().unwrap();
    assert_eq!(
        best(chain.clone().transitions(&more)),
        Status::LABELS_MISMATCH
    );
    assert_eq!(status(chain.score(&[0])), Status::SHAPE);
    assert_eq!(status(chain.score(&[0, 2])), Status::OUT_OF_RANGE);
    assert_eq!(status(solver.k_best(&chain, 0)), Status::SIZE);
    assert!(solver.k_best(&chain, usize::MAX).is_err());
    assert!(solver.k_best(&chain, 1 << 40).is_err());
    let mut three = [0.0; 3];
    let out = MarginalsOut {
        margins: Some(&mut three),
        ..MarginalsOut::default()
    };
    assert_eq!(
        status(solver.max_marginals_into(&chain, out)),
        Status::SHAPE
    );
    let mut labelling = [0; 2];
    let mut scratch = AlignedBytes::new(4096);
    assert_eq!(
        status(kernel::best(&mut scratch[..64], &chain, &mut labelling)),
        Status::WORKSPACE_TOO_SMALL
    );
    assert_eq!(
        status(kernel::best(&mut scratch[8..], &chain, &mut labelling)),
        Status::ALIGNMENT
    );
    let refused = kernel::best(&mut scratch, &chain, &mut labelling[..1]);
    assert_eq!(status(refused), Status::SHAPE);
    let refused = kernel::k_best(&mut scratch, &chain, &mut labelling, &mut three);
    assert_eq!(status(refused), Status::SHAPE);
    let mut six = [0; 6];
    assert_eq!(
        kernel::k_best(&mut scratch, &chain, &mut six, &mut three).unwrap(),
        3
    );
    // A chain without positions is one.
    let none: [[f64; 2]; 0] = [];
    assert_eq!(solver.best(&Chain::new(&none)).unwrap().result.score, 0.0);
    let empty = solver.max_marginals(&Chain::new(&none)).unwrap();
    assert!(empty.margins.is_empty());
    assert_eq!(solver.k_best(&Chain::new(&none), 2).unwrap().len(), 1);
    assert_eq!(solver.best(&chain).unwrap().labelling, [1, 0]);
}

#[test]
fn transitions_and_names() {
    let wide = Matrix::new(&[0.0; 6], 2, 3).unwrap();
    assert_eq!(status(Transitions::new(wide)), Status::SHAPE);
    assert_eq!(
        status(Transitions::borrowed(wide, None, None)),
        Status::SHAPE
    );
    let turned = Matrix::strided(&[0.0; 4], 2, 2, 1, 2).unwrap();
    assert_eq!(
        status(Transitions::borrowed(turned, None, None)),
        Status::SHAPE
    );
    let square = [[0.0; 2]; 2];
    let builder = Transitions::new(&square).unwrap();
    assert_eq!(status(builder.start(&[0.0]).build()), Status::SHAPE);
    let mask = Mask::new(Scheme::PLAIN, &["A"]).unwrap();
    assert_eq!(status(builder.mask(&mask).build()), Status::SHAPE);
    assert_eq!(status(Transitions::zeros::<f32>(0).build()), Status::SIZE);
    assert_eq!(
        status(Transitions::zeros::<f32>(1 << 40).build()),
        Status::SIZE_OVERFLOW
    );
    assert_eq!(status(Mask::new(Scheme::BIO, &["Q-X"])), Status::LABEL_NAME);
    assert_eq!(
        status(Mask::new(Scheme::from_raw(9), &["O"])),
        Status::UNKNOWN_CONSTANT
    );
    assert_eq!(status(Mask::new(Scheme::BIO, &[""; 0])), Status::SIZE);
    assert_eq!(
        status(Mask::from_parts(vec![1; 3], vec![1; 2], vec![1; 2])),
        Status::SHAPE
    );
    assert_eq!(
        status(LabelMap::from_names(Scheme::BIO, &["Q-X"])),
        Status::LABEL_NAME
    );
    assert_eq!(
        status(LabelMap::new(1, vec![0, 0], Some(vec![true]))),
        Status::SHAPE
    );
    // A mask of one's own works as one that names make.
    let own = Mask::from_parts(vec![1, 0, 1, 1], vec![1, 0], vec![1, 1]).unwrap();
    let transitions = Transitions::new(&square)
        .unwrap()
        .mask(&own)
        .build()
        .unwrap();
    let unary = [[0.0, 9.0], [0.0, 9.0]];
    let chain = Chain::new(&unary).transitions(&transitions);
    assert_eq!(
        ChainSolver::new().unwrap().best(&chain).unwrap().labelling,
        [0, 0]
    );
}

#[test]
fn properties() {
    let map = LabelMap::identity(2);
    assert_eq!(
        status(Property::position_label(&map, usize::MAX)),
        Status::SIZE_OVERFLOW
    );
    assert_eq!(
        status(Property::token_label(&map, -1)),
        Status::OUT_OF_RANGE
    );
    assert_eq!(
        status(Property::first_label(&map, Some(&[true]))),
        Status::SHAPE
    );
    let rule = SegmentRule::from_raw(9);
    assert_eq!(
        status(Property::next_label(&map, 0, None, rule, None)),
        Status::UNKNOWN_CONSTANT
    );
    let rule = SegmentRule::SPANS_IGNORED;
    assert_eq!(
        status(Property::next_label(&map, 2, None, rule, None)),
        Status::OUT_OF_RANGE
    );
    let refused = Property::token_before(&map, 0, None, rule, 2, Some(2));
    assert_eq!(status(refused), Status::VALUE_OUTSIDE_RANGE);
    let wrong = LabelMap::new(1, vec![0, 5], None).unwrap();
    assert_eq!(
        status(Property::position_label(&wrong, 0)),
        Status::OUT_OF_RANGE
    );
    assert_eq!(
        status(Property::local(2, 1, 1, &[0; 5], None)),
        Status::SHAPE
    );
    assert_eq!(
        status(Property::local(usize::MAX, 9, 1, &[], None)),
        Status::SIZE_OVERFLOW
    );
    let automaton = Automaton {
        labels: 2,
        classes: 1,
        states: 2,
        values: 2,
        start: 0,
        table_offset: 0,
        outside_value: -1,
        next: &[0, 1, 1, 1],
        actions: Some(&[-1, -2, -1, -1]),
        end_actions: None,
        label_values: None,
    };
    let property = Property::automaton(&automaton).unwrap();
    assert_eq!((property.labels(), property.values()), (2, 2));
    assert_eq!(
        Attachment::new(&property)
            .evaluate(&[0, 1, 1], None)
            .unwrap(),
        1
    );
    let short = Automaton {
        next: &[0, 1],
        ..automaton
    };
    assert_eq!(status(Property::automaton(&short)), Status::SHAPE);
    let outside = Automaton {
        actions: Some(&[7; 4]),
        ..automaton
    };
    assert_eq!(
        status(Property::automaton(&outside)),
        Status::VALUE_OUTSIDE_RANGE
    );
    let mut builder = PropertyBuilder::new(2, 1, 2).unwrap();
    assert_eq!(
        status(builder.rule(5, 0, 0, 0, Action::LABEL).map(drop)),
        Status::OUT_OF_RANGE
    );
    assert_eq!(
        status(builder.end_rule(0, Action::value(2)).map(drop)),
        Status::VALUE_OUTSIDE_RANGE
    );
    assert_eq!(
        status(builder.table(0, 7).map(drop)),
        Status::VALUE_OUTSIDE_RANGE
    );
    builder
        .table(-1, 1)
        .unwrap()
        .end_rule(ANY, Action::TABLE)
        .unwrap();
    assert_eq!(status(builder.finish(Some(&[0]))), Status::SHAPE);
    let property = builder.finish(None).unwrap();
    let attached = Attachment::new(&property);
    assert_eq!(attached.table(&[0, 1]).evaluate(&[0, 0], None).unwrap(), 0);
    assert_eq!(
        status(attached.table(&[0]).evaluate(&[0, 0], None)),
        Status::SHAPE
    );
    assert_eq!(
        status(attached.evaluate(&[0, 0], None)),
        Status::NULL_ARGUMENT
    );
    assert_eq!(
        status(attached.classes(&[0]).fired(&[0, 0], None)),
        Status::SHAPE
    );
    assert_eq!(status(attached.evaluate(&[0], Some(&[]))), Status::SHAPE);
    assert_eq!(status(Dictionary::new(&[], false)), Status::SIZE);
    assert_eq!(status(Dictionary::new(&[-1], false)), Status::OUT_OF_RANGE);
    let two = Dictionary::new(&[3, 5], false).unwrap();
    assert_eq!(
        status(Dictionary::best(Some(&two), &[1.0], 1, true)),
        Status::VALUES_MISMATCH
    );
    assert_eq!(
        (two.find(4), two.value(1), two.value(-1)),
        (None, Some(5), None)
    );
    let mut solver = ChainSolver::new().unwrap();
    let unary = [[0.0; 2]; 2];
    let chain = Chain::new(&unary);
    let attached = [attached.table(&[0, 1]).message(&[0.0; 3])];
    let options = MessageOptions::new();
    assert_eq!(
        status(solver.decode(&chain, &attached, &options)),
        Status::SHAPE
    );
    assert_eq!(status(solver.messages(&chain, &[], &options)), Status::SIZE);
    let mut row = [0.0; 3];
    let attached = [Attachment::new(&property).table(&[0, 1])];
    let refused = solver.messages_into(&chain, &attached, &options, &mut [Some(&mut row)]);
    assert_eq!(status(refused), Status::SHAPE);
    let refused = solver.messages_into(&chain, &attached, &options, &mut []);
    assert_eq!(status(refused), Status::SHAPE);
    solver
        .message_reserve(&chain, &attached, &options, MessageTask::SEND)
        .unwrap();
}

#[test]
fn builders_and_runs() {
    let potts = Potential::potts(2, 1.0).unwrap();
    let map = LabelMap::identity(2);
    let property = Property::token_label(&map, 0).unwrap();
    let mut builder = ModelBuilder::new().unwrap();
    let unary = [[0.0, 1.0]];
    let chain = Chain::new(&unary);
    assert_eq!(
        status(builder.add_chain(&chain, Some(&[1, 2]), 0)),
        Status::SHAPE
    );
    assert_eq!(
        status(builder.add_chain(&chain, Some(&[-2]), 0)),
        Status::OUT_OF_RANGE
    );
    let first = builder.add_chain(&chain, None, 0).unwrap();
    assert_eq!(first, 0, "what was refused has no number");
    let words = RepeatedWords::new();
    assert_eq!(
        status(builder.add_repeated_words(&potts, &words)),
        Status::TOKENS_MISSING
    );
    let setup = CliqueSetup::property(&property, &potts);
    let by_property = builder.add_clique(&setup).unwrap();
    let plain = builder
        .add_clique(&CliqueSetup::positions(2, &potts))
        .unwrap();
    assert_eq!(
        status(builder.add_clique(&CliqueSetup::positions(3, &potts))),
        Status::VALUES_MISMATCH
    );
    let labels = [0, 5];
    let setup = CliqueSetup::positions(2, &potts).label_values(&labels);
    assert_eq!(status(builder.add_clique(&setup)), Status::OUT_OF_RANGE);
    assert_eq!(
        status(builder.add_member(by_property, 0)),
        Status::TOKENS_MISSING
    );
    assert_eq!(status(builder.add_member(plain, 0)), Status::SHAPE);
    assert_eq!(status(builder.add_member(9, 0)), Status::OUT_OF_RANGE);
    assert_eq!(
        status(builder.add_member(by_property, 9)),
        Status::OUT_OF_RANGE
    );
    let table: Option<&[i32]> = Some(&[0, 0]);
    assert_eq!(
        status(builder.add_member_with(by_property, 0, None, table)),
        Status::SHAPE
    );
    assert_eq!(
        status(builder.add_member_with(by_property, 9, None, table)),
        Status::OUT_OF_RANGE
    );
    assert_eq!(
        status(builder.add_position(plain, 0, 1)),
        Status::OUT_OF_RANGE
    );
    assert_eq!(
        status(builder.add_position(plain, usize::MAX, 0)),
        Status::OUT_OF_RANGE
    );
    builder.add_position(plain, 0, 0).unwrap();
    assert_eq!(
        status(builder.add_position(plain, 0, 0)),
        Status::DUPLICATE_MEMBER
    );
    assert_eq!(status(builder.set_centre(plain, 0, 0)), Status::SHAPE);
    let model = builder.freeze().unwrap();

    let mut builder = ModelBuilder::new().unwrap();
    let both = [&potts, &potts];
    builder.add_clique(&CliqueSetup::centred(2, &both)).unwrap();
    assert_eq!(status(builder.freeze()), Status::SHAPE); // no centre

    assert_eq!(status(model.reweigh(&[1.0])), Status::SHAPE);
    assert_eq!(status(model.reweigh(&[1.0, -1.0])), Status::OUT_OF_RANGE);
    assert_eq!(status(model.member(5, 0)), Status::OUT_OF_RANGE);
    assert_eq!(status(model.chain(5)), Status::OUT_OF_RANGE);
    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    assert_eq!(
        status(run.all_labels(Labelling::Best)),
        Status::NO_LABELLING
    );
    assert_eq!(status(run.json()), Status::NO_LABELLING);
    assert_eq!(status(run.payments(0)), Status::NO_LABELLING);
    run.solve().unwrap();
    assert_eq!(status(run.labels(7, Labelling::Best)), Status::OUT_OF_RANGE);
    assert_eq!(
        status(run.labels_into(0, Labelling::Own, &mut [])),
        Status::SIZE
    );
    assert_eq!(
        status(run.all_labels_into(Labelling::Own, &mut [])),
        Status::SIZE
    );
    assert_eq!(
        status(run.chain_score(7, Labelling::Best)),
        Status::OUT_OF_RANGE
    );
    assert_eq!(
        status(run.clique_score(7, Labelling::Best)),
        Status::OUT_OF_RANGE
    );
    assert_eq!(status(run.values(7, Labelling::Best)), Status::OUT_OF_RANGE);
    assert_eq!(status(run.payments(7)), Status::OUT_OF_RANGE);
    assert_eq!(status(run.max_marginals(7)), Status::OUT_OF_RANGE);
    let mut margins = [0.0];
    assert_eq!(
        status(run.max_marginals_into(0, &mut [0.0], 2, &mut margins)),
        Status::SHAPE
    );
    let refused = run.max_marginals_into(0, &mut [0.0; 2], 2, &mut []);
    assert_eq!(status(refused), Status::SHAPE);
    assert!(run.json().is_ok());
}

#[test]
fn constants_and_errors_print() {
    assert_eq!(format!("{:?}", Status::SHAPE), "Status::SHAPE");
    assert_eq!(format!("{:?}", Status::from_raw(12345)), "Status(12345)");
    assert_eq!(Status::SHAPE.to_string(), "CHORALE_ERROR_SHAPE");
    let error: Box<dyn std::error::Error + Send + Sync> =
        Box::new(Potential::potts(0, 1.0).unwrap_err());
    assert!(error.to_string().ends_with("(CHORALE_ERROR_SIZE)"));
    assert_eq!(abi(), ABI);
    assert_eq!(version(), env!("CARGO_PKG_VERSION"));
}
