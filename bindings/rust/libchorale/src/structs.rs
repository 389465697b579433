// Made by bindings/mirror.py from include/chorale: do not edit.

filled! {
    /// The outcome of a call on a run and what was found so far. phi_i is the score of chain i, C_p
    /// that of clique p; the *own* labelling is that of each chain without its cliques.
    RunResult = chorale_run_result {
        /// How the call ended.
        outcome: Outcome,
        /// upper_bound - score \<= 1e-9 |score|, or within rounding: at most 1e-12 (sum_i |phi_i| +
        /// sum_p |C_p|).
        proven: bool,
        /// Number of rounds done so far, without the start.
        rounds: usize,
        /// Number of rounds done when the best labelling last changed, in whole or in part; 0 if
        /// the local search of the own labelling changed it last.
        best_round: usize,
        /// Equation 1 of the best labelling: chain_score + clique_score; minus infinity if a clique
        /// forbids it or there is none.
        score: f64,
        /// Sum of phi_i over the chains. The chains are added in their order, in blocks of 1024;
        /// then the sums of the blocks are added.
        chain_score: f64,
        /// Sum of C_p over the cliques, added in blocks in the same way.
        clique_score: f64,
        /// Equation 1 of the own labelling, without rules: with them it may be above `score`.
        own_score: f64,
        /// The greatest equation 1 of the labelling of a single round. The best labelling may score
        /// more: it takes each set of connected chains from the round in which this set scored
        /// most.
        rounds_score: f64,
        /// Equation 1 after the local search from the best labelling of the rounds.
        local_search_score: f64,
        /// The same from the own labelling.
        local_search_own_score: f64,
        /// On equation 1; plus infinity where none was computed.
        upper_bound: f64,
        /// upper_bound - score.
        gap: f64,
        /// Number of chains whose labels differ from their own.
        changed_chains: usize,
        /// Number of messages of cliques to members that changed in the last round.
        messages_changed: usize,
        /// How often a chain computed messages or was decoded, in all rounds.
        chain_updates: usize,
        /// How often a clique computed messages, in all rounds.
        clique_updates: usize,
        /// Number of chains that are left out, since they have no labelling. Scores and bound are
        /// those of all other chains.
        left_out: usize,
    }
}

filled! {
    /// A chain that is left out, since every labelling of it is forbidden. Its labels are -1, or
    /// those that it has by itself where the obstacle is undecided, and it counts for nothing in
    /// the cliques.
    LeftOut = chorale_left_out {
        /// Number of the chain.
        chain: usize,
        /// Of the obstacle; None if it is a clique or not known.
        position: Option<usize>,
        /// What forbids its labellings.
        obstacle: Obstacle,
        /// With [`Obstacle::Cliques`]: the first clique such that it and the chain's cliques before
        /// it, in the order of their positions, suffice; with [`Obstacle::Undecided`]: a clique
        /// that allows no labelling met; otherwise None.
        clique: Option<usize>,
    }
}

filled! {
    /// One reason why a chain's labels differ from its own labelling: a clique in which one of its
    /// positions, or the whole chain, has another value than under the own labelling.
    Reason = chorale_reason {
        /// Index of the agreement that was passed to chorale_decode; None in reasons of a run.
        agreement: Option<usize>,
        /// Number of the clique in the model.
        clique: usize,
        /// Number of the chain.
        chain: usize,
        /// Within the chain; None: the whole chain or instance.
        position: Option<usize>,
        /// All other members. Evidence for `value`: counts of the other members of the clique,
        /// without its centre; with weights, sums of their weights. "`agreeing_before` of `others`
        /// others had this value, `agreeing` of `others` have it now." All three are 0 for a
        /// centre.
        others: usize,
        /// Those whose value is `value` under [`Labelling::Alone`]: as the scores of their own
        /// chains say.
        agreeing_before: usize,
        /// Those whose value is `value` under [`Labelling::Together`].
        agreeing: usize,
        /// Value under [`Labelling::Alone`]: a label, or a value of the property.
        own_value: Shown,
        /// Value under [`Labelling::Together`].
        value: Shown,
        /// How much the clique's score would fall if this member alone had own_value, and every
        /// other member, even of the same chain, the value that it has now. Plus infinity if the
        /// clique forbids these values but not those now, minus infinity if it forbids only those
        /// now, 0 if it forbids both. Where it is 0 or less, the clique does not explain the
        /// change.
        amount: f64,
        /// Index of the member in the clique.
        member: usize,
    }
}

filled! {
    /// A chain to which rules were added, since a labelling of it broke them. Provisional: it may
    /// change until version 1.0.
    RuledChain = chorale_ruled_chain {
        /// Number of the chain.
        chain: usize,
        /// Other than [`RuleState::Kept`]: the chain has the labels of [`Labelling::Alone`].
        state: RuleState,
        /// What the rules cost the chain: the score phi of its labels of [`Labelling::Alone`],
        /// minus the greatest phi, less the prices of broken rules, of the labellings that keep the
        /// rules. Without agreements. Plus infinity if there is none.
        cost: f64,
        /// How much lower the cost may still be; 0: the cost is proven.
        gap: f64,
    }
}

