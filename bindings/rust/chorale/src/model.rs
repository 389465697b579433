//! Frozen models (model.h).

use crate::array::{check_length, size, AlignedBytes};
use crate::error::call;
use crate::handle::Handle;
use crate::host::with_host;
use crate::instance::Port;
use crate::panics::Slot;
use crate::{sys, Chain, Result};
use std::sync::Arc;

/// What must live as long as a model: what C has the address of, and where panics of callbacks are.
#[derive(Default)]
pub(crate) struct Keep<'a> {
    // Their addresses are given to C: they must not move when the list grows.
    #[allow(clippy::vec_box)]
    pub(crate) instances: Vec<Box<Port<'a>>>,
    pub(crate) slots: Vec<Arc<Slot>>,
    /// The bytes of a problem file that is read in place.
    pub(crate) _bytes: Option<AlignedBytes>,
}

/// Chains, trees and cliques put together: immutable, shared by clones and runs, used by any number
/// of threads. `'a` is how long what it borrows lives.
///
/// ```
/// fn shared<T: Send + Sync>() {}
/// shared::<chorale::Model<'static>>();
/// ```
pub struct Model<'a> {
    // Before what it borrows.
    handle: Handle<sys::chorale_model>,
    pub(crate) keep: Arc<Keep<'a>>,
}

// Immutable, with atomic references; instances and callbacks are Send and Sync.
unsafe impl Send for Model<'_> {}
unsafe impl Sync for Model<'_> {}

/// What a chain was added as.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ChainView<'m> {
    F64(Chain<'m, 'm, f64>),
    F32(Chain<'m, 'm, f32>),
}

impl<'a> Model<'a> {
    pub(crate) fn with(handle: Handle<sys::chorale_model>, keep: Arc<Keep<'a>>) -> Self {
        Self { handle, keep }
    }
    pub(crate) fn as_ptr(&self) -> *mut sys::chorale_model {
        self.handle.as_ptr()
    }

    /// Another reference to a model of the library.
    ///
    /// # Safety
    /// `keep` holds what it needs.
    pub(crate) unsafe fn retain(raw: *const sys::chorale_model, keep: &Arc<Keep<'a>>) -> Self {
        Self {
            handle: Handle::from_raw(sys::chorale_model_retain(raw)),
            keep: Arc::clone(keep),
        }
    }

    /// The same chains, members and cliques with other strengths, by clique: chains are shared.
    pub fn reweigh(&self, factors: &[f64]) -> Result<Self> {
        check_length("factors", Some(factors), self.cliques())?;
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_model_reweigh(host, self.as_ptr(), factors.as_ptr(), made, error)
            })
        })?;
        Ok(Self::with(handle, Arc::clone(&self.keep)))
    }

    /// How many chains, instances included.
    pub fn chains(&self) -> usize {
        unsafe { sys::chorale_model_chains(self.as_ptr()) as usize }
    }
    pub fn cliques(&self) -> usize {
        unsafe { sys::chorale_model_cliques(self.as_ptr()) as usize }
    }
    /// Of all cliques.
    pub fn members(&self) -> usize {
        unsafe { sys::chorale_model_members(self.as_ptr()) as usize }
    }
    /// The positions of a chain; 0 out of range.
    pub fn chain_length(&self, chain: usize) -> usize {
        unsafe { sys::chorale_model_chain_length(self.as_ptr(), size(chain)) as usize }
    }
    /// 0 out of range.
    pub fn clique_members(&self, clique: usize) -> usize {
        unsafe { sys::chorale_model_clique_members(self.as_ptr(), size(clique)) as usize }
    }
    /// R of a clique; 0 out of range.
    pub fn clique_values(&self, clique: usize) -> usize {
        unsafe { sys::chorale_model_clique_values(self.as_ptr(), size(clique)) as usize }
    }
    /// What a member can show: R + 2 with EMPTY and CONFLICT, R where nothing can be EMPTY.
    pub fn clique_columns(&self, clique: usize) -> usize {
        unsafe { sys::chorale_model_clique_columns(self.as_ptr(), size(clique)) as usize }
    }
    /// How many values the centre of a clique can show; 0 where it is not centred.
    pub fn clique_centre_values(&self, clique: usize) -> usize {
        unsafe { sys::chorale_model_clique_centre_values(self.as_ptr(), size(clique)) as usize }
    }
    /// Bytes that the model holds, copied scores included.
    pub fn bytes(&self) -> usize {
        unsafe { sys::chorale_model_bytes(self.as_ptr()) }
    }
    /// Bytes of all scores, copied or borrowed.
    pub fn score_bytes(&self) -> usize {
        unsafe { sys::chorale_model_score_bytes(self.as_ptr()) }
    }

    /// The chain of a clique's member, in the order of adding (a centre is the last), and its
    /// position; None for a whole chain.
    pub fn member(&self, clique: usize, member: usize) -> Result<(usize, Option<usize>)> {
        let (mut chain, mut position) = (0, 0);
        call(|error| unsafe {
            sys::chorale_model_member(
                self.as_ptr(),
                size(clique),
                size(member),
                &mut chain,
                &mut position,
                error,
            )
        })?;
        Ok((chain as usize, usize::try_from(position).ok()))
    }

    fn raw_chain(&self, chain: usize) -> Result<(sys::chorale_chain, sys::chorale_chain_options)> {
        let mut scores = init!(chorale_chain, chorale_chain_init);
        let mut options = init!(chorale_chain_options, chorale_chain_options_init);
        call(|error| unsafe {
            sys::chorale_model_get_chain(
                self.as_ptr(),
                size(chain),
                &mut scores,
                &mut options,
                error,
            )
        })?;
        Ok((scores, options))
    }

    /// What a chain was added as. Errors: OUT_OF_RANGE, SHAPE (an instance).
    pub fn chain(&self, chain: usize) -> Result<ChainView<'_>> {
        let (raw, _) = self.raw_chain(chain)?;
        // Its arrays live as long as this model.
        unsafe {
            Ok(if raw.number == sys::CHORALE_FLOAT32 {
                ChainView::F32(Chain::from_raw(&raw)?)
            } else {
                ChainView::F64(Chain::from_raw(&raw)?)
            })
        }
    }
    /// The tokens of a chain, if it has any, and its group.
    pub fn chain_tokens(&self, chain: usize) -> Result<(Option<&[i32]>, i64)> {
        let (raw, options) = self.raw_chain(chain)?;
        let tokens = unsafe { crate::chain::optional(options.tokens, raw.length as usize) };
        Ok((tokens, options.group))
    }
    /// The number of labels of a chain. Errors: as for [`chain`](Self::chain).
    pub fn chain_labels(&self, chain: usize) -> Result<usize> {
        Ok(self.raw_chain(chain)?.0.labels as usize)
    }
}

impl Clone for Model<'_> {
    fn clone(&self) -> Self {
        unsafe { Self::retain(self.as_ptr(), &self.keep) }
    }
}
