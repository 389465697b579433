//! Label names: which label may follow which, and which labels are of one kind. In a *scheme* such
//! as BIO, the name B-X begins a segment of kind X, I-X continues it, and O is outside all
//! segments.

use crate::array::product;
use crate::pass::{count, lent, size, Pass};
use crate::{c, Result, Scheme};
use std::os::raw::c_char;

/// Returns the addresses and lengths of names, as C takes them.
fn names_and_lengths(names: &[impl AsRef<str>]) -> (Vec<*const c_char>, Vec<usize>) {
    names
        .iter()
        .map(AsRef::as_ref)
        .map(|name| (name.as_ptr().cast(), name.len()))
        .unzip()
}

/// Which label may follow which, and which labels may be first and last, as arrays of bytes: 0
/// forbids, any other byte allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    transitions: Vec<u8>,
    start: Vec<u8>,
    end: Vec<u8>,
}

impl Mask {
    /// Makes the mask for label names of a scheme, such as "O" and "B-Title". Errors: LabelName,
    /// Size (no names).
    pub fn new(scheme: Scheme, names: &[impl AsRef<str>]) -> Result<Self> {
        let labels = names.len();
        let (texts, lengths) = names_and_lengths(names);
        let mut mask = Self {
            transitions: vec![0; product(&[labels, labels])?],
            start: vec![0; labels],
            end: vec![0; labels],
        };
        call!(chorale_scheme_mask(
            scheme,
            &texts,
            &lengths,
            labels,
            &mut mask.transitions,
            &mut mask.start,
            &mut mask.end
        ))?;
        Ok(mask)
    }

    /// Makes a mask from bytes: 0 forbids, other bytes allow. transitions: labels x labels; the row
    /// is the label before, the column the label after. start, end: one byte for each label, for
    /// the first and for the last position. Errors: Shape.
    pub fn from_parts(transitions: Vec<u8>, start: Vec<u8>, end: Vec<u8>) -> Result<Self> {
        let labels = start.len();
        lent("transitions", &transitions[..], product(&[labels, labels])?)?;
        lent("end", &end[..], labels)?;
        Ok(Self {
            transitions,
            start,
            end,
        })
    }

    /// Returns which label may follow which, labels x labels: the row is the label before, the
    /// column the label after; 0 forbids.
    pub fn transitions(&self) -> &[u8] {
        &self.transitions
    }
    /// Returns for each label whether it may be the first; 0 forbids.
    pub fn start(&self) -> &[u8] {
        &self.start
    }
    /// Returns for each label whether it may be the last; 0 forbids.
    pub fn end(&self) -> &[u8] {
        &self.end
    }
}

/// A map from labels to kinds: B-X and I-X are both of kind X.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let map = ch::LabelMap::from_names(ch::Scheme::Bio, &["O", "B-Title", "I-Title", "B-Year"])?;
/// assert_eq!((map.kinds(), map.kind_of_label()), (3, Some(&[0, 1, 1, 2][..])));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelMap {
    labels: usize,
    kinds: i64,
    kind_of_label: Option<Vec<i32>>,
    begins: Option<Vec<u8>>,
}

impl LabelMap {
    /// Makes a map in which every label is its own kind. Of two equal labels in succession, the
    /// second does not begin a new segment.
    pub fn identity(labels: usize) -> Self {
        Self {
            labels,
            kinds: size(labels),
            kind_of_label: None,
            begins: None,
        }
    }

    /// Makes a map. kind_of_label: the kind of each label, 0 to kinds - 1. begins: for each label
    /// whether it begins a new segment even after a label of its own kind, as B-X does; None: no
    /// label does. Errors: Shape. Kinds out of range are refused when the map is used.
    pub fn new(kinds: usize, kind_of_label: Vec<i32>, begins: Option<Vec<bool>>) -> Result<Self> {
        let labels = kind_of_label.len();
        lent("begins", begins.as_deref(), labels)?;
        Ok(Self {
            labels,
            kinds: size(kinds),
            kind_of_label: Some(kind_of_label),
            begins: begins.map(|begins| begins.into_iter().map(u8::from).collect()),
        })
    }

    /// Makes the map of label names in a scheme. Kinds are numbered in the order in which they
    /// first appear in `names`; "O" is a kind too. Errors: as for [`Mask::new`].
    pub fn from_names(scheme: Scheme, names: &[impl AsRef<str>]) -> Result<Self> {
        let labels = names.len();
        let (texts, lengths) = names_and_lengths(names);
        let mut kind_of_label = vec![0; labels];
        let mut begins = vec![0; labels];
        let mut kinds = 0;
        call!(chorale_label_map_from_names(
            scheme,
            &texts,
            &lengths,
            labels,
            &mut kind_of_label,
            &mut begins,
            &mut kinds
        ))?;
        Ok(Self {
            labels,
            kinds,
            kind_of_label: Some(kind_of_label),
            begins: Some(begins),
        })
    }

    /// Returns the number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }
    /// Returns the number of kinds.
    pub fn kinds(&self) -> usize {
        count(self.kinds)
    }
    /// Returns the kind of each label; None if each label is its own kind.
    pub fn kind_of_label(&self) -> Option<&[i32]> {
        self.kind_of_label.as_deref()
    }

    pub(crate) fn raw(&self) -> c::chorale_label_map {
        let mut raw = init!(chorale_label_map);
        raw.labels = size(self.labels);
        raw.kinds = self.kinds;
        raw.kind_of_label = self.kind_of_label.as_deref().pass();
        raw.begins = self.begins.as_deref().pass();
        raw
    }
}
