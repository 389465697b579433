//! Oracle instances: models of the caller that send messages and decode.

use crate::array::count;
use crate::c;
use crate::panics::Slot;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::os::raw::c_void;
use std::slice;
use std::sync::Arc;

/// A model of the caller that can join a [`Model`](crate::Model) beside chains and trees: a semi-Markov
/// model, a clique tree, a chain on another machine. Its memberships in cliques are its *ports*,
/// numbered in the order of adding.
///
/// A run calls an instance on the thread that called the run or on a worker, one call at a time. Several
/// runs over one model may call the instance at the same time. An instance must not use the run. A panic
/// in the instance ends the call of the run and is resumed.
pub trait Instance: Send + Sync {
    /// The number of labels of a decoded labelling.
    fn length(&self) -> usize;
    /// The number of different labels, at least 1: each label is from 0 to labels() - 1.
    fn labels(&self) -> usize;
    /// Writes the messages of the instance to `outgoing`: for every port `p` and value `v`, the greatest
    /// sum of own score and incoming scores of the other ports, over all labellings in which `p` has
    /// value `v`. The rows hold minus infinity before the call. Break ends the computation.
    fn messages(&self, incoming: &Incoming<'_>, outgoing: &mut Outgoing<'_>) -> ControlFlow<()>;
    /// Finds the labelling with the greatest sum of own score and incoming scores of all ports. Writes
    /// it to `labelling`, and the value of each port to `shown`. Returns the labelling's own score,
    /// without incoming scores: minus infinity if every labelling is forbidden. Break ends the
    /// computation.
    fn decode(
        &self,
        incoming: &Incoming<'_>,
        labelling: &mut [i32],
        shown: &mut ShownByPorts<'_>,
    ) -> ControlFlow<(), f64>;
}

/// The messages of the cliques to an instance: for each port a score for each of its values, minus
/// infinity allowed. The row of a port of a property clique has R + 2 scores, those of EMPTY and
/// CONFLICT last.
pub struct Incoming<'a> {
    columns: &'a [i64],
    rows: *const *const f64,
}

impl<'a> Incoming<'a> {
    /// The number of ports.
    pub fn ports(&self) -> usize {
        self.columns.len()
    }
    /// The scores of a port's values; empty if there is no such port.
    pub fn port(&self, port: usize) -> &'a [f64] {
        match self.columns.get(port) {
            Some(&columns) => unsafe { array(*self.rows.add(port), count(columns)) },
            None => &[],
        }
    }
}

/// The messages of an instance to its cliques: for each port a score for each of its values.
pub struct Outgoing<'a> {
    columns: &'a [i64],
    rows: *const *mut f64,
    writes: PhantomData<&'a mut [f64]>,
}

impl Outgoing<'_> {
    /// The number of ports.
    pub fn ports(&self) -> usize {
        self.columns.len()
    }
    /// The scores of a port's values, to be written; empty if there is no such port.
    pub fn port(&mut self, port: usize) -> &mut [f64] {
        match self.columns.get(port) {
            Some(&columns) => unsafe { array_mut(*self.rows.add(port), count(columns)) },
            None => &mut [],
        }
    }
}

/// The value of each port on a decoded labelling; the first value until it is set.
pub struct ShownByPorts<'a> {
    values: &'a mut [i32],
}

impl ShownByPorts<'_> {
    /// The number of ports.
    pub fn ports(&self) -> usize {
        self.values.len()
    }
    /// Sets the value of a port, as the index of its score in the row [`Incoming::port`]. An index
    /// beyond the row ends the call of the run with CallbackValue. A port that does not exist is
    /// ignored.
    pub fn set(&mut self, port: usize, column: usize) {
        if let Some(value) = self.values.get_mut(port) {
            *value = i32::try_from(column).unwrap_or(-1);
        }
    }
}

impl std::fmt::Debug for Incoming<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = (0..self.ports()).map(|port| self.port(port));
        formatter.debug_list().entries(rows).finish()
    }
}
impl std::fmt::Debug for Outgoing<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Outgoing({} ports)", self.ports())
    }
}
impl std::fmt::Debug for ShownByPorts<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("ShownByPorts")
            .field(&self.values)
            .finish()
    }
}

/// An instance at a fixed address, which is stored in C.
pub(crate) struct Port<'a> {
    pub(crate) instance: Box<dyn Instance + 'a>,
    pub(crate) slot: Arc<Slot>,
    /// The length of a labelling, read once.
    pub(crate) length: usize,
}

impl Port<'_> {
    pub(crate) fn raw(&self, labels: i64) -> c::Instance {
        let mut raw = init!(Instance, instance_init);
        raw.length = crate::array::size(self.length);
        raw.labels = labels;
        raw.user = self as *const Self as *mut c_void;
        raw.messages = Some(messages);
        raw.decode = Some(decode);
        raw
    }
}

/// Returns an array of C, which may be NULL if it is empty.
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
    ports: i64,
    columns: *const i64,
    incoming: *const *const f64,
    outgoing: *const *mut f64,
) -> i32 {
    let port = &*(user as *const Port<'_>);
    let columns = array(columns, count(ports));
    let incoming = Incoming {
        columns,
        rows: incoming,
    };
    let mut outgoing = Outgoing {
        columns,
        rows: outgoing,
        writes: PhantomData,
    };
    let flow = port.slot.caught(|| {
        for port in 0..columns.len() {
            outgoing.port(port).fill(f64::NEG_INFINITY);
        }
        port.instance.messages(&incoming, &mut outgoing)
    });
    i32::from(!matches!(flow, Some(ControlFlow::Continue(()))))
}

unsafe extern "C" fn decode(
    user: *mut c_void,
    ports: i64,
    columns: *const i64,
    incoming: *const *const f64,
    labelling: *mut i32,
    values: *mut i32,
    score: *mut f64,
) -> i32 {
    let port = &*(user as *const Port<'_>);
    let columns = array(columns, count(ports));
    let incoming = Incoming {
        columns,
        rows: incoming,
    };
    let labelling = array_mut(labelling, port.length);
    let values = array_mut(values, columns.len());
    let flow = port.slot.caught(|| {
        labelling.fill(0);
        values.fill(0);
        let mut shown = ShownByPorts { values };
        port.instance.decode(&incoming, labelling, &mut shown)
    });
    match flow {
        Some(ControlFlow::Continue(found)) => {
            *score = found;
            0
        }
        _ => 1,
    }
}
