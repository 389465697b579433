//! This crate uses every exported symbol of the library, and C names occur only in src/c.rs.

use std::collections::BTreeSet;
use std::path::Path;

/// Returns the words of a source file without its comments.
fn words(text: &str) -> BTreeSet<&str> {
    let letters = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .flat_map(|code| code.split(letters))
        .collect()
}

#[test]
fn names_of_c_stand_in_one_file() {
    let layer = words(include_str!("../src/c.rs"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut of_c = words(&text);
        of_c.retain(|word| word.to_lowercase().starts_with("chorale_") && layer.contains(word));
        let is_layer = path.file_name().unwrap() == "c.rs";
        assert!(of_c.is_empty() != is_layer, "{}: {of_c:?}", path.display());
        files += 1;
    }
    assert!(files > 20);
}

#[test]
fn every_symbol_is_used() {
    let lists = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests");
    let read = |name| std::fs::read_to_string(lists.join(name));
    let (stable, experimental) = match (read("symbols.txt"), read("symbols_experimental.txt")) {
        (Ok(stable), Ok(experimental)) => (stable, experimental),
        _ => {
            println!("skipped: no lists in {}", lists.display());
            return;
        }
    };
    let symbols: Vec<&str> = stable.lines().chain(experimental.lines()).collect();
    // Every symbol must occur in c.rs. If no other file uses the symbol, the compiler warns of an
    // unused import.
    let layer = include_str!("../src/c.rs");
    let words = words(layer);
    let unused: Vec<&&str> = symbols
        .iter()
        .filter(|&&symbol| !words.contains(symbol))
        .collect();
    assert!(unused.is_empty(), "not reached: {unused:?}");
    assert!(symbols.len() > 150);
    assert!(!words.contains("chorale_there_is_no_such_function"));
}
