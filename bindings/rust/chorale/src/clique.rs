//! Clique inference (clique.h).

use crate::array::{check_length, fill, pointer, product, size, Matrix};
use crate::error::call;
use crate::handle::Handle;
use crate::host::{with_host, Cancel, Host};
use crate::panics::settle;
use crate::{sys, Algorithm, CliqueTask, MarginalForm, Outcome, Potential, Result};
use std::marker::PhantomData;
use std::time::Duration;

/// The members of a clique, their scores for each value, and which of them are fixed.
#[derive(Clone, Copy, Debug)]
pub struct CliqueProblem<'a> {
    scores: Matrix<'a, f64>,
    fixed: Option<&'a [i32]>,
}

impl<'a> CliqueProblem<'a> {
    /// scores: members x values, minus infinity forbids; rows whose entries lie side by side.
    pub fn new(scores: impl Into<Matrix<'a, f64>>) -> Self {
        Self {
            scores: scores.into(),
            fixed: None,
        }
    }
    /// The value that each member must take, -1 where it is free.
    pub fn fixed(mut self, fixed: &'a [i32]) -> Self {
        self.fixed = Some(fixed);
        self
    }

    fn raw(&self) -> Result<sys::chorale_clique_problem> {
        self.scores.check_rows("scores")?;
        check_length("fixed", self.fixed, self.scores.rows)?;
        let mut raw = init!(chorale_clique_problem, chorale_clique_problem_init);
        raw.members = size(self.scores.rows);
        raw.values = size(self.scores.columns);
        raw.scores = self.scores.as_ptr();
        raw.row_stride = size(self.scores.row_stride);
        raw.fixed = pointer(self.fixed);
        Ok(raw)
    }
}

impl<'a, M: Into<Matrix<'a, f64>>> From<M> for CliqueProblem<'a> {
    fn from(scores: M) -> Self {
        Self::new(scores)
    }
}

/// How a clique is to be solved; everything that is not set is the library's default.
#[derive(Clone)]
pub struct CliqueOptions<'a> {
    raw: sys::chorale_clique_options,
    start: Option<&'a [i32]>,
    cancel: Option<Cancel>,
}

impl Default for CliqueOptions<'_> {
    fn default() -> Self {
        Self {
            raw: init!(chorale_clique_options, chorale_clique_options_init),
            start: None,
            cancel: None,
        }
    }
}

// Pointers are filled in for one call only.
unsafe impl Send for CliqueOptions<'_> {}
unsafe impl Sync for CliqueOptions<'_> {}

impl<'a> CliqueOptions<'a> {
    pub fn new() -> Self {
        Self::default()
    }
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.raw.algorithm = algorithm.raw();
        self
    }
    /// Alpha-expansion, polish and ICM start where every member takes its best value (default).
    pub fn start_independent(mut self) -> Self {
        self.raw.start = sys::CHORALE_START_INDEPENDENT;
        self
    }
    /// They start where every member that may takes `value`.
    pub fn start_value(mut self, value: i32) -> Self {
        self.raw.start = sys::CHORALE_START_VALUE;
        self.raw.start_value = value;
        self
    }
    /// They start from an assignment, one value a member.
    pub fn start_assignment(mut self, assignment: &'a [i32]) -> Self {
        self.raw.start = sys::CHORALE_START_ASSIGNMENT;
        self.start = Some(assignment);
        self
    }
    /// They start from what alpha-pass finds.
    pub fn start_alpha_pass(mut self) -> Self {
        self.raw.start = sys::CHORALE_START_ALPHA_PASS;
        self
    }
    /// Of generalised alpha-pass.
    pub fn subset_size(mut self, subset_size: i32) -> Self {
        self.raw.subset_size = subset_size;
        self
    }
    /// Sweeps, rounds or multiplier steps; 0: the algorithm's own limit.
    pub fn iteration_limit(mut self, limit: i64) -> Self {
        self.raw.iteration_limit = limit;
        self
    }
    /// Nodes of branch and bound; 0: none.
    pub fn node_limit(mut self, limit: i64) -> Self {
        self.raw.node_limit = limit;
        self
    }
    /// Nodes kept at once; 0: the algorithm's own size.
    pub fn node_pool(mut self, nodes: i64) -> Self {
        self.raw.node_pool = nodes;
        self
    }
    /// What ends a Lagrangian relaxation.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.raw.tolerance = tolerance;
        self
    }
    /// Stop when `upper_bound - score <= gap * |score|`, or within rounding; 0 asks for a proof.
    pub fn gap(mut self, gap: f64) -> Self {
        self.raw.gap = gap;
        self
    }
    /// From the start of the call.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.raw.time_limit = limit.as_secs_f64();
        self
    }
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }
    /// Max-marginals must be exact.
    pub fn exact_marginals(mut self, exact: bool) -> Self {
        self.raw.exact_marginals = exact.into();
        self
    }

    fn raw(&self, members: usize) -> Result<sys::chorale_clique_options> {
        check_length("the start assignment", self.start, members)?;
        let mut raw = self.raw;
        raw.start_assignment = pointer(self.start);
        raw.cancel = self
            .cancel
            .as_ref()
            .map_or(std::ptr::null(), Cancel::as_ptr);
        Ok(raw)
    }
}

