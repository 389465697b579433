//! The calls of a [`ChainSolver`](crate::ChainSolver) as stateless functions, in scratch memory of the
//! caller.
//!
//! `scratch` is aligned to 64, as [`AlignedBytes`](crate::AlignedBytes) are, with the length given by
//! [`ChainSolver::bytes`](crate::ChainSolver::bytes) or
//! [`message_bytes`](crate::ChainSolver::message_bytes). Errors are those of the solver's methods of the
//! same names, and WorkspaceTooSmall and Alignment (`scratch`).
//!
//! ```
//! use libchorale as ch;
//! # fn main() -> ch::Result<()> {
//! let unary = [[1.0f32, 0.2], [0.3, 0.8]];
//! let chain = ch::Chain::new(&unary)?;
//! let bytes = ch::ChainSolver::bytes(&chain, ch::ChainTask::Best, 1)?;
//! let mut scratch = ch::AlignedBytes::new(bytes)?;
//! let mut labelling = [0; 2];
//! ch::kernel::best(&mut scratch, &chain, &mut labelling)?;
//! assert_eq!(labelling, [0, 1]);
//! # Ok(())
//! # }
//! ```

use crate::array::{check_length, count, fill, product, size, Element};
use crate::error::call;
use crate::message::{attachments, outgoing_pointers};
use crate::{
    c, Attachment, Chain, ChainResult, MarginalsOut, MessageOptions, MessageResult, Result, Shown,
};

/// A number that is not the value of any property.
const NOT_WRITTEN: i32 = i32::MIN;

/// Finds the best labelling, one label for each position; `labelling` is unchanged when infeasible.
pub fn best<N: Element>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    labelling: &mut [i32],
) -> Result<ChainResult> {
    let raw = chain.raw()?;
    check_length("labelling", Some(&*labelling), chain.len())?;
    let mut result = ChainResult::blank();
    call(|error| unsafe {
        c::kernel_solve(
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

/// Computes max-marginals, in arrays of the caller.
pub fn max_marginals<N: Element>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    mut out: MarginalsOut<'_>,
) -> Result<ChainResult> {
    let raw = chain.raw()?;
    let to = out.pointers(chain)?;
    let mut result = ChainResult::blank();
    call(|error| unsafe {
        c::kernel_max_marginals(
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

/// Finds the k best labellings and their scores, k = scores.len(), and returns the number found.
/// labellings: k x positions, row after row.
pub fn k_best<N: Element>(
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
        c::kernel_k_best(
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
    Ok(count(found))
}

/// Computes the messages of the chain to its cliques, in rows of R + 2 scores; None skips a message.
pub fn messages<N: Element>(
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
        c::kernel_messages(
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

/// Finds the best labelling under messages, one label for each position, and the value of each property
/// on it, one entry for each attachment. Both are unchanged if no labelling is found.
pub fn decode<N: Element>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    attached: &[Attachment<'_>],
    options: &MessageOptions,
    labelling: &mut [i32],
    shown: &mut [Shown],
) -> Result<MessageResult> {
    let chain_length = chain.len();
    let raw = chain.raw()?;
    check_length("labelling", Some(&*labelling), chain_length)?;
    check_length("shown", Some(&*shown), attached.len())?;
    let attachments = attachments(attached, chain_length)?;
    let mut values = Vec::new();
    fill(&mut values, attached.len(), NOT_WRITTEN)?;
    let mut result = MessageResult::blank();
    call(|error| unsafe {
        c::kernel_decode(
            scratch.as_mut_ptr().cast(),
            scratch.len(),
            &raw,
            attachments.as_ptr(),
            size(attachments.len()),
            &options.raw,
            labelling.as_mut_ptr(),
            values.as_mut_ptr(),
            &mut result,
            error,
        )
    })?;
    for ((shown, &value), attachment) in shown.iter_mut().zip(&values).zip(attached) {
        if value != NOT_WRITTEN {
            *shown = Shown::from_raw(value, attachment.values());
        }
    }
    Ok(MessageResult::from_raw(&result))
}
