//! Frozen models.

use crate::array::{check_length, count, fill, size, Owner};
use crate::error::call;
use crate::handle::Handle;
use crate::instance::Port;
use crate::panics::{settle, Slot};
use crate::{c, Chain, Dictionary, Host, Potential, Property, Result, Shown};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Objects that must live as long as a model: those whose address is stored in C, and the panics of
/// callbacks.
#[derive(Default)]
pub(crate) struct Keep<'a> {
    // Boxed: their addresses are stored in C, and must not change when the list grows.
    #[allow(clippy::vec_box)]
    pub(crate) instances: Vec<Box<Port<'a>>>,
    pub(crate) slots: Vec<Arc<Slot>>,
    /// The slots by clique, of cliques with a callback: one entry for each potential, None for a
    /// potential without callback.
    pub(crate) slots_of_cliques: BTreeMap<usize, Vec<Option<Arc<Slot>>>>,
    /// Copied rows of borrowed chains.
    pub(crate) owners: Vec<Owner>,
}

/// The score of a labelling under a model; minus infinity if the labelling is forbidden.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LabellingScore {
    /// The total: the sum of all chain and clique scores.
    pub score: f64,
    /// The score of each chain.
    pub chain_scores: Vec<f64>,
    /// The score of each clique.
    pub clique_scores: Vec<f64>,
}

/// Chains, trees and cliques: immutable, shared by clones and runs, used by any number of threads. `'a`
/// is the lifetime of borrowed arrays.
///
/// ```
/// fn shared<T: Send + Sync>() {}
/// shared::<libchorale::Model<'static>>();
/// ```
pub struct Model<'a> {
    // First, so that the handle is dropped before the objects that it borrows.
    handle: Handle<c::Model>,
    pub(crate) keep: Arc<Keep<'a>>,
}

// Safe: immutable, with atomic reference counts; instances and callbacks are Send and Sync.
unsafe impl Send for Model<'_> {}
unsafe impl Sync for Model<'_> {}

/// A chain as it was added to a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ChainView<'m> {
    /// Scores in double precision.
    F64(Chain<'m, 'm, f64>),
    /// Scores in single precision.
    F32(Chain<'m, 'm, f32>),
}

/// A member of a clique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Member {
    /// The number of the chain or instance.
    pub chain: usize,
    /// The position in the chain; None for a whole chain or an instance.
    pub position: Option<usize>,
}

/// The tokens and the group that a chain was added with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChainTokens<'m> {
    /// An id for each position, -1 for none; None if the chain has no tokens.
    pub tokens: Option<&'m [i32]>,
    /// The document of the chain.
    pub group: i64,
}

impl<'a> Model<'a> {
    pub(crate) fn with(handle: Handle<c::Model>, keep: Arc<Keep<'a>>) -> Self {
        Self { handle, keep }
    }
    pub(crate) fn as_ptr(&self) -> *mut c::Model {
        self.handle.as_ptr()
    }

    /// Adds a reference to a model of the library.
    ///
    /// # Safety
    /// `keep` holds everything that the model borrows.
    pub(crate) unsafe fn retain(raw: *const c::Model, keep: &Arc<Keep<'a>>) -> Self {
        Self {
            handle: Handle::from_raw(c::model_retain(raw)),
            keep: Arc::clone(keep),
        }
    }

    /// The score of any labelling, such as gold labels. labels: of all positions, chain by chain.
    /// Errors: Shape, OutOfRange (labels), Kind (an instance), CallbackStopped, CallbackValue,
    /// OutOfMemory.
    pub fn score(&self, labels: &[i32]) -> Result<LabellingScore> {
        let mut of = LabellingScore {
            score: 0.0,
            chain_scores: Vec::new(),
            clique_scores: Vec::new(),
        };
        fill(&mut of.chain_scores, self.chains(), 0.0)?;
        fill(&mut of.clique_scores, self.cliques(), 0.0)?;
        let called = call(|error| unsafe {
            c::model_score(
                std::ptr::null(),
                self.as_ptr(),
                labels.as_ptr(),
                size(labels.len()),
                &mut of.score,
                of.chain_scores.as_mut_ptr(),
                of.clique_scores.as_mut_ptr(),
                error,
            )
        });
        settle(called, &self.keep.slots)?;
        Ok(of)
    }

