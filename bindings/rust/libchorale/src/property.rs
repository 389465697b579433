//! Properties of labellings: automata and the ready-made ones.

use crate::array::{check_length, count, fill, index, index_or_none, pointer, product, size};
use crate::constants::or_any;
use crate::error::call;
use crate::handle::Handle;
use crate::{c, Action, Host, LabelMap, Result, SegmentRule};

/// A function from labellings to one of R values, or EMPTY if no value fires, or CONFLICT if two
/// different values fire (see [`Shown`](crate::Shown)). Immutable, shared by clones, used by any number
/// of threads.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let names = ["O", "B-Title", "I-Title", "B-Year"];
/// let map = ch::LabelMap::from_names(ch::Scheme::Bio, &names)?;
/// // the kind of what follows the title; "O" is ignored
/// let options = ch::PropertyOptions::new().ignored(&[true, false, false, false]);
/// let follows = ch::Property::next_label(&map, 1, &options)?;
/// let shown = ch::Attachment::new(&follows).evaluate(&[1, 2, 0, 3], None)?;
/// assert_eq!(shown, ch::Shown::Value(2));
/// # Ok(())
/// # }
/// ```
pub struct Property {
    handle: Handle<c::Property>,
}

// Safe: immutable, with atomic reference counts.
unsafe impl Send for Property {}
unsafe impl Sync for Property {}

/// Options of properties.
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
    /// No label ignored, segments continue over ignored labels, nothing fires at the edge.
    pub fn new() -> Self {
        Self::default()
    }
    /// Which labels are ignored, one entry for each label. For `first_label`, `next_label` and
    /// `token_before`.
    pub fn ignored(mut self, ignored: &'a [bool]) -> Self {
        self.ignored = Some(ignored);
        self
    }
    /// Where a segment ends; [`SegmentRule::SpansIgnored`] unless this is called. For `next_label`
    /// and `token_before`.
    pub fn rule(mut self, rule: SegmentRule) -> Self {
        self.rule = Some(rule);
        self
    }
    /// The value that fires if the sequence ends before a label follows (`next_label`), or if the
    /// segment begins the sequence (`token_before`). Nothing unless this is called.
    pub fn edge_value(mut self, value: usize) -> Self {
        self.edge_value = Some(value);
        self
    }
    /// The value that [`Action::Label`] fires for each label, -1 for nothing. For `automaton`, `local`
    /// and [`PropertyBuilder::finish`]. Unless this is called a label fires its own number.
    pub fn label_values(mut self, label_values: &'a [i32]) -> Self {
        self.label_values = Some(label_values);
        self
    }
    /// The host: allocator and log. A [`PropertyBuilder`] has its own.
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
    /// Passes bools as bytes, 0 or 1.
    fn raw_ignored(&self) -> *const u8 {
        pointer(self.ignored).cast()
    }
}

/// The tables of an automaton over (position class, label), without gaps. The automaton reads the
/// positions in order; at each position it fires a value or nothing and moves to the next state.
#[derive(Clone, Copy, Debug)]
pub struct Automaton<'a> {
    /// The number of labels.
    pub labels: usize,
    /// The number of position classes, at least 1.
    pub classes: usize,
    /// The number of states, at least 1.
    pub states: usize,
    /// R, the number of values.
    pub values: usize,
    /// The state before the first position.
    pub start: usize,
    /// [`Action::Table`] at position `t` fires entry `t + table_offset` of the table.
    pub table_offset: i32,
    /// The value that [`Action::Table`] fires if there is no such entry; None: nothing.
    pub outside_value: Option<usize>,
    /// states x classes x labels: the state after the position.
    pub next: &'a [usize],
    /// states x classes x labels: the action at the position; None: nothing fires.
    pub actions: Option<&'a [Action]>,
    /// states: the action after the last position; None: nothing fires.
    pub end_actions: Option<&'a [Action]>,
}

