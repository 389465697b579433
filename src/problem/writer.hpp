// A problem as the sections of a file. What is shared is written once; the same problem is always
// the same bytes, whatever its memory looks like.
#pragma once

#include "problem/numbering.hpp"
#include "problem/output.hpp"
#include "problem/problem.hpp"

namespace chorale {

class ProblemWriter {
public:
  explicit ProblemWriter(const Problem &problem) noexcept;

  // Checks that a file can hold the problem, and measures.
  chorale_status prepare(const Report &report) noexcept;
  std::uint64_t bytes() const noexcept { return bytes_; }
  // After prepare(); as many bytes as it found. False: the sink did not take them.
  bool write(const Sink &sink) const noexcept;

private:
  bool meet_potential(const Potential &potential) noexcept;
  void write_all(Output &out) const noexcept;
  void write_transitions(Output &out) const noexcept;
  void write_properties(Output &out) const noexcept;
  void write_dictionaries(Output &out) const noexcept;
  void write_potentials(Output &out) const noexcept;
  void write_chains(Output &out) const noexcept;
  void write_scores(Output &out) const noexcept;
  void write_cliques(Output &out) const noexcept;
  void write_members(Output &out) const noexcept;
  void write_attachments(Output &out) const noexcept;
  void write_names(Output &out) const noexcept;

  const Problem &problem_;
  const Model &model_;
  Numbering<Transitions> transitions_;
  Numbering<Property> properties_;
  Numbering<Dictionary> dictionaries_;
  Numbering<Potential> potentials_;
  std::uint64_t bytes_ = 0;
  std::uint32_t sections_ = 0;
};

// A property as what creates the same again: its record, then its arrays.
file::PropertyRecord record_of(const Property &property) noexcept;
void write_arrays(Output &out, const Property &property) noexcept;

// The potential that a file holds in the place of one in a model: where it is over more values for
// the model's sake, the one it was made from.
const Potential &given_potential(const Potential &potential) noexcept;
// The potential whose numbers it reads, if that is another one; else NULL.
const Potential *scaled_from(const Potential &given) noexcept;
file::PotentialRecord record_of(const Potential &given, std::int32_t base) noexcept;
void write_arrays(Output &out, const Potential &given) noexcept;

} // namespace chorale
