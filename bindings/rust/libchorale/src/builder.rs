//! Builders of models.

use crate::array::Element;
use crate::handle::Handle;
use crate::panics::Slot;
use crate::pass::{count, lent, lent_all, lent_offsets, size, Pass};
use crate::{c, Chain, Corpus, Members, Model, Potential, Property, Result};
use std::ops::Range;
use std::sync::Arc;

options! {
    /// Describes a clique that is to be added to a model.
    #[derive(Clone, Debug)]
    #[must_use = "a setup is for a builder"]
    pub struct CliqueSetup<'a> of chorale_clique_setup {
        property: Option<&'a Property>,
        values: usize,
        potentials: Vec<&'a Potential>,
        centred: bool,
    }
    set(self) {
        /// Sets the value of each label in a position clique: 0 to R - 1, or -1 for EMPTY (no value).
        /// Unless this is called, each label is its own value.
        label_values: &'a [i32] => (label_values, labels) = lent_all(label_values),
        /// Sets the value that the centre has with each label. Unless this is called, each label is its
        /// own value.
        centre_label_values: &'a [i32] => (centre_label_values, centre_labels) =
            lent_all(centre_label_values),
    }
}

impl<'a> CliqueSetup<'a> {
    /// Makes a property clique: its members are whole chains, and the value of a member is the
    /// value that the property gives to the chain's labelling. The potential is over either R or
    /// R + 2 values, where R is the number of values of the property. Over R values, members that are
    /// EMPTY or CONFLICT are not counted. Over R + 2 values, the last two are EMPTY and CONFLICT.
    pub fn property(property: &'a Property, potential: &'a Potential) -> Self {
        Self::of(Some(property), 0, vec![potential], false)
    }
    /// Makes a position clique: the value of a member is its label, or the entry of its label in
    /// [`label_values`](Self::label_values). values: R, the number of values.
    pub fn positions(values: usize, potential: &'a Potential) -> Self {
        Self::of(None, values, vec![potential], false)
    }
    /// Makes a position clique with a *centre*: one more member, also a position, whose value
    /// selects the potential of all other members. values: R, the number of values of these other
    /// members. potentials: one for each value of the centre.
    pub fn centred(values: usize, potentials: &[&'a Potential]) -> Self {
        Self::of(None, values, potentials.to_vec(), true)
    }

    fn raw(&self, centres: &[*const c::chorale_potential]) -> Result<c::chorale_clique_setup> {
        let mut raw = self.given()?;
        raw.property = self.property.map_or(std::ptr::null(), Property::as_ptr);
        raw.values = size(self.values);
        if self.centred {
            (raw.centre_potentials, raw.centre_values) = lent_all(centres);
        } else {
            raw.potential = centres.first().copied().unwrap_or(std::ptr::null());
        }
        Ok(raw)
    }
}

impl<'x> Members<'x> {
    /// Members of one clique, each a number of a chain: whole chains in a property clique, position
    /// 0 in another, as for chains of one position.
    pub fn new(chains: &'x [i64]) -> Self {
        Self::of(chains, None)
    }
    /// The centre of each clique, one position of a chain, which replaces one that it had.
    pub fn centres(self, chains: &'x [i64], positions: &'x [i64]) -> Self {
        Self {
            centres: Some((chains, positions)),
            ..self
        }
    }
}

/// Collects chains and cliques, from which a [`Model`] is made. Arrays are copied. Chains are numbered
/// from 0 in the order of adding, and so are cliques.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let mut builder = ch::ModelBuilder::new()?;
/// for unary in [[[2.0, 0.1]], [[1.8, 0.3]], [[0.9, 1.0]]] {
///     builder.add_chain(&ch::Chain::new(&unary)?, None, 0)?;
/// }
/// let potts = ch::Potential::potts(2, 0.5)?;
/// let clique = builder.add_cliques(&ch::CliqueSetup::positions(2, &potts), 1)?.start;
/// builder.add_members(clique, &ch::Members::new(&[0, 1, 2]))?;
/// let model = builder.freeze()?;
/// let mut run = ch::Run::new(&model, ch::RunOptions::new())?;
/// run.solve()?;
/// assert_eq!(run.all_labels(ch::Labelling::Together)?, [0, 0, 0]);
/// # Ok(())
/// # }
/// ```
pub struct ModelBuilder {
    handle: Handle<c::chorale_model_builder>,
    /// The slots in which callbacks of the potentials leave their panics.
    slots: Vec<Arc<Slot>>,
    /// The number of positions of each chain.
    lengths: Vec<usize>,
}

debug!(ModelBuilder);

impl ModelBuilder {
    /// Makes a builder without chains and cliques.
    pub fn new() -> Result<Self> {
        Ok(Self {
            handle: create!(chorale_model_builder_create())?,
            slots: Vec::new(),
            lengths: Vec::new(),
        })
    }