/// Converts a list to numbers for C.
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
        function: impl FnOnce(*const c::Host, *mut *mut c::Property, *mut c::Error) -> c::Status,
    ) -> Result<Self> {
        let handle = Handle::create(options.host.as_ref(), function)?;
        Ok(Self { handle })
    }

    /// A property from the tables of an automaton, which are copied. [`PropertyBuilder`] makes such
    /// tables rule by rule. Errors: Shape, Size, OutOfRange (states), ValueOutsideRange (actions),
    /// SizeOverflow, OutOfMemory.
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
        let mut raw = init!(Automaton, automaton_init);
        raw.labels = size(automaton.labels);
        raw.classes = size(automaton.classes);
        raw.states = size(automaton.states);
        raw.values = size(automaton.values);
        raw.start = index("start", automaton.start)?;
        raw.table_offset = automaton.table_offset;
        raw.outside_value = index_or_none("outside_value", automaton.outside_value)?;
        raw.next = next.as_ptr();
        raw.actions = pointer(actions.as_deref());
        raw.end_actions = pointer(end_actions.as_deref());
        raw.label_values = pointer(options.label_values);
        Self::create(options, |host, made, error| unsafe {
            c::property_create(host, &raw, made, error)
        })
    }

    /// A local property, which is also allowed on trees: the value that a position fires depends on its
    /// class, its label and its parent's label. actions: classes x labels (of the position) x
    /// (labels + 1) (of the parent; the last column is for a root).
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
            c::property_create_local(
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

    /// Fires the kind of the label at `position`. Errors: Size, OutOfRange (the map), SizeOverflow,
    /// OutOfMemory.
    pub fn position_label(
        map: &LabelMap,
        position: usize,
        options: &PropertyOptions<'_>,
    ) -> Result<Self> {
        let raw = map.raw();
        Self::create(options, |host, made, error| unsafe {
            c::property_create_position_label(host, &raw, size(position), made, error)
        })
    }

    /// Fires the kind of the label of every position whose table entry is `token`. Errors: as for
    /// [`position_label`](Self::position_label); OutOfRange (`token`).
    pub fn token_label(
        map: &LabelMap,
        token: usize,
        options: &PropertyOptions<'_>,
    ) -> Result<Self> {
        let raw = map.raw();
        let token = index("token", token)?;
        Self::create(options, |host, made, error| unsafe {
            c::property_create_token_label(host, &raw, token, made, error)
        })
    }

    /// Fires the kind of the first label that is not ignored. Errors: as for
    /// [`position_label`](Self::position_label); Shape (`ignored`).
    pub fn first_label(map: &LabelMap, options: &PropertyOptions<'_>) -> Result<Self> {
        options.check(map.labels())?;
        let raw = map.raw();
        Self::create(options, |host, made, error| unsafe {
            c::property_create_first_label(host, &raw, options.raw_ignored(), made, error)
        })
    }

    /// Fires, for every segment of the kind `anchor`, the kind of the first label after the segment that
    /// is not ignored, or [`edge_value`](PropertyOptions::edge_value) if the sequence ends first.
    /// Errors: as for [`first_label`](Self::first_label); OutOfRange (`anchor`), ValueOutsideRange.
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
            c::property_create_next_label(
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

    /// Fires, for every segment of the kind `anchor`, the table entry (one of `values`) of the position
    /// before the segment, or [`edge_value`](PropertyOptions::edge_value) if the segment starts at the
    /// first position. Errors: as for [`next_label`](Self::next_label).
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
            c::property_create_token_before(
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

    /// R, the number of values.
    pub fn values(&self) -> usize {
        count(unsafe { c::property_values(self.as_ptr()) })
    }
    /// The number of labels.
    pub fn labels(&self) -> usize {
        count(unsafe { c::property_labels(self.as_ptr()) })
    }

    /// Adds a reference to a property of the library; None for NULL.
    pub(crate) unsafe fn retain(raw: *const c::Property) -> Option<Self> {
        let handle = Handle::from_raw_or_null(c::property_retain(raw))?;
        Some(Self { handle })
    }
    pub(crate) fn as_ptr(&self) -> *const c::Property {
        self.handle.as_ptr()
    }
}

impl Clone for Property {
    fn clone(&self) -> Self {
        let handle = unsafe { Handle::from_raw(c::property_retain(self.as_ptr())) };
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

/// Builds an automaton rule by rule. State 0 is the start. Without a matching rule the automaton stays
/// in its state and fires nothing; later rules replace earlier ones.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// // the label after the first 2, of labels 0 .. 2
/// let mut builder = ch::PropertyBuilder::new(3, 1, 3)?;
/// let seen = builder.add_state()?;
/// let done = builder.add_state()?;
/// builder.rule(0, ch::ANY, 2, seen, ch::Action::Nothing)?;
/// builder.rule(seen, ch::ANY, ch::ANY, done, ch::Action::Label)?;
/// let property = builder.finish(&ch::PropertyOptions::new())?;
/// let shown = ch::Attachment::new(&property).evaluate(&[0, 2, 1, 0], None)?;
/// assert_eq!(shown, ch::Shown::Value(1));
/// # Ok(())
/// # }
/// ```
pub struct PropertyBuilder {
    handle: Handle<c::PropertyBuilder>,
    labels: usize,
}

// Safe: may move between threads; calls that take `&self` only read.
unsafe impl Send for PropertyBuilder {}
unsafe impl Sync for PropertyBuilder {}

impl PropertyBuilder {
    /// A builder without rules. classes: the number of position classes. values: R. Errors: Size,
    /// SizeOverflow, OutOfMemory.
    pub fn new(labels: usize, classes: usize, values: usize) -> Result<Self> {
        Self::create(labels, classes, values, None)
    }
    /// A builder with memory and log of `host`; its properties use the same host.
    pub fn new_in(labels: usize, classes: usize, values: usize, host: &Host) -> Result<Self> {
        Self::create(labels, classes, values, Some(host))
    }
    fn create(labels: usize, classes: usize, values: usize, host: Option<&Host>) -> Result<Self> {
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::property_builder_create(host, size(labels), size(classes), size(values), made, error)
        })?;
        Ok(Self { handle, labels })
    }

    /// Adds a state and returns its number. Errors: SizeOverflow, OutOfMemory.
    pub fn add_state(&mut self) -> Result<usize> {
        let mut state = 0;
        call(|error| unsafe {
            c::property_builder_add_state(self.handle.as_ptr(), &mut state, error)
        })?;
        Ok(count(state.into()))
    }

    /// Adds a rule: in `state`, a position of this class and label fires the action and leads to `next`.
    /// Each number may be [`ANY`](crate::ANY). Errors: OutOfRange, ValueOutsideRange (the action).
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
            c::property_builder_rule(
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

    /// Adds an end rule: a sequence that ends in `state` (or [`ANY`](crate::ANY)) fires the action.
    /// Errors: OutOfRange, ValueOutsideRange.
    pub fn end_rule(
        &mut self,
        state: impl Into<Option<usize>>,
        action: Action,
    ) -> Result<&mut Self> {
        let state = or_any("state", state.into())?;
        let action = action.raw()?;
        call(|error| unsafe {
            c::property_builder_end_rule(self.handle.as_ptr(), state, action, error)
        })?;
        Ok(self)
    }

    /// Sets the entry that [`Action::Table`] reads, and the value that it fires if there is no such
    /// entry: see [`Automaton`]. Errors: ValueOutsideRange.
    pub fn table(&mut self, table_offset: i32, outside_value: Option<usize>) -> Result<&mut Self> {
        let outside_value = index_or_none("outside_value", outside_value)?;
        call(|error| unsafe {
            c::property_builder_table(self.handle.as_ptr(), table_offset, outside_value, error)
        })?;
        Ok(self)
    }

    /// Makes a property from the rules so far; the builder can be used further. Errors: Shape,
    /// ValueOutsideRange (`label_values`), OutOfMemory.
    pub fn finish(&self, options: &PropertyOptions<'_>) -> Result<Property> {
        options.check(self.labels)?;
        let handle = Handle::create(None, |_, made, error| unsafe {
            c::property_builder_finish(
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