/// How a clique was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CliqueResult {
    pub outcome: Outcome,
    /// What ran.
    pub algorithm: Algorithm,
    /// `upper_bound - score <= 1e-9 |score|`, or within rounding.
    pub proven: bool,
    /// Max-marginals: exact, or lower bounds that labellings attain.
    pub marginals_exact: bool,
    /// `member_score + clique_score`.
    pub score: f64,
    pub member_score: f64,
    pub clique_score: f64,
    /// Plus infinity where none was computed.
    pub upper_bound: f64,
    pub iterations: i64,
    pub nodes: i64,
}

impl CliqueResult {
    fn blank() -> sys::chorale_clique_result {
        init!(chorale_clique_result, chorale_clique_result_init)
    }
    fn from_raw(raw: &sys::chorale_clique_result) -> Self {
        Self {
            outcome: Outcome::from_raw(raw.outcome),
            algorithm: Algorithm::from_raw(raw.algorithm),
            proven: raw.proven != 0,
            marginals_exact: raw.marginals_exact != 0,
            score: raw.score,
            member_score: raw.member_score,
            clique_score: raw.clique_score,
            upper_bound: raw.upper_bound,
            iterations: raw.iterations,
            nodes: raw.nodes,
        }
    }
}

/// A result and the values that reach it, in the solver's memory until its next call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CliqueSolution<'s> {
    /// One value a member; None where nothing feasible was found.
    pub assignment: Option<&'s [i32]>,
    pub result: CliqueResult,
}

/// Max-marginals, in the solver's memory until its next call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CliqueMarginals<'s> {
    /// Members x values.
    pub marginals: Matrix<'s, f64>,
    /// The best assignment met; None where there is none.
    pub assignment: Option<&'s [i32]>,
    pub result: CliqueResult,
}

/// A reusable workspace for clique problems. It grows as needed, or has memory that was lent to it.
///
/// ```
/// use chorale::{CliqueOptions, CliqueSolver, Potential};
/// # fn main() -> chorale::Result<()> {
/// let agreement = Potential::potts(2, 0.3)?;
/// let mut solver = CliqueSolver::new()?;
/// let scores = [[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]];
/// let solution = solver.solve(&agreement, &scores, &CliqueOptions::new().gap(0.0))?;
/// assert_eq!(solution.assignment, Some(&[0, 0, 0][..]));
/// assert!(solution.result.proven);
/// # Ok(())
/// # }
/// ```
///
/// What a call returns is the solver's, so it cannot be kept over the next call:
///
/// ```compile_fail,E0499
/// # use chorale::{CliqueOptions, CliqueSolver, Potential};
/// # let agreement = Potential::potts(2, 0.3).unwrap();
/// # let mut solver = CliqueSolver::new().unwrap();
/// # let options = CliqueOptions::new();
/// let first = solver.solve(&agreement, &[[1.0, 0.0]], &options).unwrap();
/// let second = solver.solve(&agreement, &[[0.0, 1.0]], &options).unwrap();
/// println!("{:?} {:?}", first.assignment, second.assignment);
/// ```
///
/// Memory that it was lent must outlive it:
///
/// ```compile_fail,E0597
/// # use chorale::{AlignedBytes, CliqueSolver};
/// let solver;
/// let mut memory = AlignedBytes::new(4096); // dropped before the solver
/// solver = CliqueSolver::new_in(&mut memory).unwrap();
/// ```
pub struct CliqueSolver<'m> {
    handle: Handle<sys::chorale_clique_solver>,
    assignment: Vec<i32>,
    marginals: Vec<f64>,
    _lent: Lent<'m>,
}

