//! The calls of a [`ChainSolver`](crate::ChainSolver) without one: stateless, in scratch memory of
//! the caller (kernel.h).
//!
//! `scratch` is aligned to 64, as [`AlignedBytes`](crate::AlignedBytes) are, and as long as
//! [`ChainSolver::bytes`](crate::ChainSolver::bytes) or
//! [`message_bytes`](crate::ChainSolver::message_bytes) say. What the calls do is written there.
//!
//! ```
//! use chorale::{kernel, AlignedBytes, Chain, ChainSolver, ChainTask};
//! # fn main() -> chorale::Result<()> {
//! let unary = [[1.0f32, 0.2], [0.3, 0.8]];
//! let chain = Chain::new(&unary);
//! let mut scratch = AlignedBytes::new(ChainSolver::bytes(&chain, ChainTask::BEST, 1)?);
//! let mut labelling = [0; 2];
//! kernel::best(&mut scratch, &chain, &mut labelling)?;
//! assert_eq!(labelling, [0, 1]);
//! # Ok(())
//! # }
//! ```

use crate::array::{check_length, product, size, Number};
use crate::error::call;
use crate::message::{attachments, outgoing_pointers};
use crate::{
    sys, Attachment, Chain, ChainResult, MarginalsOut, MessageOptions, MessageResult, Result,
};

/// The best labelling; untouched when infeasible.
pub fn best<N: Number>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    labelling: &mut [i32],
) -> Result<ChainResult> {
    let raw = chain.raw()?;
    check_length("labelling", Some(&*labelling), chain.len())?;
    let mut result = ChainResult::blank();
    call(|error| unsafe {
        sys::chorale_kernel_best(
            scratch.as_mut_ptr().cast(),
            scratch.len(),
            &raw,
            labelling.as_mut_ptr(),
            &mut result,
            error,
        )
    })?;
    Ok(ChainResult::from_raw(&result))
}

/// Max-marginals.
pub fn max_marginals<N: Number>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    mut out: MarginalsOut<'_>,
) -> Result<ChainResult> {
    let raw = chain.raw()?;
    let to = out.pointers(chain)?;
    let mut result = ChainResult::blank();
    call(|error| unsafe {
        sys::chorale_kernel_max_marginals(
            scratch.as_mut_ptr().cast(),
            scratch.len(),
            &raw,
            to.marginals,
            to.row_stride,
            to.edge_marginals,
            to.margins,
            to.labelling,
            &mut result,
            error,
        )
    })?;
    Ok(ChainResult::from_raw(&result))
}

/// The k best labellings, k = scores.len(): into rows of positions, and how many there are.
pub fn k_best<N: Number>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    labellings: &mut [i32],
    scores: &mut [f64],
) -> Result<usize> {
    let raw = chain.raw()?;
    let k = scores.len();
    check_length(
        "labellings",
        Some(&*labellings),
        product(&[k, chain.len()])?,
    )?;
    let mut found = 0;
    call(|error| unsafe {
        sys::chorale_kernel_k_best(
            scratch.as_mut_ptr().cast(),
            scratch.len(),
            &raw,
            size(k),
            labellings.as_mut_ptr(),
            raw.length,
            scores.as_mut_ptr(),
            &mut found,
            error,
        )
    })?;
    Ok(found as usize)
}

/// The messages of the chain to its cliques, into rows of R + 2, None where none is wanted.
pub fn messages<N: Number>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    attached: &[Attachment<'_>],
    options: &MessageOptions,
    outgoing: &mut [Option<&mut [f64]>],
) -> Result<MessageResult> {
    let raw = chain.raw()?;
    let rows = outgoing_pointers(attached, outgoing)?;
    let attached = attachments(attached, chain.len())?;
    let mut result = MessageResult::blank();
    call(|error| unsafe {
        sys::chorale_kernel_messages(
            scratch.as_mut_ptr().cast(),
            scratch.len(),
            &raw,
            attached.as_ptr(),
            size(attached.len()),
            &options.raw,
            rows.as_ptr(),
            &mut result,
            error,
        )
    })?;
    Ok(MessageResult::from_raw(&result))
}

/// The best labelling under messages, and what each property shows on it; untouched where nothing
/// is found.
pub fn decode<N: Number>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    attached: &[Attachment<'_>],
    options: &MessageOptions,
    labelling: &mut [i32],
    values: &mut [i32],
) -> Result<MessageResult> {
    let raw = chain.raw()?;
    check_length("labelling", Some(&*labelling), chain.len())?;
    check_length("values", Some(&*values), attached.len())?;
    let attached = attachments(attached, chain.len())?;
    let mut result = MessageResult::blank();
    call(|error| unsafe {
        sys::chorale_kernel_decode(
            scratch.as_mut_ptr().cast(),
            scratch.len(),
            &raw,
            attached.as_ptr(),
            size(attached.len()),
            &options.raw,
            labelling.as_mut_ptr(),
            values.as_mut_ptr(),
            &mut result,
            error,
        )
    })?;
    Ok(MessageResult::from_raw(&result))
}
