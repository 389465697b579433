//! Frozen models: chains and cliques that no longer change.

use crate::array::filled;
use crate::handle::Handle;
use crate::panics::{settle, Slot};
use crate::pass::count;
use crate::{c, Chain, Result, Shown};
use std::sync::Arc;

/// The scores of a labelling under a model. They are minus infinity where the labelling is
/// forbidden.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LabellingScore {
    /// The score of the labelling: the sum of all chain and clique scores.
    pub score: f64,
    /// The score of each chain, without cliques.
    pub chain_scores: Vec<f64>,
    /// The potential of each clique at the counts of its members' values.
    pub clique_scores: Vec<f64>,
}

/// The slots in which the callbacks of a model's potentials leave their panics.
pub(crate) type Slots = Arc<[Arc<Slot>]>;

/// Chains, trees and cliques. A model never changes. Clones and runs share it, and any number of
/// threads may use it.
///
/// ```
/// fn shared<T: Send + Sync>() {}
/// shared::<libchorale::Model>();
/// ```
#[derive(Clone)]
pub struct Model {
    handle: Handle<c::chorale_model>,
    pub(crate) slots: Slots,
}

debug!(Model: chains, cliques);

/// A chain as it was added to a model, in the element type of its scores.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ChainView<'m> {
    /// Scores in double precision.
    F64(Chain<'m, f64>),
    /// Scores in single precision.
    F32(Chain<'m, f32>),
}

/// A member of a clique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Member {
    /// The number of the chain that the member belongs to.
    pub chain: usize,
    /// The position within the chain; None if the member is a whole chain.
    pub position: Option<usize>,
    /// How often the member counts in the potential.
    pub weight: i64,
}

/// The tokens and the group with which a chain was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChainTokens<'m> {
    /// The token id of each position, -1 for none; None if the chain was added without tokens.
    pub tokens: Option<&'m [i32]>,
    /// The number of the document that the chain belongs to.
    pub group: i64,
}

impl Model {
    pub(crate) fn with(handle: Handle<c::chorale_model>, slots: Slots) -> Self {
        Self { handle, slots }
    }
    pub(crate) fn as_ptr(&self) -> *mut c::chorale_model {
        self.handle.as_ptr()
    }

    /// Makes another handle of a model of the library, and adds a reference to it. slots: those of
    /// its potentials.
    pub(crate) unsafe fn retain(raw: *const c::chorale_model, slots: &Slots) -> Self {
        Self::with(Handle::retain(raw), Arc::clone(slots))
    }

    /// Computes the score of any labelling, such as gold labels. labels: the label of every
    /// position, chain after chain. Errors: Shape, OutOfRange (`labels`), CallbackStopped,
    /// CallbackValue.
    pub fn score(&self, labels: &[i32]) -> Result<LabellingScore> {
        let mut of = LabellingScore {
            score: 0.0,
            chain_scores: filled(self.chains(), 0.0)?,
            clique_scores: filled(self.cliques(), 0.0)?,
        };
        let called = call!(chorale_model_score(
            std::ptr::null(),
            &self.handle,
            labels,
            labels.len(),
            &mut of.score,
            &mut of.chain_scores,
            &mut of.clique_scores
        ));
        settle(called, &*self.slots)?;
        Ok(of)
    }

