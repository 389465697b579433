//! Frozen models: chains and cliques that no longer change.
//!
//! A *clique* is a group of *members*, each with one of R values; its potential scores the
//! *counts*, the numbers of members with each value. The members are positions of chains, or whole
//! chains. The value of a whole chain is given by a property: 0 to R - 1, EMPTY (no value, number
//! R) or CONFLICT (several values, number R + 1). A *centred* clique has one more position, the
//! *centre*, whose value selects the potential.

use crate::array::{count, fill, size, Owner};
use crate::error::call;
use crate::handle::Handle;
use crate::panics::{settle, Slot};
use crate::{c, Chain, Dictionary, Potential, Property, Result, Shown};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Objects that must live as long as a model: copied arrays, whose addresses the C++
/// library stores, and the slots in which callbacks leave their panics.
#[derive(Default)]
pub(crate) struct Keep<'a> {
    pub(crate) slots: Vec<Arc<Slot>>,
    /// For each clique with a callback potential: a list with one entry for each of its potentials
    /// (a centred clique has several). The entry is the slot that holds the panics of the callback;
    /// None for a potential that is not a callback.
    pub(crate) slots_of_cliques: BTreeMap<usize, Vec<Option<Arc<Slot>>>>,
    /// The copies of arrays that borrowed chains and corpora own.
    pub(crate) owners: Vec<Owner>,
    /// Stands for the arrays that the model borrows.
    pub(crate) borrowed: std::marker::PhantomData<&'a ()>,
}

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

/// Chains, trees and cliques. A model never changes. Clones and runs share it, and any number of
/// threads may use it. `'a` is the lifetime of the arrays that the model borrows.
///
/// ```
/// fn shared<T: Send + Sync>() {}
/// shared::<libchorale::Model<'static>>();
/// ```
pub struct Model<'a> {
    // Declared first, so that the library's model is released before the objects that it borrows.
    handle: Handle<c::chorale_model>,
    pub(crate) keep: Arc<Keep<'a>>,
}

// Safe: a model never changes, its reference count is atomic, and callbacks are Send
// and Sync.
unsafe impl Send for Model<'_> {}
unsafe impl Sync for Model<'_> {}

/// A chain as it was added to a model, in the element type of its scores.
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
    /// The number of the chain that the member belongs to.
    pub chain: usize,
    /// The position within the chain; None if the member is a whole chain.
    pub position: Option<usize>,
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

impl<'a> Model<'a> {
    pub(crate) fn with(handle: Handle<c::chorale_model>, keep: Arc<Keep<'a>>) -> Self {
        Self { handle, keep }
    }
    pub(crate) fn as_ptr(&self) -> *mut c::chorale_model {
        self.handle.as_ptr()
    }

    /// Makes another handle of a model of the library, and adds a reference to it.
    ///
    /// # Safety
    /// `keep` must hold everything that the model borrows.
    pub(crate) unsafe fn retain(raw: *const c::chorale_model, keep: &Arc<Keep<'a>>) -> Self {
        Self {
            handle: Handle::from_raw(c::chorale_model_retain(raw)),
            keep: Arc::clone(keep),
        }
    }

