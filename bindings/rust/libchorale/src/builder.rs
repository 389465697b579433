//! Builders of models.

use crate::array::{check_length, check_offsets, count, pointer, size, Element};
use crate::error::call;
use crate::handle::Handle;
use crate::instance::Port;
use crate::model::Keep;
use crate::panics::Slot;
use crate::{c, Chain, Corpus, Dictionary, Host, Instance, Model, Potential, Property, Result};
use std::ops::Range;
use std::sync::Arc;

/// A clique to be added to a model.
#[derive(Clone, Debug)]
#[must_use = "a setup is for a builder"]
pub struct CliqueSetup<'a> {
    property: Option<&'a Property>,
    dictionary: Option<&'a Dictionary>,
    values: usize,
    label_values: Option<&'a [i32]>,
    potentials: Vec<&'a Potential>,
    centred: bool,
    centre_label_values: Option<&'a [i32]>,
}

impl<'a> CliqueSetup<'a> {
    fn blank(potentials: Vec<&'a Potential>) -> Self {
        Self {
            property: None,
            dictionary: None,
            values: 0,
            label_values: None,
            potentials,
            centred: false,
            centre_label_values: None,
        }
    }
    /// A clique of whole chains; the value of a member is the value of the property on its labelling.
    /// The potential is over R values, and then chains whose value is EMPTY or CONFLICT are not counted;
    /// or over R + 2 values, the last two being EMPTY and CONFLICT.
    pub fn property(property: &'a Property, potential: &'a Potential) -> Self {
        Self {
            property: Some(property),
            ..Self::blank(vec![potential])
        }
    }
    /// A clique of positions; the value of a member is its label, or the entry of its label in
    /// [`label_values`](Self::label_values). values: R.
    pub fn positions(values: usize, potential: &'a Potential) -> Self {
        Self {
            values,
            ..Self::blank(vec![potential])
        }
    }
    /// A clique of positions around one more position, the centre. potentials: one for each value of
    /// the centre.
    pub fn centred(values: usize, potentials: &[&'a Potential]) -> Self {
        Self {
            values,
            centred: true,
            ..Self::blank(potentials.to_vec())
        }
    }
    /// The subset of the property's values that the clique uses.
    pub fn dictionary(mut self, dictionary: &'a Dictionary) -> Self {
        self.dictionary = Some(dictionary);
        self
    }
    /// The value of each label, or -1 for EMPTY.
    pub fn label_values(mut self, label_values: &'a [i32]) -> Self {
        self.label_values = Some(label_values);
        self
    }
    /// The value of the centre by its label; without this a label is its own value.
    pub fn centre_label_values(mut self, label_values: &'a [i32]) -> Self {
        self.centre_label_values = Some(label_values);
        self
    }

    fn raw(&self, centres: &[*const c::Potential]) -> c::CliqueSetup {
        let mut raw = init!(CliqueSetup, clique_setup_init);
        raw.property = self.property.map_or(std::ptr::null(), Property::as_ptr);
        raw.dictionary = self.dictionary.map_or(std::ptr::null(), Dictionary::as_ptr);
        raw.values = size(self.values);
        if let Some(label_values) = self.label_values {
            raw.label_values = label_values.as_ptr();
            raw.labels = size(label_values.len());
        }
        if self.centred {
            raw.centre_potentials = centres.as_ptr();
            raw.centre_values = size(centres.len());
        } else {
            raw.potential = centres.first().copied().unwrap_or(std::ptr::null());
        }
        if let Some(label_values) = self.centre_label_values {
            raw.centre_label_values = label_values.as_ptr();
            raw.centre_labels = size(label_values.len());
        }
        raw
    }
}

/// Which repeated words make cliques.
#[derive(Clone, Debug, Default)]
#[must_use = "options are for a builder"]
pub struct RepeatedWords<'a> {
    minimum: Option<usize>,
    across: bool,
    stop: &'a [i32],
    label_values: Option<&'a [i32]>,
    values: usize,
}

