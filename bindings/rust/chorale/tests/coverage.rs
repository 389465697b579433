//! Every exported symbol of the library is used by this crate: there are no exceptions.

use std::collections::BTreeSet;
use std::path::Path;

/// The words of the sources, comments left out.
fn words() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines() {
            let code = line.split("//").next().unwrap();
            let letters = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
            words.extend(code.split(letters).map(str::to_owned));
        }
    }
    words
}

#[test]
fn every_symbol_is_used() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/symbols.txt");
    let symbols = match std::fs::read_to_string(&list) {
        Ok(symbols) => symbols,
        Err(_) => {
            println!("skipped: no {}", list.display());
            return;
        }
    };
    let words = words();
    let unused: Vec<&str> = symbols
        .lines()
        .filter(|&symbol| !words.contains(symbol))
        .collect();
    assert!(unused.is_empty(), "not reached: {unused:?}");
    assert!(symbols.lines().count() > 150);
    assert!(!words.contains("chorale_there_is_no_such_function"));
}
