//! Properties: functions that map the labelling of a chain to one value.
//!
//! A property reads the positions in order and *fires* a value, or nothing, at each. If exactly one
//! value v fired, once or more often, the labelling *shows* v; it shows EMPTY if nothing fired, and
//! CONFLICT if two different values fired. Values are 0 to R - 1. Besides the label, a property may
//! read the *class* of a position (a small number that the caller gives) and the entry of the
//! position in a *table* of the caller (such as a token id). Labels may be grouped into *kinds*:
//! B-X and I-X are both of kind X. A *segment* is a maximal run of labels of one kind; the *anchor*
//! is the kind of segment that a property looks for.

use crate::array::{check_length, count, fill, index, index_or_none, pointer, product, size};
use crate::handle::Handle;
use crate::{c, Action, LabelMap, Result, SegmentRule};

/// A function that maps the labelling of a chain to one of R values. The result is EMPTY if no
/// value fires, and CONFLICT if two different values fire (see [`Shown`](crate::Shown)). A property
/// never changes. Clones share it, and any number of threads may use it.
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
pub struct Property {
    handle: Handle<c::chorale_property>,
}

// Safe: a property never changes, and its reference count is atomic.
unsafe impl Send for Property {}
unsafe impl Sync for Property {}

/// Options for making properties. The comment of each option names the functions that read it.
#[derive(Clone, Debug, Default)]
#[must_use = "options are for a call"]
pub struct PropertyOptions<'a> {
    ignored: Option<&'a [bool]>,
    rule: Option<SegmentRule>,
    edge_value: Option<usize>,
    label_values: Option<&'a [i32]>,
}

impl<'a> PropertyOptions<'a> {
    /// Returns the defaults: no label is ignored, segments continue over ignored labels, and
    /// nothing fires at the ends of a sequence.
    pub fn new() -> Self {
        Self::default()
    }
    setters! {
        /// Sets which labels are ignored, one entry for each label. Read by [`Property::first_label`],
        /// [`Property::next_label`] and [`Property::token_before`].
        pub fn ignored(self, ignored: &'a [bool]) -> Self { self.ignored = Some(ignored) }
        /// Sets where a segment ends. The default is [`SegmentRule::SpansIgnored`]. Read by
        /// [`Property::next_label`] and [`Property::token_before`].
        pub fn rule(self, rule: SegmentRule) -> Self { self.rule = Some(rule) }
        /// Sets the value that fires at an end of the sequence: for [`Property::next_label`] if no
        /// label follows the segment, for [`Property::token_before`] if the segment starts at the first
        /// position. Unless this is called, nothing fires in these cases.
        pub fn edge_value(self, value: usize) -> Self { self.edge_value = Some(value) }
        /// Sets the value that [`Action::Label`] fires for each label, -1 for nothing. Unless this is
        /// called, a label fires its own number. Read by [`Property::automaton`] and [`Property::local`].
        pub fn label_values(self, label_values: &'a [i32]) -> Self {
            self.label_values = Some(label_values)
        }
    }
    fn raw_rule(&self) -> i32 {
        self.rule.unwrap_or(SegmentRule::SpansIgnored).raw()
    }
    fn check(&self, labels: usize) -> Result<()> {
        check_length("ignored", self.ignored, labels)?;
        check_length("label_values", self.label_values, labels)
    }
    /// Returns the ignored flags as bytes, 0 or 1; null if none were set.
    fn raw_ignored(&self) -> *const u8 {
        pointer(self.ignored).cast()
    }
}

/// An automaton, given by tables of the next state and the action for each state, class of the
/// position, and label. The automaton reads the positions in order. At each position it fires a
/// value or nothing, and moves to the next state. The arrays are row-major without gaps. Made by
/// [`new`](Self::new); what else it has are fields to be set.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Automaton<'a> {
    /// The number of labels.
    pub labels: usize,
    /// The number of classes that positions may have, at least 1.
    pub classes: usize,
    /// The number of states, at least 1.
    pub states: usize,
    /// R, the number of values that may fire.
    pub values: usize,
    /// The state in which the automaton reads the first position.
    pub start: usize,
    /// [`Action::Table`] at position `t` fires the table's entry `t + table_offset`.
    pub table_offset: i32,
    /// The value that [`Action::Table`] fires if the table has no entry `t + table_offset`; None:
    /// nothing.
    pub outside_value: Option<usize>,
    /// The state after a position: states x classes x labels.
    pub next: &'a [usize],
    /// The action at a position: states x classes x labels. None: nothing fires at any position.
    pub actions: Option<&'a [Action]>,
    /// For each state: the action after the last position if the chain ends in this state. None:
    /// nothing fires after the last position.
    pub end_actions: Option<&'a [Action]>,
}

impl<'a> Automaton<'a> {
    /// Makes an automaton with one class of positions, which starts in state 0 and fires nothing.
    pub fn new(labels: usize, states: usize, values: usize, next: &'a [usize]) -> Self {
        Self {
            labels,
            classes: 1,
            states,
            values,
            start: 0,
            table_offset: 0,
            outside_value: None,
            next,
            actions: None,
            end_actions: None,
        }
    }
}

/// Converts each entry of a list to a number for C.
fn numbers<T: Copy>(list: &[T], number: impl Fn(T) -> Result<i32>) -> Result<Vec<i32>> {
    let mut numbers = Vec::new();
    fill(&mut numbers, list.len(), 0)?;
    for (to, &from) in numbers.iter_mut().zip(list) {
        *to = number(from)?;
    }
    Ok(numbers)
}