    /// A model of the same chains, members and cliques in which each clique's potential is multiplied by
    /// its entry of `factors`. The two models share the chains. Errors: Shape, NotANumber, Infinite,
    /// OutOfRange (a negative factor), OutOfMemory.
    pub fn reweigh(&self, factors: &[f64]) -> Result<Self> {
        self.create_reweighed(factors, None)
    }
    /// A model as made by [`reweigh`](Self::reweigh), in memory of `host`.
    pub fn reweigh_in(&self, factors: &[f64], host: &Host) -> Result<Self> {
        self.create_reweighed(factors, Some(host))
    }
    fn create_reweighed(&self, factors: &[f64], host: Option<&Host>) -> Result<Self> {
        check_length("factors", Some(factors), self.cliques())?;
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::model_reweigh(host, self.as_ptr(), factors.as_ptr(), made, error)
        })?;
        Ok(Self::with(handle, Arc::clone(&self.keep)))
    }

    /// The number of chains, including instances.
    pub fn chains(&self) -> usize {
        count(unsafe { c::model_chain_count(self.as_ptr()) })
    }
    /// The number of cliques.
    pub fn cliques(&self) -> usize {
        count(unsafe { c::model_clique_count(self.as_ptr()) })
    }
    /// The number of members of all cliques together.
    pub fn members(&self) -> usize {
        count(unsafe { c::model_member_count(self.as_ptr()) })
    }
    /// The number of positions of a chain; 0 out of range.
    pub fn chain_length(&self, chain: usize) -> usize {
        count(unsafe { c::model_chain_length(self.as_ptr(), size(chain)) })
    }
    /// The number of members of a clique, including its centre; 0 out of range.
    pub fn clique_members(&self, clique: usize) -> usize {
        count(unsafe { c::model_clique_member_count(self.as_ptr(), size(clique)) })
    }
    /// How often a member of a clique counts in its potential; 0 out of range.
    pub fn member_weight(&self, clique: usize, member: usize) -> usize {
        count(unsafe { c::model_member_weight(self.as_ptr(), size(clique), size(member)) })
    }
    /// R of a clique, the number of its values; 0 out of range.
    pub fn clique_values(&self, clique: usize) -> usize {
        count(unsafe { c::model_clique_values(self.as_ptr(), size(clique)) })
    }
    /// The number of scores of a message of a clique: R + 2, or R if every label has a value; 0 out of
    /// range.
    pub fn clique_columns(&self, clique: usize) -> usize {
        count(unsafe { c::model_clique_columns(self.as_ptr(), size(clique)) })
    }
    /// The number of values of the centre of a clique; 0 if the clique is not centred.
    pub fn clique_centre_values(&self, clique: usize) -> usize {
        count(unsafe { c::model_clique_centre_values(self.as_ptr(), size(clique)) })
    }
    /// The potential of a clique, over R or R + 2 values, with the factors of [`reweigh`](Self::reweigh)
    /// applied. None out of range, and for a centred clique, which has [centre
    /// potentials](Self::clique_centre_potential).
    pub fn clique_potential(&self, clique: usize) -> Option<Potential> {
        unsafe {
            let raw = c::model_clique_potential(self.as_ptr(), size(clique));
            Potential::retain(raw, self.slot(clique, 0))
        }
    }
    /// The potential of a centred clique for a value of the centre, with the factors of
    /// [`reweigh`](Self::reweigh) applied. None for other cliques, and out of range.
    pub fn clique_centre_potential(&self, clique: usize, value: usize) -> Option<Potential> {
        unsafe {
            let raw = c::model_clique_centre_potential(self.as_ptr(), size(clique), size(value));
            Potential::retain(raw, self.slot(clique, value))
        }
    }
    /// The slot that holds the panics of a clique's callback potential.
    fn slot(&self, clique: usize, potential: usize) -> Option<Arc<Slot>> {
        let slots = self.keep.slots_of_cliques.get(&clique)?;
        slots.get(potential)?.clone()
    }
    /// The property of a clique; None for a clique of positions.
    pub fn clique_property(&self, clique: usize) -> Option<Property> {
        unsafe { Property::retain(c::model_clique_property(self.as_ptr(), size(clique))) }
    }
    /// The dictionary of a clique; None if it has none.
    pub fn clique_dictionary(&self, clique: usize) -> Option<Dictionary> {
        unsafe { Dictionary::retain(c::model_clique_dictionary(self.as_ptr(), size(clique))) }
    }
    /// The number of bytes that the model has allocated, including copied scores.
    pub fn bytes(&self) -> usize {
        unsafe { c::model_bytes(self.as_ptr()) }
    }
    /// The number of bytes of all scores, copied or borrowed.
    pub fn score_bytes(&self) -> usize {
        unsafe { c::model_score_bytes(self.as_ptr()) }
    }

    /// A member of a clique, in the order of adding; a centre is the last. Errors: OutOfRange.
    pub fn member(&self, clique: usize, member: usize) -> Result<Member> {
        let (mut chain, mut position) = (0, 0);
        call(|error| unsafe {
            c::model_get_member(
                self.as_ptr(),
                size(clique),
                size(member),
                &mut chain,
                &mut position,
                error,
            )
        })?;
        Ok(Member {
            chain: count(chain),
            position: usize::try_from(position).ok(),
        })
    }

    /// Returns a function that converts the library's number for the value of a member of the clique.
    /// Its arguments: the index of the member, and the number.
    pub(crate) fn shown(&self, clique: usize) -> impl Fn(usize, i32) -> Shown {
        let values = self.clique_values(clique);
        let centre_values = self.clique_centre_values(clique);
        let centre = match centre_values {
            0 => None,
            _ => self.clique_members(clique).checked_sub(1),
        };
        move |member, number| {
            let is_centre = centre == Some(member);
            Shown::from_raw(number, if is_centre { centre_values } else { values })
        }
    }

    fn raw_chain(&self, chain: usize) -> Result<(c::Chain, c::ChainOptions)> {
        let mut scores = init!(Chain, chain_init);
        let mut options = init!(ChainOptions, chain_options_init);
        call(|error| unsafe {
            c::model_get_chain(self.as_ptr(), size(chain), &mut scores, &mut options, error)
        })?;
        Ok((scores, options))
    }

    /// A chain as it was added to a model. Errors: OutOfRange, Kind (an instance).
    pub fn chain(&self, chain: usize) -> Result<ChainView<'_>> {
        let (raw, _) = self.raw_chain(chain)?;
        // Safe: the arrays live as long as this model.
        unsafe {
            Ok(if raw.element == c::FLOAT32 {
                ChainView::F32(Chain::from_raw(&raw))
            } else {
                ChainView::F64(Chain::from_raw(&raw))
            })
        }
    }
    /// The tokens and the group of a chain. Errors: as for [`chain`](Self::chain).
    pub fn chain_tokens(&self, chain: usize) -> Result<ChainTokens<'_>> {
        let (raw, options) = self.raw_chain(chain)?;
        // Safe: the tokens live as long as this model.
        let tokens = unsafe { crate::chain::optional(options.tokens, count(raw.length)) };
        Ok(ChainTokens {
            tokens,
            group: options.group,
        })
    }
    /// The number of labels of a chain. Errors: as for [`chain`](Self::chain).
    pub fn chain_labels(&self, chain: usize) -> Result<usize> {
        Ok(count(self.raw_chain(chain)?.0.labels))
    }
}

impl Clone for Model<'_> {
    fn clone(&self) -> Self {
        unsafe { Self::retain(self.as_ptr(), &self.keep) }
    }
}

impl std::fmt::Debug for Model<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Model")
            .field("chains", &self.chains())
            .field("cliques", &self.cliques())
            .field("members", &self.members())
            .finish()
    }
}
