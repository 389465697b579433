//! Tables of mentions: one label for all mentions of a key, unless the key is really two things.
//! All of it needs the feature `experimental`, since it may change or go in any version.

use crate::array::filled;
use crate::handle::Handle;
use crate::pass::{size, Pass};
use crate::{
    c, Evidence, EvidenceOrigin, LedgerChange, LedgerRow, Mentions, Result, SettledKey,
    SettledMention,
};

impl Evidence {
    /// Makes evidence: what one mention can say at most, and `once + per_mention * n`, above which a key
    /// of n mentions is two things.
    pub const fn new(most: f64, once: f64, per_mention: f64) -> Self {
        Self {
            most,
            once,
            per_mention,
            origin: EvidenceOrigin::Given,
            mentions: 0,
            right: 0,
        }
    }
    fn raw(given: Option<&Self>) -> c::chorale_evidence {
        let mut raw = init!(chorale_evidence);
        if let Some(given) = given {
            raw.most = given.most;
            raw.once = given.once;
            raw.per_mention = given.per_mention;
        }
        raw
    }
}

/// What a person says of a key ([`Mentions::answers`]), beside a label: nothing.
pub const NO_ANSWER: i32 = c::CHORALE_NO_ANSWER;
/// What a person says of a key, beside a label: its mentions differ, each keeps its own label.
pub const ANSWER_DIFFERS: i32 = c::CHORALE_ANSWER_DIFFERS;

impl<'a> Mentions<'a> {
    /// Makes mentions of `keys` keys and `labels` labels. key: the key of each row, below `keys`; -1:
    /// none.
    pub fn new(keys: usize, labels: usize, key: &'a [i32]) -> Self {
        Self::of(keys, labels, key)
    }
    fn raw(&self) -> Result<c::chorale_mentions> {
        let mut raw = self.given()?;
        raw.count = size(self.key.len());
        raw.keys = size(self.keys);
        raw.labels = size(self.labels);
        raw.key = self.key.as_ptr();
        Ok(raw)
    }
}

/// The result of [`settle`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settled {
    /// What became of each mention.
    pub mentions: Vec<SettledMention>,
    /// What became of each key.
    pub keys: Vec<SettledKey>,
    /// What decided.
    pub evidence: Evidence,
}

/// Gives all mentions of a key one label, unless the key is really two things. evidence: what
/// decides; None: it is learnt from `gold`, or estimated from the mentions. Errors: NullArgument,
/// Shape, Size, SizeOverflow, OutOfRange, NotANumber, Infinite.
///
/// Needs the feature `experimental`: it may change or go in any version.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let mentions = ch::Mentions::new(1, 2, &[0, 0, 0])
///     .label(&[0, 0, 1])
///     .confidence(&[0.6, 0.6, 0.95]);
/// let settled = ch::settle(&mentions, None)?;
/// let labels: Vec<i32> = settled.mentions.iter().map(|of| of.label).collect();
/// assert_eq!(labels, [1, 1, 1]);
/// # Ok(())
/// # }
/// ```
pub fn settle(mentions: &Mentions<'_>, evidence: Option<&Evidence>) -> Result<Settled> {
    let given = mentions.raw()?;
    let mut decides = Evidence::raw(evidence);
    // All-zero bytes are valid for both structs.
    let (row, key): (c::chorale_settled_mention, c::chorale_settled_key) =
        unsafe { std::mem::zeroed() };
    let mut rows = filled(mentions.key.len(), row)?;
    let mut keys = filled(mentions.keys, key)?;
    call!(chorale_settle(
        std::ptr::null(),
        &given,
        &mut decides,
        &mut rows,
        std::mem::size_of_val(&row),
        &mut keys,
        std::mem::size_of_val(&key)
    ))?;
    Ok(Settled {
        mentions: rows.into_iter().map(Pass::pass).collect(),
        keys: keys.into_iter().map(Pass::pass).collect(),
        evidence: decides.pass(),
    })
}

