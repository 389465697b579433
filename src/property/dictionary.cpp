#include "property/dictionary.hpp"

namespace chorale {

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
  Held<Dictionary> draft(memory.create<Dictionary>(memory));
  if (draft)
    draft->storage = Block(memory, to_size(count) * sizeof(std::int32_t));
  if (!draft || !draft->storage)
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY,
                       "the allocator gave no memory for a dictionary of ", count, " values");
  auto *to = reinterpret_cast<std::int32_t *>(draft->storage.data());
  std::copy_n(given, count, to);
  std::sort(to, to + count);
  draft->values = to;
  draft->count = static_cast<std::int32_t>(std::unique(to, to + count) - to);
  draft->has_unlisted = has_unlisted;
  made = draft.give();
  return CHORALE_OK;
}

} // namespace chorale
