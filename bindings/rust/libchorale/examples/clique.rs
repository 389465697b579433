//! Labels eight mentions of one name together. Prints the best labels with a proof that they are
//! optimal, and the max-marginals.

use libchorale as ch;

fn main() -> ch::Result<()> {
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
    let options = ch::PotentialOptions::new().scale(ch::Scale::ByMembers);
    let agreement = ch::Potential::potts_with(3, 1.5, &options)?;
    let members = ch::CliqueProblem::new(&scores)?;
    let mut solver = ch::CliqueSolver::new()?;

    let proof = ch::CliqueOptions::new().gap(0.0);
    let solution = solver.solve(&agreement, &members, &proof)?;
    println!("{:?} {:.3}", solution.assignment, solution.result.score);
    println!(
        "by {}, at most {:.3}, proven: {}",
        solution.result.algorithm.name(),
        solution.result.upper_bound,
        solution.result.proven
    );

    let found = solver.max_marginals(&agreement, &members, &ch::CliqueOptions::new())?;
    for member in 0..scores.len() {
        print!("mention {member}:");
        for (value, name) in names.iter().enumerate() {
            print!(" {name} {:.3}", found.marginals.get(member, value).unwrap());
        }
        println!();
    }
    Ok(())
}
