#include "property/dictionary.hpp"

namespace chorale {
namespace {

// Creates a dictionary with memory for `count` values; NULL if memory runs out.
Dictionary *make_dictionary(const Memory &memory, std::int64_t count, bool has_unlisted) noexcept {
  Held<Dictionary> made(memory.create<Dictionary>(memory));
  if (!made)
    return nullptr;
  made->storage = Block(memory, to_size(count) * sizeof(std::int32_t));
  if (!made->storage)
    return nullptr;
  made->has_unlisted = has_unlisted;
  return made.give();
}

void seal(Dictionary &dictionary, std::int32_t *values, std::int64_t count) noexcept {
  std::sort(values, values + count);
  dictionary.values = values;
  dictionary.count = static_cast<std::int32_t>(std::unique(values, values + count) - values);
}

chorale_status no_dictionary_memory(const Report &report, std::int64_t count) noexcept {
  return report.fail(CHORALE_ERROR_OUT_OF_MEMORY,
                     "the allocator gave no memory for a dictionary of ", count, " values");
}

} // namespace

chorale_status check_value_count(const Report &report, std::string_view name, std::int64_t count,
                                 bool has_unlisted) noexcept {
  if (count < 0 || (count == 0 && !has_unlisted))
    return report.fail(CHORALE_ERROR_SIZE, name, " is ", count, "; it must be at least ",
                       has_unlisted ? 0 : 1, has_unlisted ? "" : " without UNLISTED");
  constexpr std::int64_t most = INT32_MAX - 3;
  if (count > most)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, name, " is ", count, "; it must be at most ",
                       most);
  return CHORALE_OK;
}

chorale_status create_dictionary(const Report &report, const Memory &memory,
                                 gsl::span<const std::int32_t> values, bool has_unlisted,
                                 Dictionary *&made) noexcept {
  const auto count = static_cast<std::int64_t>(values.size());
  CHORALE_CHECK(check_value_count(report, "count", count, has_unlisted));
  const std::int32_t *given = values.data();
  CHORALE_CHECK(check_entries(report, given, count, 0, kAnyEntry, "values"));
  Dictionary *draft = make_dictionary(memory, count, has_unlisted);
  if (!draft)
    return no_dictionary_memory(report, count);
  auto *to = reinterpret_cast<std::int32_t *>(draft->storage.data());
  std::copy_n(given, count, to);
  seal(*draft, to, count);
  made = draft;
  return CHORALE_OK;
}

} // namespace chorale
