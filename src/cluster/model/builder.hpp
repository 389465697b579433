// The public builder: a model under construction.
//
// Functions with a Report check the caller's arguments; an array that is NULL although its length
// is not 0 is an error. On an error they report a message and leave the builder as it was.
// Functions whose names begin with push_ take arguments that have been checked. If memory runs out,
// they return false and have added nothing. model.hpp explains slot, site, place and centre.
#pragma once

#include "base/report.hpp"
#include "base/span.hpp"
#include "cluster/model/model.hpp"
#include "cluster/model/slot_table.hpp"

#include <chorale/decode.h>

namespace chorale {

// A checked chorale_corpus: many chains, stored end to end.
struct Corpus {
  std::int64_t chains; // number of chains
  gsl::span<const std::int64_t> offsets; // chains + 1; empty if every chain has one position
  std::int32_t labels; // m, for every chain
  bool single;         // scores are float, not double
  bool borrow;         // false: the model copies the arrays
  // The score of label y at position p is unary[p * row + y * column]. As in all arrays by
  // position, p is numbered as in `offsets`: chain i begins at position offsets[i].
  const void *unary;
  std::ptrdiff_t row;
  std::ptrdiff_t column;
  const Transitions *transitions;
  gsl::span<const std::int32_t> tokens; // by position; data() is NULL if there are none
  // By position: m x m scores of the labels there after those of the position before, not read for
  // the first position of a chain; or NULL.
  const void *edges;
  const std::int32_t *forced;           // by position: the only label allowed, or -1; or NULL
  const std::uint8_t *allowed;          // by position: m flags, 0: the label is forbidden; or NULL
  gsl::span<const std::int64_t> groups; // by chain; empty if all are 0
  gsl::span<const std::int64_t> counts; // by chain: for how many it stands; empty if all are 1

  std::int64_t begin(std::int64_t chain) const noexcept {
    return offsets.empty() ? chain : offsets.data()[chain];
  }
  std::int32_t length(std::int64_t chain) const noexcept {
    return static_cast<std::int32_t>(begin(chain + 1) - begin(chain));
  }
  std::size_t score_bytes() const noexcept { return single ? sizeof(float) : sizeof(double); }
  // Returns the positions first .. first + length - 1 of the corpus as one chain.
  ChainView view(std::int64_t first, std::int32_t length) const noexcept {
    const auto at = [&](const void *numbers, std::ptrdiff_t place) -> const void * {
      return static_cast<const std::byte *>(numbers) +
             place * static_cast<std::ptrdiff_t>(score_bytes());
    };
    const std::ptrdiff_t m = labels;
    ChainView of;
    of.length = length;
    of.labels = labels;
    of.single = single;
    of.unary = unary ? at(unary, first * row) : nullptr;
    of.unary_row = row;
    of.unary_column = column;
    of.transitions = transitions;
    of.edges = edges && length > 1 ? at(edges, (first + 1) * m * m) : nullptr;
    of.edge_each = length > 2;
    of.edge_matrix = m * m;
    of.edge_from = m;
    of.edge_to = 1;
    of.forced = forced ? forced + first : nullptr;
    of.allowed = allowed ? allowed + first * m : nullptr;
    of.allowed_row = m;
    return of;
  }
};

} // namespace chorale

struct chorale_model_builder {
  using Report = chorale::Report;

  // The centre of a clique: a position of a chain. `chain` is -1 while there is no centre.
  struct Centre {
    std::int32_t chain;
    std::int32_t position;
  };

  chorale_model_builder(const chorale::Memory &from, const chorale::Log &to) noexcept
      : memory(from), log(to), groups(from), slots(from), centres(from), taken(from) {}
  ~chorale_model_builder() {
    if (model)
      chorale::Memory::destroy(model, memory);
  }
  chorale_model_builder(const chorale_model_builder &) = delete;
  chorale_model_builder &operator=(const chorale_model_builder &) = delete;

  // ---- For the caller. The functions ignore the struct_size of structs ----
  chorale_status add_chain(const Report &report, const chorale_chain &chain,
                           const chorale_chain_options &options) noexcept;
  chorale_status add_instance(const Report &report, const chorale_instance &instance) noexcept;
  // Adds a whole chain or an instance. What the clique's property reads, by position of the chain:
  // classes (NULL: all are 0) and table (NULL: the tokens of the chain); ignored for an instance.
  // borrow: the model does not copy these arrays.
  chorale_status add_member(const Report &report, std::int64_t clique, std::int64_t chain,
                            const std::int32_t *classes, const std::int32_t *table,
                            bool borrow) noexcept;
  chorale_status add_position(const Report &report, std::int64_t clique, std::int64_t chain,
                              std::int64_t position) noexcept;
  chorale_status set_centre(const Report &report, std::int64_t clique, std::int64_t chain,
                            std::int64_t position) noexcept;
  // Sets the weights of all members of a clique that has no weights yet. The members are the entries of
  // `slots` from `first` on, in the order of `given`.
  chorale_status set_weights(const Report &report, std::int64_t clique, std::int64_t first,
                             gsl::span<const std::int64_t> given) noexcept;
  // Each of the next functions adds many things: all of them, or on an error none.
  //
  // words: of the caller, its minimum set. Stores in `count` how many cliques were added.
  chorale_status add_repeated_words(const Report &report, chorale_clique_setup setup,
                                    const chorale_agreement &words, std::int64_t &count) noexcept;
  // Adds a clique with this setup for each key that a group (with words.across: the model) has at
  // least words.minimum times, and that is not in words.stop; its members are those positions. By
  // position of the model: its key, negative for none (NULL: keys are the tokens of chains, which
  // may have none), and its weight (NULL: 1 for all). The chains must have the labels of the setup.
  // words: checked.
  chorale_status add_keyed(const Report &report, chorale_clique_setup setup,
                           const chorale_agreement &words, const std::int32_t *keys,
                           const std::int64_t *weights, std::int64_t &count) noexcept;
  chorale_status add_corpus(const Report &report, const chorale_corpus &corpus) noexcept;
  chorale_status add_cliques(const Report &report, chorale_clique_setup setup,
                             std::int64_t count) noexcept;
  chorale_status add_members(const Report &report, const chorale_members &given) noexcept;
  // Completes the model and hands it over in `made`. The builder must not be used after that.
  chorale_status freeze(const Report &report, chorale_model *&made) noexcept;

