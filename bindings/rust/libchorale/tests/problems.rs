//! Problem files that the tests of every language read: a run over each file gives the numbers in
//! the table tests/problems/expected.tsv, bit for bit.

use libchorale::{Labelling, Problem, Run, RunOptions, Shown, Status};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/problems")
}

fn list(numbers: &[i32]) -> String {
    let numbers: Vec<_> = numbers.iter().map(i32::to_string).collect();
    numbers.join(" ")
}

/// Solves a problem and returns its lines of the table.
fn lines(file: &str, problem: &Problem, options: RunOptions<'_>) -> Vec<String> {
    let model = problem.model();
    let mut run = Run::new(&model, options.bound_steps(8)).unwrap();
    let result = run.solve().unwrap();
    let mut lines = Vec::new();
    let mut tell = |what: &str, number: usize, content: String| {
        lines.push(format!("{file}\t{what}\t{number}\t{content}"));
    };
    let bits = |value: f64| format!("{:016x}", value.to_bits());
    tell("outcome", 0, result.outcome.number().to_string());
    tell("score", 0, bits(result.score));
    tell("own_score", 0, bits(result.own_score));
    tell("upper_bound", 0, bits(result.upper_bound));
    let all = run.all_labels(Labelling::Together).unwrap();
    let mut apart = Vec::new();
    let of = model.score(&all).unwrap();
    for chain in 0..model.chains() {
        let labels = run.labels(chain, Labelling::Together).unwrap();
        let own = run.labels(chain, Labelling::Alone).unwrap();
        tell("labels", chain, list(&labels));
        tell("own_labels", chain, list(&own));
        tell("chain_score", chain, bits(of.chain_scores[chain]));
        apart.extend(labels);
    }
    assert_eq!(apart, all);
    for clique in 0..model.cliques() {
        // The table has the numbers by which the C interface denotes values.
        let shown = run.shown(clique, Labelling::Together).unwrap();
        let values = model.clique_values(clique); // a centre always has a value
        let numbers = shown.iter().map(|shown| match *shown {
            Shown::Value(value) => value as i32,
            Shown::Empty => values as i32,
            Shown::Conflict => values as i32 + 1,
            Shown::Outside => -1,
            _ => unreachable!(),
        });
        let values: Vec<i32> = numbers.collect();
        tell("values", clique, list(&values));
        tell("clique_score", clique, bits(of.clique_scores[clique]));
    }
    lines
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

        // A problem read from the bytes that `write` returns gives the same lines.
        let copied = Problem::read(&problem.write().unwrap()).unwrap();
        assert_eq!(copied.write().unwrap(), std::fs::read(&path).unwrap());
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
    let missing = folder().join("there is no such file");
    assert_eq!(
        Problem::load(&missing).err().unwrap().status(),
        Status::InputOutput
    );
    let status = |bytes: &[u8]| Problem::read(bytes).err().unwrap().status();
    assert_eq!(status(b""), Status::FileTruncated);
    assert_eq!(status(&[7; 4096]), Status::FileFormat);
    let mut bytes = match std::fs::read(folder().join("model-01.chorale")) {
        Ok(bytes) => bytes,
        Err(_) => return,
    };
    let last = bytes.len() - 1;
    assert_eq!(status(&bytes[..last]), Status::FileTruncated);
    for at in (0..bytes.len()).step_by(7) {
        bytes[at] ^= 0x40;
        assert!(Problem::read(&bytes).is_err(), "byte {at}");
        bytes[at] ^= 0x40;
    }
}

/// A sparse file of a terabyte is refused because of its first bytes, before memory for the rest is
/// allocated.
#[test]
fn a_file_with_holes_is_refused_at_its_beginning() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("holes.chorale");
    let file = std::fs::File::create(&path).unwrap();
    if file.set_len(1 << 40).is_ok() {
        let refused = Problem::load(&path);
        assert_eq!(refused.err().unwrap().status(), Status::FileFormat);
    } else {
        println!("skipped: the file system makes no such file");
    }
    std::fs::remove_file(&path).unwrap();
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_to_its_end() {
    use std::io::Write;
    let source = folder().join("model-00.chorale");
    let bytes = match std::fs::read(&source) {
        Ok(bytes) => bytes,
        Err(_) => return println!("skipped: no {}", source.display()),
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pipe.chorale");
    let _ = std::fs::remove_file(&path);
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.map_or(false, |status| status.success()) {
        return println!("skipped: no mkfifo");
    }
    // Opened for reading and writing, so that the pipe has a writer before the library opens it.
    let both = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path);
    let mut writer = both.unwrap();
    let problem = std::thread::scope(|scope| {
        scope.spawn(|| writer.write_all(&bytes).unwrap());
        Problem::load(&path).unwrap()
    });
    std::fs::remove_file(&path).unwrap();
    assert_eq!(problem.write().unwrap(), bytes);
}
