//! Tables of mentions: a ledger is a table; lengths are checked; texts are spelt as in other languages.

use libchorale as ch;

const KEY: [i32; 5] = [0, 0, 0, 1, -1];
const LABEL: [i32; 5] = [0, 0, 1, 0, 1];
const CONFIDENCE: [f64; 5] = [0.6, 0.6, 0.95, 0.8, 0.8];
const TIMES: [i64; 5] = [1, 1, 1, 2, 1];
const EVIDENCE: ch::Evidence = ch::Evidence::new(4.0, 6.0, 0.0);

fn rows(from: usize, to: usize) -> ch::Mentions<'static> {
    ch::Mentions::new(2, 2, &KEY[from..to])
        .label(&LABEL[from..to])
        .confidence(&CONFIDENCE[from..to])
        .times(&TIMES[from..to])
}

#[test]
fn a_ledger_is_a_table() -> ch::Result<()> {
    let settled = ch::settle(&rows(0, 5), Some(&EVIDENCE))?;
    let first = settled.mentions[0];
    assert!(first.label == 1 && first.changed && first.probability > 0.8);
    assert_eq!(
        (first.others, first.agreeing_before, first.agreeing),
        (2, 1, 2)
    );
    assert!(settled.keys[0].label == 1 && settled.keys[0].expected > 0.0);

    let mut ledger = ch::Ledger::new(2, &EVIDENCE)?;
    for at in 0..5 {
        assert_eq!(ledger.add(&rows(at, at + 1))?.len(), 1);
    }
    let changes: Vec<_> = ledger
        .changes(true)?
        .iter()
        .map(|of| (of.row, of.label))
        .collect();
    assert_eq!(changes, [(0, 1), (1, 1)]);
    assert!(ledger.changes(false)?.is_empty());
    assert_eq!(ledger.keys()?, settled.keys);
    let labels: Vec<i32> = ledger.rows()?.iter().map(|row| row.label).collect();
    let expected: Vec<i32> = settled.mentions.iter().map(|of| of.label).collect();
    assert_eq!(labels, expected);
    let found = ch::settle(&rows(0, 5), None)?.evidence;
    assert_eq!(found.origin, ch::EvidenceOrigin::Estimated);
    assert_eq!(ledger.refit(None)?, found);
    Ok(())
}

#[test]
fn what_is_wrong_is_named() {
    let short = rows(0, 5).confidence(&CONFIDENCE[1..]);
    let error = ch::settle(&short, None).unwrap_err();
    assert_eq!(error.status(), ch::Status::Shape);
    let wrong = ch::Mentions::new(1, 2, &KEY).label(&LABEL);
    let error = ch::settle(&wrong, None).unwrap_err();
    assert!(error.status() == ch::Status::OutOfRange && error.message().starts_with("key[3] is 1"));
    let error = ch::settle(&ch::Mentions::new(2, 2, &KEY), None).unwrap_err();
    assert_eq!(error.status(), ch::Status::NullArgument);
    assert!(error.message().starts_with("label is missing"), "{error}");
    let mut ledger = ch::Ledger::new(3, &EVIDENCE).unwrap();
    assert_eq!(
        ledger.add(&rows(0, 1)).unwrap_err().status(),
        ch::Status::LabelsMismatch
    );
}

/// Returns the strings of a line of JSON, with escapes resolved.
fn strings(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, &mut open) {
            ('"', Some(_)) => found.extend(open.take()),
            ('"', None) => open = Some(String::new()),
            ('\\', Some(text)) => text.push(match letters.next().unwrap() {
                't' => '\t',
                'n' => '\n',
                other => other,
            }),
            (_, Some(text)) => text.push(letter),
            _ => {}
        }
    }
    found
}

#[test]
fn texts_are_spelt_as_in_every_other_language() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/cases/spelling.json"
    );
    let Ok(cases) = std::fs::read_to_string(path) else {
        println!("skipped: no {path}");
        return;
    };
    let mut tried = 0;
    for line in cases
        .lines()
        .filter(|line| line.contains("rules") && !line.contains("unicode"))
    {
        let words = strings(line);
        let end = words.iter().position(|word| word == "input").unwrap();
        let rules: Vec<_> = words[1..end]
            .iter()
            .map(|name| match name.as_str() {
                "case" => ch::SpellingRule::Case,
                "punctuation" => ch::SpellingRule::Punctuation,
                _ => ch::SpellingRule::Space,
            })
            .collect();
        assert_eq!(ch::spell(&words[end + 1], &rules), words[end + 3], "{line}");
        tried += 1;
    }
    assert!(tried > 20);
}