  chorale::Memory memory;
  chorale::Log log;
  chorale_model *model = nullptr;         // NULL once frozen
  chorale::Array<std::int64_t> groups;    // by chain: its group
  chorale::Array<chorale::AddedSlot> slots; // in the order of adding, without centres
  chorale::Array<Centre> centres;         // by clique
  chorale::SlotTable taken;               // finds members that are added twice

private:
  // tokens: by position; data() is NULL if the chain has none.
  bool push_chain(chorale::ChainView view, gsl::span<const std::int32_t> tokens, bool borrow,
                  std::int64_t group) noexcept;
  bool push_chain(const chorale::Chain &chain, std::int64_t group) noexcept;
  // Adds cliques without members.
  bool push_cliques(const chorale_clique_setup &setup, std::int64_t count) noexcept;
  // Adds a member: a position, or with position -1 the whole-chain slot of number `whole`. (For a
  // position, `whole` is -1.)
  bool push_member(std::int64_t clique, std::int64_t chain, std::int64_t position,
                   std::int64_t whole) noexcept;
  // Removes the slots added last until `slots_before` are left, and the whole-chain slots until
  // `wholes_before` are left.
  void take_back(std::int64_t slots_before, std::int64_t wholes_before) noexcept;
  bool complete() noexcept;
  bool find_parts() noexcept;
  // Checks that int32 can still number count + more things. `what`: the name of these things for the
  // error message.
  static chorale_status check_room(const Report &report, std::string_view what, std::int64_t count,
                                   std::int64_t more = 1) noexcept;
  // Checks a setup, sets its number of values R if it is that of the property or was left out, and
  // clears the fields that do not apply to this kind of clique.
  static chorale_status take_setup(const Report &report, chorale_clique_setup &setup) noexcept;
  chorale_status check_member(const Report &report, std::int64_t clique,
                              std::int64_t chain) const noexcept;
  // Checks that the position (-1: the whole chain) is not in the clique yet.
  chorale_status check_new(const Report &report, std::int64_t clique, std::int64_t chain,
                           std::int64_t position) noexcept;
  // Checks a position that is to become a member or, if `centre`, the centre of a clique over
  // positions.
  chorale_status check_position(const Report &report, std::int64_t clique, std::int64_t chain,
                                std::int64_t position, bool centre) const noexcept;
  chorale_status check_centre(const Report &report, std::int64_t clique, std::int64_t chain,
                              std::int64_t position) noexcept;
  chorale_status check_cliques(const Report &report) const noexcept;
  // Checks the arguments of add_members() that can be checked before anything is added.
  chorale_status check_members(const Report &report, const chorale_members &given) const noexcept;
  // Adds to a clique the member that entry `entry` of the arrays of add_members() describes.
  chorale_status add_entry(const Report &report, const chorale_members &given,
                           std::int64_t clique, std::int64_t entry) noexcept;
  // Removes all cliques but the first `count`. The removed cliques must have no members.
  void drop_cliques(std::int64_t count) noexcept;
  // Returns the type of the last clique if it is the type that `setup` describes; otherwise, and
  // for a centred clique, NULL.
  chorale::CliqueType *same_type(const chorale_clique_setup &setup) const noexcept;
  // Returns a new type. NULL if memory runs out.
  chorale::CliqueType *make_type(const chorale_clique_setup &setup) noexcept;
  // Sets the fields of a type that concern the centre. False if memory runs out.
  bool add_centre(const chorale_clique_setup &setup, chorale::CliqueType &type) noexcept;
  bool has_weights(std::int64_t clique) const noexcept {
    return model->cliques[clique].weighted();
  }
  // Checks `given`, the weights of all members of a clique. Error messages call given[i] entry
  // begin + i of the caller's array `name`. Stores in `weighted` whether a weight is above 1.
  chorale_status check_weights_of(const Report &report, std::string_view name, std::int64_t clique,
                                  gsl::span<const std::int64_t> given, std::int64_t begin,
                                  bool &weighted) const noexcept;
  // Stores checked weights in `slots`, from entry `first` on, and their sum in the clique.
  void store_weights(std::int64_t clique, std::int64_t first,
                     gsl::span<const std::int64_t> given) noexcept;
  bool order_slots() noexcept;
  bool place_members() noexcept;
  void close_cliques() noexcept;
  void count_messages() noexcept;
};

namespace chorale {

using Builder = ::chorale_model_builder;

// Creates a builder with an empty model and stores it in `made`.
chorale_status create_builder(const Report &report, const Memory &memory, const Log &log,
                              Builder *&made) noexcept;
// Checks that `builder` is not NULL and that its model has not been frozen.
chorale_status check_builder(const Report &report, const Builder *builder) noexcept;
// Checks what add_keyed() reads of an agreement. place: what comes before the names of its fields in
// error messages, such as "words->".
chorale_status check_keyed(const Report &report, std::string_view place,
                           const chorale_agreement &words) noexcept;

} // namespace chorale
