//! Chains under properties: messages and decoding.

use crate::array::{check_length, count, fill, filled, pointer, size, Element};
use crate::error::call;
use crate::{
    c, Chain, ChainSolver, Dictionary, Error, JointMode, MessageTask, Outcome, Property, Result,
    Shown, Status,
};

/// A property on a chain, with its inputs and the message of its clique.
#[derive(Clone, Copy, Debug)]
#[must_use = "an attachment is for a call"]
pub struct Attachment<'a> {
    property: &'a Property,
    dictionary: Option<&'a Dictionary>,
    classes: Option<&'a [i32]>,
    table: Option<&'a [i32]>,
    message: Option<&'a [f64]>,
}

impl<'a> Attachment<'a> {
    /// An attachment of a property without inputs and message.
    pub fn new(property: &'a Property) -> Self {
        Self {
            property,
            dictionary: None,
            classes: None,
            table: None,
            message: None,
        }
    }
    /// The subset of the property's values that the clique uses; unless this is called, all values.
    pub fn dictionary(mut self, dictionary: &'a Dictionary) -> Self {
        self.dictionary = Some(dictionary);
        self
    }
    /// The class of each position; 0 unless this is called.
    pub fn classes(mut self, classes: &'a [i32]) -> Self {
        self.classes = Some(classes);
        self
    }
    /// A value of the property for each position, such as token ids; -1 fires nothing.
    pub fn table(mut self, table: &'a [i32]) -> Self {
        self.table = Some(table);
        self
    }
    /// The message of the clique: R + 2 scores, one for each value, then of EMPTY and CONFLICT. Zeros
    /// unless this is called.
    pub fn message(mut self, message: &'a [f64]) -> Self {
        self.message = Some(message);
        self
    }

    fn blank(&self) -> c::Attachment {
        let mut raw = init!(Attachment, attachment_init);
        raw.property = self.property.as_ptr();
        raw.dictionary = self.dictionary.map_or(std::ptr::null(), Dictionary::as_ptr);
        raw
    }

    /// R, the number of values: that of the dictionary, or of the property.
    pub fn values(&self) -> usize {
        count(unsafe { c::attachment_values(&self.blank()) })
    }

    fn raw(&self, length: usize) -> Result<c::Attachment> {
        check_length("classes", self.classes, length)?;
        check_length("table", self.table, length)?;
        let mut raw = self.blank();
        check_length("message", self.message, self.values() + 2)?;
        raw.classes = pointer(self.classes);
        raw.table = pointer(self.table);
        raw.message = pointer(self.message);
        Ok(raw)
    }

    /// The value of the property on a labelling. parents: of a tree, as in [`Chain::parents`]. Errors:
    /// Shape, OutOfRange, ValueOutsideRange (the table), NullArgument (the property reads a table and
    /// none is given), ParentOrder, ParentCycle, AutomatonOnTree.
    pub fn evaluate(&self, labelling: &[i32], parents: Option<&[i32]>) -> Result<Shown> {
        let raw = self.raw(labelling.len())?;
        check_length("parents", parents, labelling.len())?;
        let mut value = 0;
        call(|error| unsafe {
            c::property_shown(
                &raw,
                size(labelling.len()),
                labelling.as_ptr(),
                pointer(parents),
                &mut value,
                error,
            )
        })?;
        Ok(Shown::from_raw(value, self.values()))
    }

    /// All values that a labelling fires, in order, in the property's own numbers; for instance to make
    /// a [`Dictionary`]. Errors: as for [`evaluate`](Self::evaluate).
    pub fn fired(&self, labelling: &[i32], parents: Option<&[i32]>) -> Result<Vec<i32>> {
        let raw = self.raw(labelling.len())?;
        check_length("parents", parents, labelling.len())?;
        filled(0, |values, capacity| {
            let mut needed = 0;
            call(|error| unsafe {
                c::property_fired(
                    &raw,
                    size(labelling.len()),
                    labelling.as_ptr(),
                    pointer(parents),
                    values,
                    size(capacity),
                    &mut needed,
                    error,
                )
            })?;
            Ok(count(needed))
        })
    }
}