impl Property {
    fn create(
        function: impl FnOnce(
            *const c::chorale_host,
            *mut *mut c::chorale_property,
            *mut c::chorale_error,
        ) -> c::chorale_status,
    ) -> Result<Self> {
        let handle = Handle::create(function)?;
        Ok(Self { handle })
    }

    /// Makes a property from the tables of an automaton, which are copied. Errors: Shape, Size, OutOfRange (states), ValueOutsideRange
    /// (actions), SizeOverflow, OutOfMemory.
    pub fn automaton(automaton: &Automaton<'_>, options: &PropertyOptions<'_>) -> Result<Self> {
        options.check(automaton.labels)?;
        let entries = product(&[automaton.states, automaton.classes, automaton.labels])?;
        check_length("next", Some(automaton.next), entries)?;
        check_length("actions", automaton.actions, entries)?;
        check_length("end_actions", automaton.end_actions, automaton.states)?;
        let next = numbers(automaton.next, |state| index("an entry of next", state))?;
        let actions = automaton.actions.map(|list| numbers(list, Action::raw));
        let actions = actions.transpose()?;
        let end_actions = automaton.end_actions.map(|list| numbers(list, Action::raw));
        let end_actions = end_actions.transpose()?;
        let mut raw = init!(chorale_automaton);
        raw.labels = size(automaton.labels);
        raw.classes = size(automaton.classes);
        raw.states = size(automaton.states);
        raw.values = size(automaton.values);
        raw.start = index("start", automaton.start)?;
        raw.table_offset = automaton.table_offset;
        raw.outside_value = index_or_none("outside_value", automaton.outside_value)?;
        raw.fires_outside = automaton.outside_value.is_some().into();
        raw.next = next.as_ptr();
        raw.actions = pointer(actions.as_deref());
        raw.end_actions = pointer(end_actions.as_deref());
        raw.label_values = pointer(options.label_values);
        Self::create(|host, made, error| unsafe {
            c::chorale_property_create(host, &raw, made, error)
        })
    }

    /// Makes a *local* property, the only kind that trees allow: what a position fires depends only
    /// on its class, its label and the label of its parent (on a chain, of the position before).
    /// values: R. actions: classes x labels x (labels + 1), indexed by the class of the position,
    /// its label and the label of its parent; the last column is for a position without parent.
    ///
    /// Errors: Shape, Size, ValueOutsideRange, SizeOverflow, OutOfMemory.
    pub fn local(
        labels: usize,
        classes: usize,
        values: usize,
        actions: &[Action],
        options: &PropertyOptions<'_>,
    ) -> Result<Self> {
        options.check(labels)?;
        let entries = product(&[classes, labels, labels.saturating_add(1)])?;
        check_length("actions", Some(actions), entries)?;
        let actions = numbers(actions, Action::raw)?;
        Self::create(|host, made, error| unsafe {
            c::chorale_property_create_local(
                host,
                size(labels),
                size(classes),
                size(values),
                actions.as_ptr(),
                pointer(options.label_values),
                made,
                error,
            )
        })
    }

    /// Makes a property that fires the kind of the label at `position`. A chain that ends before
    /// this position shows EMPTY. Errors: Size, OutOfRange (the map), SizeOverflow, OutOfMemory.
    pub fn position_label(map: &LabelMap, position: usize) -> Result<Self> {
        let raw = map.raw();
        Self::create(|host, made, error| unsafe {
            c::chorale_property_create_position_label(host, &raw, size(position), made, error)
        })
    }

    /// Makes a property that fires the kind of the label of every position whose table entry is
    /// `token`. Errors: as for [`position_label`](Self::position_label); OutOfRange (`token`).
    pub fn token_label(map: &LabelMap, token: usize) -> Result<Self> {
        let raw = map.raw();
        let token = index("token", token)?;
        Self::create(|host, made, error| unsafe {
            c::chorale_property_create_token_label(host, &raw, token, made, error)
        })
    }

    /// Makes a property that fires the kind of the first label that is not ignored. Errors: as for
    /// [`position_label`](Self::position_label); Shape (the ignored labels).
    pub fn first_label(map: &LabelMap, options: &PropertyOptions<'_>) -> Result<Self> {
        options.check(map.labels())?;
        let raw = map.raw();
        Self::create(|host, made, error| unsafe {
            c::chorale_property_create_first_label(host, &raw, options.raw_ignored(), made, error)
        })
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
        options.check(map.labels())?;
        let raw = map.raw();
        let anchor = index("anchor", anchor)?;
        let end_value = index_or_none("edge_value", options.edge_value)?;
        Self::create(|host, made, error| unsafe {
            c::chorale_property_create_next_label(
                host,
                &raw,
                anchor,
                options.raw_ignored(),
                options.raw_rule(),
                end_value,
                made,
                error,
            )
        })
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
        options.check(map.labels())?;
        let raw = map.raw();
        let anchor = index("anchor", anchor)?;
        let start_value = index_or_none("edge_value", options.edge_value)?;
        Self::create(|host, made, error| unsafe {
            c::chorale_property_create_token_before(
                host,
                &raw,
                anchor,
                options.raw_ignored(),
                options.raw_rule(),
                size(values),
                start_value,
                made,
                error,
            )
        })
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
        self.handle.as_ptr()
    }
}

impl Clone for Property {
    fn clone(&self) -> Self {
        let handle = unsafe { Handle::from_raw(c::chorale_property_retain(self.as_ptr())) };
        Self { handle }
    }
}

impl std::fmt::Debug for Property {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Property")
            .field("labels", &self.labels())
            .field("values", &self.values())
            .finish()
    }
}
