//! Calls of the library: how arguments and results are converted, and the macros by which calls are
//! made. A macro converts each argument to the type that C declares ([`Pass`]). Whoever uses it answers
//! for pointers, as in any unsafe block: an array has the length that the function expects.

use crate::array::filled;
use crate::error::call;
use crate::{c, Error, Result, Status};
use std::time::Duration;

/// Makes a struct of the C interface of zeros, which mean the defaults.
macro_rules! init {
    ($type:ident) => {{
        // All-zero bytes are valid for every such struct, which holds only numbers and pointers.
        let mut raw = unsafe { std::mem::zeroed::<$crate::c::$type>() };
        raw.struct_size = std::mem::size_of::<$crate::c::$type>();
        raw
    }};
}

/// Calls a function of the library that can fail.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::error::call(|error| unsafe {
            $crate::c::$function($($crate::pass::Pass::pass($argument),)* error)
        })
    };
}

/// Calls a function of the library that creates an object for a host, and returns a handle of it.
macro_rules! create {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::handle::Handle::create(|host, made, error| unsafe {
            $crate::c::$function(host, $($crate::pass::Pass::pass($argument),)* made, error)
        })
    };
}

/// Returns the numbers or bytes that a function of the library writes to a buffer.
macro_rules! written {
    ($type:ty, $function:ident($($argument:expr),* $(,)?)) => {
        $crate::pass::written(|to: *mut $type, capacity, needed, error| unsafe {
            $crate::c::$function(
                $($crate::pass::Pass::pass($argument),)*
                to.cast(), capacity, needed, error
            )
        })
    };
}

/// Returns the structs that a function of the library writes to a buffer, each converted.
macro_rules! list {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::pass::listed(|to, bytes, capacity, needed, error| unsafe {
            $crate::c::$function(
                $($crate::pass::Pass::pass($argument),)*
                to, bytes, capacity, needed, error
            )
        })
    };
}

/// Implements Debug: an object is told by its name and by what some of its methods return.
macro_rules! debug {
    ($type:ident $(<$life:lifetime>)? $(: $($method:ident),*)?) => {
        impl std::fmt::Debug for $type $(<$life>)? {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter
                    .debug_struct(stringify!($type))
                    $($(.field(stringify!($method), &self.$method()))*)?
                    .finish_non_exhaustive()
            }
        }
    };
}

