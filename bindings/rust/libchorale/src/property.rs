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
use crate::constants::or_any;
use crate::error::call;
use crate::handle::Handle;
use crate::{c, Action, Host, LabelMap, Result, SegmentRule};

/// A function that maps the labelling of a chain to one of R values. The result is EMPTY if no
/// value fires, and CONFLICT if two different values fire (see [`Shown`](crate::Shown)). A property
/// never changes. Clones share it, and any number of threads may use it.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let names = ["O", "B-Title", "I-Title", "B-Year"];
/// let map = ch::LabelMap::from_names(ch::Scheme::Bio, &names)?;
/// // Fires the kind of the first label after the title (kind 1) that is not "O".
/// let options = ch::PropertyOptions::new().ignored(&[true, false, false, false]);
/// let follows = ch::Property::next_label(&map, 1, &options)?;
/// let shown = ch::experimental::Attachment::new(&follows).evaluate(&[1, 2, 0, 3], None)?;
/// assert_eq!(shown, ch::Shown::Value(2));
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
    host: Option<Host>,
}

impl<'a> PropertyOptions<'a> {
    /// Returns the defaults: no label is ignored, segments continue over ignored labels, and
    /// nothing fires at the ends of a sequence.
    pub fn new() -> Self {
        Self::default()
    }
    /// Sets which labels are ignored, one entry for each label. Read by [`Property::first_label`],
    /// [`Property::next_label`] and [`Property::token_before`].
    pub fn ignored(mut self, ignored: &'a [bool]) -> Self {
        self.ignored = Some(ignored);
        self
    }
    /// Sets where a segment ends. The default is [`SegmentRule::SpansIgnored`]. Read by
    /// [`Property::next_label`] and [`Property::token_before`].
    pub fn rule(mut self, rule: SegmentRule) -> Self {
        self.rule = Some(rule);
        self
    }
    /// Sets the value that fires at an end of the sequence: for [`Property::next_label`] if no
    /// label follows the segment, for [`Property::token_before`] if the segment starts at the first
    /// position. Unless this is called, nothing fires in these cases.
    pub fn edge_value(mut self, value: usize) -> Self {
        self.edge_value = Some(value);
        self
    }
    /// Sets the value that [`Action::Label`] fires for each label, -1 for nothing. Unless this is
    /// called, a label fires its own number. Read by [`Property::automaton`], [`Property::local`]
    /// and [`PropertyBuilder::finish`].
    pub fn label_values(mut self, label_values: &'a [i32]) -> Self {
        self.label_values = Some(label_values);
        self
    }
    /// Sets the host, which provides memory and a log. A [`PropertyBuilder`] ignores this: it has a
    /// host of its own.
    pub fn host(mut self, host: &Host) -> Self {
        self.host = Some(host.clone());
        self
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
        options: &PropertyOptions<'_>,
        function: impl FnOnce(
            *const c::chorale_host,
            *mut *mut c::chorale_property,
            *mut c::chorale_error,
        ) -> c::chorale_status,
    ) -> Result<Self> {
        let handle = Handle::create(options.host.as_ref(), function)?;
        Ok(Self { handle })
    }