/// What a solver was lent: memory, and the host whose log it uses without having memory of it.
#[derive(Default)]
pub(crate) struct Lent<'m> {
    _memory: PhantomData<&'m mut [u8]>,
    _host: Option<Host>,
}

impl Lent<'_> {
    pub(crate) fn with_host() -> Self {
        Self {
            _memory: PhantomData,
            _host: Host::current(),
        }
    }
}

/// That it is something to drop tells the compiler that memory must outlive the solver, which is
/// destroyed in it.
impl Drop for Lent<'_> {
    fn drop(&mut self) {}
}

// One thread at a time, any thread.
unsafe impl Send for CliqueSolver<'_> {}

impl CliqueSolver<'static> {
    /// A solver whose workspace grows.
    pub fn new() -> Result<Self> {
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_clique_solver_create(host, made, error)
            })
        })?;
        Ok(Self::with(handle, Lent::default()))
    }
}

impl<'m> CliqueSolver<'m> {
    fn with(handle: Handle<sys::chorale_clique_solver>, lent: Lent<'m>) -> Self {
        Self {
            handle,
            assignment: Vec::new(),
            marginals: Vec::new(),
            _lent: lent,
        }
    }

    /// A solver in `memory`, aligned to 64 ([`AlignedBytes`](crate::AlignedBytes) is), as much as
    /// [`bytes`](Self::bytes) says; a problem that does not fit is WORKSPACE_TOO_SMALL.
    pub fn new_in(memory: &'m mut [u8]) -> Result<Self> {
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_clique_solver_create_in(
                    memory.as_mut_ptr().cast(),
                    memory.len(),
                    host,
                    made,
                    error,
                )
            })
        })?;
        Ok(Self::with(handle, Lent::with_host()))
    }

    /// The bytes that [`new_in`](Self::new_in) needs for problems of up to `members` members.
    pub fn bytes(
        potential: &Potential,
        members: usize,
        options: &CliqueOptions<'_>,
        task: CliqueTask,
    ) -> Result<usize> {
        let options = options.raw(members)?;
        let mut bytes = 0;
        call(|error| unsafe {
            sys::chorale_clique_solver_bytes(
                potential.as_ptr(),
                size(members),
                &options,
                task.raw(),
                &mut bytes,
                error,
            )
        })?;
        Ok(bytes)
    }

    /// Grows the workspace so that no such problem allocates.
    pub fn reserve(
        &mut self,
        potential: &Potential,
        members: usize,
        options: &CliqueOptions<'_>,
        task: CliqueTask,
    ) -> Result<()> {
        let options = options.raw(members)?;
        call(|error| unsafe {
            sys::chorale_clique_solver_reserve(
                self.handle.as_ptr(),
                potential.as_ptr(),
                size(members),
                &options,
                task.raw(),
                error,
            )
        })?;
        fill(&mut self.assignment, members, -1)?;
        if task == CliqueTask::MAX_MARGINALS {
            let entries = product(&[members, potential.values()])?;
            fill(&mut self.marginals, entries, 0.0)?;
        }
        Ok(())
    }

    /// The best values.
    pub fn solve<'p>(
        &mut self,
        potential: &Potential,
        problem: impl Into<CliqueProblem<'p>>,
        options: &CliqueOptions<'_>,
    ) -> Result<CliqueSolution<'_>> {
        let problem = problem.into();
        let options = options.raw(problem.scores.rows)?;
        let problem = problem.raw()?;
        let mut result = CliqueResult::blank();
        fill(&mut self.assignment, problem.members as usize, -1)?;
        let status = call(|error| unsafe {
            sys::chorale_clique_solve(
                self.handle.as_ptr(),
                potential.as_ptr(),
                &problem,
                &options,
                self.assignment.as_mut_ptr(),
                &mut result,
                error,
            )
        });
        settle(status, &potential.slot)?;
        Ok(CliqueSolution {
            assignment: self.found(),
            result: CliqueResult::from_raw(&result),
        })
    }

    /// All max-marginals: `m(i, v)` is the best score in which member `i` takes value `v`.
    pub fn max_marginals<'p>(
        &mut self,
        potential: &Potential,
        problem: impl Into<CliqueProblem<'p>>,
        options: &CliqueOptions<'_>,
        form: MarginalForm,
    ) -> Result<CliqueMarginals<'_>> {
        let problem = problem.into();
        let (rows, columns) = (problem.scores.rows, problem.scores.columns);
        let mut marginals = std::mem::take(&mut self.marginals);
        fill(&mut marginals, product(&[rows, columns])?, 0.0)?;
        let stride = columns.max(1);
        let result = self
            .max_marginals_into(potential, problem, options, form, &mut marginals, stride)
            .map(|solution| solution.result);
        self.marginals = marginals;
        let result = result?;
        Ok(CliqueMarginals {
            marginals: Matrix::new(&self.marginals, rows, columns)?,
            assignment: self.found(),
            result,
        })
    }

    /// The same into memory of the caller, row `i` at `i * row_stride`.
    pub fn max_marginals_into<'p>(
        &mut self,
        potential: &Potential,
        problem: impl Into<CliqueProblem<'p>>,
        options: &CliqueOptions<'_>,
        form: MarginalForm,
        marginals: &mut [f64],
        row_stride: usize,
    ) -> Result<CliqueSolution<'_>> {
        let problem = problem.into();
        let (rows, columns) = (problem.scores.rows, problem.scores.columns);
        Matrix::strided(marginals, rows, columns, row_stride, 1)?;
        let options = options.raw(rows)?;
        let problem = problem.raw()?;
        let mut result = CliqueResult::blank();
        fill(&mut self.assignment, rows, -1)?;
        let status = call(|error| unsafe {
            sys::chorale_clique_max_marginals(
                self.handle.as_ptr(),
                potential.as_ptr(),
                &problem,
                &options,
                form.raw(),
                marginals.as_mut_ptr(),
                size(row_stride),
                self.assignment.as_mut_ptr(),
                &mut result,
                error,
            )
        });
        settle(status, &potential.slot)?;
        Ok(CliqueSolution {
            assignment: self.found(),
            result: CliqueResult::from_raw(&result),
        })
    }

    /// The score of a given assignment.
    pub fn evaluate<'p>(
        &mut self,
        potential: &Potential,
        problem: impl Into<CliqueProblem<'p>>,
        assignment: &[i32],
    ) -> Result<CliqueResult> {
        let problem = problem.into();
        check_length("assignment", Some(assignment), problem.scores.rows)?;
        let problem = problem.raw()?;
        let mut result = CliqueResult::blank();
        let status = call(|error| unsafe {
            sys::chorale_clique_evaluate(
                self.handle.as_ptr(),
                potential.as_ptr(),
                &problem,
                assignment.as_ptr(),
                &mut result,
                error,
            )
        });
        settle(status, &potential.slot)?;
        Ok(CliqueResult::from_raw(&result))
    }

    /// What the last call found: a call that finds nothing leaves the array alone.
    fn found(&self) -> Option<&[i32]> {
        let found = self.assignment.iter().all(|&value| value >= 0);
        found.then(|| &self.assignment[..])
    }
}

impl Algorithm {
    /// The name in lower case, "alpha-pass" say.
    pub fn name(self) -> &'static str {
        unsafe { crate::error::text(sys::chorale_algorithm_name(self.raw())) }
    }
    /// The algorithm of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        let algorithm =
            unsafe { sys::chorale_algorithm_from_name(name.as_ptr().cast(), name.len()) };
        (algorithm >= 0).then(|| Self::from_raw(algorithm))
    }
}
