//! Instances: models of the caller that take the place of chains. They compute messages and
//! decode (find their best labelling) by their own methods.
//!
//! An instance defines its own labellings and their scores. Under a labelling, it has one of the R
//! values of each clique of which it is a member. In a property clique it may also be EMPTY (no
//! value, number R) or CONFLICT (two different values, number R + 1).

use crate::array::count;
use crate::c;
use crate::panics::Slot;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::os::raw::c_void;
use std::slice;
use std::sync::Arc;

/// A model of the caller that can join a [`Model`](crate::Model) beside chains and trees, such as a
/// semi-Markov model, a clique tree, or a chain on another machine. Its memberships in cliques are
/// numbered from 0 in the order of adding.
///
/// A run calls an instance on the thread that called the run, or on one of the run's workers. One
/// run makes at most one call at a time on an instance, but several runs over one model may call
/// the same instance at the same time. An instance must not use the run that calls it. A panic in
/// the instance ends the call of the run and is resumed.
pub trait Instance: Send + Sync {
    /// Returns the number of labels in a decoded labelling.
    fn length(&self) -> usize;
    /// Returns the number of different labels, at least 1. Each label is from 0 to labels() - 1.
    fn labels(&self) -> usize;
    /// Writes the messages of the instance to `outgoing`. The entry of membership `p` and value `v`
    /// is the best score of a labelling that has value `v` at `p`. This score is the labelling's
    /// own score plus the incoming scores of its values in all others. Before the call all entries
    /// are minus infinity, which is right for values that no labelling has. Returns Break to end
    /// the call of the run.
    fn messages(&self, incoming: &Incoming<'_>, outgoing: &mut Outgoing<'_>) -> ControlFlow<()>;
    /// Finds the labelling with the greatest sum of its own score and the incoming scores of its
    /// values. Writes its labels to `labelling` and its value in each membership to `shown`. Returns
    /// the labelling's own score, without incoming scores; minus infinity if every labelling is
    /// forbidden. Returns Break to end the call of the run.
    fn decode(
        &self,
        incoming: &Incoming<'_>,
        labelling: &mut [i32],
        shown: &mut MemberValues<'_>,
    ) -> ControlFlow<(), f64>;
}

/// The messages of the cliques to an instance. Each membership has one score for each value,
/// which may be minus infinity. The number of scores is the
/// [`clique_message_size`](crate::Model::clique_message_size) of the clique: R, or R + 2 with the
/// scores of EMPTY and CONFLICT last.
pub struct Incoming<'a> {
    sizes: &'a [i64],
    rows: *const *const f64,
}

impl<'a> Incoming<'a> {
    /// Returns the number of memberships.
    pub fn memberships(&self) -> usize {
        self.sizes.len()
    }
    /// Returns the scores of a membership's values; an empty slice if there is no such membership.
    pub fn scores(&self, membership: usize) -> &'a [f64] {
        match self.sizes.get(membership) {
            Some(&size) => unsafe { array(*self.rows.add(membership), count(size)) },
            None => &[],
        }
    }
}

/// The rows to which an instance writes its messages to its cliques: for each membership a score
/// for each value, in the layout of [`Incoming`].
pub struct Outgoing<'a> {
    sizes: &'a [i64],
    rows: *const *mut f64,
    writes: PhantomData<&'a mut [f64]>,
}

impl Outgoing<'_> {
    /// Returns the number of memberships.
    pub fn memberships(&self) -> usize {
        self.sizes.len()
    }
    /// Returns the scores of a membership, to be written; an empty slice if there is no such
    /// membership.
    pub fn scores(&mut self, membership: usize) -> &mut [f64] {
        match self.sizes.get(membership) {
            Some(&size) => unsafe { array_mut(*self.rows.add(membership), count(size)) },
            None => &mut [],
        }
    }
}

/// Receives the value of each membership under a decoded labelling. A value that is not set is 0.
pub struct MemberValues<'a> {
    values: &'a mut [i32],
}

