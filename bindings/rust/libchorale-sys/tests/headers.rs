//! Checks that the declarations in Rust agree with the C headers: they are turned back into C, and
//! a C compiler compares them with the headers. The tests in src/bindings.rs check the layouts in
//! Rust.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const INCLUDE: &str = env!("CHORALE_SYS_INCLUDE");

/// Returns the declarations without documentation, with every run of white space replaced by one
/// blank.
fn bindings() -> String {
    let lines = include_str!("../src/bindings.rs").lines();
    let code = lines.filter(|line| !line.trim_start().starts_with("#[doc = "));
    code.flat_map(str::split_whitespace)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns, for each `open` in the text, the part between this `open` and the next `close`.
fn between<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(open)
        .skip(1)
        .filter_map(move |rest| rest.split(close).next())
}

/// Splits a list at its commas, except at commas inside brackets.
fn arguments(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut arguments = Vec::new();
    let mut begin = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '<' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            ',' if depth == 0 => {
                arguments.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    arguments.push(text[begin..].trim());
    arguments.retain(|argument| !argument.is_empty());
    arguments
}

/// Returns the C declaration of `name` with the Rust type `rust`. constant: whether the declared
/// object is const.
fn declare(rust: &str, constant: bool, name: &str) -> String {
    let rust = rust.trim();
    let own = if constant { "const " } else { "" };
    if let Some(target) = rust.strip_prefix("*const ") {
        return declare(target, true, &format!("*{own}{name}"));
    }
    if let Some(target) = rust.strip_prefix("*mut ") {
        return declare(target, false, &format!("*{own}{name}"));
    }
    if let Some(array) = rust.strip_prefix('[') {
        let (item, length) = array
            .trim_end_matches(']')
            .split_once(';')
            .expect("an array");
        let length = length.trim().trim_end_matches("usize");
        return declare(item, constant, &format!("{name}[{length}]"));
    }
    if let Some(function) = rust.strip_prefix("::std::option::Option<") {
        let function = function.trim().trim_end_matches(['>', ',', ' ']);
        let function = function
            .strip_prefix("unsafe extern \"C\" fn(")
            .expect("a function");
        return declare_function(function, &format!("(*{own}{name})"));
    }
    let base = match rust {
        "i32" => "int32_t",
        "i64" => "int64_t",
        "u8" => "uint8_t",
        "f64" => "double",
        "usize" => "size_t",
        "std::os::raw::c_void" => "void",
        "std::os::raw::c_char" => "char",
        other if other.starts_with("chorale_") => other,
        other => panic!("{other} is no type of the interface"),
    };
    format!("{base} {own}{name}")
}

/// Returns the C declaration of a function. rust: the Rust declaration after its opening bracket.
fn declare_function(rust: &str, name: &str) -> String {
    let end = rust.rfind(')').expect("a closing bracket");
    let result = rust[end + 1..].trim().trim_start_matches("->");
    let mut list = Vec::new();
    for argument in arguments(&rust[..end]) {
        let (name, of_type) = argument.split_once(':').expect("a typed argument");
        list.push(declare(of_type, false, name));
    }
    if list.is_empty() {
        list.push("void".into());
    }
    let name = format!("{name}({})", list.join(", "));
    if result.is_empty() {
        format!("void {name}")
    } else {
        declare(result, false, &name)
    }
}

fn functions(bindings: &str) -> BTreeSet<&str> {
    between(bindings, "pub fn ", "(").collect()
}

/// Returns the declarations as C statements. A statement that disagrees with the headers does not
/// compile.
fn in_c(bindings: &str) -> String {
    let mut c = String::from("#include <chorale/experimental.h>\n");
    for constant in between(bindings, "pub const ", ";") {
        let (name, value) = constant.split_once(": i32 = ").expect("an i32");
        writeln!(c, "_Static_assert({name} == {value}, \"\");").unwrap();
    }
    for alias in between(bindings, "pub type ", ";") {
        let (name, of_type) = alias.split_once(" = ").expect("an alias");
        writeln!(c, "typedef {};", declare(of_type, false, name)).unwrap();
    }
    for structure in between(bindings, "pub struct ", "}") {
        let (name, fields) = structure.split_once(" {").expect("fields");
        for field in arguments(fields) {
            let (field, of_type) = match field.strip_prefix("pub ") {
                Some(field) => field.split_once(':').expect("a typed field"),
                None => continue, // a private field, of an incomplete type
            };
            let of_type = declare(of_type, false, "");
            writeln!(
                c,
                "_Static_assert(__builtin_types_compatible_p(__typeof__((({name} *)0)->{field}), \
                 {of_type}), \"\");"
            )
            .unwrap();
        }
    }
    for layout in between(bindings, "assert_eq!(", ");") {
        let (number, about) = layout.rsplit_once("usize, \"").expect("a layout");
        let number = number.rsplit(' ').next().unwrap();
        let about = about.trim_end_matches(['"', ',', ' ']);
        let expression = if let Some(name) = about.strip_prefix("Size of ") {
            format!("sizeof({name})")
        } else if let Some(name) = about.strip_prefix("Alignment of ") {
            format!("_Alignof({name})")
        } else {
            let field = about.strip_prefix("Offset of field: ").expect("an offset");
            format!("offsetof({})", field.replace("::", ", "))
        };
        writeln!(c, "_Static_assert({expression} == {number}, \"{about}\");").unwrap();
    }
    for function in between(bindings, "pub fn ", ";") {
        let (name, rest) = function.split_once('(').expect("arguments");
        writeln!(c, "{};", declare_function(rest, name)).unwrap();
    }
    c
}

/// Compiles `c` with a C compiler. Returns the compiler's messages if it refuses.
fn compiles(c: &str, name: &str) -> Result<(), String> {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let source = directory.join(name);
    std::fs::write(&source, c).expect("a file in the target directory");
    let target = env!("CHORALE_SYS_TARGET");
    let compiler = cc::Build::new()
        .target(target)
        .host(target)
        .opt_level(0)
        .out_dir(&directory)
        .cargo_metadata(false)
        .get_compiler();
    let output = compiler
        .to_command()
        .args(["-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"])
        .arg("-I")
        .arg(INCLUDE)
        .arg(&source)
        .env_remove("LD_PRELOAD") // may name a sanitizer, for the library only
        .output()
        .expect("a C compiler");
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn declarations_are_those_of_the_headers() {
    let bindings = bindings();
    let c = in_c(&bindings);
    assert!(c.lines().count() > 700, "only {} lines", c.lines().count());
    if let Err(said) = compiles(&c, "declarations.c") {
        panic!("{said}");
    }
}

#[test]
fn a_difference_is_seen() {
    let bindings = bindings();
    for (given, changed) in [
        (
            "CHORALE_ERROR_SIZE: i32 = 20",
            "CHORALE_ERROR_SIZE: i32 = 21",
        ),
        (
            "members: i64, score: *mut f64",
            "members: i32, score: *mut f64",
        ),
        ("pub message: *const f64", "pub message: *mut f64"),
        ("pub fn chorale_abi() -> i32", "pub fn chorale_abi() -> i64"),
        (
            "8usize, \"Offset of field: chorale_error::message\"",
            "4usize, \"Offset of field: chorale_error::message\"",
        ),
    ] {
        assert!(bindings.contains(given), "{given}");
        let wrong = bindings.replacen(given, changed, 1);
        assert!(compiles(&in_c(&wrong), "wrong.c").is_err(), "{changed}");
    }
}

#[test]
fn nothing_of_the_headers_is_missing() {
    let bindings = bindings();
    let words: BTreeSet<&str> = bindings
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .collect();
    let mut missing = BTreeSet::new();
    for entry in std::fs::read_dir(Path::new(INCLUDE).join("chorale")).expect("the headers") {
        let path = entry.unwrap().path();
        if path.extension() != Some("h".as_ref()) {
            continue; // a clone has a README beside the headers
        }
        let text = std::fs::read_to_string(path).unwrap();
        let code: String = text
            .split("/*")
            .enumerate()
            .map(|(index, part)| match index {
                0 => part,
                _ => part.split_once("*/").map_or("", |(_, code)| code),
            })
            .collect();
        for word in code.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_') {
            let of_the_compiler = word.ends_with("_H")
                || word.ends_with("_DECLS")
                || matches!(word, "CHORALE_API" | "CHORALE_STATIC" | "CHORALE_BUILDING");
            let ours = word.starts_with("chorale_") || word.starts_with("CHORALE_");
            if ours && !of_the_compiler && !words.contains(word) {
                missing.insert(word.to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "not in the declarations: {missing:?}");
}

#[test]
fn functions_are_the_exported_symbols() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests");
    let list = |name| match std::fs::read_to_string(tests.join(name)) {
        Ok(symbols) => symbols,
        Err(_) => {
            println!("skipped: no {name} in {}", tests.display());
            String::new()
        }
    };
    let (stable, experimental) = (list("symbols.txt"), list("symbols_experimental.txt"));
    if stable.is_empty() || experimental.is_empty() {
        return;
    }
    let bindings = bindings();
    let declared = functions(&bindings);
    let gated: BTreeSet<&str> = between(
        &bindings,
        "#[cfg(feature = \"experimental\")] extern \"C\" { pub fn ",
        "(",
    )
    .collect();
    let symbols: BTreeSet<&str> = stable.lines().chain(experimental.lines()).collect();
    let difference: Vec<_> = symbols.symmetric_difference(&declared).collect();
    assert!(difference.is_empty(), "{difference:?}");
    assert_eq!(gated, experimental.lines().collect());
}

#[test]
fn the_library_is_that_of_the_declarations() {
    unsafe {
        assert_eq!(libchorale_sys::chorale_abi(), libchorale_sys::CHORALE_ABI);
        let version = std::ffi::CStr::from_ptr(libchorale_sys::chorale_version());
        let expected = format!(
            "{}.{}.{}",
            libchorale_sys::CHORALE_VERSION_MAJOR,
            libchorale_sys::CHORALE_VERSION_MINOR,
            libchorale_sys::CHORALE_VERSION_PATCH
        );
        assert_eq!(version.to_str(), Ok(&expected[..]));
        assert_eq!(expected, env!("CARGO_PKG_VERSION"));
    }
}

/// Returns the words of a comment, without the asterisks at the beginning of lines.
fn plain(text: &str) -> String {
    let words = text.split_whitespace();
    words
        .filter(|&word| word != "*")
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn documentation_is_that_of_the_headers() {
    let folder = Path::new(INCLUDE).join("chorale");
    let mut headers = String::new();
    for folder in [folder.clone(), folder.join("experimental")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().map_or(false, |name| name == "h") {
                headers += &plain(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let lines = include_str!("../src/bindings.rs").lines();
    let mut checked = 0;
    for line in lines.filter_map(|line| line.trim_start().strip_prefix("#[doc = \"")) {
        let text = line.strip_suffix("\"]").unwrap();
        let text = text.replace("\\n", "\n").replace("\\\"", "\"");
        let text = plain(&text.replace("\\\\", "\\"));
        assert!(headers.contains(&text), "run generate.sh: {text}");
        checked += 1;
    }
    assert!(checked > 300);
}