impl<'a> RepeatedWords<'a> {
    /// A clique for each token id that occurs at least twice in a group; the values are the labels.
    pub fn new() -> Self {
        Self::default()
    }
    /// The least number of occurrences for a clique, at least 1; 2 unless this is called.
    pub fn minimum(mut self, minimum: usize) -> Self {
        self.minimum = Some(minimum);
        self
    }
    /// Whether occurrences in different groups are in one clique. False unless this is called.
    pub fn across(mut self, across: bool) -> Self {
        self.across = across;
        self
    }
    /// Token ids without cliques.
    pub fn stop(mut self, stop: &'a [i32]) -> Self {
        self.stop = stop;
        self
    }
    /// The value of each label: one of `values` values, or -1 for EMPTY.
    pub fn label_values(mut self, label_values: &'a [i32], values: usize) -> Self {
        self.label_values = Some(label_values);
        self.values = values;
        self
    }

    fn raw(&self) -> c::RepeatedWordsOptions {
        let mut raw = init!(RepeatedWordsOptions, repeated_words_options_init);
        raw.minimum = self.minimum.map_or(raw.minimum, size);
        raw.across = self.across.into();
        if !self.stop.is_empty() {
            raw.stop = self.stop.as_ptr();
            raw.stop_count = size(self.stop.len());
        }
        if let Some(label_values) = self.label_values {
            raw.label_values = label_values.as_ptr();
            raw.labels = size(label_values.len());
            raw.values = size(self.values);
        }
        raw
    }
}

/// A mutable collection of chains and cliques, from which a [`Model`] is made. `'a` is the lifetime of
/// borrowed arrays.
///
/// ```
/// use libchorale as ch;
/// # fn main() -> ch::Result<()> {
/// let mut builder = ch::ModelBuilder::new()?;
/// for unary in [[[2.0, 0.1]], [[1.8, 0.3]], [[0.9, 1.0]]] {
///     builder.add_chain(&ch::Chain::new(&unary)?, Some(&[7]), 0)?; // 7: the token
/// }
/// builder.add_repeated_words(&ch::Potential::potts(2, 0.5)?, &ch::RepeatedWords::new())?;
/// let model = builder.freeze()?;
/// let mut run = ch::Run::new(&model, ch::RunOptions::new())?;
/// run.solve()?;
/// assert_eq!(run.all_labels(ch::Labelling::Best)?, [0, 0, 0]);
/// # Ok(())
/// # }
/// ```
///
/// Borrowed arrays must live as long as the model:
///
/// ```compile_fail,E0597
/// use libchorale as ch;
/// let model = {
///     let unary = vec![[2.0, 0.1]];
///     let chain = ch::Chain::new(&unary).unwrap();
///     let mut builder = ch::ModelBuilder::new().unwrap();
///     builder.borrow_chain(&chain, None, 0).unwrap();
///     builder.freeze().unwrap()
/// };
/// model.chains();
/// ```
pub struct ModelBuilder<'a> {
    // First, so that the handle is dropped before the arrays that it borrows.
    handle: Handle<c::ModelBuilder>,
    keep: Keep<'a>,
    /// The length of each chain.
    lengths: Vec<usize>,
}

// Safe: may move between threads, and is used by one at a time.
unsafe impl Send for ModelBuilder<'_> {}
unsafe impl Sync for ModelBuilder<'_> {}

impl<'a> ModelBuilder<'a> {
    /// A builder without chains. Errors: OutOfMemory.
    pub fn new() -> Result<Self> {
        Self::create(None)
    }
    /// A builder with memory and log of `host`; its model uses the same host.
    pub fn new_in(host: &Host) -> Result<Self> {
        Self::create(Some(host))
    }
    fn create(host: Option<&Host>) -> Result<Self> {
        let handle = Handle::create(host, |host, made, error| unsafe {
            c::model_builder_create(host, made, error)
        })?;
        Ok(Self {
            handle,
            keep: Keep::default(),
            lengths: Vec::new(),
        })
    }

    /// Adds a chain or tree and returns its number. Its arrays and tokens are copied; transitions are
    /// shared. tokens: an id >= 0 for each position, -1 for none. group: the document of the chain.
    /// Errors: those of the chain's arrays, Shape, OutOfRange (`tokens`), OutOfMemory.
    pub fn add_chain<N: Element>(
        &mut self,
        chain: &Chain<'_, 'a, N>,
        tokens: Option<&[i32]>,
        group: i64,
    ) -> Result<usize> {
        self.add(chain, tokens, group, false)
    }

