//! Properties: functions that map the labelling of a chain to one value.

use crate::array::product;
use crate::handle::Handle;
use crate::pass::{count, index, index_or_none, lent, numbers, size, Pass};
use crate::{c, Action, Automaton, LabelMap, Result, SegmentRule};

/// A function that maps the labelling of a chain to one of R values. The result is EMPTY if no
/// value fires, and CONFLICT if two different values fire (see [`Shown`](crate::Shown)). A property
/// never changes. Clones share it, and any number of threads may use it.
///
/// Besides the label, a property may read the *class* of a position (a small number that the caller
/// gives) and the entry of the position in a *table* of the caller (such as a token id). Labels may be
/// grouped into *kinds*: B-X and I-X are both of kind X. A *segment* is a maximal run of labels of one
/// kind; the *anchor* is the kind of segment that a property looks for.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// // The first labels of sentences should agree; the third sentence gives way.
/// let first = ch::Property::first_label(&ch::LabelMap::identity(2), &ch::PropertyOptions::new())?;
/// let corpus = ch::Corpus::new([[[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]].iter())?;
/// let agree = ch::Agreement::property(&first);
/// let labelled = ch::decode(&corpus, &[agree], ch::RunOptions::new())?;
/// assert_eq!((labelled.alone()?, labelled.labels()?), (vec![0, 0, 1], vec![0, 0, 0]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Property(Handle<c::chorale_property>);

debug!(Property: labels, values);

options! {
    /// Options for making properties. The comment of each option names the functions that read it.
    #[derive(Clone, Debug, Default)]
    #[must_use = "options are for a call"]
    pub struct PropertyOptions<'a> {
    }
    set {
        /// Sets which labels are ignored, one entry for each label. Read by [`Property::first_label`],
        /// [`Property::next_label`] and [`Property::token_before`].
        ignored: &'a [bool],
        /// Sets where a segment ends. The default is [`SegmentRule::SpansIgnored`]. Read by
        /// [`Property::next_label`] and [`Property::token_before`].
        rule: SegmentRule,
        /// Sets the value that fires at an end of the sequence: for [`Property::next_label`] if no
        /// label follows the segment, for [`Property::token_before`] if the segment starts at the first
        /// position. Unless this is called, nothing fires in these cases.
        edge_value: usize,
    }
}

impl<'a> PropertyOptions<'a> {
    /// Returns the defaults: no label is ignored, segments continue over ignored labels, and
    /// nothing fires at the ends of a sequence.
    pub fn new() -> Self {
        Self::of()
    }
    /// Returns the ignored flags as bytes, 0 or 1; null if none were set.
    fn raw_ignored(&self, labels: usize) -> Result<*const u8> {
        Ok(lent("ignored", self.ignored, labels)?.cast())
    }
}

impl<'a> Automaton<'a> {
    /// Makes an automaton over labels. states, values: their numbers, at least 1. next: states x classes
    /// x labels: the state after a position, by the state before it, its class and its label.
    pub fn new(labels: usize, states: usize, values: usize, next: &'a [usize]) -> Self {
        Self::of(labels, states, values, next)
    }
}

impl Property {
    /// Makes a property from the tables of an automaton, which are copied. Errors: Shape, Size,
    /// OutOfRange (states), ValueOutsideRange (actions), SizeOverflow.
    pub fn automaton(automaton: &Automaton<'_>) -> Result<Self> {
        let mut raw = automaton.given()?;
        let (labels, states) = (automaton.labels, automaton.states);
        let classes = automaton.classes.unwrap_or(1);
        let entries = product(&[states, classes, labels])?;
        lent("next", automaton.next, entries)?;
        lent("actions", automaton.actions, entries)?;
        lent("end_actions", automaton.end_actions, states)?;
        let next = numbers(automaton.next, |state| index("an entry of next", state))?;
        let actions = automaton.actions.map(|list| numbers(list, Action::raw));
        let actions = actions.transpose()?;
        let end_actions = automaton.end_actions.map(|list| numbers(list, Action::raw));
        let end_actions = end_actions.transpose()?;
        raw.labels = size(labels);
        raw.classes = size(classes);
        raw.states = size(states);
        raw.values = size(automaton.values);
        raw.next = next.as_ptr();
        raw.actions = actions.as_deref().pass();
        raw.end_actions = end_actions.as_deref().pass();
        create!(chorale_property_create(&raw)).map(Self)
    }

