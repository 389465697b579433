//! The calls of a [`ChainSolver`](crate::ChainSolver) as functions without a solver. They work in
//! scratch memory of the caller, allocate nothing in the library, and keep nothing between calls.
//!
//! `scratch` must be aligned to 64 bytes, as [`AlignedBytes`](crate::AlignedBytes) is. It needs as
//! many bytes as [`ChainSolver::bytes`](crate::ChainSolver::bytes) returns. [`messages`] and
//! [`decode`] instead need as many as
//! [`ChainSolver::message_bytes`](crate::ChainSolver::message_bytes) returns. Errors are those of
//! the solver's methods of the same names; WorkspaceTooSmall and Alignment (`scratch`).
//!
//! ```
//! use libchorale as ch;
//! # fn main() -> ch::Result<()> {
//! let unary = [[1.0f32, 0.2], [0.3, 0.8]];
//! let chain = ch::Chain::new(&unary)?;
//! let bytes = ch::ChainSolver::bytes(&chain, ch::experimental::ChainTask::Best, 1)?;
//! let mut scratch = ch::AlignedBytes::new(bytes)?;
//! let mut labelling = [0; 2];
//! ch::experimental::kernel::best(&mut scratch, &chain, &mut labelling)?;
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

/// Fills arrays of values before a call. No property has this number as a value, so an entry that
/// still holds it after the call was not written by the library.
const NOT_WRITTEN: i32 = i32::MIN;

/// Finds the best labelling and writes it to `labelling`, one label for each position. If every
/// labelling is forbidden, `labelling` is unchanged.
pub fn best<N: Element>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    labelling: &mut [i32],
) -> Result<ChainResult> {
    let raw = chain.raw()?;
    check_length("labelling", Some(&*labelling), chain.len())?;
    let mut result = ChainResult::blank();
    call(|error| unsafe {
        c::chorale_kernel_solve(
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

/// Computes max-marginals and writes them to the arrays of `out`.
pub fn max_marginals<N: Element>(
    scratch: &mut [u8],
    chain: &Chain<'_, '_, N>,
    mut out: MarginalsOut<'_>,
) -> Result<ChainResult> {
    let raw = chain.raw()?;
    let to = out.pointers(chain)?;
    let mut result = ChainResult::blank();
    call(|error| unsafe {
        c::chorale_kernel_max_marginals(
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

/// Finds the k best labellings, where k is `scores.len()`. Writes their scores, and the labellings
/// as k x positions, row after row, best first. Returns the number of labellings found.
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
        c::chorale_kernel_k_best(
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

/// Computes the messages of the chain to the cliques of all attachments. outgoing: for each
/// attachment a row of R + 2 scores (one for each of R values, then EMPTY and CONFLICT), or None to
/// skip the message.
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
        c::chorale_kernel_messages(
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

/// Finds the best labelling under the messages of the attachments. Writes one label for each
/// position, and for each attachment the value that the labelling shows. If no labelling is found,
/// both arrays are unchanged.
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
        c::chorale_kernel_decode(
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
