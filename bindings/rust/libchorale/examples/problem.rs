//! Writes a problem file, reads it again and labels the problem. With a path as its argument, it
//! reads and labels the problem file at this path instead.

use libchorale as ch;

/// Writes a problem: two sentences that contain the same name, with texts and gold labels.
fn write(path: &std::path::Path) -> ch::Result<()> {
    let mut builder = ch::ModelBuilder::new()?;
    builder.add_chain(
        &ch::Chain::new(&[[1.0, 0.1], [0.2, 2.0]])?,
        Some(&[0, 1]),
        0,
    )?;
    builder.add_chain(
        &ch::Chain::new(&[[1.0, 0.2], [0.8, 0.7]])?,
        Some(&[2, 1]),
        0,
    )?;
    let agreement = ch::Potential::potts(2, 0.25)?;
    let setup = ch::CliqueSetup::positions(2, &agreement);
    let clique = builder.add_cliques(&setup, 1)?.start;
    builder.add_members(clique, &ch::Members::new(&[0, 1]).positions(&[1, 1]))?; // "Padua"
    let mut problem = ch::Problem::new(&builder.freeze()?)?;
    problem.set_texts(ch::TextList::Labels, &["other", "name"])?;
    problem.set_texts(ch::TextList::Tokens, &["in", "Padua", "near"])?;
    problem.set_texts(ch::TextList::Words, &["In", "Padua", "near", "Padua"])?;
    problem.set_gold(Some(&[0, 1, 0, 1]))?;
    problem.save(path)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = match std::env::args_os().nth(1) {
        Some(path) => path.into(),
        None => {
            let name = format!("chorale-example-{}.chorale", std::process::id());
            let path = std::env::temp_dir().join(name);
            write(&path)?;
            path
        }
    };
    let problem = ch::Problem::load(&path)?;
    let model = problem.model();
    let mut run = ch::Run::new(&model, ch::RunOptions::new())?;
    let result = run.solve()?;
    let mut position = 0;
    for chain in 0..model.chains() {
        for label in run.labels(chain, ch::Labelling::Together)? {
            let word = problem.text(ch::TextList::Words, position).unwrap_or("?");
            let name = problem
                .text(ch::TextList::Labels, label as usize)
                .unwrap_or("?");
            print!("{word}/{name} ");
            position += 1;
        }
        println!();
    }
    println!(
        "score {:.2}, {} chains changed",
        result.score, result.changed_chains
    );
    if std::env::args_os().nth(1).is_none() {
        std::fs::remove_file(&path)?;
    }
    Ok(())
}