    /// Adds a chain without copying its arrays and tokens. Arrays that the chain owns, because its rows
    /// were copied, are kept alive by the model. Errors: as for [`add_chain`](Self::add_chain).
    pub fn borrow_chain<N: Element>(
        &mut self,
        chain: &Chain<'a, 'a, N>,
        tokens: Option<&'a [i32]>,
        group: i64,
    ) -> Result<usize> {
        self.add(chain, tokens, group, true)
    }

    fn add<N: Element>(
        &mut self,
        chain: &Chain<'_, '_, N>,
        tokens: Option<&[i32]>,
        group: i64,
        borrow: bool,
    ) -> Result<usize> {
        let raw = chain.raw()?;
        check_length("tokens", tokens, chain.len())?;
        let mut options = init!(ChainOptions, chain_options_init);
        options.borrow = borrow.into();
        options.group = group;
        options.tokens = pointer(tokens);
        let mut index = 0;
        call(|error| unsafe {
            c::model_builder_add_chain(self.handle.as_ptr(), &raw, &options, &mut index, error)
        })?;
        if borrow {
            self.keep.owners.extend(chain.owners());
        }
        self.lengths.push(chain.len());
        Ok(count(index))
    }

    /// Adds every chain of a corpus, or none, and returns their numbers. Scores and tokens are copied;
    /// transitions are shared. Errors: as for [`Corpus`]; Size, Stride, OutOfRange (offsets that descend
    /// or are negative, tokens), NotANumber, Infinite, LabelsMismatch (transitions), OutOfMemory.
    pub fn add_corpus<N: Element>(&mut self, corpus: &Corpus<'_, 'a, N>) -> Result<Range<usize>> {
        self.add_all(corpus, false)
    }

    /// Adds every chain of a corpus without copying scores and tokens. Scores that the corpus owns,
    /// because they were copied, are kept alive by the model. Errors: as for
    /// [`add_corpus`](Self::add_corpus).
    pub fn borrow_corpus<N: Element>(
        &mut self,
        corpus: &Corpus<'a, 'a, N>,
    ) -> Result<Range<usize>> {
        self.add_all(corpus, true)
    }

    fn add_all<N: Element>(
        &mut self,
        corpus: &Corpus<'_, '_, N>,
        borrow: bool,
    ) -> Result<Range<usize>> {
        let raw = corpus.raw(borrow)?;
        let mut first = 0;
        call(|error| unsafe {
            c::model_builder_add_corpus(self.handle.as_ptr(), &raw, &mut first, error)
        })?;
        if borrow {
            self.keep.owners.extend(corpus.owner());
        }
        self.lengths.extend(corpus.lengths());
        Ok(count(first)..self.lengths.len())
    }

    /// Adds an oracle instance, which sends messages and decodes by its own methods, and returns its
    /// number. Errors: Size (no labels), SizeOverflow, OutOfMemory.
    pub fn add_instance(&mut self, instance: impl Instance + 'a) -> Result<usize> {
        let (length, labels) = (instance.length(), size(instance.labels()));
        let port = Box::new(Port {
            instance: Box::new(instance),
            slot: Arc::new(Slot::default()),
            length,
        });
        let raw = port.raw(labels);
        let mut index = 0;
        call(|error| unsafe {
            c::model_builder_add_instance(self.handle.as_ptr(), &raw, &mut index, error)
        })?;
        self.keep.slots.push(Arc::clone(&port.slot));
        self.keep.instances.push(port);
        self.lengths.push(length);
        Ok(count(index))
    }

    /// Adds a clique without members and returns its number. Errors: Size, ValuesMismatch (the
    /// potential), OutOfRange (`label_values`), OutOfMemory.
    pub fn add_clique(&mut self, setup: &CliqueSetup<'_>) -> Result<usize> {
        let potentials: Vec<_> = setup.potentials.iter().map(|p| p.as_ptr()).collect();
        let raw = setup.raw(&potentials);
        let mut index = 0;
        call(|error| unsafe {
            c::model_builder_add_clique(self.handle.as_ptr(), &raw, &mut index, error)
        })?;
        let clique = count(index);
        self.keep_slots(clique..clique + 1, &setup.potentials);
        Ok(clique)
    }

