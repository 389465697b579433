//! The calls of a [`ChainSolver`](crate::ChainSolver) without one: stateless, in scratch memory of
//! the caller.
//!
//! `scratch` is aligned to 64, as [`AlignedBytes`](crate::AlignedBytes) are, and as long as
//! [`ChainSolver::bytes`](crate::ChainSolver::bytes) or
//! [`message_bytes`](crate::ChainSolver::message_bytes) say. Errors are those of the calls of the
//! same names there, and WorkspaceTooSmall and Alignment (`scratch`).
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

/// No value that anything shows.
const NOT_WRITTEN: i32 = i32::MIN;

/// The best labelling, one label a position; untouched when infeasible.
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

/// Max-marginals, into arrays of the caller.
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

/// The k best labellings and their scores, k = scores.len(), and how many there are. labellings: k x
/// positions, row after row.
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

/// The messages of the chain to its cliques, into rows of R + 2, None where none is wanted.
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

/// The best labelling under messages, one label a position, and what each property shows on it, one
/// entry an attachment; both untouched where nothing is found.
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
