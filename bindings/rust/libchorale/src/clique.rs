//! Clique inference: finds the best values of the members of one clique. An *assignment* gives each of
//! the n members one of R values.

use crate::array::{filled, found, named, product, IntoMatrix, Matrix};
use crate::handle::Handle;
use crate::panics::settle;
use crate::pass::{index, lent, size, Pass};
use crate::{c, Algorithm, Cancel, CliqueOptions, CliqueProblem, CliqueResult, Potential, Result};

impl<'a> CliqueProblem<'a> {
    /// Makes a problem from the scores, members x values; minus infinity forbids a value to a
    /// member. Errors: Shape (a ragged array).
    pub fn new(scores: impl IntoMatrix<'a, f64>) -> Result<Self> {
        named("scores", scores).map(Self::of)
    }
    /// Returns the number of members.
    pub fn members(&self) -> usize {
        self.scores.rows()
    }
    /// Returns the number of values.
    pub fn values(&self) -> usize {
        self.scores.columns()
    }

    fn raw(&self) -> Result<c::chorale_clique_problem> {
        let mut raw = self.given()?;
        raw.members = size(self.members());
        raw.values = size(self.values());
        raw.scores = self.scores.as_ptr();
        Ok(raw)
    }
}

/// Where alpha-expansion, local search and ICM start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start<'a> {
    /// Every member has the value that its own scores prefer.
    Independent,
    /// Every member that may take this value has it; all other members have their best values.
    Value(usize),
    /// An assignment: one value for each member.
    Assignment(&'a [i32]),
    /// The result of alpha-pass.
    AlphaPass,
}

impl<'a> CliqueOptions<'a> {
    /// Returns the library's defaults.
    pub fn new() -> Self {
        Self::of(None)
    }
    /// Sets a flag that ends the call when raised.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }

    fn raw(&self, members: usize) -> Result<c::chorale_clique_options> {
        let mut raw = self.given()?;
        raw.start = match self.start.unwrap_or(Start::Independent) {
            Start::Independent => c::CHORALE_START_INDEPENDENT,
            Start::Value(value) => {
                raw.start_value = index("the start value", value)?;
                c::CHORALE_START_VALUE
            }
            Start::Assignment(values) => {
                raw.start_assignment = lent("the start assignment", values, members)?;
                c::CHORALE_START_ASSIGNMENT
            }
            Start::AlphaPass => c::CHORALE_START_ALPHA_PASS,
        };
        raw.cancel = (&self.cancel).pass();
        Ok(raw)
    }
}

/// The best assignment found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct CliqueSolution {
    /// One value for each member; None if no feasible assignment was found.
    pub assignment: Option<Vec<i32>>,
    /// The score, the bound, and how the call ended.
    pub result: CliqueResult,
}

/// Max-marginals of a clique.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct CliqueMarginals {
    /// Members x values. Entry (i, v) is the best score of an assignment in which member i has
    /// value v.
    pub marginals: Matrix<'static, f64>,
    /// The best assignment found, one value for each member; None if no feasible assignment was
    /// found.
    pub assignment: Option<Vec<i32>>,
    /// The score, the bound, and how the call ended.
    pub result: CliqueResult,
}

/// A reusable workspace for clique problems. The workspace grows as needed.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let agreement = ch::Potential::potts(2, 0.3)?;
/// let members = ch::CliqueProblem::new(&[[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]])?;
/// let mut solver = ch::CliqueSolver::new()?;
/// let solution = solver.solve(&agreement, &members, &ch::CliqueOptions::new().gap(0.0))?;
/// assert_eq!(solution.assignment, Some(vec![0, 0, 0]));
/// assert!(solution.result.proven);
/// # Ok(())
/// # }
/// ```
pub struct CliqueSolver(Handle<c::chorale_clique_solver>);

debug!(CliqueSolver);

impl CliqueSolver {
    /// Makes a solver whose workspace grows as needed.
    pub fn new() -> Result<Self> {
        create!(chorale_clique_solver_create()).map(Self)
    }

    /// Finds the assignment with the best score: the members' own scores plus the potential.
    /// Errors: Size (no members), ValuesMismatch (problem and potential have different numbers of
    /// values), Shape, NotANumber, Infinite, OutOfRange, ForbiddenValue (the start assignment uses
    /// a forbidden value), TableTooShort, AlgorithmMismatch, NotConvex, NotConcave, Weights,
    /// CallbackValue, CallbackStopped, SizeOverflow.
    pub fn solve(
        &mut self,
        potential: &Potential,
        problem: &CliqueProblem<'_>,
        options: &CliqueOptions<'_>,
    ) -> Result<CliqueSolution> {
        let options = options.raw(problem.members())?;
        let raw = problem.raw()?;
        let mut result = init!(chorale_clique_result);
        let mut assignment = filled(problem.members(), -1)?;
        let solved = call!(chorale_clique_solve(
            &self.0,
            potential.as_ptr(),
            &raw,
            &options,
            &mut assignment,
            &mut result
        ));
        settle(solved, &potential.slot)?;
        Ok(CliqueSolution {
            assignment: found(assignment),
            result: result.pass(),
        })
    }

    /// Computes all max-marginals `m(i, v)`: the best score of an assignment in which member `i`
    /// has value `v`. Errors: as for [`solve`](Self::solve), and NotExact.
    pub fn max_marginals(
        &mut self,
        potential: &Potential,
        problem: &CliqueProblem<'_>,
        options: &CliqueOptions<'_>,
    ) -> Result<CliqueMarginals> {
        let (rows, columns) = (problem.members(), problem.values());
        let options = options.raw(rows)?;
        let raw = problem.raw()?;
        let mut result = init!(chorale_clique_result);
        let mut assignment = filled(rows, -1)?;
        let mut marginals = filled(product(&[rows, columns])?, 0.0)?;
        let computed = call!(chorale_clique_max_marginals(
            &self.0,
            potential.as_ptr(),
            &raw,
            &options,
            &mut marginals,
            columns,
            &mut assignment,
            &mut result
        ));
        settle(computed, &potential.slot)?;
        Ok(CliqueMarginals {
            marginals: Matrix::owned(rows, columns, marginals),
            assignment: found(assignment),
            result: result.pass(),
        })
    }

    /// Computes the score of a given assignment, one value for each member. Errors: as for
    /// [`solve`](Self::solve); Shape, OutOfRange (`assignment`).
    pub fn evaluate(
        &mut self,
        potential: &Potential,
        problem: &CliqueProblem<'_>,
        assignment: &[i32],
    ) -> Result<CliqueResult> {
        let assignment = lent("assignment", assignment, problem.members())?;
        let raw = problem.raw()?;
        let mut result = init!(chorale_clique_result);
        let (solver, potential, slot) = (&self.0, potential.as_ptr(), &potential.slot);
        let scored = call!(chorale_clique_score(
            solver,
            potential,
            &raw,
            assignment,
            &mut result
        ));
        settle(scored, slot)?;
        Ok(result.pass())
    }
}

impl Algorithm {
    /// Returns the name of the algorithm in lower case, such as "alpha-pass".
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(c::chorale_algorithm_name(self.number())) }
    }
    /// Returns the algorithm with this name; None if no algorithm has the name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.name() == name)
    }
}
