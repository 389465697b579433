//! Raw bindings to Chorale: the declarations of its C headers, as
//! `bindings/rust/generate.sh` makes them. The headers say what each does; use the crate `libchorale`
//! unless you write bindings of your own.
//!
//! The library is found by pkg-config, or built from source with the feature `vendored` (which needs
//! CMake, a C++20 compiler and the headers of Microsoft GSL). Crates that depend on this one find
//! the headers' directory in the variable `DEP_CHORALE_INCLUDE` of their build scripts.
#![allow(non_camel_case_types)]

mod bindings;

pub use bindings::*;