    /// Makes a property from the tables of an automaton, which are copied. [`PropertyBuilder`]
    /// makes such tables rule by rule. Errors: Shape, Size, OutOfRange (states), ValueOutsideRange
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
        Self::create(options, |host, made, error| unsafe {
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
        Self::create(options, |host, made, error| unsafe {
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
    pub fn position_label(
        map: &LabelMap,
        position: usize,
        options: &PropertyOptions<'_>,
    ) -> Result<Self> {
        let raw = map.raw();
        Self::create(options, |host, made, error| unsafe {
            c::chorale_property_create_position_label(host, &raw, size(position), made, error)
        })
    }

    /// Makes a property that fires the kind of the label of every position whose table entry is
    /// `token`. Errors: as for [`position_label`](Self::position_label); OutOfRange (`token`).
    pub fn token_label(
        map: &LabelMap,
        token: usize,
        options: &PropertyOptions<'_>,
    ) -> Result<Self> {
        let raw = map.raw();
        let token = index("token", token)?;
        Self::create(options, |host, made, error| unsafe {
            c::chorale_property_create_token_label(host, &raw, token, made, error)
        })
    }

    /// Makes a property that fires the kind of the first label that is not ignored. Errors: as for
    /// [`position_label`](Self::position_label); Shape (the ignored labels).
    pub fn first_label(map: &LabelMap, options: &PropertyOptions<'_>) -> Result<Self> {
        options.check(map.labels())?;
        let raw = map.raw();
        Self::create(options, |host, made, error| unsafe {
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
        Self::create(options, |host, made, error| unsafe {
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
        Self::create(options, |host, made, error| unsafe {
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

    /// Makes another handle of a property of the library, and adds a reference to the property;
    /// None for NULL.
    pub(crate) unsafe fn retain(raw: *const c::chorale_property) -> Option<Self> {
        let handle = Handle::from_raw_or_null(c::chorale_property_retain(raw))?;
        Some(Self { handle })
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

/// Builds an automaton rule by rule. State 0 always exists and is the start. Where no rule matches,
/// the automaton stays in its state and fires nothing. Where several rules match, the last one
/// applies.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// // Fires the label directly after the first label 2. The labels are 0, 1 and 2.
/// let mut builder = ch::experimental::PropertyBuilder::new(3, 1, 3)?;
/// let seen = builder.add_state()?;
/// let done = builder.add_state()?;
/// builder.rule(0, ch::experimental::ANY, 2, seen, ch::Action::Nothing)?;
/// builder.rule(seen, ch::experimental::ANY, ch::experimental::ANY, done, ch::Action::Label)?;
/// let property = builder.finish(&ch::PropertyOptions::new())?;
/// let shown = ch::experimental::Attachment::new(&property).evaluate(&[0, 2, 1, 0], None)?;
/// assert_eq!(shown, ch::Shown::Value(1));
/// # Ok(())
/// # }
/// ```
pub struct PropertyBuilder {
    handle: Handle<c::chorale_property_builder>,
    labels: usize,
}

// Safe: the object may move between threads, and calls that take `&self` only read.
unsafe impl Send for PropertyBuilder {}
unsafe impl Sync for PropertyBuilder {}

impl PropertyBuilder {
    /// Makes a builder without rules. labels, classes: the number of labels, and of classes of
    /// positions. values: R, the number of values that may fire. Errors: Size, SizeOverflow,
    /// OutOfMemory.
    pub fn new(labels: usize, classes: usize, values: usize) -> Result<Self> {
        Self::create(labels, classes, values, None)
    }
    /// Makes a builder with the memory and log of `host`. Properties that it makes use the same
    /// host.
    pub fn new_in(labels: usize, classes: usize, values: usize, host: &Host) -> Result<Self> {
        Self::create(labels, classes, values, Some(host))
    }
    fn create(labels: usize, classes: usize, values: usize, host: Option<&Host>) -> Result<Self> {
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::chorale_property_builder_create(
                host,
                size(labels),
                size(classes),
                size(values),
                made,
                error,
            )
        })?;
        Ok(Self { handle, labels })
    }

    /// Adds a state and returns its number. Errors: SizeOverflow, OutOfMemory.
    pub fn add_state(&mut self) -> Result<usize> {
        let mut state = 0;
        call(|error| unsafe {
            c::chorale_property_builder_add_state(self.handle.as_ptr(), &mut state, error)
        })?;
        Ok(count(state.into()))
    }

    /// Adds a rule: in `state`, a position of class `position_class` with label `label` fires
    /// `action` and leads to the state `next`. `state`, `position_class` or `label` may be
    /// `ANY`, which stands for all states, classes or labels. If `next` is ANY, the
    /// state stays the same. Errors: OutOfRange, ValueOutsideRange (the action).
    pub fn rule(
        &mut self,
        state: impl Into<Option<usize>>,
        position_class: impl Into<Option<usize>>,
        label: impl Into<Option<usize>>,
        next: impl Into<Option<usize>>,
        action: Action,
    ) -> Result<&mut Self> {
        let state = or_any("state", state.into())?;
        let position_class = or_any("position_class", position_class.into())?;
        let label = or_any("label", label.into())?;
        let next = or_any("next", next.into())?;
        let action = action.raw()?;
        call(|error| unsafe {
            c::chorale_property_builder_rule(
                self.handle.as_ptr(),
                state,
                position_class,
                label,
                next,
                action,
                error,
            )
        })?;
        Ok(self)
    }

    /// Adds an end rule: a sequence that ends in `state` fires `action` after its last position.
    /// `state` may be `ANY`, which stands for all states. Errors: OutOfRange,
    /// ValueOutsideRange.
    pub fn end_rule(
        &mut self,
        state: impl Into<Option<usize>>,
        action: Action,
    ) -> Result<&mut Self> {
        let state = or_any("state", state.into())?;
        let action = action.raw()?;
        call(|error| unsafe {
            c::chorale_property_builder_end_rule(self.handle.as_ptr(), state, action, error)
        })?;
        Ok(self)
    }

    /// Sets which table entry [`Action::Table`] fires at position `t`: entry `t + table_offset`, or
    /// `outside_value` if the table has no such entry (None: nothing). Errors: ValueOutsideRange.
    pub fn table(&mut self, table_offset: i32, outside_value: Option<usize>) -> Result<&mut Self> {
        let outside_value = index_or_none("outside_value", outside_value)?;
        call(|error| unsafe {
            c::chorale_property_builder_table(
                self.handle.as_ptr(),
                table_offset,
                outside_value,
                error,
            )
        })?;
        Ok(self)
    }

    /// Makes a property from the rules added so far. The builder can be used further. Errors:
    /// Shape, ValueOutsideRange (`label_values`), OutOfMemory.
    pub fn finish(&self, options: &PropertyOptions<'_>) -> Result<Property> {
        options.check(self.labels)?;
        let handle = Handle::create(None, |_, made, error| unsafe {
            c::chorale_property_builder_finish(
                self.handle.as_ptr(),
                pointer(options.label_values),
                made,
                error,
            )
        })?;
        Ok(Property { handle })
    }
}

impl std::fmt::Debug for PropertyBuilder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "PropertyBuilder({} labels)", self.labels)
    }
}
