// A model under construction, as the caller states it: everything is checked, with messages, before
// anything is added, and where something is wrong nothing has changed.
#pragma once

#include "base/report.hpp"
#include "cluster/model/builder.hpp"

#include <chorale/corpus.h>

namespace chorale {

// On success `made` is a builder of an empty model.
chorale_status create_builder(const Report &report, const Memory &memory, const Log &log,
                              Builder *&made) noexcept;

// The members of the cliques first .. first + count - 1: clique first + c has the entries
// offsets[c] .. offsets[c + 1] - 1 of `chains`.
struct RaggedMembers {
  std::int64_t first;
  std::int64_t count;
  const std::int64_t *offsets;
  const std::int64_t *chains;
};

// Structs are those of the public headers; their struct_size says nothing here.
class CheckedBuilder {
public:
  CheckedBuilder(const Report &report, Builder *builder) noexcept
      : report_(report), builder_(builder) {}

  // Whether there is a builder, and no frozen one; everything else needs that.
  chorale_status check() const noexcept;
  const Model &model() const noexcept { return *builder_->model; }

  chorale_status add_chain(const chorale_chain &chain,
                           const chorale_chain_options &options) const noexcept;
  chorale_status add_instance(const chorale_instance &instance) const noexcept;
  chorale_status add_clique(chorale_clique_setup setup) const noexcept;
  chorale_status add_member(std::int64_t clique, std::int64_t chain,
                            chorale_member_options options) const noexcept;
  chorale_status add_position(std::int64_t clique, std::int64_t chain,
                              std::int64_t position) const noexcept;
  chorale_status set_centre(std::int64_t clique, std::int64_t chain,
                            std::int64_t position) const noexcept;
  // Many at once, all or nothing.
  chorale_status add_corpus(const chorale_corpus &corpus) const noexcept;
  chorale_status add_cliques(chorale_clique_setup setup, std::int64_t count) const noexcept;
  // positions: by entry; NULL: 0 throughout.
  chorale_status add_positions(const RaggedMembers &of,
                               const std::int64_t *positions) const noexcept;
  chorale_status add_members(const RaggedMembers &of) const noexcept;
  // Cliques `first`, `first` + 1, .., `count` of them.
  chorale_status add_repeated_words(const Potential *potential,
                                    const chorale_repeated_words_options &options,
                                    std::int64_t &first, std::int64_t &count) const noexcept;
  // Gives the model away: the builder then has none.
  chorale_status freeze(Model *&made) const noexcept;

private:
  // The next number, or `more` of them, of what is counted by int32.
  chorale_status check_room(std::string_view what, std::int64_t count,
                            std::int64_t more = 1) const noexcept;
  chorale_status check_label_values(std::string_view name, const std::int32_t *map,
                                    std::string_view labels_name, std::int64_t labels,
                                    std::int32_t least, std::int64_t values) const noexcept;
  chorale_status check_potential(const Potential *potential, std::string_view name,
                                 std::int64_t values) const noexcept;
  // Fills in R and checks everything else.
  chorale_status take_setup(chorale_clique_setup &setup) const noexcept;
  chorale_status check_member(std::int64_t clique, std::int64_t chain) const noexcept;
  chorale_status check_new(std::int64_t clique, std::int64_t chain,
                           std::int64_t position) const noexcept;
  // A position that is to show values by its label.
  chorale_status check_position(std::int64_t clique, std::int64_t chain, std::int64_t position,
                                bool centre) const noexcept;
  chorale_status check_parts(const RaggedMembers &of) const noexcept;
  template <class Add>
  chorale_status add_entries(const RaggedMembers &of, Add &&add) const noexcept;
  chorale_status out_of_memory() const noexcept;
  chorale_status check_cliques() const noexcept;

  const Report &report_;
  Builder *builder_;
};

} // namespace chorale