/// Defines a struct of what it is made of, and of options: each is a field that is None until the
/// method of its name sets it. `of` names a struct of the C interface, which `given` then returns with the
/// options that are set. An option sets the field of its name, unless an arrow follows. After the arrow
/// stand the number of entries that the option must have, in brackets; or the fields that it sets,
/// and to what; or `_` if it sets no field.
macro_rules! options {
    (
        $(#[$about:meta])*
        pub struct $type:ident<$life:lifetime $(, $N:ident: $bound:ident $(= $default:ty)?)?> of $raw:ident {
            $($(#[$is:meta])* $see:vis $part:ident: $kind:ty,)*
        }
        set($this:ident) {
            $($(#[$doc:meta])* $name:ident: $value:ty $(=> $field:tt $(= $set:expr)?)?,)*
        }
    ) => {
        options! {
            $(#[$about])*
            pub struct $type<$life $(, $N: $bound $(= $default)?)?> {
                $($(#[$is])* $see $part: $kind,)*
            }
            set {
                $($(#[$doc])* $name: $value,)*
            }
        }

        impl<$life $(, $N: $bound)?> $type<$life $(, $N)?> {
            pub(crate) fn given(&$this) -> $crate::Result<c::$raw> {
                let mut raw = init!($raw);
                $(if let Some($name) = $this.$name {
                    options!(@set raw $name $(=> $field $(= $set)?)?);
                })*
                Ok(raw)
            }
        }
    };
    (
        $(#[$about:meta])*
        pub struct $type:ident<$life:lifetime $(, $N:ident: $bound:ident $(= $default:ty)?)?> {
            $($(#[$is:meta])* $see:vis $part:ident: $kind:ty,)*
        }
        set {
            $($(#[$doc:meta])* $name:ident: $value:ty,)*
        }
    ) => {
        $(#[$about])*
        pub struct $type<$life $(, $N: $bound $(= $default)?)?> {
            $($(#[$is])* $see $part: $kind,)*
            $(pub(crate) $name: Option<$value>,)*
        }

        impl<$life $(, $N: $bound)?> $type<$life $(, $N)?> {
            /// Makes one of its parts, without options.
            pub(crate) fn of($($part: $kind),*) -> Self {
                Self { $($part,)* $($name: None,)* }
            }
            $(
                $(#[$doc])*
                pub fn $name(mut self, $name: $value) -> Self {
                    self.$name = Some($name);
                    self
                }
            )*
        }
    };
    (@set $raw:ident $name:ident) => {
        $raw.$name = $crate::pass::Pass::pass($name)
    };
    (@set $raw:ident $name:ident => _) => {
        let _ = $name;
    };
    (@set $raw:ident $name:ident => [$length:expr]) => {
        $raw.$name = $crate::pass::lent(stringify!($name), $name, $length)?.cast()
    };
    (@set $raw:ident $name:ident => $field:ident = $set:expr) => {
        $raw.$field = $crate::pass::Pass::pass($set)
    };
    (@set $raw:ident $name:ident => ($field:ident, $other:ident) = $set:expr) => {
        ($raw.$field, $raw.$other) = $set
    };
}

/// Converts an argument for C, or a result of C.
pub(crate) trait Pass<To> {
    fn pass(self) -> To;
}

/// Implements conversions of a value from one type to another.
macro_rules! pass {
    ($($(<$T:ident $(: $bound:ident)?>)? $value:ident: $from:ty => $to:ty { $result:expr })*) => {$(
        impl $(<$T $(: $bound)?>)? $crate::pass::Pass<$to> for $from {
            fn pass(self) -> $to {
                let $value = self;
                $result
            }
        }
    )*};
}
pass! {
    <T> same: T => T { same }
    // A number too great for i64 becomes i64::MAX, which the library refuses.
    number: usize => i64 { i64::try_from(number).unwrap_or(i64::MAX) }
    // The library never returns a negative number of elements.
    number: i64 => usize { usize::try_from(number).unwrap_or(0) }
    number: i64 => Option<usize> { usize::try_from(number).ok() }
    flag: bool => i32 { flag.into() }
    flag: i32 => bool { flag != 0 }
    <T> one: &T => *const T { one }
    <T> one: &mut T => *mut T { one }
    <T> array: &[T] => *const T { array.as_ptr() }
    <T> array: &mut [T] => *mut T { array.as_mut_ptr() }
    <T> array: &Vec<T> => *const T { array.as_ptr() }
    <T> array: &mut Vec<T> => *mut T { array.as_mut_ptr() }
    <T> array: Option<&[T]> => *const T { array.map_or(std::ptr::null(), <[T]>::as_ptr) }
}

/// Converts a number of elements for C.
pub(crate) fn size(number: usize) -> i64 {
    number.pass()
}

/// Converts a number of elements from C.
pub(crate) fn count(number: i64) -> usize {
    number.pass()
}

/// Converts a number that must be above 0 to C, where 0 stands for the default: 0 becomes -1, which
/// the library refuses.
pub(crate) fn positive(number: usize) -> i64 {
    if number == 0 {
        -1
    } else {
        size(number)
    }
}

/// Converts a time limit to C, where 0 stands for the default and -1 for no time at all.
pub(crate) fn seconds(limit: Option<Duration>) -> f64 {
    match limit {
        None => f64::INFINITY,
        Some(limit) if limit == Duration::ZERO => -1.0,
        Some(limit) => limit.as_secs_f64(),
    }
}

/// Converts a label, value, state or token for C. name: the name of the argument in the error
/// message. Errors: OutOfRange (above i32::MAX).
pub(crate) fn index(name: &str, number: usize) -> Result<i32> {
    i32::try_from(number).map_err(|_| {
        Error::new(
            Status::OutOfRange,
            format!("{name} is {number}; it must be at most {}", i32::MAX),
        )
    })
}

/// Converts a label, value, state or token for C as [`index`] does; None becomes -1.
pub(crate) fn index_or_none(name: &str, number: Option<usize>) -> Result<i32> {
    number.map_or(Ok(-1), |number| index(name, number))
}

/// Converts each entry of a list to a number for C.
pub(crate) fn numbers<T: Copy>(list: &[T], number: impl Fn(T) -> Result<i32>) -> Result<Vec<i32>> {
    let mut numbers = filled(list.len(), 0)?;
    for (to, &from) in numbers.iter_mut().zip(list) {
        *to = number(from)?;
    }
    Ok(numbers)
}

/// Returns the address of an array for C, or NULL for None. Errors: Shape (the length is not
/// `expected`).
pub(crate) fn lent<'a, T: 'a>(
    name: &str,
    array: impl Into<Option<&'a [T]>>,
    expected: usize,
) -> Result<*const T> {
    let array = array.into();
    match array {
        Some(array) if array.len() != expected => Err(Error::shape(format!(
            "{name} has {} entries; it must have {expected}",
            array.len()
        ))),
        _ => Ok(array.pass()),
    }
}

/// Returns the address and the length of an array for C.
pub(crate) fn lent_all<T>(array: &[T]) -> (*const T, i64) {
    (array.pass(), size(array.len()))
}

/// Returns the address and the length of an array for C, as [`lent_all`] does, but NULL if it is empty.
pub(crate) fn lent_or_none<T>(array: &[T]) -> (*const T, i64) {
    match array {
        [] => (std::ptr::null(), 0),
        array => lent_all(array),
    }
}

/// Returns the address of offsets, which divide an array of `length` entries into parts. Errors: Shape:
/// there are no offsets, or one is beyond the end of the array, whose length the library does not
/// know. The library itself refuses negative and descending offsets before it reads the array. name,
/// array: what the error message calls the offsets and the array.
pub(crate) fn lent_offsets(
    name: &str,
    offsets: &[i64],
    array: &str,
    length: usize,
) -> Result<*const i64> {
    if offsets.is_empty() {
        return Err(Error::shape(format!(
            "{name} has 0 entries; it must have one more than there are parts"
        )));
    }
    match offsets.iter().position(|&offset| offset > size(length)) {
        Some(at) => Err(Error::shape(format!(
            "{name}[{at}] is {}; it must be at most {length}, the length of {array}",
            offsets[at]
        ))),
        None => Ok(offsets.as_ptr()),
    }
}

/// Returns the entries that `write` stores in a buffer, zeros where it stores none. `write` receives
/// the address and length of a buffer, where to write the length that it needs, and where to write an
/// error. It is called twice: first with NULL and 0, to learn this length, then with a buffer of this
/// length. Errors: OutOfMemory, those of `write`.
pub(crate) fn written<T: Copy, N: Copy + Default + TryFrom<usize> + TryInto<usize>>(
    write: impl Fn(*mut T, N, *mut N, *mut c::chorale_error) -> c::chorale_status,
) -> Result<Vec<T>> {
    let mut needed = N::default();
    call(|error| write(std::ptr::null_mut(), needed, &mut needed, error))?;
    // All-zero bytes are valid for all that the library writes: numbers, and structs of numbers.
    let zero = unsafe { std::mem::zeroed() };
    let mut entries = filled(needed.try_into().unwrap_or(0), zero)?;
    let capacity = N::try_from(entries.len()).unwrap_or_default();
    call(|error| write(entries.as_mut_ptr(), capacity, &mut needed, error))?;
    Ok(entries)
}

/// Returns the structs that `write` stores in a buffer, as [`written`] does, each converted. `write`
/// also receives the size of a struct.
pub(crate) fn listed<T: Copy + Pass<U>, U>(
    write: impl Fn(*mut T, usize, i64, *mut i64, *mut c::chorale_error) -> c::chorale_status,
) -> Result<Vec<U>> {
    let bytes = std::mem::size_of::<T>();
    let all = written(|to, capacity, needed, error| write(to, bytes, capacity, needed, error))?;
    Ok(all.into_iter().map(Pass::pass).collect())
}