impl MemberValues<'_> {
    /// Returns the number of memberships.
    pub fn memberships(&self) -> usize {
        self.values.len()
    }
    /// Sets the value of a membership: the index of its score in [`Incoming::scores`]. An index
    /// beyond them ends the call of the run with CallbackValue. If there is no such membership,
    /// this method does nothing.
    pub fn set(&mut self, membership: usize, value: usize) {
        if let Some(entry) = self.values.get_mut(membership) {
            *entry = i32::try_from(value).unwrap_or(-1);
        }
    }
}

impl std::fmt::Debug for Incoming<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = (0..self.memberships()).map(|membership| self.scores(membership));
        formatter.debug_list().entries(rows).finish()
    }
}
impl std::fmt::Debug for Outgoing<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Outgoing({} memberships)", self.memberships())
    }
}
impl std::fmt::Debug for MemberValues<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("MemberValues")
            .field(&self.values)
            .finish()
    }
}

/// An instance and the data that its callbacks need. It is always in a Box, so that its address
/// does not change: C stores this address and passes it to the callbacks below.
pub(crate) struct OwnedInstance<'a> {
    pub(crate) instance: Box<dyn Instance + 'a>,
    pub(crate) slot: Arc<Slot>,
    /// The result of `Instance::length`, called only once, so that the length cannot change.
    pub(crate) length: usize,
}

impl OwnedInstance<'_> {
    pub(crate) fn raw(&self, labels: i64) -> c::chorale_instance {
        let mut raw = init!(chorale_instance);
        raw.length = crate::array::size(self.length);
        raw.labels = labels;
        raw.user = self as *const Self as *mut c_void;
        raw.messages = Some(messages);
        raw.decode = Some(decode);
        raw
    }
}

/// Returns a slice over an array of C. If the length is 0, the address may be NULL.
unsafe fn array<'a, T>(data: *const T, length: usize) -> &'a [T] {
    if length == 0 {
        return &[];
    }
    slice::from_raw_parts(data, length)
}

unsafe fn array_mut<'a, T>(data: *mut T, length: usize) -> &'a mut [T] {
    if length == 0 {
        return &mut [];
    }
    slice::from_raw_parts_mut(data, length)
}

unsafe extern "C" fn messages(
    user: *mut c_void,
    memberships: i64,
    sizes: *const i64,
    incoming: *const *const f64,
    outgoing: *const *mut f64,
) -> i32 {
    let owned = &*(user as *const OwnedInstance<'_>);
    let sizes = array(sizes, count(memberships));
    let incoming = Incoming {
        sizes,
        rows: incoming,
    };
    let mut outgoing = Outgoing {
        sizes,
        rows: outgoing,
        writes: PhantomData,
    };
    let flow = owned.slot.caught(|| {
        for membership in 0..sizes.len() {
            outgoing.scores(membership).fill(f64::NEG_INFINITY);
        }
        owned.instance.messages(&incoming, &mut outgoing)
    });
    i32::from(!matches!(flow, Some(ControlFlow::Continue(()))))
}

unsafe extern "C" fn decode(
    user: *mut c_void,
    memberships: i64,
    sizes: *const i64,
    incoming: *const *const f64,
    labelling: *mut i32,
    values: *mut i32,
    score: *mut f64,
) -> i32 {
    let owned = &*(user as *const OwnedInstance<'_>);
    let sizes = array(sizes, count(memberships));
    let incoming = Incoming {
        sizes,
        rows: incoming,
    };
    let labelling = array_mut(labelling, owned.length);
    let values = array_mut(values, sizes.len());
    let flow = owned.slot.caught(|| {
        labelling.fill(0);
        values.fill(0);
        let mut shown = MemberValues { values };
        owned.instance.decode(&incoming, labelling, &mut shown)
    });
    match flow {
        Some(ControlFlow::Continue(found)) => {
            *score = found;
            0
        }
        _ => 1,
    }
}
