//! Labels bibliographic references of one page so that they agree on the kind of field that follows
//! the title. Prints the labels of each reference, and if they changed, how much the clique's score
//! gained by the change.

use libchorale as ch;

fn main() -> ch::Result<()> {
    let names = [
        "B-Author", "I-Author", "B-Title", "I-Title", "B-Venue", "B-Year",
    ];
    let mask = ch::Mask::new(ch::Scheme::Bio, &names)?;
    let transitions = ch::Transitions::zeros::<f32>(names.len())
        .mask(&mask)
        .build()?;
    let kinds = ch::LabelMap::from_names(ch::Scheme::Bio, &names)?;
    // Kind 1 is the title. A title ends where a label of another kind, or an ignored label,
    // follows.
    let options = ch::PropertyOptions::new().rule(ch::SegmentRule::EndsAtIgnored);
    let after_title = ch::Property::next_label(&kinds, 1, &options)?;
    let agreement = ch::Potential::potts(kinds.kinds(), 0.2)?;

    // The scores of three references with four words each, by label. The words of a reference are
    // an author, two words of the title, and the first word of the venue. In the third reference,
    // the best label of the last word by its scores alone is B-Year.
    let page: [[[f32; 6]; 4]; 3] = [
        [
            [3.0, 0.0, 0.5, 0.0, 0.0, 0.0],
            [0.0, 0.2, 2.5, 0.0, 0.3, 0.0],
            [0.0, 0.0, 0.0, 2.0, 0.6, 0.0],
            [0.0, 0.0, 0.0, 0.4, 1.9, 0.8],
        ],
        [
            [2.8, 0.0, 0.4, 0.0, 0.0, 0.0],
            [0.0, 0.1, 2.2, 0.0, 0.4, 0.0],
            [0.0, 0.0, 0.0, 1.8, 0.5, 0.0],
            [0.0, 0.0, 0.0, 0.3, 2.1, 0.9],
        ],
        [
            [3.1, 0.0, 0.2, 0.0, 0.0, 0.0],
            [0.0, 0.3, 2.4, 0.0, 0.1, 0.0],
            [0.0, 0.0, 0.0, 1.7, 0.4, 0.0],
            [0.0, 0.0, 0.0, 0.2, 1.0, 1.2],
        ],
    ];
    let mut builder = ch::ModelBuilder::new()?;
    let clique = builder
        .add_cliques(&ch::CliqueSetup::property(&after_title, &agreement), 1)?
        .start;
    for unary in &page {
        let chain = ch::Chain::new(unary)?.transitions(&transitions);
        let chain = builder.add_chain(&chain, None, 0)?;
        builder.add_members(clique, &ch::Members::new(&[chain as i64]).positions(&[-1]))?;
    }
    let model = builder.freeze()?;

    let mut run = ch::Run::new(&model, ch::RunOptions::new().threads(2).bound_steps(100))?;
    let result = run.solve()?;
    for reference in 0..page.len() {
        let labels = run.labels(reference, ch::Labelling::Together)?;
        let labels: Vec<_> = labels.iter().map(|&label| names[label as usize]).collect();
        println!("{reference}: {}", labels.join(" "));
        for reason in run.reasons(reference)? {
            println!(
                "   clique {} gains {:.2} by it",
                reason.clique, reason.amount
            );
        }
    }
    println!(
        "score {:.3}, at most {:.3}",
        result.score, result.upper_bound
    );
    Ok(())
}
