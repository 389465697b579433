//! Arrays of the crate ndarray, in every layout: the library reads their entries, without a copy if
//! their rows follow each other without gaps. Only with the feature `ndarray`.
#![cfg(feature = "ndarray")]

use libchorale::*;
use ndarray::{s, Array2, ArrayView2, Axis};

/// Checks that a matrix has the shape and the entries of a view.
fn equals<N: Copy + PartialEq + std::fmt::Debug>(matrix: &Matrix<'_, N>, view: ArrayView2<'_, N>) {
    assert_eq!((matrix.rows(), matrix.columns()), view.dim());
    for ((row, column), &entry) in view.indexed_iter() {
        assert_eq!(matrix.get(row, column), Some(entry));
    }
}

/// Returns views of a 6 x 8 array, and for each whether it is read in place.
fn views(all: &Array2<f64>) -> Vec<(ArrayView2<'_, f64>, bool)> {
    vec![
        (all.view(), true),
        (all.slice(s![1..5, ..]), true),
        (all.t(), false),
        (all.slice(s![1..5, 2..6]), false),
        (all.slice(s![..;2, ..;3]), false),
        (all.slice(s![.., 3..4]), false),
        (all.slice(s![3..4, ..]), true),
        (all.slice(s![2..3, 5..6]), true),
        (all.slice(s![0..0, ..]), true),
        (all.slice(s![.., 0..0]), true),
        (all.slice(s![..;-1, ..]), false),
        (all.slice(s![.., ..;-2]), false),
    ]
}

#[test]
fn every_view_is_read_as_it_is() {
    let all = Array2::from_shape_fn((6, 8), |(row, column)| (10 * row + column) as f64);
    for (view, in_place) in views(&all) {
        let matrix = view.into_matrix().unwrap();
        equals(&matrix, view);
        assert_eq!(matrix.is_owned(), !in_place, "{:?}", view.strides());
    }
    let row = all.slice(s![2..3, ..]);
    let repeated = row.broadcast((5, 8)).unwrap();
    let matrix = repeated.into_matrix().unwrap();
    equals(&matrix, repeated);
    assert!(matrix.is_owned());
    let data = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let woven = ndarray::ShapeBuilder::strides((2, 2), (3, 2));
    let woven = ArrayView2::from_shape(woven, &data).unwrap();
    let matrix = woven.into_matrix().unwrap();
    equals(&matrix, woven);
    assert!(matrix.is_owned());
    let single = all.mapv(|entry| entry as f32);
    equals(&(&single).into_matrix().unwrap(), single.view());
    let fortran = Array2::from_shape_vec(ndarray::ShapeBuilder::f((2, 3)), vec![1, 2, 3, 4, 5, 6]);
    let fortran: Array2<u8> = fortran.unwrap();
    let matrix = (&fortran).into_matrix().unwrap();
    equals(&matrix, fortran.view());
    assert!(matrix.is_owned());
}

#[test]
fn chains_of_every_layout_have_the_same_labels() {
    // Multiples of 1/8, so that sums are exact.
    let all = Array2::from_shape_fn((6, 8), |(t, y)| ((t * 7 + y * 5 + t * y) % 13) as f64 / 8.0);
    let mut solver = ChainSolver::new().unwrap();
    for (view, _) in views(&all) {
        let (length, labels) = view.dim();
        if length == 0 || labels == 0 {
            continue;
        }
        let rows: Vec<Vec<f64>> = view.rows().into_iter().map(|row| row.to_vec()).collect();
        let plain = Chain::new(&rows).unwrap();
        let expected = solver.best(&plain).unwrap();
        let expected = (expected.labelling.unwrap(), expected.result.score);
        let chain = Chain::new(view).unwrap();
        let found = solver.best(&chain).unwrap();
        assert_eq!(found.labelling.unwrap(), expected.0);
        assert_eq!(found.result.score, expected.1);
    }
}

#[test]
fn a_view_of_columns_leaves_the_others_to_their_owner() {
    let mut all = Array2::from_elem((3, 4), 0.5);
    all[[1, 1]] = 2.0;
    let (left, mut right) = all.view_mut().split_at(Axis(1), 2);
    let chain = Chain::new(left.view()).unwrap();
    right.fill(9.0); // writes between the entries of the chain
    let mut solver = ChainSolver::new().unwrap();
    let best = solver.best(&chain).unwrap();
    assert_eq!(best.labelling, Some(vec![0, 1, 0]));
    assert_eq!(best.result.score, 3.0);
}

#[test]
fn cliques_and_potentials_take_them_too() {
    let scores = Array2::from_shape_vec((2, 3), vec![2.1, 1.9, 0.7, 0.3, 0.2, 0.9]).unwrap();
    let members = CliqueProblem::new(scores.t()).unwrap();
    assert_eq!((members.members(), members.values()), (3, 2));
    let weights = Array2::from_diag_elem(2, 0.5);
    let pairs = Potential::pairs(&weights, &PotentialOptions::new()).unwrap();
    let mut solver = CliqueSolver::new().unwrap();
    let options = CliqueOptions::new();
    let solution = solver.solve(&pairs, &members, &options).unwrap();
    assert_eq!(solution.assignment, Some(vec![0, 0, 0]));
    let square = Transitions::new(weights.view()).unwrap().build().unwrap();
    assert_eq!(square.labels(), 2);
}

#[test]
fn corpora_of_arrays() {
    let all = Array2::from_shape_fn((6, 8), |(row, column)| (10 * row + column) as f64);
    let labels_of = |corpus: &Corpus<'_>| {
        let labelled = decode(corpus, &[], RunOptions::new()).unwrap();
        labelled.labels().unwrap()
    };
    let reversed = all.slice(s![.., ..;-1]);
    let items = Corpus::items(reversed).unwrap();
    assert_eq!((items.chains(), items.labels()), (6, 8));
    assert_eq!(labels_of(&items), [0; 6]);
    let ragged = Corpus::ragged(all.view(), &[1, 4, 4, 6]).unwrap();
    assert_eq!((ragged.chains(), ragged.rows()), (3, 6));
    assert!(!ragged.unary().is_owned());
    assert_eq!(labels_of(&ragged), [7; 5]);
    let chains = [all.slice(s![0..2, ..]).to_owned(), all.clone()];
    let corpus = Corpus::new(&chains).unwrap();
    assert_eq!((corpus.chains(), corpus.rows()), (2, 8));
    assert_eq!(corpus.unary().get(3, 4), Some(14.0));
    let views = chains.iter().map(|chain| chain.slice(s![.., 1..3]));
    let corpus = Corpus::new(views).unwrap();
    assert_eq!(corpus.unary().get(3, 1), Some(12.0));
}