    /// Computes the score of any labelling, such as gold labels. labels: the label of every
    /// position, chain after chain. Errors: Shape, OutOfRange (`labels`),
    /// CallbackStopped, CallbackValue, OutOfMemory.
    pub fn score(&self, labels: &[i32]) -> Result<LabellingScore> {
        let mut of = LabellingScore {
            score: 0.0,
            chain_scores: Vec::new(),
            clique_scores: Vec::new(),
        };
        fill(&mut of.chain_scores, self.chains(), 0.0)?;
        fill(&mut of.clique_scores, self.cliques(), 0.0)?;
        let called = call(|error| unsafe {
            c::chorale_model_score(
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

    /// Returns the number of chains.
    pub fn chains(&self) -> usize {
        count(unsafe { c::chorale_model_chain_count(self.as_ptr()) })
    }
    /// Returns the number of cliques.
    pub fn cliques(&self) -> usize {
        count(unsafe { c::chorale_model_clique_count(self.as_ptr()) })
    }
    /// Returns the number of members of all cliques together.
    pub fn members(&self) -> usize {
        count(unsafe { c::chorale_model_member_count(self.as_ptr()) })
    }
    /// Returns the number of positions of a chain; 0 if there is no such chain.
    pub fn chain_length(&self, chain: usize) -> usize {
        unsafe { length_of(self.as_ptr(), size(chain)) }
    }
    /// Returns the number of members of a clique, including its centre; 0 if there is no such
    /// clique.
    pub fn clique_members(&self, clique: usize) -> usize {
        count(unsafe { c::chorale_model_clique_member_count(self.as_ptr(), size(clique)) })
    }
    /// Returns R, the number of values of a clique, without EMPTY and CONFLICT; 0 if there is no
    /// such clique.
    pub fn clique_values(&self, clique: usize) -> usize {
        count(unsafe { c::chorale_model_clique_values(self.as_ptr(), size(clique)) })
    }
    /// Returns the number of scores in a message of a clique: R + 2, with EMPTY and CONFLICT, if a
    /// member can be EMPTY or CONFLICT or if the potential is over R + 2 values; otherwise R. 0 if
    /// there is no such clique.
    pub fn clique_message_size(&self, clique: usize) -> usize {
        count(unsafe { c::chorale_model_clique_message_size(self.as_ptr(), size(clique)) })
    }
    /// Returns the number of values of the centre of a clique; 0 if the clique has no centre.
    pub fn clique_centre_values(&self, clique: usize) -> usize {
        count(unsafe { c::chorale_model_clique_centre_values(self.as_ptr(), size(clique)) })
    }
    /// Returns the potential of a clique, over R or R + 2 values. None if there is no such clique,
    /// and for a centred clique, which has [one potential for each value of its
    /// centre](Self::clique_centre_potential).
    pub fn clique_potential(&self, clique: usize) -> Option<Potential> {
        unsafe {
            let raw = c::chorale_model_clique_potential(self.as_ptr(), size(clique));
            Potential::retain(raw, self.slot(clique, 0))
        }
    }
    /// Returns the potential of a centred clique for one value of its centre. None if there is no
    /// such clique or value, or if the clique has no centre.
    pub fn clique_centre_potential(&self, clique: usize, value: usize) -> Option<Potential> {
        unsafe {
            let raw =
                c::chorale_model_clique_centre_potential(self.as_ptr(), size(clique), size(value));
            Potential::retain(raw, self.slot(clique, value))
        }
    }
    /// Returns the slot that holds the panics of a callback potential of a clique. potential: the
    /// value of the centre, or 0 for a clique without centre. None if the potential is not a
    /// callback.
    fn slot(&self, clique: usize, potential: usize) -> Option<Arc<Slot>> {
        let slots = self.keep.slots_of_cliques.get(&clique)?;
        slots.get(potential)?.clone()
    }
    /// Returns the property of a property clique; None for a position clique.
    pub fn clique_property(&self, clique: usize) -> Option<Property> {
        unsafe {
            Property::retain(c::chorale_model_clique_property(
                self.as_ptr(),
                size(clique),
            ))
        }
    }
    /// Returns the dictionary of a clique; None if the clique has no dictionary.
    pub fn clique_dictionary(&self, clique: usize) -> Option<Dictionary> {
        unsafe {
            Dictionary::retain(c::chorale_model_clique_dictionary(
                self.as_ptr(),
                size(clique),
            ))
        }
    }
    /// Returns the number of bytes that the model has allocated, including copied scores.
    pub fn bytes(&self) -> usize {
        unsafe { c::chorale_model_bytes(self.as_ptr()) }
    }

    /// Returns all members of a clique in the order of adding; a centre comes last. Errors:
    /// OutOfRange.
    pub fn members_of(&self, clique: usize) -> Result<Vec<Member>> {
        let members = self.clique_members(clique);
        let mut chains = vec![0; members];
        let mut positions = vec![0; members];
        call(|error| unsafe {
            c::chorale_model_get_members(
                self.as_ptr(),
                size(clique),
                chains.as_mut_ptr(),
                positions.as_mut_ptr(),
                std::ptr::null_mut(),
                size(members),
                std::ptr::null_mut(),
                error,
            )
        })?;
        Ok(std::iter::zip(chains, positions)
            .map(|(chain, position)| Member {
                chain: count(chain),
                position: usize::try_from(position).ok(),
            })
            .collect())
    }

    /// Returns how often each member of a clique counts, in the order of
    /// [`members_of`](Self::members_of). Errors: OutOfRange.
    pub fn weights_of(&self, clique: usize) -> Result<Vec<i64>> {
        let mut weights = vec![0; self.clique_members(clique)];
        call(|error| unsafe {
            c::chorale_model_get_members(
                self.as_ptr(),
                size(clique),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                weights.as_mut_ptr(),
                size(weights.len()),
                std::ptr::null_mut(),
                error,
            )
        })?;
        Ok(weights)
    }

    /// Returns a function that takes the index of a member of the clique and the library's number
    /// for the member's value, and converts this number to a [`Shown`].
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

    fn raw_chain(&self, chain: usize) -> Result<(c::chorale_chain, c::chorale_chain_options)> {
        let mut scores = init!(chorale_chain);
        let mut options = init!(chorale_chain_options);
        call(|error| unsafe {
            c::chorale_model_get_chain(self.as_ptr(), size(chain), &mut scores, &mut options, error)
        })?;
        Ok((scores, options))
    }

    /// Returns a chain as it was added to the model. Errors: OutOfRange.
    pub fn chain(&self, chain: usize) -> Result<ChainView<'_>> {
        let (raw, _) = self.raw_chain(chain)?;
        // Safe: the arrays live as long as this model.
        unsafe {
            Ok(if raw.element == c::CHORALE_FLOAT32 {
                ChainView::F32(Chain::from_raw(&raw))
            } else {
                ChainView::F64(Chain::from_raw(&raw))
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

/// Returns the number of positions of a chain; 0 if there is no such chain.
///
/// # Safety
/// `model` must not have been released.
pub(crate) unsafe fn length_of(model: *const c::chorale_model, chain: i64) -> usize {
    let mut scores = init!(chorale_chain);
    let (none, silent) = (std::ptr::null_mut(), std::ptr::null_mut());
    match c::chorale_model_get_chain(model, chain, &mut scores, none, silent) {
        c::CHORALE_OK => count(scores.length),
        _ => 0,
    }
}
