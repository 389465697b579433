//! Eight mentions of one name, labelled together: best values, max-marginals, a proof.

use chorale::{CliqueOptions, CliqueSolver, MarginalForm, Potential, PotentialOptions, Scale};

fn main() -> chorale::Result<()> {
    let names = ["place", "person", "product"];
    let scores = [
        [2.1, 0.3, 0.1],
        [1.9, 0.2, 0.4],
        [0.7, 0.9, 0.2],
        [0.4, 1.1, 0.3],
        [1.2, 1.0, 0.9],
        [0.1, 0.2, 0.6],
        [1.5, 0.1, 0.0],
        [0.8, 0.9, 0.1],
    ];
    let options = PotentialOptions::new().scale(Scale::BY_MEMBERS);
    let agreement = Potential::potts_with(3, 1.5, &options)?;
    let mut solver = CliqueSolver::new()?;

    let proof = CliqueOptions::new().gap(0.0);
    let solution = solver.solve(&agreement, &scores, &proof)?;
    println!("{:?} {:.3}", solution.assignment, solution.result.score);
    println!(
        "by {}, at most {:.3}, proven: {}",
        solution.result.algorithm.name(),
        solution.result.upper_bound,
        solution.result.proven
    );

    let found = solver.max_marginals(
        &agreement,
        &scores,
        &CliqueOptions::new(),
        MarginalForm::SCORE,
    )?;
    for member in 0..scores.len() {
        print!("mention {member}:");
        for (value, name) in names.iter().enumerate() {
            print!(" {name} {:.3}", found.marginals.get(member, value).unwrap());
        }
        println!();
    }
    Ok(())
}