/// Converts attachments for C.
pub(crate) fn attachments(
    attachments: &[Attachment<'_>],
    length: usize,
) -> Result<Vec<c::Attachment>> {
    attachments
        .iter()
        .map(|attachment| attachment.raw(length))
        .collect()
}

/// Options for several properties on one chain; options that are not set have the library's default.
#[derive(Clone)]
#[must_use = "options are for a call"]
pub struct MessageOptions {
    pub(crate) raw: c::MessageOptions,
}

impl Default for MessageOptions {
    fn default() -> Self {
        Self {
            raw: init!(MessageOptions, message_options_init),
        }
    }
}

impl std::fmt::Debug for MessageOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MessageOptions")
            .field("beam_width", &self.raw.beam_width)
            .field("budget", &self.raw.budget)
            .finish_non_exhaustive()
    }
}

impl MessageOptions {
    /// The library's defaults.
    pub fn new() -> Self {
        Self::default()
    }
    /// The method: exact, or an approximation.
    pub fn mode(mut self, mode: JointMode) -> Self {
        self.raw.mode = mode.raw();
        self
    }
    /// The number of configurations (joint states) that a beam keeps at each position.
    pub fn beam_width(mut self, width: usize) -> Self {
        self.raw.beam_width = size(width);
        self
    }
    /// The greatest number of configurations (joint states) at one position.
    pub fn budget(mut self, budget: usize) -> Self {
        self.raw.budget = size(budget);
        self
    }
}

/// The result of computing messages or decoding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MessageResult {
    /// Complete, Infeasible or NothingFound.
    pub outcome: Outcome,
    /// True if a beam dropped configurations.
    pub pruned: bool,
    /// True if the messages or the labelling are exact.
    pub exact: bool,
    /// The greatest number of configurations at one position.
    pub configurations: usize,
    /// Decoding: `chain_score + message_score`.
    pub score: f64,
    /// Decoding: the labelling's score in the chain.
    pub chain_score: f64,
    /// Decoding: the sum of the messages at the values of the labelling.
    pub message_score: f64,
}

impl MessageResult {
    pub(crate) fn blank() -> c::MessageResult {
        init!(MessageResult, message_result_init)
    }
    pub(crate) fn from_raw(raw: &c::MessageResult) -> Self {
        Self {
            outcome: Outcome::from_raw(raw.outcome),
            pruned: raw.pruned != 0,
            exact: raw.exact != 0,
            configurations: count(raw.configurations),
            score: raw.score,
            chain_score: raw.chain_score,
            message_score: raw.message_score,
        }
    }
}

/// The messages of a chain to its cliques, in the solver's memory until its next call.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct Messages<'s> {
    rows: Vec<&'s [f64]>,
    /// The result of the call.
    pub result: MessageResult,
}

impl<'s> Messages<'s> {
    /// The message to the clique of attachment `p`: R + 2 scores, those of EMPTY and CONFLICT last. None
    /// if there is no such attachment.
    pub fn get(&self, p: usize) -> Option<&'s [f64]> {
        self.rows.get(p).copied()
    }
}

/// A labelling decoded under messages, in the solver's memory until its next call.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct Decoded<'s> {
    /// One label for each position; None if no labelling was found.
    pub labelling: Option<&'s [i32]>,
    /// The value of each property on the labelling, one entry for each attachment; empty if no labelling
    /// was found.
    pub shown: Vec<Shown>,
    /// The scores, and how the call ended.
    pub result: MessageResult,
}