    /// Adds `number` cliques without members, all with the same `setup`, and returns their numbers.
    /// Errors: as for [`add_clique`](Self::add_clique).
    pub fn add_cliques(&mut self, setup: &CliqueSetup<'_>, number: usize) -> Result<Range<usize>> {
        let potentials: Vec<_> = setup.potentials.iter().map(|p| p.as_ptr()).collect();
        let raw = setup.raw(&potentials);
        let mut first = 0;
        call(|error| unsafe {
            c::model_builder_add_cliques(
                self.handle.as_ptr(),
                &raw,
                size(number),
                &mut first,
                error,
            )
        })?;
        let cliques = count(first)..count(first) + number;
        self.keep_slots(cliques.clone(), &setup.potentials);
        Ok(cliques)
    }

    fn keep_slots(&mut self, cliques: Range<usize>, potentials: &[&Potential]) {
        let slots: Vec<_> = potentials.iter().map(|p| p.slot.clone()).collect();
        if slots.iter().any(Option::is_some) {
            self.keep.slots.extend(slots.iter().flatten().cloned());
            let of_cliques = cliques.map(|clique| (clique, slots.clone()));
            self.keep.slots_of_cliques.extend(of_cliques);
        }
    }

    /// Adds a whole chain to a property clique, or an instance to any clique that is not centred.
    /// Errors: OutOfRange, Kind (a chain in a position clique), DuplicateMember, LabelsMismatch,
    /// AutomatonOnTree, TokensMissing, ValueOutsideRange, OutOfMemory.
    pub fn add_member(&mut self, clique: usize, chain: usize) -> Result<()> {
        self.member(clique, chain, None, None, false)
    }

    /// Adds a chain with its own position classes (None: all 0) and its own table (None: its tokens),
    /// which are copied. Errors: as for [`add_member`](Self::add_member); Shape.
    pub fn add_member_with(
        &mut self,
        clique: usize,
        chain: usize,
        classes: Option<&[i32]>,
        table: Option<&[i32]>,
    ) -> Result<()> {
        self.member(clique, chain, classes, table, false)
    }

    /// Adds a chain as [`add_member_with`](Self::add_member_with) does, without copying the arrays.
    pub fn borrow_member(
        &mut self,
        clique: usize,
        chain: usize,
        classes: Option<&'a [i32]>,
        table: Option<&'a [i32]>,
    ) -> Result<()> {
        self.member(clique, chain, classes, table, true)
    }

    fn member(
        &mut self,
        clique: usize,
        chain: usize,
        classes: Option<&[i32]>,
        table: Option<&[i32]>,
        borrow: bool,
    ) -> Result<()> {
        let mut options = init!(MemberOptions, member_options_init);
        // Checks the lengths only of a chain that exists; the library refuses other numbers.
        if let Some(&length) = self.lengths.get(chain) {
            check_length("classes", classes, length)?;
            check_length("table", table, length)?;
            options.classes = pointer(classes);
            options.table = pointer(table);
            options.borrow = borrow.into();
        }
        call(|error| unsafe {
            c::model_builder_add_member(
                self.handle.as_ptr(),
                size(clique),
                size(chain),
                &options,
                error,
            )
        })
    }

    /// Adds one position of a chain to a position or centred clique. Errors: OutOfRange, Kind (a
    /// property clique, an instance), DuplicateMember, LabelsMismatch, OutOfMemory.
    pub fn add_position(&mut self, clique: usize, chain: usize, position: usize) -> Result<()> {
        call(|error| unsafe {
            c::model_builder_add_position(
                self.handle.as_ptr(),
                size(clique),
                size(chain),
                size(position),
                error,
            )
        })
    }

    /// Adds positions of chains to position or centred cliques: clique `cliques.start + c` receives the
    /// entries `offsets[c] .. offsets[c + 1]` of `chains` and of `positions`, in this order. Adds all
    /// or, on an error, none. positions: within their chains; None: all 0, as for single items. Errors:
    /// as for [`add_position`](Self::add_position); Shape; OutOfRange (offsets that descend or are
    /// negative).
    pub fn add_positions(
        &mut self,
        cliques: Range<usize>,
        offsets: &[i64],
        chains: &[i64],
        positions: Option<&[i64]>,
    ) -> Result<()> {
        check_parts(&cliques, offsets, chains)?;
        check_length("positions", positions, chains.len())?;
        call(|error| unsafe {
            c::model_builder_add_positions(
                self.handle.as_ptr(),
                size(cliques.start),
                size(cliques.len()),
                offsets.as_ptr(),
                chains.as_ptr(),
                pointer(positions),
                error,
            )
        })
    }

