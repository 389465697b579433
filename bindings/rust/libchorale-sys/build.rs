//! Finds the library, or builds it (feature `vendored`).

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A documentation host has neither the library nor what builds it; documentation links nothing.
    if std::env::var_os("DOCS_RS").is_some() {
        return;
    }
    let include = if cfg!(feature = "vendored") {
        build()
    } else {
        find()
    };
    println!("cargo:include={}", include.display());
    // For the test that compares the declarations with the headers.
    println!("cargo:rustc-env=CHORALE_SYS_INCLUDE={}", include.display());
    let target = std::env::var("TARGET").expect("Cargo names the target");
    println!("cargo:rustc-env=CHORALE_SYS_TARGET={target}");
}

/// Looks for an installed library. Before 1.0 a minor version may change the interface.
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
    // `vendor` holds links to the sources in the repository, and copies of them in a package.
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("vendor");
    for part in ["CMakeLists.txt", "src", "include"] {
        watch(&source.join(part));
    }
    // Optimised whatever the profile: it is the same bits, and nobody debugs it from here.
    let mut config = cmake::Config::new(&source);
    // What CMake would take unasked is not on every machine that has CMake.
    if !has("make") && has("ninja") {
        config.generator("Ninja");
    }
    let built = config
        .profile("Release")
        .define("CHORALE_BUILD_TESTS", "OFF")
        .define("CHORALE_BUILD_EXAMPLES", "OFF")
        .build_target("chorale_static")
        .build();
    println!(
        "cargo:rustc-link-search=native={}",
        built.join("build/src").display()
    );
    println!("cargo:rustc-link-lib=static=chorale");
    let apple = std::env::var("CARGO_CFG_TARGET_VENDOR").map_or(false, |vendor| vendor == "apple");
    println!(
        "cargo:rustc-link-lib={}",
        if apple { "c++" } else { "stdc++" }
    );
    source.join("include")
}

#[cfg(feature = "vendored")]
fn has(program: &str) -> bool {
    std::process::Command::new(program)
        .arg("--version")
        .output()
        .map_or(false, |run| run.status.success())
}

/// Asks Cargo to run this again when a file below `path` changes: it does not follow links itself.
#[cfg_attr(not(feature = "vendored"), allow(dead_code))]
fn watch(path: &Path) {
    if let Ok(entries) = std::fs::read_dir(path) {
        for entry in entries.flatten() {
            watch(&entry.path());
        }
    } else {
        println!("cargo:rerun-if-changed={}", path.display());
    }
}