filled! {
    /// One of the rules that exclude each other on a chain. Provisional: it may change until
    /// version 1.0.
    RuleConflict = chorale_rule_conflict {
        /// Number of the chain.
        chain: usize,
        /// Index of the rule.
        rule: usize,
        /// The kind a, for a rule with `each`.
        a: i32,
    }
}

filled! {
    /// Why rules change a label, as if there were no agreements. Provisional: it may change until
    /// version 1.0.
    RuleReason = chorale_rule_reason {
        /// Number of the chain.
        chain: usize,
        /// Within the chain.
        position: usize,
        /// Index of the rule.
        rule: usize,
        /// The kind a, for a rule with `each`.
        a: i32,
        /// Label of the position in [`Labelling::Alone`].
        own_label: i32,
        /// Label in the best labelling of the chain that keeps the rules.
        label: i32,
        /// How much better the chain's best labelling without this rule is, by the scores of the
        /// chain and the prices of its other rules. If no single rule makes the change: what all
        /// rules cost.
        cost: f64,
    }
}

filled! {
    /// Progress of a run, told after every round and every step of the bound.
    Progress = chorale_progress {
        /// 0: each chain was decoded without its cliques.
        round: usize,
        /// Number of messages of cliques to members that the round changed.
        messages_changed: usize,
        /// Equation 1 of the labelling of this round or step of the bound.
        score: f64,
        /// Score of the best labelling so far.
        best_score: f64,
        /// Plus infinity before one has been computed.
        upper_bound: f64,
    }
}

filled! {
    /// Progress of learning, told each time that a problem has been labelled. Provisional: it may
    /// change until version 1.0.
    LearnProgress = chorale_learn_progress {
        /// How often a problem was labelled so far.
        runs: usize,
        /// Upper bound on `runs`.
        runs_most: usize,
    }
}

filled! {
    /// The score of the best labelling of a chain, and how the call ended.
    ChainResult = chorale_chain_result {
        /// [`Outcome::Complete`] or [`Outcome::Infeasible`].
        outcome: Outcome,
        /// phi of the best labelling; minus infinity when infeasible.
        score: f64,
    }
}

filled! {
    /// What the solver of a clique found. F is the score of all members' values and of the clique,
    /// psi\[i\]\[v\] the score of value v for member i.
    CliqueResult = chorale_clique_result {
        /// How the call ended.
        outcome: Outcome,
        /// The algorithm used; [`Algorithm::Auto`] (0) only from chorale_clique_score.
        algorithm: Algorithm,
        /// upper_bound - score \<= 1e-9 |score|, or within the rounding that the option `gap`
        /// describes.
        proven: bool,
        /// The max-marginals are exact; 0: each is the score of some labelling, so a lower bound. 0
        /// after calls that compute none.
        marginals_exact: bool,
        /// member_score + clique_score.
        score: f64,
        /// sum_i psi\[i\]\[x_i\], added in the order of i.
        member_score: f64,
        /// C of the counts.
        clique_score: f64,
        /// Upper bound on max F; plus infinity if none was computed.
        upper_bound: f64,
        /// Total number of iterations, see `iteration_limit`.
        iterations: usize,
        /// COUNT_BOXES: number of nodes whose bound was computed.
        nodes: usize,
    }
}