/// Keeps the mentions of a stream. The labels are those that [`settle`] gives a table of all
/// mentions under the same evidence, whatever the order in which they came.
///
/// Needs the feature `experimental`: it may change or go in any version.
pub struct Ledger(Handle<c::chorale_ledger>);

debug!(Ledger);

impl Ledger {
    /// Makes a ledger without mentions. evidence: what decides until [`refit`](Self::refit).
    /// Errors: Size, OutOfRange, NotANumber.
    pub fn new(labels: usize, evidence: &Evidence) -> Result<Self> {
        let evidence = Evidence::raw(Some(evidence));
        create!(chorale_ledger_create(labels, &evidence)).map(Self)
    }

    /// Adds mentions, which are rows of the ledger: the first that is ever added is row 0; `keys` is
    /// the number of keys in all. Returns the labels of the new rows. Errors: as for [`settle`];
    /// State (`scores`, `gold`, `answers`), LabelsMismatch.
    pub fn add(&mut self, mentions: &Mentions<'_>) -> Result<Vec<i32>> {
        let given = mentions.raw()?;
        let mut labels = filled(mentions.key.len(), 0)?;
        call!(chorale_ledger_add(&self.0, &given, &mut labels))?;
        Ok(labels)
    }

    /// Returns the rows whose labels have changed since the caller was told of them. take: from now
    /// on the caller has been told.
    pub fn changes(&mut self, take: bool) -> Result<Vec<LedgerChange>> {
        list!(chorale_ledger_changes(&self.0, take))
    }

    /// Decides anew by other evidence; None: it is estimated from all mentions. Errors: as for
    /// [`new`](Self::new).
    pub fn refit(&mut self, evidence: Option<&Evidence>) -> Result<Evidence> {
        let mut decides = Evidence::raw(evidence);
        call!(chorale_ledger_refit(&self.0, &mut decides))?;
        Ok(decides.pass())
    }

    /// Returns all rows: to read all labels, or to save the ledger.
    pub fn rows(&self) -> Result<Vec<LedgerRow>> {
        list!(chorale_ledger_rows(&self.0))
    }

    /// Returns what became of all keys, as [`settle`] does.
    pub fn keys(&self) -> Result<Vec<SettledKey>> {
        list!(chorale_ledger_keys(&self.0))
    }
}

/// How names may differ and yet be the same key ([`spell`]). Compatibility forms of characters
/// (full-width letters, ligatures and the like) are not among the rules: normalise texts to NFKC
/// before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpellingRule {
    /// Upper and lower case.
    Case,
    /// Marks are left out, dashes are spaces; `+ # & @ %` stay.
    Punctuation,
    /// Any white space is one space, and none at the ends.
    Space,
}

/// Returns a text as it is after some rules, applied in the order in which [`SpellingRule`] names
/// them. Texts that are then equal are one key.
///
/// Needs the feature `experimental`: it may change or go in any version.
///
/// ```
/// use libchorale::{spell, SpellingRule::*};
/// assert_eq!(spell(" Acme-Corp.", &[Case, Punctuation, Space]), "acme corp");
/// ```
pub fn spell(text: &str, rules: &[SpellingRule]) -> String {
    let mut text = text.to_owned();
    if rules.contains(&SpellingRule::Case) {
        text = text.replace('\u{1e9e}', "ss");
        let upper = text.chars().flat_map(char::to_uppercase);
        text = upper.flat_map(char::to_lowercase).collect();
    }
    if rules.contains(&SpellingRule::Punctuation) {
        text.retain(|mark| !".,;:!?'\"`´‘’“”«»()[]{}<>|*".contains(mark));
        text = text.replace(|mark| "-‐‑‒–—_/\\".contains(mark), " ");
    }
    if rules.contains(&SpellingRule::Space) {
        text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    text
}
