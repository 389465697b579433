// Writes a problem as the sections of a file. An object that is used several times is written once.
// Equal problems give the same bytes, whatever the addresses of their objects.
#pragma once

#include "problem/numbering.hpp"
#include "problem/output.hpp"
#include "problem/problem.hpp"

namespace chorale {

class ProblemWriter {
public:
  explicit ProblemWriter(const Problem &problem) noexcept;

  // Checks that a file can hold the problem, and measures its size.
  chorale_status prepare(const Report &report) noexcept;
  std::uint64_t bytes() const noexcept { return bytes_; }
  // Writes the file, bytes() bytes. Needs prepare() before. False if the sink failed.
  bool write(const Sink &sink) const noexcept;

private:
  bool meet_potential(const Potential &potential) noexcept;
  // Calls visit(id, write) for each section that the file has, in order; write(out) writes it.
  template <class Visit> void each_section(Visit &&visit) const noexcept;
  void write_all(Output &out) const noexcept;
  void write_chains(Output &out) const noexcept;
  void write_scores(Output &out) const noexcept;
  void write_cliques(Output &out) const noexcept;
  void write_members(Output &out) const noexcept;
  void write_attachments(Output &out) const noexcept;
  void write_weights(Output &out) const noexcept;

  const Problem &problem_;
  const Model &model_;
  Numbering<Transitions> transitions_;
  Numbering<Property> properties_;
  Numbering<Dictionary> dictionaries_;
  Numbering<Potential> potentials_;
  std::uint64_t bytes_ = 0;
  std::uint32_t sections_ = 0;
};

// record_of() returns the record, and write_arrays() writes the arrays, from which the reader
// creates the same property again.
file::PropertyRecord record_of(const Property &property) noexcept;
void write_arrays(Output &out, const Property &property) noexcept;

// Returns the potential to write for a potential of the model. If the model derived its potential
// for other values (potential/recolumn.hpp), this is the potential from which the model derived it.
// A multiple by 1 of another potential is written as that other one.
const Potential &given_potential(const Potential &potential) noexcept;
// Returns the potential of which `given` is a multiple; the reader must create `given` from it.
// NULL if the reader can create `given` without another potential: if `given` is no multiple of
// another one, or if the factor is part of its lambda.
const Potential *scaled_from(const Potential &given) noexcept;
file::PotentialRecord record_of(const Potential &given, std::int32_t base) noexcept;
// A kind of record, and the family and table source of the potentials that it describes; the reader
// passes these two to the functions of potential/create.hpp.
struct PotentialKind {
  std::int32_t kind;
  Form family;
  TableSource source;
};
const PotentialKind &kind_of(std::int32_t kind) noexcept;
void write_arrays(Output &out, const Potential &given) noexcept;

} // namespace chorale