    /// Returns the number of chains.
    pub fn chains(&self) -> usize {
        count(unsafe { c::chorale_model_chain_count(self.as_ptr()) })
    }
    /// Returns the number of cliques.
    pub fn cliques(&self) -> usize {
        count(unsafe { c::chorale_model_clique_count(self.as_ptr()) })
    }
    /// Returns the number of positions of a chain; 0 if there is no such chain.
    pub fn chain_length(&self, chain: usize) -> usize {
        self.raw_chain(chain).map_or(0, |raw| count(raw.0.length))
    }
    /// Returns the number of members of a clique, including its centre; 0 if there is no such
    /// clique.
    fn clique_members(&self, clique: usize) -> usize {
        let none = std::ptr::null_mut::<i64>();
        let mut needed = 0;
        let model = &self.handle;
        call!(chorale_model_get_members(
            model,
            clique,
            none,
            none,
            none,
            0usize,
            &mut needed
        ))
        .map_or(0, |()| count(needed))
    }
    /// Returns R, the number of values of a clique, without EMPTY and CONFLICT; 0 if there is no
    /// such clique.
    pub fn clique_values(&self, clique: usize) -> usize {
        self.setup(clique).map_or(0, |setup| count(setup.values))
    }
    /// Returns what a clique was added with.
    fn setup(&self, clique: usize) -> Result<c::chorale_clique_setup> {
        let mut setup = init!(chorale_clique_setup);
        call!(chorale_model_get_clique(&self.handle, clique, &mut setup))?;
        Ok(setup)
    }
    /// Returns all members of a clique in the order of adding; a centre comes last. Errors:
    /// OutOfRange.
    pub fn members_of(&self, clique: usize) -> Result<Vec<Member>> {
        let size_of = self.clique_members(clique);
        let [mut chains, mut positions, mut weights] = [(); 3].map(|()| vec![0; size_of]);
        call!(chorale_model_get_members(
            &self.handle,
            clique,
            &mut chains,
            &mut positions,
            &mut weights,
            size_of,
            std::ptr::null_mut()
        ))?;
        let member = |i: usize| Member {
            chain: count(chains[i]),
            position: usize::try_from(positions[i]).ok(),
            weight: weights[i],
        };
        Ok((0..size_of).map(member).collect())
    }

    /// Returns a function that takes the index of a member of the clique and the library's number
    /// for the member's value, and converts this number to a [`Shown`].
    pub(crate) fn shown(&self, clique: usize) -> impl Fn(usize, i32) -> Shown {
        let setup = self.setup(clique);
        let [values, centre_values] = setup.map_or([0; 2], |setup| {
            [setup.values, setup.centre_values].map(count)
        });
        let last = self.clique_members(clique).checked_sub(1);
        move |member, number| {
            let is_centre = centre_values > 0 && last == Some(member);
            Shown::from_raw(number, if is_centre { centre_values } else { values })
        }
    }

    fn raw_chain(&self, chain: usize) -> Result<(c::chorale_chain, c::chorale_chain_options)> {
        let mut scores = init!(chorale_chain);
        let mut options = init!(chorale_chain_options);
        let (model, to) = (&self.handle, &mut scores);
        call!(chorale_model_get_chain(model, chain, to, &mut options))?;
        Ok((scores, options))
    }

    /// Returns a chain as it was added to the model. Errors: OutOfRange.
    pub fn chain(&self, chain: usize) -> Result<ChainView<'_>> {
        let (raw, _) = self.raw_chain(chain)?;
        // Safe: the arrays live as long as this model.
        unsafe {
            Ok(if raw.element == c::CHORALE_FLOAT32 {
                ChainView::F32(Chain::from_raw(&raw)?)
            } else {
                ChainView::F64(Chain::from_raw(&raw)?)
            })
        }
    }
    /// Returns the tokens and the group of a chain. Errors: as for [`chain`](Self::chain).
    pub fn chain_tokens(&self, chain: usize) -> Result<ChainTokens<'_>> {
        let (raw, options) = self.raw_chain(chain)?;
        // Safe: the tokens live as long as this model.
        let tokens = unsafe { crate::chain::optional(options.tokens, count(raw.length)) };
        Ok(ChainTokens {
            tokens,
            group: options.group,
        })
    }
    /// Returns the number of labels of a chain. Errors: as for [`chain`](Self::chain).
    pub fn chain_labels(&self, chain: usize) -> Result<usize> {
        Ok(count(self.raw_chain(chain)?.0.labels))
    }
}
