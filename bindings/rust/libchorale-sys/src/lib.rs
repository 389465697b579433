//! Raw bindings to Chorale: the declarations of its C headers, made by `bindings/rust/generate.sh`.
//! What each of them does is told in the words of the headers. Use the crate `libchorale` unless you write bindings of
//! your own.
//!
//! The library is found by pkg-config. With the feature `vendored` it is compiled together with
//! this crate, which needs a C++20 compiler and a minute or two. Build scripts of crates that
//! depend on this one find the directory of the headers in the environment variable
//! `DEP_CHORALE_INCLUDE`.
#![allow(non_camel_case_types)]
// The comments of the headers are plain text: `[x][y]` is an entry of an array, and no link.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

mod bindings;

pub use bindings::*;
