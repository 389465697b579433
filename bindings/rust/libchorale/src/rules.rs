//! Rules: what the labelling of a chain must look like. Provisional: may change in any version.

use crate::pass::{lent_all, size, Given, Pass};
use crate::{
    c, LabelMap, Labelled, Property, Result, RuleConflict, RuleKind, RuleReason, RuledChain,
};

/// One rule for the labelling of each chain.
#[derive(Clone, Copy, Debug)]
#[must_use = "a rule is for decode"]
pub struct Rule<'a> {
    raw: Given<c::chorale_rule>,
    property: std::marker::PhantomData<&'a Property>,
}

impl<'a> Rule<'a> {
    fn of(kind: i32) -> Self {
        let mut raw = init!(chorale_rule);
        raw.kind = kind;
        Self {
            raw: Given(raw),
            property: std::marker::PhantomData,
        }
    }
    /// Makes a rule about one kind, with k = 1.
    pub fn new(kind: RuleKind, a: i32) -> Self {
        let mut rule = Self::of(kind.pass());
        rule.raw.0.a = a;
        rule
    }
    /// Makes a rule about two kinds.
    pub fn pair(kind: RuleKind, a: i32, b: i32) -> Self {
        let mut rule = Self::new(kind, a);
        rule.raw.0.b = b;
        rule
    }
    /// Makes a rule for each kind a: all but b and those that the corpus does not count.
    pub fn each(kind: RuleKind) -> Self {
        let mut rule = Self::of(kind.pass());
        rule.raw.0.each = 1;
        rule
    }
    /// Makes the rule that a property fires nothing. Its classes are 0, its table are the tokens.
    pub fn property(property: &'a Property) -> Self {
        let mut rule = Self::of(c::CHORALE_RULE_PROPERTY);
        rule.raw.0.property = property.as_ptr();
        rule
    }
    setters! {
        /// Sets k, at least 1. The default is 1.
        pub fn k(self, k: usize) -> Self { self.raw.0.k = size(k) }
        /// Sets what a labelling that breaks the rule loses, once for each chain. By default, and at a
        /// price of 0, the rule is never broken.
        pub fn price(self, price: f64) -> Self { self.raw.0.price = price }
    }
    /// Limits the rule to some chains.
    pub fn chains(mut self, chains: &'a [i64]) -> Self {
        (self.raw.0.chains, self.raw.0.chain_count) = lent_all(Some(chains));
        self
    }
}

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
pub struct Rules<'a> {
    raw: c::chorale_rules,
    rules: Vec<c::chorale_rule>,
    map: Option<c::chorale_label_map>,
    borrowed: std::marker::PhantomData<&'a LabelMap>,
}

// Safe: the pointers are those of `Rule`, and to the map, which is borrowed.
unsafe impl Send for Rules<'_> {}

impl<'a> Rules<'a> {
    /// Makes a list of rules.
    pub fn new(rules: &[Rule<'a>]) -> Self {
        Self {
            raw: init!(chorale_rules),
            rules: rules.iter().map(|rule| rule.raw.0).collect(),
            map: None,
            borrowed: std::marker::PhantomData,
        }
    }
    setters! {
        /// Sets the kinds of the labels. By default each label is its own kind.
        pub fn map(self, map: &'a LabelMap) -> Self { self.map = Some(map.raw()) }
        /// Sets the greatest cost of the rules of a chain; beyond it the chain keeps its own labels. By
        /// default, and at 0, there is no limit.
        pub fn most_cost(self, cost: f64) -> Self { self.raw.most_cost = cost }
    }
    /// Returns the struct for C, which lasts until `self` is moved or dropped.
    pub(crate) fn raw(&mut self) -> *const c::chorale_rules {
        (self.raw.rules, self.raw.count) = lent_all(Some(&self.rules[..]));
        self.raw.map = self.map.as_ref().map_or(std::ptr::null(), |map| map);
        &self.raw
    }
}

impl Labelled<'_> {
    /// Returns the chains to which rules were added. Errors: OutOfMemory.
    pub fn ruled_chains(&self) -> Result<Vec<RuledChain>> {
        list!(chorale_decoded_ruled_chains(self.decoded()))
    }
    /// Returns, for each chain whose rules are impossible, rules that exclude each other, of which
    /// each is needed for that. Errors: OutOfMemory.
    pub fn rule_conflicts(&self) -> Result<Vec<RuleConflict>> {
        list!(chorale_decoded_rule_conflicts(self.decoded()))
    }
    /// Returns why rules changed labels, by chain, then position. Errors: OutOfMemory.
    pub fn rule_reasons(&self) -> Result<Vec<RuleReason>> {
        list!(chorale_decoded_rule_reasons(self.decoded()))
    }
}
