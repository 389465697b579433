//! Properties of labellings: automata and the ready-made ones (property.h).

use crate::array::{check_length, pointer, product, size};
use crate::error::call;
use crate::handle::Handle;
use crate::host::with_host;
use crate::{sys, Action, LabelMap, Result, SegmentRule};

/// What a labelling shows as one value: 0 .. R-1, EMPTY (R) where nothing fires, CONFLICT (R + 1)
/// where two different values fire. Immutable, shared by clones, used by any number of threads.
///
/// ```
/// use chorale::{Attachment, LabelMap, Property, Scheme, SegmentRule};
/// # fn main() -> chorale::Result<()> {
/// let map = LabelMap::from_names(Scheme::BIO, &["O", "B-Title", "I-Title", "B-Year"])?;
/// // the kind of what follows the title; "O" is ignored
/// let ignored = [true, false, false, false];
/// let follows = Property::next_label(&map, 1, Some(&ignored), SegmentRule::SPANS_IGNORED, None)?;
/// assert_eq!(Attachment::new(&follows).evaluate(&[1, 2, 0, 3], None)?, 2);
/// # Ok(())
/// # }
/// ```
pub struct Property {
    handle: Handle<sys::chorale_property>,
}

// Immutable, with atomic references.
unsafe impl Send for Property {}
unsafe impl Sync for Property {}

/// The tables of an automaton over (position class, label); shapes without gaps. See property.h.
#[derive(Clone, Copy, Debug)]
pub struct Automaton<'a> {
    pub labels: usize,
    pub classes: usize,
    pub states: usize,
    /// R.
    pub values: usize,
    /// The state before the first position.
    pub start: i32,
    /// Where [`Action::TABLE`] reads: entry `t + table_offset`.
    pub table_offset: i32,
    /// What it fires where there is no such entry; -1: nothing.
    pub outside_value: i32,
    /// states x classes x labels: the state after the position.
    pub next: &'a [i32],
    /// The same shape: what the position fires.
    pub actions: Option<&'a [i32]>,
    /// states: what fires after the last position.
    pub end_actions: Option<&'a [i32]>,
    /// labels: what [`Action::LABEL`] fires, -1 nothing.
    pub label_values: Option<&'a [i32]>,
}

impl Automaton<'_> {
    fn raw(&self) -> Result<sys::chorale_automaton> {
        let entries = product(&[self.states, self.classes, self.labels])?;
        check_length("next", Some(self.next), entries)?;
        check_length("actions", self.actions, entries)?;
        check_length("end_actions", self.end_actions, self.states)?;
        check_length("label_values", self.label_values, self.labels)?;
        let mut raw = init!(chorale_automaton, chorale_automaton_init);
        raw.labels = size(self.labels);
        raw.classes = size(self.classes);
        raw.states = size(self.states);
        raw.values = size(self.values);
        raw.start = self.start;
        raw.table_offset = self.table_offset;
        raw.outside_value = self.outside_value;
        raw.next = self.next.as_ptr();
        raw.actions = pointer(self.actions);
        raw.end_actions = pointer(self.end_actions);
        raw.label_values = pointer(self.label_values);
        Ok(raw)
    }
}

/// The label map as C takes it, after a check of `ignored`.
fn with_map(map: &LabelMap, ignored: Option<&[bool]>) -> Result<sys::chorale_label_map> {
    check_length("ignored", ignored, map.labels())?;
    Ok(map.raw())
}

/// A bool is a byte, 0 or 1.
fn bytes(array: Option<&[bool]>) -> *const u8 {
    pointer(array).cast()
}

impl Property {
    fn create(
        function: impl FnOnce(
            *const sys::chorale_host,
            *mut *mut sys::chorale_property,
            *mut sys::chorale_error,
        ) -> sys::chorale_status,
    ) -> Result<Self> {
        let handle = with_host(|host| Handle::create(|made, error| function(host, made, error)))?;
        Ok(Self { handle })
    }

    /// From the tables of an automaton, which are copied. [`PropertyBuilder`] makes them rule by
    /// rule.
    pub fn automaton(automaton: &Automaton<'_>) -> Result<Self> {
        let raw = automaton.raw()?;
        Self::create(|host, made, error| unsafe {
            sys::chorale_property_create(host, &raw, made, error)
        })
    }

    /// A local property, which trees may have too. actions: classes x labels x (labels + 1), the
    /// last column for a root.
    pub fn local(
        labels: usize,
        classes: usize,
        values: usize,
        actions: &[i32],
        label_values: Option<&[i32]>,
    ) -> Result<Self> {
        let entries = product(&[classes, labels, labels.saturating_add(1)])?;
        check_length("actions", Some(actions), entries)?;
        check_length("label_values", label_values, labels)?;
        Self::create(|host, made, error| unsafe {
            sys::chorale_property_create_local(
                host,
                size(labels),
                size(classes),
                size(values),
                actions.as_ptr(),
                pointer(label_values),
                made,
                error,
            )
        })
    }

    /// The kind of the label at `position`.
    pub fn position_label(map: &LabelMap, position: usize) -> Result<Self> {
        let map = map.raw();
        Self::create(|host, made, error| unsafe {
            sys::chorale_property_create_position_label(host, &map, size(position), made, error)
        })
    }

    /// The kind of the label of every position whose table entry is `token`.
    pub fn token_label(map: &LabelMap, token: i32) -> Result<Self> {
        let map = map.raw();
        Self::create(|host, made, error| unsafe {
            sys::chorale_property_create_token_label(host, &map, token, made, error)
        })
    }

    /// The kind of the first label that is not ignored.
    pub fn first_label(map: &LabelMap, ignored: Option<&[bool]>) -> Result<Self> {
        let raw = with_map(map, ignored)?;
        Self::create(|host, made, error| unsafe {
            sys::chorale_property_create_first_label(host, &raw, bytes(ignored), made, error)
        })
    }

