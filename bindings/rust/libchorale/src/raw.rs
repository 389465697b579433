//! The addresses of objects, for functions of the C interface that this crate does not wrap.

use crate::{c, Cancel, Model, Potential, Problem, Property, Transitions};

/// An object of this crate that is an object of the C interface.
pub trait AsRaw {
    /// Its type in the C interface.
    type Raw;
    /// Returns its address, which is valid as long as `self` is borrowed.
    fn as_raw(&self) -> *const Self::Raw;
}

macro_rules! as_raw {
    ($($type:ident $raw:ident,)*) => {$(
        impl AsRaw for $type {
            type Raw = c::$raw;
            fn as_raw(&self) -> *const c::$raw {
                self.as_ptr()
            }
        }
    )*};
}
as_raw! {
    Cancel chorale_cancel,
    Model chorale_model,
    Potential chorale_potential,
    Problem chorale_problem,
    Property chorale_property,
    Transitions chorale_transitions,
}
