//! Finds the installed library, or compiles it (feature `vendored`).

#[cfg(feature = "vendored")]
use std::path::Path;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // docs.rs has neither the library nor a compiler for C++20; documentation needs neither.
    if std::env::var_os("DOCS_RS").is_some() {
        return;
    }
    let include = if cfg!(feature = "vendored") {
        build()
    } else {
        find()
    };
    println!("cargo:include={}", include.display());
    // tests/headers.rs, which compares the declarations of this crate with the headers, reads this
    // variable and the next.
    println!("cargo:rustc-env=CHORALE_SYS_INCLUDE={}", include.display());
    let target = std::env::var("TARGET").expect("Cargo names the target");
    println!("cargo:rustc-env=CHORALE_SYS_TARGET={target}");
}

/// Finds an installed library by pkg-config and returns the directory of its headers. Only versions
/// 0.2.x fit, since before 1.0 each minor version may change the interface.
fn find() -> PathBuf {
    let library = pkg_config::Config::new()
        .range_version("0.2.0".."0.3.0")
        .print_system_cflags(true)
        .probe("chorale");
    match library {
        Ok(library) => library
            .include_paths
            .iter()
            .find(|path| path.join("chorale/chorale.h").exists())
            .cloned()
            .unwrap_or_else(|| PathBuf::from("/usr/include")),
        Err(error) => {
            eprintln!(
                "{error}\nlibchorale-sys: no installed Chorale 0.2 was found by pkg-config. Install it \
                 and name its lib/pkgconfig in PKG_CONFIG_PATH, or build it along with the feature \
                 `vendored`."
            );
            std::process::exit(1)
        }
    }
}

#[cfg(not(feature = "vendored"))]
fn build() -> PathBuf {
    unreachable!("the feature `vendored` is off")
}

#[cfg(feature = "vendored")]
fn build() -> PathBuf {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo names a folder"));
    let source = sources(&out);
    let include = out.join("include");
    std::fs::create_dir_all(include.join("chorale")).expect("OUT_DIR is ours");
    std::fs::copy(
        source.join("chorale.h"),
        include.join("chorale").join("chorale.h"),
    )
    .expect("chorale.h is beside chorale.cpp");
    // `cargo build -vv` shows this line, which tells why the build takes so long.
    eprintln!("libchorale-sys: compiling one source of C++, for a minute and a half of one core");
    // The library is optimised even in a debug build of this crate. Optimisation does not change
    // its results, and users of this crate do not debug the library.
    cc::Build::new()
        .cpp(true)
        .file(source.join("chorale.cpp"))
        .define("CHORALE_STATIC", None)
        .flag("-std=c++20")
        .flag_if_supported("-ffp-contract=off")
        .opt_level(3)
        .debug(false)
        .warnings(false)
        .compile("chorale");
    include
}

/// Returns the folder with chorale.h and chorale.cpp: `vendor` in a published package. In a clone
/// of the repository the two files are made from the sources and written to `out`.
#[cfg(feature = "vendored")]
fn sources(out: &Path) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let vendor = here.join("vendor");
    println!("cargo:rerun-if-changed={}", vendor.display());
    if vendor.join("chorale.cpp").exists() {
        return vendor;
    }
    let root = here.join("../../..");
    for part in ["src", "include"] {
        watch(&root.join(part));
    }
    let written = std::process::Command::new("python3")
        .arg(root.join("src/amalgamate.py"))
        .arg(out)
        .status();
    if !written.map_or(false, |status| status.success()) {
        eprintln!(
            "libchorale-sys: the library as two files could not be written from the repository; this \
             needs python3 and the headers of Microsoft GSL."
        );
        std::process::exit(1);
    }
    out.to_path_buf()
}

/// Asks Cargo to run this script again when a file below `path` changes. The files are listed one
/// by one, since Cargo does not follow symbolic links.
#[cfg(feature = "vendored")]
fn watch(path: &Path) {
    if let Ok(entries) = std::fs::read_dir(path) {
        for entry in entries.flatten() {
            watch(&entry.path());
        }
    } else {
        println!("cargo:rerun-if-changed={}", path.display());
    }
}