filled! {
    /// The report. Everything is counted on held-out groups, at positions with known gold labels:
    /// for the tagger's own labels, for the control (bonuses alone), and for the labels that agree.
    /// Without gold labels, or if no strength was tried, figures that are unknown are 0.
    /// Provisional: it may change until version 1.0.
    LearntReport = chorale_learnt_report {
        /// [`Outcome::Complete`], [`Outcome::Deadline`], [`Outcome::Cancelled`].
        outcome: Outcome,
        /// Strengths are applied; 0: nothing is.
        applied: bool,
        /// Why strengths are applied, or why nothing is.
        verdict: Verdict,
        /// What is unusual about the problems.
        warnings: Warnings,
        /// Number of groups of chains.
        groups: usize,
        /// Number of positions with gold labels.
        positions: usize,
        /// Number of kinds of cliques.
        kinds: usize,
        /// How often a problem was labelled.
        runs: usize,
        /// What is minimised: errors, costs, or F * (gold + found) - 2 * right.
        tagger_cost: f64,
        /// Precision, recall and F1 only with `classes`; else 0.
        tagger_precision: f64,
        /// Micro recall of the tagger's own labels; 0 without `classes`.
        tagger_recall: f64,
        /// Micro F1 of the tagger's own labels; 0 without `classes`.
        tagger_f1: f64,
        /// Share of right labels: the tagger's own labels.
        tagger_accuracy: f64,
        /// Cost of the control, bonuses alone.
        control_cost: f64,
        /// Micro precision of the control, bonuses alone; 0 without `classes`.
        control_precision: f64,
        /// Micro recall of the control, bonuses alone; 0 without `classes`.
        control_recall: f64,
        /// Micro F1 of the control, bonuses alone; 0 without `classes`.
        control_f1: f64,
        /// Share of right labels: the control, bonuses alone.
        control_accuracy: f64,
        /// Cost of the labels that agree.
        agreeing_cost: f64,
        /// Micro precision of the labels that agree; 0 without `classes`.
        agreeing_precision: f64,
        /// Micro recall of the labels that agree; 0 without `classes`.
        agreeing_recall: f64,
        /// Micro F1 of the labels that agree; 0 without `classes`.
        agreeing_f1: f64,
        /// Share of right labels: the labels that agree.
        agreeing_accuracy: f64,
        /// Labels that agreement changed.
        changed: usize,
        /// Of these, those that were right before.
        changed_right_before: usize,
        /// Of these, those that are right now.
        changed_right_after: usize,
        /// p-value: do members agree beyond chance? Negative: nothing could be exchanged, or there
        /// was no gold.
        agreement_p: f64,
        /// p-value of tagger_cost - agreeing_cost; negative: unknown.
        gain_p: f64,
        /// `without_gold`: errors that the tagger expects among its labels.
        expected_errors: f64,
        /// For chorale_run_probabilities, at positions whose label is the tagger's; 0: unknown.
        temperature: f64,
        /// The same, at positions whose label agreement changed; 0: unknown.
        changed_temperature: f64,
    }
}

filled! {
    /// What was learnt for one kind of cliques: the strength s and the bonus b of s sum_v n_v^2 / n
    /// + b sum_v n_v, where n_v of n members have value v. Provisional: it may change until version
    /// 1.0.
    LearntKind = chorale_learnt_kind {
        /// Number of the kind.
        kind: i32,
        /// s sum_v D_cv n_v.
        uses_log_odds: bool,
        /// 0: no clique has this kind.
        cliques: usize,
        /// Number of members of all its cliques.
        members: usize,
        /// s as applied; 0 if nothing is.
        strength: f64,
        /// b as applied.
        bonus: f64,
    }
}

#[cfg(feature = "experimental")]
filled! {
    /// What became of a mention, and why. Needs the feature `experimental`: it may change or go in
    /// any version.
    SettledMention = chorale_settled_mention {
        /// -1: none, since neither the mention nor its key says anything.
        label: i32,
        /// It is another label than before.
        changed: bool,
        /// Of the label; NaN: there is none.
        probability: f64,
        /// Of the label that the mention had; NaN: it had none.
        probability_before: f64,
        /// Number of other mentions of the key.
        others: usize,
        /// How many of them had `label` before.
        agreeing_before: usize,
        /// How many of them have it now.
        agreeing: usize,
    }
}

#[cfg(feature = "experimental")]
filled! {
    /// What became of a key. Needs the feature `experimental`: it may change or go in any version.
    SettledKey = chorale_settled_key {
        /// Of all mentions; -1: each has its own.
        label: i32,
        /// Evidence does not settle the key: it is two things, or labels are tied.
        conflict: bool,
        /// How many mentions it has.
        mentions: usize,
        /// What the mentions say against the best single label.
        against: f64,
        /// What counts as too much: once + per_mention * n, at least 0.
        price: f64,
        /// How many mentions are expected to change if a person says what the key is: the keys with
        /// the greatest numbers are those to ask about. If the key is in conflict, it counts as
        /// even whether it is one thing or several. 0 after an answer.
        expected: f64,
    }
}

#[cfg(feature = "experimental")]
filled! {
    /// A row whose label should now be another than the caller was told. Needs the feature
    /// `experimental`: it may change or go in any version.
    LedgerChange = chorale_ledger_change {
        /// Number of the row: the first that was ever added is 0.
        row: usize,
        /// The label that it should now have; -1: none.
        label: i32,
        /// The label that the caller was told; -1: none.
        told: i32,
    }
}

#[cfg(feature = "experimental")]
filled! {
    /// A row as it was added, with its label. Needs the feature `experimental`: it may change or go
    /// in any version.
    LedgerRow = chorale_ledger_row {
        /// The key; -1: none.
        key: i32,
        /// The label that it came with, -1: none.
        given: i32,
        /// NaN: the mention says nothing.
        confidence: f64,
        /// For how many equal rows it stands.
        times: usize,
        /// The label that it has now; -1: none.
        label: i32,
        /// The label that the caller was told; -1: none.
        told: i32,
    }
}
