//! This crate uses every exported symbol of the library, but for calls that only C programs need.

use std::collections::BTreeSet;
use std::path::Path;

/// Memory of the caller's own, what is computed of it, and runs step by step.
const LEFT_OUT: [&str; 12] = [
    "chorale_chain_solver_bytes",
    "chorale_chain_solver_create_in",
    "chorale_clique_solver_bytes",
    "chorale_clique_solver_create_in",
    "chorale_clique_solver_reserve",
    "chorale_message_bytes",
    "chorale_message_reserve",
    "chorale_model_score_bytes",
    "chorale_run_bound",
    "chorale_run_estimate",
    "chorale_run_local_search",
    "chorale_run_step",
];

#[test]
fn every_symbol_is_used() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lists = here.join("../../../tests");
    let read = |name| std::fs::read_to_string(lists.join(name));
    let (stable, experimental) = match (read("symbols.txt"), read("symbols_experimental.txt")) {
        (Ok(stable), Ok(experimental)) => (stable, experimental),
        _ => {
            println!("skipped: no lists in {}", lists.display());
            return;
        }
    };
    let symbols: Vec<&str> = stable.lines().chain(experimental.lines()).collect();
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
        .filter(|symbol| !words.contains(**symbol) && !LEFT_OUT.contains(symbol))
        .collect();
    assert!(unused.is_empty(), "not reached: {unused:?}");
    assert!(symbols.len() > 150);
    assert!(!words.contains("chorale_there_is_no_such_function"));
}
