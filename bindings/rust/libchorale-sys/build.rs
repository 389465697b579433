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
    #[cfg(feature = "vendored")]
    let include = build();
    #[cfg(not(feature = "vendored"))]
    let include = find();
    println!("cargo:include={}", include.display());
    // tests/headers.rs, which compares the declarations of this crate with the headers, reads this
    // variable and the next.
    println!("cargo:rustc-env=CHORALE_SYS_INCLUDE={}", include.display());
    let target = std::env::var("TARGET").expect("Cargo names the target");
    println!("cargo:rustc-env=CHORALE_SYS_TARGET={target}");
}

/// Finds an installed library by pkg-config and returns the directory of its headers. Only versions
/// 0.3.x fit, since before 1.0 each minor version may change the interface.
#[cfg(not(feature = "vendored"))]
fn find() -> PathBuf {
    let library = pkg_config::Config::new()
        .range_version("0.3.0".."0.4.0")
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
                "{error}\nlibchorale-sys: no installed Chorale 0.3 was found by pkg-config. Install it \
                 and name its lib/pkgconfig in PKG_CONFIG_PATH, or build it along with the feature \
                 `vendored`."
            );
            std::process::exit(1)
        }
    }
}

#[cfg(feature = "vendored")]
fn build() -> PathBuf {
    let (source, folders) = sources();
    // `cargo build -vv` shows this line, which tells why the build takes so long.
    eprintln!("libchorale-sys: compiling one source of C++, for a minute and a half of one core");
    // The library is optimised even in a debug build of this crate. Optimisation does not change
    // its results, and users of this crate do not debug the library.
    cc::Build::new()
        .cpp(true)
        .file(source)
        .includes(&folders)
        .define("CHORALE_STATIC", None)
        .flag("-std=c++20")
        .flag_if_supported("-ffp-contract=off")
        .opt_level(3)
        .debug(false)
        .warnings(false)
        .compile("chorale");
    folders[0].clone()
}

/// Returns the source that holds or includes all of the library, and the folders of what it includes,
/// first that of the headers.
#[cfg(feature = "vendored")]
fn sources() -> (PathBuf, Vec<PathBuf>) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A published package has the library as two files.
    let vendor = here.join("vendor");
    if vendor.exists() {
        let include = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo names a folder"));
        std::fs::create_dir_all(include.join("chorale")).expect("OUT_DIR is ours");
        for header in ["chorale.h", "experimental.h"] {
            std::fs::copy(vendor.join(header), include.join("chorale").join(header))
                .expect("the headers are beside chorale.cpp");
        }
        watch(&vendor);
        return (vendor.join("chorale.cpp"), vec![include]);
    }
    // A clone has the sources themselves.
    let root = here.join("../../..");
    let root = root.canonicalize().expect("a crate in the repository");
    let folders = vec![root.join("include"), root.join("src")];
    folders.iter().for_each(|folder| watch(folder));
    (root.join("src/chorale.cpp"), folders)
}

/// Asks Cargo to run this script again when a file in a folder changes. The folder must exist: Cargo
/// takes one that does not for changed, at every build.
#[cfg(feature = "vendored")]
fn watch(folder: &Path) {
    println!("cargo:rerun-if-changed={}", folder.display());
}