    /// Once for every segment of the kind `anchor`: the kind of the first label after it that is
    /// not ignored, or `end_value` if the sequence ends first (None: nothing fires).
    pub fn next_label(
        map: &LabelMap,
        anchor: i32,
        ignored: Option<&[bool]>,
        rule: SegmentRule,
        end_value: Option<i32>,
    ) -> Result<Self> {
        let raw = with_map(map, ignored)?;
        Self::create(|host, made, error| unsafe {
            sys::chorale_property_create_next_label(
                host,
                &raw,
                anchor,
                bytes(ignored),
                rule.raw(),
                end_value.unwrap_or(-1),
                made,
                error,
            )
        })
    }

    /// Once for every segment of the kind `anchor`: the table entry of the position before it, or
    /// `start_value` at the first position (None: nothing fires). R = values.
    pub fn token_before(
        map: &LabelMap,
        anchor: i32,
        ignored: Option<&[bool]>,
        rule: SegmentRule,
        values: usize,
        start_value: Option<i32>,
    ) -> Result<Self> {
        let raw = with_map(map, ignored)?;
        Self::create(|host, made, error| unsafe {
            sys::chorale_property_create_token_before(
                host,
                &raw,
                anchor,
                bytes(ignored),
                rule.raw(),
                size(values),
                start_value.unwrap_or(-1),
                made,
                error,
            )
        })
    }

    /// R; EMPTY is R and CONFLICT is R + 1.
    pub fn values(&self) -> usize {
        unsafe { sys::chorale_property_values(self.as_ptr()) as usize }
    }
    /// The number of labels.
    pub fn labels(&self) -> usize {
        unsafe { sys::chorale_property_labels(self.as_ptr()) as usize }
    }

    pub(crate) fn as_ptr(&self) -> *const sys::chorale_property {
        self.handle.as_ptr()
    }
}

impl Clone for Property {
    fn clone(&self) -> Self {
        let handle = unsafe { Handle::from_raw(sys::chorale_property_retain(self.as_ptr())) };
        Self { handle }
    }
}

/// An automaton rule by rule. State 0 is the start; a state stays where it is and fires nothing
/// unless a rule says otherwise; later rules replace earlier ones.
///
/// ```
/// use chorale::{Action, Attachment, PropertyBuilder, ANY};
/// # fn main() -> chorale::Result<()> {
/// // the label after the first 2, of labels 0 .. 2
/// let mut builder = PropertyBuilder::new(3, 1, 3)?;
/// let seen = builder.add_state()?;
/// let done = builder.add_state()?;
/// builder.rule(0, ANY, 2, seen, Action::NOTHING)?;
/// builder.rule(seen, ANY, ANY, done, Action::LABEL)?;
/// let property = builder.finish(None)?;
/// assert_eq!(Attachment::new(&property).evaluate(&[0, 2, 1, 0], None)?, 1);
/// # Ok(())
/// # }
/// ```
pub struct PropertyBuilder {
    handle: Handle<sys::chorale_property_builder>,
    labels: usize,
}

// One thread at a time, any thread; calls that take `&self` only read.
unsafe impl Send for PropertyBuilder {}
unsafe impl Sync for PropertyBuilder {}

impl PropertyBuilder {
    /// `classes`: position classes; `values`: R.
    pub fn new(labels: usize, classes: usize, values: usize) -> Result<Self> {
        let handle = with_host(|host| {
            Handle::create(|made, error| unsafe {
                sys::chorale_property_builder_create(
                    host,
                    size(labels),
                    size(classes),
                    size(values),
                    made,
                    error,
                )
            })
        })?;
        Ok(Self { handle, labels })
    }

    /// A new state.
    pub fn add_state(&mut self) -> Result<i32> {
        let mut state = 0;
        call(|error| unsafe {
            sys::chorale_property_builder_add_state(self.handle.as_ptr(), &mut state, error)
        })?;
        Ok(state)
    }

    /// In `state`, reading a position of this class and label: go to `next` and fire. Each may be
    /// [`ANY`](crate::ANY).
    pub fn rule(
        &mut self,
        state: i32,
        position_class: i32,
        label: i32,
        next: i32,
        action: Action,
    ) -> Result<&mut Self> {
        call(|error| unsafe {
            sys::chorale_property_builder_rule(
                self.handle.as_ptr(),
                state,
                position_class,
                label,
                next,
                action.raw(),
                error,
            )
        })?;
        Ok(self)
    }

    /// At the end in `state` (or ANY) fire.
    pub fn end_rule(&mut self, state: i32, action: Action) -> Result<&mut Self> {
        call(|error| unsafe {
            sys::chorale_property_builder_end_rule(self.handle.as_ptr(), state, action.raw(), error)
        })?;
        Ok(self)
    }

    /// Where [`Action::TABLE`] reads; see [`Automaton`].
    pub fn table(&mut self, table_offset: i32, outside_value: i32) -> Result<&mut Self> {
        call(|error| unsafe {
            sys::chorale_property_builder_table(
                self.handle.as_ptr(),
                table_offset,
                outside_value,
                error,
            )
        })?;
        Ok(self)
    }

    /// Compiles; the builder may go on. label_values: what [`Action::LABEL`] fires, by label.
    pub fn finish(&self, label_values: Option<&[i32]>) -> Result<Property> {
        check_length("label_values", label_values, self.labels)?;
        let handle = Handle::create(|made, error| unsafe {
            sys::chorale_property_builder_finish(
                self.handle.as_ptr(),
                pointer(label_values),
                made,
                error,
            )
        })?;
        Ok(Property { handle })
    }
}
