// Reads a problem file. The contents go through the same checks as callers' arguments. If such a
// check fails, the reader reports its message, preceded by the place in the file.
#pragma once

#include "base/array.hpp"
#include "cluster/model/builder.hpp"
#include "problem/container.hpp"
#include "problem/problem.hpp"

namespace chorale {

class ProblemReader {
public:
  // `shared`: the bytes of the file.
  ProblemReader(const Report &report, const Memory &memory, const Log &log,
                const SharedBytes &shared) noexcept;
  ~ProblemReader();
  ProblemReader(const ProblemReader &) = delete;
  ProblemReader &operator=(const ProblemReader &) = delete;

  // Reads the file. On success the caller owns `problem`.
  chorale_status read(Problem *&problem) noexcept;

private:
  // The objects of one kind that chains and cliques share (such as all potentials), ordered by
  // their number in the file. Holds one reference to each.
  template <class T> struct Handles {
    explicit Handles(const Memory &memory) noexcept : all(memory) {}
    ~Handles() {
      for (const T *handle : all)
        release(handle);
    }
    Array<T *> all;
  };

  chorale_status read_transitions() noexcept;
  chorale_status read_properties() noexcept;
  chorale_status read_dictionaries() noexcept;
  chorale_status read_potentials() noexcept;
  chorale_status read_chains() noexcept;
  chorale_status read_cliques() noexcept;
  chorale_status read_members() noexcept;
  chorale_status read_weights() noexcept;
  chorale_status freeze() noexcept;
  chorale_status read_texts() noexcept;
  chorale_status read_integers() noexcept;
  chorale_status read_notes() noexcept;

  chorale_status create_property(const file::PropertyRecord &record, Section &section,
                                 Property *&made) noexcept;
  chorale_status create_potential(const file::PotentialRecord &record, Section &section,
                                  Potential *&made) noexcept;
  chorale_status add_chain(const file::ChainRecord &record, Section &scores) noexcept;

  // Reads the number of records, and then the records.
  template <class Record>
  chorale_status take_records(Section &section, const Record *&records,
                              std::int64_t &count) noexcept;
  // Checks that the section has been read to its end.
  chorale_status close(Section &section) const noexcept;
  template <class... Parts>
  chorale_status damaged(const Section &section, const Parts &...parts) const noexcept {
    return report_.fail(CHORALE_ERROR_FILE_SECTION, "section ", section.name(), parts...);
  }
  chorale_status too_short(const Section &section, std::string_view what,
                           std::int64_t number) const noexcept {
    return damaged(section, ", ", what, " ", number, ": the section is too short for its arrays");
  }
  // Checks that `index` is from `least` (-1 or 0) to count - 1. The other arguments are for the
  // message.
  chorale_status check_number(const Section &section, std::string_view what, std::int64_t number,
                              std::string_view of, std::int64_t index, std::int64_t count,
                              std::int64_t least) const noexcept {
    if (index >= least && index < count)
      return CHORALE_OK;
    return damaged(section, ", ", what, " ", number, ": ", of, " ", index, " is none; there are ",
                   count);
  }
  // Returns `status`, the status of a check that reported to `inner_`. On an error, reports the
  // check's message again, after the section and the record (`what` and its `number`).
  chorale_status relay(const Section &section, std::string_view what, std::int64_t number,
                       chorale_status status) const noexcept {
    if (status == CHORALE_OK)
      return CHORALE_OK;
    return report_.fail(status, "section ", section.name(), ", ", what, " ", number, ": ",
                        std::string_view(inner_error_.message));
  }

  const Report &report_;
  Memory memory_;
  Log log_;
  const SharedBytes &shared_;
  Container container_;
  chorale_error inner_error_{};
  const Report inner_{&inner_error_};
  Handles<Transitions> transitions_;
  Handles<Property> properties_;
  Handles<Dictionary> dictionaries_;
  Handles<Potential> potentials_;
  const file::ChainRecord *chains_ = nullptr;
  const file::CliqueRecord *cliques_ = nullptr;
  std::int64_t chain_count_ = 0;
  std::int64_t clique_count_ = 0;
  Builder *builder_ = nullptr;
  Model *model_ = nullptr;
  Problem *problem_ = nullptr;
};

template <class Record>
chorale_status ProblemReader::take_records(Section &section, const Record *&records,
                                           std::int64_t &count) noexcept {
  const auto *number = section.take<std::uint64_t>(1);
  if (!number)
    return damaged(section, " is too short for the number of its records");
  records = section.take<Record>(*number);
  if (!records || *number > static_cast<std::uint64_t>(kLargestSize))
    return damaged(section, " tells of ", *number, " records; it has ", section.left(),
                   " bytes for them");
  count = static_cast<std::int64_t>(*number);
  return CHORALE_OK;
}

} // namespace chorale
