//! Rules: what the labelling of a chain must look like. Provisional: may change in any version.

use crate::pass::{lent_all, Pass};
use crate::{
    c, Decoded, LabelMap, Property, Result, RuleConflict, RuleKind, RuleReason, RuledChain,
};
use std::ptr::null;

options! {
    /// One rule for the labelling of each chain.
    #[derive(Clone, Copy, Debug)]
    #[must_use = "a rule is for decode"]
    pub struct Rule<'a> of chorale_rule {
        kind: i32,
        each: bool,
        a: i32,
        b: i32,
        property: Option<&'a Property>,
    }
    set(self) {
        /// Sets k, at least 1. The default is 1.
        k: usize,
        /// Sets what a labelling that breaks the rule loses, once for each chain. By default, and at a
        /// price of 0, the rule is never broken.
        price: f64,
        /// Limits the rule to some chains.
        chains: &'a [i64] => (chains, chain_count) = lent_all(chains),
    }
}

impl<'a> Rule<'a> {
    /// Makes a rule about one kind, with k = 1.
    pub fn new(kind: RuleKind, a: i32) -> Self {
        Self::of(kind.pass(), false, a, 0, None)
    }
    /// Makes a rule about two kinds.
    pub fn pair(kind: RuleKind, a: i32, b: i32) -> Self {
        Self::of(kind.pass(), false, a, b, None)
    }
    /// Makes a rule for each kind a: all but b and those that the corpus does not count.
    pub fn each(kind: RuleKind) -> Self {
        Self::of(kind.pass(), true, 0, 0, None)
    }
    /// Makes the rule that a property fires nothing. Its classes are 0, its table are the tokens.
    pub fn property(property: &'a Property) -> Self {
        Self::of(c::CHORALE_RULE_PROPERTY, false, 0, 0, Some(property))
    }

    fn raw(&self) -> Result<c::chorale_rule> {
        let mut raw = self.given()?;
        raw.kind = self.kind;
        raw.each = self.each.pass();
        raw.a = self.a;
        raw.b = self.b;
        raw.property = self.property.map_or(null(), Property::as_ptr);
        Ok(raw)
    }
}

options! {
    /// Rules for [`RunOptions::rules`](crate::RunOptions::rules).
    ///
    /// ```
    /// use libchorale as ch;
    /// # fn main() -> ch::Result<()> {
    /// // Three words, two labels: the tagger says 0 1 0, which has two segments of label 0.
    /// let scores = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]];
    /// let corpus = ch::Corpus::new([&scores])?;
    /// let once = ch::Rules::new(&[ch::Rule::each(ch::RuleKind::AtMost)]);
    /// let labelled = ch::decode(&corpus, &[], ch::RunOptions::new().rules(&once))?;
    /// assert_eq!(labelled.labels()?, [0, 1, 1]);
    /// let reason = labelled.rule_reasons()?[0];
    /// assert_eq!((reason.position, reason.rule, reason.a, reason.cost), (2, 0, 0, 0.5));
    /// assert_eq!(labelled.ruled_chains()?[0].state, ch::RuleState::Kept);
    /// assert!(labelled.rule_conflicts()?.is_empty() && labelled.result()?.proven);
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone, Debug)]
    #[must_use = "rules are for decode"]
    pub struct Rules<'a> of chorale_rules {
        rules: Vec<Rule<'a>>,
    }
    set(self) {
        /// Sets the kinds of the labels. By default each label is its own kind.
        map: &'a LabelMap => _,
        /// Sets the greatest cost of the rules of a chain; beyond it the chain keeps its own labels. By
        /// default, and at 0, there is no limit.
        most_cost: f64,
    }
}

/// Rules for C, and what their addresses point to.
pub(crate) type RawRules = (
    c::chorale_rules,
    Vec<c::chorale_rule>,
    Option<Box<c::chorale_label_map>>,
);

impl<'a> Rules<'a> {
    /// Makes a list of rules.
    pub fn new(rules: &[Rule<'a>]) -> Self {
        Self::of(rules.to_vec())
    }

    pub(crate) fn raw(&self) -> Result<RawRules> {
        let rules = self.rules.iter().map(Rule::raw);
        let rules = rules.collect::<Result<Vec<_>>>()?;
        let map = self.map.map(|map| Box::new(map.raw()));
        let mut raw = self.given()?;
        (raw.rules, raw.count) = lent_all(&rules);
        raw.map = map.as_deref().map_or(null(), |map| map);
        Ok((raw, rules, map))
    }
}

impl Decoded<'_> {
    /// Returns the chains to which rules were added.
    pub fn ruled_chains(&self) -> Result<Vec<RuledChain>> {
        list!(chorale_decoded_ruled_chains(self.decoded()))
    }
    /// Returns, for each chain whose rules are impossible, rules that exclude each other, of which
    /// each is needed for that.
    pub fn rule_conflicts(&self) -> Result<Vec<RuleConflict>> {
        list!(chorale_decoded_rule_conflicts(self.decoded()))
    }
    /// Returns why rules changed labels, by chain, then position.
    pub fn rule_reasons(&self) -> Result<Vec<RuleReason>> {
        list!(chorale_decoded_rule_reasons(self.decoded()))
    }
}
