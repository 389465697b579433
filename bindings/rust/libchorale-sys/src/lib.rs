//! Raw bindings to Chorale: the declarations of its C headers, made by `bindings/rust/generate.sh`.
//! The headers say what each function does. Use the crate `libchorale` unless you write bindings of
//! your own.
//!
//! The library is found by pkg-config. With the feature `vendored` it is compiled together with
//! this crate, which needs a C++20 compiler and a minute or two. Build scripts of crates that
//! depend on this one find the directory of the headers in the environment variable
//! `DEP_CHORALE_INCLUDE`.
#![allow(non_camel_case_types)]

mod bindings;

pub use bindings::*;
