//! Chains under properties: messages and decoding (message.h).

use crate::array::{check_length, fill, pointer, size, Number};
use crate::error::call;
use crate::{
    sys, Chain, ChainSolver, Dictionary, Error, JointMode, MessageTask, Outcome, Property, Result,
    Status,
};

/// A property on a chain, and what its clique says of each value.
#[derive(Clone, Copy)]
pub struct Attachment<'a> {
    property: &'a Property,
    dictionary: Option<&'a Dictionary>,
    classes: Option<&'a [i32]>,
    table: Option<&'a [i32]>,
    message: Option<&'a [f64]>,
}

impl<'a> Attachment<'a> {
    pub fn new(property: &'a Property) -> Self {
        Self {
            property,
            dictionary: None,
            classes: None,
            table: None,
            message: None,
        }
    }
    /// The values that the clique knows; all of the property's without one.
    pub fn dictionary(mut self, dictionary: &'a Dictionary) -> Self {
        self.dictionary = Some(dictionary);
        self
    }
    /// The class of each position; 0 without.
    pub fn classes(mut self, classes: &'a [i32]) -> Self {
        self.classes = Some(classes);
        self
    }
    /// A value of the property for each position (token ids, say), -1 fires nothing.
    pub fn table(mut self, table: &'a [i32]) -> Self {
        self.table = Some(table);
        self
    }
    /// A score for each value, EMPTY and CONFLICT last; zeros without.
    pub fn message(mut self, message: &'a [f64]) -> Self {
        self.message = Some(message);
        self
    }

    fn blank(&self) -> sys::chorale_attachment {
        let mut raw = init!(chorale_attachment, chorale_attachment_init);
        raw.property = self.property.as_ptr();
        raw.dictionary = self.dictionary.map_or(std::ptr::null(), Dictionary::as_ptr);
        raw
    }

    /// R: that of the dictionary, or of the property.
    pub fn values(&self) -> usize {
        unsafe { sys::chorale_attachment_values(&self.blank()) as usize }
    }

    fn raw(&self, length: usize) -> Result<sys::chorale_attachment> {
        check_length("classes", self.classes, length)?;
        check_length("table", self.table, length)?;
        let mut raw = self.blank();
        let values = unsafe { sys::chorale_attachment_values(&raw) as usize };
        check_length("message", self.message, values + 2)?;
        raw.classes = pointer(self.classes);
        raw.table = pointer(self.table);
        raw.message = pointer(self.message);
        Ok(raw)
    }

    /// What a labelling shows: 0 .. R-1, R (EMPTY), R + 1 (CONFLICT), or -1 for one value outside
    /// the dictionary. parents: of a tree.
    pub fn evaluate(&self, labelling: &[i32], parents: Option<&[i32]>) -> Result<i32> {
        let raw = self.raw(labelling.len())?;
        check_length("parents", parents, labelling.len())?;
        let mut value = 0;
        call(|error| unsafe {
            sys::chorale_property_evaluate(
                &raw,
                size(labelling.len()),
                labelling.as_ptr(),
                pointer(parents),
                &mut value,
                error,
            )
        })?;
        Ok(value)
    }

    /// Everything that a labelling fires, in order, in the property's own values.
    pub fn fired(&self, labelling: &[i32], parents: Option<&[i32]>) -> Result<Vec<i32>> {
        let raw = self.raw(labelling.len())?;
        check_length("parents", parents, labelling.len())?;
        let mut values = Vec::new();
        fill(&mut values, labelling.len() + 1, 0)?;
        let mut count = 0;
        call(|error| unsafe {
            sys::chorale_property_fired(
                &raw,
                size(labelling.len()),
                labelling.as_ptr(),
                pointer(parents),
                values.as_mut_ptr(),
                size(values.len()),
                &mut count,
                error,
            )
        })?;
        values.truncate(count as usize);
        Ok(values)
    }
}

