//! Raw bindings to Chorale: the declarations of its C headers, as
//! `bindings/rust/generate.sh` makes them. The headers say what each does; use the crate `libchorale`
//! unless you write bindings of your own.
//!
//! The library is found by pkg-config, or compiled along with the feature `vendored` (which needs a C++20
//! compiler and a minute or two). Crates that depend on this one find the headers' directory in the
//! variable `DEP_CHORALE_INCLUDE` of their build scripts.
#![allow(non_camel_case_types)]

mod bindings;

pub use bindings::*;