    /// Makes a *local* property, the only kind that trees allow: what a position fires depends only
    /// on its class, its label and the label of its parent (on a chain, of the position before).
    /// values: R. actions: classes x labels x (labels + 1), indexed by the class of the position,
    /// its label and the label of its parent; the last column is for a position without parent.
    /// label_values: the value that [`Action::Label`] fires for each label, -1 for nothing; None: its own
    /// number.
    ///
    /// Errors: Shape, Size, ValueOutsideRange, SizeOverflow.
    pub fn local(
        labels: usize,
        classes: usize,
        values: usize,
        actions: &[Action],
        label_values: Option<&[i32]>,
    ) -> Result<Self> {
        let entries = product(&[classes, labels, labels.saturating_add(1)])?;
        lent("actions", actions, entries)?;
        let actions = &numbers(actions, Action::raw)?;
        let label_values = lent("label_values", label_values, labels)?;
        create!(chorale_property_create_local(
            labels,
            classes,
            values,
            actions,
            label_values
        ))
        .map(Self)
    }

    /// Makes a property that fires the kind of the label at `position`. A chain that ends before
    /// this position shows EMPTY. Errors: Size, OutOfRange (the map), SizeOverflow.
    pub fn position_label(map: &LabelMap, position: usize) -> Result<Self> {
        create!(chorale_property_create_position_label(&map.raw(), position)).map(Self)
    }

    /// Makes a property that fires the kind of the label of every position whose table entry is
    /// `token`. Errors: as for [`position_label`](Self::position_label); OutOfRange (`token`).
    pub fn token_label(map: &LabelMap, token: usize) -> Result<Self> {
        let token = index("token", token)?;
        create!(chorale_property_create_token_label(&map.raw(), token)).map(Self)
    }

    /// Makes a property that fires the kind of the first label that is not ignored. Errors: as for
    /// [`position_label`](Self::position_label); Shape (the ignored labels).
    pub fn first_label(map: &LabelMap, options: &PropertyOptions<'_>) -> Result<Self> {
        let ignored = options.raw_ignored(map.labels())?;
        create!(chorale_property_create_first_label(&map.raw(), ignored)).map(Self)
    }

    /// Makes a property that fires, for every segment of the kind `anchor`, the kind of the first
    /// label after the segment that is not ignored. If the sequence ends before such a label,
    /// [`edge_value`](PropertyOptions::edge_value) fires. Errors: as for
    /// [`first_label`](Self::first_label); OutOfRange (`anchor`), ValueOutsideRange.
    pub fn next_label(
        map: &LabelMap,
        anchor: usize,
        options: &PropertyOptions<'_>,
    ) -> Result<Self> {
        let ignored = options.raw_ignored(map.labels())?;
        let rule = options.rule.unwrap_or(SegmentRule::SpansIgnored);
        let anchor = index("anchor", anchor)?;
        let end = index_or_none("edge_value", options.edge_value)?;
        create!(chorale_property_create_next_label(
            &map.raw(),
            anchor,
            ignored,
            rule,
            end
        ))
        .map(Self)
    }

    /// Makes a property that fires, for every segment of the kind `anchor`, the table entry of the
    /// position before the segment. If the segment starts at the first position,
    /// [`edge_value`](PropertyOptions::edge_value) fires. values: R; table entries are from 0 to
    /// R - 1, or -1 for nothing. Errors: as for [`next_label`](Self::next_label).
    pub fn token_before(
        map: &LabelMap,
        anchor: usize,
        values: usize,
        options: &PropertyOptions<'_>,
    ) -> Result<Self> {
        let ignored = options.raw_ignored(map.labels())?;
        let rule = options.rule.unwrap_or(SegmentRule::SpansIgnored);
        let anchor = index("anchor", anchor)?;
        let start = index_or_none("edge_value", options.edge_value)?;
        create!(chorale_property_create_token_before(
            &map.raw(),
            anchor,
            ignored,
            rule,
            values,
            start
        ))
        .map(Self)
    }

    /// Returns R, the number of values.
    pub fn values(&self) -> usize {
        count(unsafe { c::chorale_property_values(self.as_ptr()) })
    }
    /// Returns the number of labels that the property reads.
    pub fn labels(&self) -> usize {
        count(unsafe { c::chorale_property_labels(self.as_ptr()) })
    }

    pub(crate) fn as_ptr(&self) -> *const c::chorale_property {
        self.0.as_ptr()
    }
}