/// Returns pointers to rows for messages, after checking their lengths against the attachments.
pub(crate) fn outgoing_pointers(
    attachments: &[Attachment<'_>],
    outgoing: &mut [Option<&mut [f64]>],
) -> Result<Vec<*mut f64>> {
    check_length("outgoing", Some(&*outgoing), attachments.len())?;
    attachments
        .iter()
        .zip(outgoing)
        .map(|(attachment, row)| match row {
            None => Ok(std::ptr::null_mut()),
            Some(row) => {
                check_length("a row of outgoing", Some(&**row), attachment.values() + 2)?;
                Ok(row.as_mut_ptr())
            }
        })
        .collect()
}

/// Calls for chains under properties.
impl ChainSolver<'_> {
    /// The number of bytes that [`in_memory`](Self::in_memory) needs for chains and attachments of these
    /// sizes. Errors: as for the task.
    pub fn message_bytes<N: Element>(
        chain: &Chain<'_, '_, N>,
        attached: &[Attachment<'_>],
        options: &MessageOptions,
        task: MessageTask,
    ) -> Result<usize> {
        let raw = chain.raw()?;
        let attached = attachments(attached, chain.len())?;
        let mut bytes = 0;
        call(|error| unsafe {
            c::message_bytes(
                &raw,
                attached.as_ptr(),
                size(attached.len()),
                &options.raw,
                task.raw(),
                &mut bytes,
                error,
            )
        })?;
        Ok(bytes)
    }

    /// Grows the workspace so that no call for `task` on such a chain allocates inside the library.
    /// Errors: as for the task; OutOfMemory, WorkspaceTooSmall (a solver in the caller's memory).
    pub fn message_reserve<N: Element>(
        &mut self,
        chain: &Chain<'_, '_, N>,
        attached: &[Attachment<'_>],
        options: &MessageOptions,
        task: MessageTask,
    ) -> Result<()> {
        let raw = chain.raw()?;
        let attached = attachments(attached, chain.len())?;
        call(|error| unsafe {
            c::message_reserve(
                self.handle.as_ptr(),
                &raw,
                attached.as_ptr(),
                size(attached.len()),
                &options.raw,
                task.raw(),
                error,
            )
        })
    }

    /// Computes the message of the chain to the clique of every attachment: for each value the best
    /// score, without that clique's own message. Errors: those of chain and attachments, Size (no
    /// attachments), StateSpace, OutOfMemory.
    pub fn messages<N: Element>(
        &mut self,
        chain: &Chain<'_, '_, N>,
        attached: &[Attachment<'_>],
        options: &MessageOptions,
    ) -> Result<Messages<'_>> {
        let widths: Vec<usize> = attached.iter().map(|a| a.values() + 2).collect();
        let mut numbers = std::mem::take(&mut self.numbers);
        let total = widths
            .iter()
            .try_fold(0usize, |sum, &width| sum.checked_add(width))
            .ok_or_else(|| {
                Error::new(Status::SizeOverflow, "the properties have too many values")
            })?;
        fill(&mut numbers, total, f64::NEG_INFINITY)?;
        let mut outgoing = Vec::with_capacity(widths.len());
        let mut rest = &mut numbers[..];
        for &width in &widths {
            let (row, behind) = rest.split_at_mut(width);
            outgoing.push(Some(row));
            rest = behind;
        }
        let result = self.messages_into(chain, attached, options, &mut outgoing);
        self.numbers = numbers;
        let result = result?;
        let mut rest = &self.numbers[..];
        let rows = widths.iter().map(|&width| {
            let (row, behind) = rest.split_at(width);
            rest = behind;
            row
        });
        Ok(Messages {
            rows: rows.collect(),
            result,
        })
    }

    /// Writes the messages to `outgoing`: for each attachment a row of R + 2 entries, or None where no
    /// message is wanted. Errors: as for [`messages`](Self::messages); Shape.
    pub fn messages_into<N: Element>(
        &mut self,
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
            c::chain_messages(
                self.handle.as_ptr(),
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

    /// Finds the best labelling under the messages of the attachments. Errors: as for
    /// [`messages`](Self::messages).
    pub fn decode<N: Element>(
        &mut self,
        chain: &Chain<'_, '_, N>,
        attached: &[Attachment<'_>],
        options: &MessageOptions,
    ) -> Result<Decoded<'_>> {
        let raw = chain.raw()?;
        let attachments = attachments(attached, chain.len())?;
        fill(&mut self.labelling, chain.len(), -1)?;
        fill(&mut self.values, attachments.len(), -1)?;
        let mut result = MessageResult::blank();
        call(|error| unsafe {
            c::chain_decode(
                self.handle.as_ptr(),
                &raw,
                attachments.as_ptr(),
                size(attachments.len()),
                &options.raw,
                self.labelling.as_mut_ptr(),
                self.values.as_mut_ptr(),
                &mut result,
                error,
            )
        })?;
        let result = MessageResult::from_raw(&result);
        let is_found = result.outcome == Outcome::Complete;
        let pairs = self.values.iter().zip(attached);
        let shown = pairs.map(|(&value, on)| Shown::from_raw(value, on.values()));
        Ok(Decoded {
            labelling: is_found.then_some(&self.labelling[..]),
            shown: shown.filter(|_| is_found).collect(),
            result,
        })
    }
}