    /// Adds whole chains or instances to property cliques: clique `cliques.start + c` receives the
    /// entries `offsets[c] .. offsets[c + 1]` of `chains`. Adds all or, on an error, none. Errors: as
    /// for [`add_member`](Self::add_member); Shape; OutOfRange (offsets that descend or are negative).
    pub fn add_members(
        &mut self,
        cliques: Range<usize>,
        offsets: &[i64],
        chains: &[i64],
    ) -> Result<()> {
        check_parts(&cliques, offsets, chains)?;
        call(|error| unsafe {
            c::model_builder_add_members(
                self.handle.as_ptr(),
                size(cliques.start),
                size(cliques.len()),
                offsets.as_ptr(),
                chains.as_ptr(),
                error,
            )
        })
    }

    /// Sets how often the members of consecutive cliques count in the potential. Counts are then sums
    /// of weights, and the sum of all takes the place of n; scores stay as they are. All members of
    /// cliques with weights above 1 must have been added before.
    ///
    /// weights: one for each member, at least 1, clique by clique in the order of adding. Errors:
    /// OutOfRange, Size, Shape (weights), SizeOverflow, Weights (a potential that is no convex sum, a
    /// centred clique), TableTooShort, OutOfMemory.
    pub fn set_weights(&mut self, cliques: Range<usize>, weights: &[i64]) -> Result<()> {
        call(|error| unsafe {
            c::model_builder_set_weights(
                self.handle.as_ptr(),
                size(cliques.start),
                size(cliques.len()),
                weights.as_ptr(),
                size(weights.len()),
                error,
            )
        })
    }

    /// Sets the centre of a centred clique; a further call replaces it. Errors: as for
    /// [`add_position`](Self::add_position); Kind (a clique that is not centred).
    pub fn set_centre(&mut self, clique: usize, chain: usize, position: usize) -> Result<()> {
        call(|error| unsafe {
            c::model_builder_set_centre(
                self.handle.as_ptr(),
                size(clique),
                size(chain),
                size(position),
                error,
            )
        })
    }

    /// Adds a clique for every token id with at least the minimum number of occurrences in the chains
    /// added so far, with all its occurrences as members. Returns the numbers of the cliques. Errors:
    /// TokensMissing, ValuesMismatch (the potential), Size, OutOfRange, LabelsMismatch, OutOfMemory.
    pub fn add_repeated_words(
        &mut self,
        potential: &Potential,
        words: &RepeatedWords<'_>,
    ) -> Result<Range<usize>> {
        let raw = words.raw();
        let (mut first, mut cliques) = (0, 0);
        call(|error| unsafe {
            c::model_builder_add_repeated_words(
                self.handle.as_ptr(),
                potential.as_ptr(),
                &raw,
                &mut first,
                &mut cliques,
                error,
            )
        })?;
        let cliques = count(first)..count(first + cliques);
        self.keep_slots(cliques.clone(), &[potential]);
        Ok(cliques)
    }

    /// Makes a model of the chains and cliques. Errors: State (a centred clique without a centre),
    /// SizeOverflow, OutOfMemory.
    pub fn freeze(self) -> Result<Model<'a>> {
        let handle = Handle::create(None, |_, made, error| unsafe {
            c::model_builder_freeze(self.handle.as_ptr(), made, error)
        })?;
        Ok(Model::with(handle, Arc::new(self.keep)))
    }
}

/// Refuses offsets whose number is not one more than that of the cliques, or that lead beyond `chains`.
fn check_parts(cliques: &Range<usize>, offsets: &[i64], chains: &[i64]) -> Result<()> {
    check_length("offsets", Some(offsets), cliques.len().saturating_add(1))?;
    check_offsets("offsets", offsets, format_args!("chains"), chains.len())
}

impl std::fmt::Debug for ModelBuilder<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ModelBuilder({} chains)", self.lengths.len())
    }
}
