//! Chains under properties: messages, and decoding under messages, that is, finding the best
//! labelling.
//!
//! A [`Property`] reads a labelled chain and *fires* a value, or nothing, at each position. The
//! chain *shows* the value v if only v fired, EMPTY if nothing fired, and CONFLICT if two different
//! values fired. A property has R values; in arrays EMPTY has the number R and CONFLICT R + 1. A
//! *message*, from a clique to the chain or from the chain to a clique, is one score for each of
//! these R + 2 values. With several properties, the computation runs over *configurations*: the
//! joint states of all automata and the values fired so far.

use crate::array::{check_length, count, fill, pointer, positive, size, written, Element};
use crate::error::call;
use crate::{
    c, Chain, ChainSolver, Dictionary, Error, JointMode, Outcome, Property, Result, Shown, Status,
};

/// A property that is attached to a chain, with the arrays that it reads and the message of its
/// clique to the chain.
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
    /// Makes an attachment of a property without classes, table and message.
    pub fn new(property: &'a Property) -> Self {
        Self {
            property,
            dictionary: None,
            classes: None,
            table: None,
            message: None,
        }
    }
    /// Sets the dictionary: the subset of the property's values that the clique uses. Unless this
    /// is called, the clique uses all values.
    pub fn dictionary(mut self, dictionary: &'a Dictionary) -> Self {
        self.dictionary = Some(dictionary);
        self
    }
    /// Sets the class of each position, from 0 on. What a property fires at a position may depend
    /// on the position's class. Unless this is called, all classes are 0.
    pub fn classes(mut self, classes: &'a [i32]) -> Self {
        self.classes = Some(classes);
        self
    }
    /// Sets the table: for each position the number that the property reads there, such as a token
    /// id. If the property fires entries of the table ([`Action::Table`](crate::Action::Table)),
    /// each entry is a value of the property, or -1 for nothing.
    pub fn table(mut self, table: &'a [i32]) -> Self {
        self.table = Some(table);
        self
    }
    /// Sets the message of the clique to the chain: R + 2 scores, one for each value, then those of
    /// EMPTY and CONFLICT. Minus infinity forbids a value. Unless this is called, all scores are 0.
    pub fn message(mut self, message: &'a [f64]) -> Self {
        self.message = Some(message);
        self
    }

    fn blank(&self) -> c::chorale_attachment {
        let mut raw = init!(chorale_attachment);
        raw.property = self.property.as_ptr();
        raw.dictionary = self.dictionary.map_or(std::ptr::null(), Dictionary::as_ptr);
        raw
    }

    /// Returns R: the number of values of the dictionary, if there is one, otherwise of the
    /// property.
    pub fn values(&self) -> usize {
        count(unsafe { c::chorale_attachment_values(&self.blank()) })
    }

    fn raw(&self, length: usize) -> Result<c::chorale_attachment> {
        check_length("classes", self.classes, length)?;
        check_length("table", self.table, length)?;
        let mut raw = self.blank();
        check_length("message", self.message, self.values() + 2)?;
        raw.classes = pointer(self.classes);
        raw.table = pointer(self.table);
        raw.message = pointer(self.message);
        Ok(raw)
    }

    /// Returns what a labelling shows: a value, EMPTY, CONFLICT, or a value outside a dictionary
    /// that has no UNLISTED. parents: the parent of each position of a tree, as in
    /// [`Chain::parents`]; None for a chain. Errors: Shape, OutOfRange, ValueOutsideRange (the
    /// table), NullArgument (the property reads a table and none is given), ParentOrder,
    /// ParentCycle, AutomatonOnTree.
    pub fn evaluate(&self, labelling: &[i32], parents: Option<&[i32]>) -> Result<Shown> {
        let raw = self.raw(labelling.len())?;
        check_length("parents", parents, labelling.len())?;
        let mut value = 0;
        call(|error| unsafe {
            c::chorale_property_shown(
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

    /// Returns all values that the property fires on a labelling, in the order of positions and
    /// with repetitions. Values have the property's own numbers, even with a dictionary. Serves for
    /// instance to make a [`Dictionary`]. parents, errors: as for [`evaluate`](Self::evaluate).
    pub fn fired(&self, labelling: &[i32], parents: Option<&[i32]>) -> Result<Vec<i32>> {
        let raw = self.raw(labelling.len())?;
        check_length("parents", parents, labelling.len())?;
        let (length, labels) = (size(labelling.len()), labelling.as_ptr());
        let parents = pointer(parents);
        written(0, |values, capacity, needed, error| unsafe {
            c::chorale_property_fired(
                &raw, length, labels, parents, values, capacity, needed, error,
            )
        })
    }
}

/// Converts attachments to the structs of the C interface.
pub(crate) fn attachments(
    attachments: &[Attachment<'_>],
    length: usize,
) -> Result<Vec<c::chorale_attachment>> {
    attachments
        .iter()
        .map(|attachment| attachment.raw(length))
        .collect()
}

/// Options for chains with several properties. Options that are not set have the library's
/// defaults.
#[derive(Clone)]
#[must_use = "options are for a call"]
pub struct MessageOptions {
    pub(crate) raw: c::chorale_message_options,
}

impl Default for MessageOptions {
    fn default() -> Self {
        Self {
            raw: init!(chorale_message_options),
        }
    }
}

impl std::fmt::Debug for MessageOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MessageOptions")
            .field("beam_width", &self.raw.beam_width)
            .field("max_states", &self.raw.max_states)
            .finish_non_exhaustive()
    }
}

impl MessageOptions {
    /// Returns the library's defaults.
    pub fn new() -> Self {
        Self::default()
    }
    /// Sets the method for several properties: exact, or one of the approximations.
    pub fn mode(mut self, mode: JointMode) -> Self {
        self.raw.mode = mode.raw();
        self
    }
    /// Sets how many configurations (joint states of all properties) a beam keeps at each position.
    pub fn beam_width(mut self, width: usize) -> Self {
        self.raw.beam_width = positive(width);
        self
    }
    /// Sets the greatest number of configurations (joint states of all properties) at one position,
    /// for the methods other than [`JointMode::Beam`].
    pub fn max_states(mut self, max_states: usize) -> Self {
        self.raw.max_states = positive(max_states);
        self
    }
}

/// The result of computing messages, or of decoding under messages.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MessageResult {
    /// Complete; Infeasible if every labelling is proven to be forbidden; NothingFound if a beam or
    /// [`JointMode::LocalScores`] found no labelling, without proof that there is none.
    pub outcome: Outcome,
    /// True if a beam dropped configurations (joint states of the properties).
    pub pruned: bool,
    /// True if the messages or the labelling are exact, up to rounding.
    pub exact: bool,
    /// The greatest number of configurations (joint states of the properties) at one position.
    pub configurations: usize,
    /// After decoding: `chain_score + message_score`. 0 after computing messages.
    pub score: f64,
    /// After decoding: the score of the labelling on the chain, without messages. 0 after computing
    /// messages.
    pub chain_score: f64,
    /// After decoding: the sum over all attachments of `message[v]`, where v is the value that the
    /// labelling shows. 0 after computing messages.
    pub message_score: f64,
}

impl MessageResult {
    pub(crate) fn blank() -> c::chorale_message_result {
        init!(chorale_message_result)
    }
    pub(crate) fn from_raw(raw: &c::chorale_message_result) -> Self {
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

/// The messages of a chain to its cliques. They lie in the solver's memory, which the next call
/// overwrites.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct Messages<'s> {
    rows: Vec<&'s [f64]>,
    /// How the call ended, and whether the messages are exact.
    pub result: MessageResult,
}

impl<'s> Messages<'s> {
    /// Returns the message to the clique of attachment `p`: R + 2 scores, those of EMPTY and
    /// CONFLICT last. None if there is no such attachment.
    pub fn get(&self, p: usize) -> Option<&'s [f64]> {
        self.rows.get(p).copied()
    }
}

/// A labelling decoded under messages. It lies in the solver's memory, which the next call
/// overwrites.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct Decoded<'s> {
    /// One label for each position; None if no labelling was found.
    pub labelling: Option<&'s [i32]>,
    /// The value that the labelling shows for each attachment; empty if no labelling was found.
    pub shown: Vec<Shown>,
    /// The scores, and how the call ended.
    pub result: MessageResult,
}

/// Checks that each row of `outgoing` has R + 2 entries, with the R of its attachment, and returns
/// the addresses of the rows; null for a row that is None.
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

/// Methods for chains under properties.
impl ChainSolver {
    /// Computes the messages of the chain to the cliques of all attachments. The entry for a value
    /// is the maximum, over the labellings that show this value, of the chain's score plus the
    /// messages of all *other* attachments. Minus infinity if no labelling shows the value. Errors:
    /// those of a [`Chain`]; Shape, LabelsMismatch (property), OutOfRange (classes, messages),
    /// NullArgument and ValueOutsideRange (table), NotANumber and Infinite (messages),
    /// AutomatonOnTree, Size (no attachments), StateSpace, OutOfMemory.
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

    /// Computes the messages of the chain and writes them to `outgoing`, which has for each
    /// attachment a row of R + 2 entries, or None if the message of this attachment is not wanted.
    /// Errors: as for [`messages`](Self::messages); Shape.
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
            c::chorale_chain_messages(
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

    /// Finds the labelling with the best sum of the chain's score and the messages of all
    /// attachments. Errors: as for [`messages`](Self::messages), but a call without attachments is
    /// allowed.
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
            c::chorale_chain_decode(
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