/// Attachments as C takes them.
pub(crate) fn attachments(
    attachments: &[Attachment<'_>],
    length: usize,
) -> Result<Vec<sys::chorale_attachment>> {
    attachments
        .iter()
        .map(|attachment| attachment.raw(length))
        .collect()
}

/// How several properties on one chain are treated; everything that is not set is the library's
/// default.
#[derive(Clone)]
pub struct MessageOptions {
    pub(crate) raw: sys::chorale_message_options,
}

impl Default for MessageOptions {
    fn default() -> Self {
        Self {
            raw: init!(chorale_message_options, chorale_message_options_init),
        }
    }
}

impl MessageOptions {
    pub fn new() -> Self {
        Self::default()
    }
    pub fn mode(mut self, mode: JointMode) -> Self {
        self.raw.mode = mode.raw();
        self
    }
    pub fn beam_width(mut self, width: i64) -> Self {
        self.raw.beam_width = width;
        self
    }
    /// Configurations at once.
    pub fn budget(mut self, budget: i64) -> Self {
        self.raw.budget = budget;
        self
    }
}

/// How messages or a labelling were found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MessageResult {
    /// COMPLETE, INFEASIBLE or NOTHING_FOUND.
    pub outcome: Outcome,
    /// A beam left out configurations.
    pub pruned: bool,
    pub exact: bool,
    /// The most that were alive at once.
    pub configurations: i64,
    /// Decoding: `chain_score + message_score`.
    pub score: f64,
    pub chain_score: f64,
    pub message_score: f64,
}

impl MessageResult {
    pub(crate) fn blank() -> sys::chorale_message_result {
        init!(chorale_message_result, chorale_message_result_init)
    }
    pub(crate) fn from_raw(raw: &sys::chorale_message_result) -> Self {
        Self {
            outcome: Outcome::from_raw(raw.outcome),
            pruned: raw.pruned != 0,
            exact: raw.exact != 0,
            configurations: raw.configurations,
            score: raw.score,
            chain_score: raw.chain_score,
            message_score: raw.message_score,
        }
    }
}

/// The messages of a chain to its cliques, in the solver's memory until its next call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Messages<'s> {
    rows: Vec<&'s [f64]>,
    pub result: MessageResult,
}

impl<'s> Messages<'s> {
    /// The message to the clique of attachment `p`: R + 2 scores, EMPTY and CONFLICT last.
    pub fn get(&self, p: usize) -> Option<&'s [f64]> {
        self.rows.get(p).copied()
    }
}

/// A labelling decoded under messages, in the solver's memory until its next call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Decoded<'s> {
    /// One label a position; -1 throughout where nothing was found.
    pub labelling: &'s [i32],
    /// What each property shows on it.
    pub values: &'s [i32],
    pub result: MessageResult,
}

/// Pointers to rows for messages that fit the attachments.
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

/// Under properties.
impl ChainSolver<'_> {
    /// The bytes that [`new_in`](Self::new_in) needs for chains and attachments of these sizes.
    pub fn message_bytes<N: Number>(
        chain: &Chain<'_, '_, N>,
        attached: &[Attachment<'_>],
        options: &MessageOptions,
        task: MessageTask,
    ) -> Result<usize> {
        let raw = chain.raw()?;
        let attached = attachments(attached, chain.len())?;
        let mut bytes = 0;
        call(|error| unsafe {
            sys::chorale_message_bytes(
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

    /// Grows the workspace so that no such call of the library allocates.
    pub fn message_reserve<N: Number>(
        &mut self,
        chain: &Chain<'_, '_, N>,
        attached: &[Attachment<'_>],
        options: &MessageOptions,
        task: MessageTask,
    ) -> Result<()> {
        let raw = chain.raw()?;
        let attached = attachments(attached, chain.len())?;
        call(|error| unsafe {
            sys::chorale_message_reserve(
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

    /// What the chain says to the clique of every attachment: the best score for each value, that
    /// clique's own message left out.
    pub fn messages<N: Number>(
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
            .ok_or_else(|| Error::new(Status::SIZE_OVERFLOW, "too many values"))?;
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

    /// The same into rows of the caller, None where no message is wanted.
    pub fn messages_into<N: Number>(
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
            sys::chorale_chain_messages(
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

    /// The best labelling under the messages of the attachments.
    pub fn decode<N: Number>(
        &mut self,
        chain: &Chain<'_, '_, N>,
        attached: &[Attachment<'_>],
        options: &MessageOptions,
    ) -> Result<Decoded<'_>> {
        let raw = chain.raw()?;
        let attached = attachments(attached, chain.len())?;
        fill(&mut self.labelling, chain.len(), -1)?;
        fill(&mut self.values, attached.len(), -1)?;
        let mut result = MessageResult::blank();
        call(|error| unsafe {
            sys::chorale_chain_decode(
                self.handle.as_ptr(),
                &raw,
                attached.as_ptr(),
                size(attached.len()),
                &options.raw,
                self.labelling.as_mut_ptr(),
                self.values.as_mut_ptr(),
                &mut result,
                error,
            )
        })?;
        Ok(Decoded {
            labelling: &self.labelling,
            values: &self.values,
            result: MessageResult::from_raw(&result),
        })
    }
}
