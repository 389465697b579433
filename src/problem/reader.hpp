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

  // Reads the number of records to `count`, and sets `records` to the records in the file's bytes.
  template <class Record>
  chorale_status take_records(Section &section, const Record *&records,
                              std::int64_t &count) noexcept;
  // Returned, without a report, by functions that find the section too short for the arrays of a
  // record; read_records() then reports it.
  static constexpr chorale_status kTooShort = CHORALE_ERROR_FILE_SECTION;
  // Reads a section that consists of records and then their arrays. take(section, record, k) reads
  // the arrays of record k; it reports errors to inner_, except that the section is too short.
  // `what`: the word for a record in messages, such as "chain". If the file has no such section,
  // `records` and `count` stay as they are.
  template <class Record, class Take>
  chorale_status read_records(std::uint32_t id, std::string_view what, const Record *&records,
                              std::int64_t &count, Take &&take) noexcept;
  template <class Record, class Take>
  chorale_status read_records(std::uint32_t id, std::string_view what, Take &&take) noexcept {
    const Record *records = nullptr;
    std::int64_t count = 0;
    return read_records(id, what, records, count, take);
  }
  // Reads a section in which each record describes an object that chains and cliques share.
  // create(section, record, made) creates the object, which is then added to `handles`.
  template <class Record, class T, class Create>
  chorale_status read_objects(std::uint32_t id, std::string_view what, Handles<T> &handles,
                              Create &&create) noexcept;
  // Checks that the section has been read to its end.
  chorale_status close(Section &section) const noexcept;
  template <class... Parts>
  chorale_status damaged(const Section &section, const Parts &...parts) const noexcept {
    return report_.fail(CHORALE_ERROR_FILE_SECTION, "section ", section.name(), parts...);
  }
  // Reports an error in a record to inner_; relay() then adds section and place.
  template <class... Parts> chorale_status wrong(const Parts &...parts) const noexcept {
    return inner_.fail(CHORALE_ERROR_FILE_SECTION, parts...);
  }
  // Checks that `index` is from `least` (-1 or 0) to count - 1. `of`: what is numbered, such as
  // "potential", for the message.
  chorale_status check_number(std::string_view of, std::int64_t index, std::int64_t count,
                              std::int64_t least) const noexcept {
    if (index >= least && index < count)
      return CHORALE_OK;
    return wrong(of, " ", index, " is none; there are ", count);
  }
  // Returns `status`, the status of a check that reported to `inner_`. On an error, reports the
  // check's message again, after the section and `place`.
  template <class... Place>
  chorale_status relay(chorale_status status, const Section &section,
                       const Place &...place) const noexcept {
    if (status == CHORALE_OK)
      return CHORALE_OK;
    return report_.fail(status, "section ", section.name(), place..., ": ",
                        std::string_view(inner_error_.message));
  }
  // Returns the number of members of a clique, including its centre.
  std::int64_t members_of(std::int64_t clique) const noexcept {
    return std::int64_t{cliques_[clique].members} + (cliques_[clique].centre_values != 0 ? 1 : 0);
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

template <class Record, class Take>
chorale_status ProblemReader::read_records(std::uint32_t id, std::string_view what,
                                           const Record *&records, std::int64_t &count,
                                           Take &&take) noexcept {
  Section section = container_.section(id);
  if (!section.exists())
    return CHORALE_OK;
  CHORALE_CHECK(take_records(section, records, count));
  if (count == 0 && id > file::kRequired)
    return damaged(section, " is empty");
  for (std::int64_t k = 0; k < count; ++k) {
    const chorale_status status = take(section, records[k], k);
    if (!section.fits())
      return damaged(section, ", ", what, " ", k, ": the section is too short for its arrays");
    CHORALE_CHECK(relay(status, section, ", ", what, " ", k));
  }
  return close(section);
}

template <class Record, class T, class Create>
chorale_status ProblemReader::read_objects(std::uint32_t id, std::string_view what,
                                           Handles<T> &handles, Create &&create) noexcept {
  return read_records<Record>(
      id, what, [&](Section &section, const Record &record, std::int64_t) -> chorale_status {
        if (!handles.all.reserve(handles.all.size() + 1))
          return inner_.out_of_memory();
        T *made = nullptr;
        CHORALE_CHECK(create(section, record, made));
        handles.all.push(made);
        return CHORALE_OK;
      });
}

} // namespace chorale
