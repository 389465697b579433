//! The problem files that every language reads give the bits that the table says.

use chorale::{AlignedBytes, Labelling, Problem, Run, RunOptions, Work};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/problems")
}

fn list(numbers: &[i32]) -> String {
    let numbers: Vec<_> = numbers.iter().map(i32::to_string).collect();
    numbers.join(" ")
}

/// The lines of the table for one problem.
fn lines(file: &str, problem: &Problem<'_>, options: RunOptions<'_>) -> Vec<String> {
    let model = problem.model();
    let mut run = Run::new(&model, options.bound_steps(8)).unwrap();
    let result = run.solve().unwrap();
    let mut lines = Vec::new();
    let mut tell = |what: &str, number: usize, content: String| {
        lines.push(format!("{file}\t{what}\t{number}\t{content}"));
    };
    let bits = |value: f64| format!("{:016x}", value.to_bits());
    tell("outcome", 0, result.outcome.raw().to_string());
    tell("score", 0, bits(result.score));
    tell("own_score", 0, bits(result.own_score));
    tell("upper_bound", 0, bits(result.upper_bound));
    let mut all = Vec::new();
    for chain in 0..model.chains() {
        let labels = run.labels(chain, Labelling::Best).unwrap();
        let own = run.labels(chain, Labelling::Own).unwrap();
        let (score, changed) = run.chain_score(chain, Labelling::Best).unwrap();
        assert_eq!(changed, labels != own);
        tell("labels", chain, list(&labels));
        tell("own_labels", chain, list(&own));
        tell("chain_score", chain, bits(score));
        all.extend(labels);
    }
    assert_eq!(run.all_labels(Labelling::Best).unwrap(), all);
    for clique in 0..model.cliques() {
        let values = run.values(clique, Labelling::Best).unwrap();
        let score = run.clique_score(clique, Labelling::Best).unwrap();
        tell("values", clique, list(&values));
        tell("clique_score", clique, bits(score));
    }
    lines
}

fn participate_by_two(work: &Work<'_>) {
    std::thread::scope(|scope| {
        scope.spawn(|| work.participate());
        work.participate();
    });
}

#[test]
fn files_give_the_same_bits() {
    let table = match std::fs::read_to_string(folder().join("expected.tsv")) {
        Ok(table) => table,
        Err(_) => {
            println!("skipped: no {}", folder().display());
            return;
        }
    };
    let expected: Vec<&str> = table.lines().skip(1).collect();
    let files: BTreeSet<&str> = expected
        .iter()
        .map(|line| line.split('\t').next().unwrap())
        .collect();
    assert!(files.len() >= 10);
    let mut found = Vec::new();
    for file in files {
        let path = folder().join(file);
        let problem = Problem::load(&path).unwrap();
        let once = lines(file, &problem, RunOptions::new());
        assert_eq!(once, lines(file, &problem, RunOptions::new().threads(3)));
        let shared = RunOptions::new().executor(2, participate_by_two);
        assert_eq!(once, lines(file, &problem, shared));

        // However the bytes come, and once more after a round trip.
        let bytes = AlignedBytes::from(&std::fs::read(&path).unwrap()[..]);
        let borrowed = Problem::read_borrowed(&bytes).unwrap();
        assert_eq!(once, lines(file, &borrowed, RunOptions::new()));
        let mapped = unsafe { Problem::load_mapped(&path) }.unwrap();
        assert_eq!(once, lines(file, &mapped, RunOptions::new()));
        let copied = Problem::read(&problem.write().unwrap()).unwrap();
        assert_eq!(copied.write().unwrap(), bytes[..]);
        assert_eq!(once, lines(file, &copied, RunOptions::new()));
        found.extend(once);
    }
    assert_eq!(found, expected);
}

#[test]
fn a_model_outlives_its_problem() {
    let path = folder().join("model-00.chorale");
    if !path.exists() {
        println!("skipped: no {}", path.display());
        return;
    }
    let model = Problem::load(&path).unwrap().model();
    let mut run = Run::new(&model, RunOptions::new()).unwrap();
    drop(model);
    run.solve().unwrap();
    assert!(run.result().unwrap().score.is_finite());
}

#[test]
fn files_that_are_not_there_or_none_are_refused() {
    use chorale::Status;
    let missing = folder().join("there is no such file");
    assert_eq!(
        Problem::load(&missing).err().unwrap().status(),
        Status::INPUT_OUTPUT
    );
    let mapped = unsafe { Problem::load_mapped(&missing) };
    assert_eq!(mapped.err().unwrap().status(), Status::INPUT_OUTPUT);
    let status = |bytes: &[u8]| Problem::read(bytes).err().unwrap().status();
    assert_eq!(status(b""), Status::FILE_TRUNCATED);
    assert_eq!(status(&[7; 4096]), Status::FILE_FORMAT);
    let mut bytes = match std::fs::read(folder().join("model-01.chorale")) {
        Ok(bytes) => bytes,
        Err(_) => return,
    };
    let last = bytes.len() - 1;
    assert_eq!(status(&bytes[..last]), Status::FILE_TRUNCATED);
    for at in (0..bytes.len()).step_by(7) {
        bytes[at] ^= 0x40;
        assert!(Problem::read(&bytes).is_err(), "byte {at}");
        bytes[at] ^= 0x40;
    }
    let unaligned = &AlignedBytes::from(&[&[0], &bytes[..]].concat()[..])[1..];
    let borrowed = Problem::read_borrowed(unaligned);
    assert_eq!(borrowed.err().unwrap().status(), Status::ALIGNMENT);
}