    /// Adds a chain or tree and returns its number. tokens: for each position an id of at least 0,
    /// or -1 for none. group: the number of the document that the chain belongs to. Errors: those
    /// of a [`Chain`]; Shape, OutOfRange (`tokens`).
    pub fn add_chain<N: Element>(
        &mut self,
        chain: &Chain<'_, N>,
        tokens: Option<&[i32]>,
        group: i64,
    ) -> Result<usize> {
        let raw = chain.raw()?;
        let mut options = init!(chorale_chain_options);
        options.group = group;
        options.tokens = lent("tokens", tokens, chain.len())?;
        let (builder, mut index) = (&self.handle, 0);
        call!(chorale_model_builder_add_chain(
            builder, &raw, &options, &mut index
        ))?;
        self.lengths.push(chain.len());
        Ok(count(index))
    }

    /// Adds every chain of a corpus and returns their numbers; on an error it adds none. Errors:
    /// Shape (tokens, groups), Size, Stride, OutOfRange (tokens; offsets that descend or are
    /// negative), NotANumber, Infinite, LabelsMismatch (transitions).
    pub fn add_corpus<N: Element>(&mut self, corpus: &Corpus<'_, N>) -> Result<Range<usize>> {
        let raw = corpus.raw()?;
        let (builder, mut first) = (&self.handle, 0);
        call!(chorale_model_builder_add_corpus(builder, &raw, &mut first))?;
        self.lengths.extend(corpus.lengths());
        Ok(count(first)..self.lengths.len())
    }

    /// Adds `number` cliques without members, all with the same `setup`, and returns their numbers.
    /// Errors: Size, ValuesMismatch (the potential), OutOfRange (`label_values`).
    pub fn add_cliques(&mut self, setup: &CliqueSetup<'_>, number: usize) -> Result<Range<usize>> {
        let potentials: Vec<_> = setup.potentials.iter().map(|p| p.as_ptr()).collect();
        let raw = setup.raw(&potentials)?;
        let (builder, mut first) = (&self.handle, 0);
        call!(chorale_model_builder_add_cliques(
            builder, &raw, number, &mut first
        ))?;
        let slots = setup.potentials.iter().filter_map(|p| p.slot.clone());
        self.slots.extend(slots);
        Ok(count(first)..count(first) + number)
    }

    /// Adds members to the clique `first`, or to several cliques from `first` on
    /// ([`Members::offsets`]): positions to position cliques, and whole chains to property cliques.
    /// On an error nothing is added. Errors: OutOfRange, Shape, Kind (a position for a property
    /// clique, a whole chain for another), DuplicateMember, LabelsMismatch, AutomatonOnTree,
    /// TokensMissing, ValueOutsideRange, State (a clique has weights, or has members and gets
    /// weights), SizeOverflow, Weights (a weight above 1 in a centred clique, or with a potential
    /// other than a SUM with convex tables that forbid no count), TableTooShort.
    pub fn add_members(&mut self, first: usize, members: &Members<'_>) -> Result<()> {
        let chains = members.chains;
        let all = [0, size(chains.len())];
        let offsets = members.offsets.unwrap_or(&all);
        let cliques = offsets.len().saturating_sub(1);
        let classes = self.arrays("classes", members.classes, chains)?;
        let tables = self.arrays("tables", members.tables, chains)?;
        let mut raw = members.given()?;
        raw.first = size(first);
        raw.cliques = size(cliques);
        raw.offsets = lent_offsets("offsets", offsets, "chains", chains.len())?;
        raw.chains = chains.as_ptr();
        if let Some((chains, positions)) = members.centres {
            raw.centre_chains = lent("centre chains", chains, cliques)?;
            raw.centre_positions = lent("centre positions", positions, cliques)?;
        }
        raw.classes = classes.as_deref().pass();
        raw.tables = tables.as_deref().pass();
        call!(chorale_model_builder_add_members(&self.handle, &raw))
    }

    /// Returns the addresses of the arrays of members. The lengths are checked only if the chain
    /// exists. Otherwise the library returns an error.
    fn arrays(
        &self,
        name: &str,
        arrays: Option<&[Option<&[i32]>]>,
        chains: &[i64],
    ) -> Result<Option<Vec<*const i32>>> {
        let addresses = |arrays: &[Option<&[i32]>]| {
            lent(name, arrays, chains.len())?;
            let address = |(&array, &chain): (&Option<&[i32]>, &i64)| {
                let length = usize::try_from(chain).ok();
                let length = length.and_then(|chain| self.lengths.get(chain).copied());
                let given = array.map_or(0, <[i32]>::len);
                lent(name, array, length.unwrap_or(given))
            };
            std::iter::zip(arrays, chains).map(address).collect()
        };
        arrays.map(addresses).transpose()
    }

    /// Makes a model of the chains and cliques, which then cannot change. Errors: State (a centred
    /// clique has no centre), TableTooShort, SizeOverflow.
    pub fn freeze(self) -> Result<Model> {
        let handle = Handle::create(|_, made, error| unsafe {
            c::chorale_model_builder_freeze(self.handle.as_ptr(), made, error)
        })?;
        Ok(Model::with(handle, self.slots.into()))
    }
}
