//! This crate uses every stable function of the library.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_symbol_is_used() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lists = here.join("../../../tests");
    let read = |name| std::fs::read_to_string(lists.join(name));
    let stable = match read("symbols.txt") {
        Ok(stable) => stable,
        Err(_) => {
            println!("skipped: no list in {}", lists.display());
            return;
        }
    };
    let symbols: Vec<&str> = stable.lines().collect();
    let mut words = BTreeSet::new();
    for entry in std::fs::read_dir(here.join("src")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        // Comments are left out.
        for code in text
            .lines()
            .map(|line| line.split("//").next().unwrap_or(""))
        {
            let letters = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
            words.extend(code.split(letters).map(String::from));
        }
    }
    let unused: Vec<&&str> = symbols
        .iter()
        .filter(|symbol| !words.contains(**symbol))
        .collect();
    assert!(unused.is_empty(), "not reached: {unused:?}");
    assert!(symbols.len() > 90);
    assert!(!words.contains("chorale_there_is_no_such_function"));
}
