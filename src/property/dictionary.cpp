#include "property/dictionary.hpp"

namespace chorale {

chorale_status create_dictionary(const Report &report, const Memory &memory,
                                 const std::int32_t *values, std::int64_t count, bool has_unlisted,
                                 Dictionary *&made) noexcept {
  if (count < 0 || (count == 0 && !has_unlisted))
    return report.fail(CHORALE_ERROR_SIZE, "count is ", count, "; it must be at least ",
                       has_unlisted ? 0 : 1, has_unlisted ? "" : " without UNLISTED");
  constexpr std::int64_t most = INT32_MAX - 3;
  if (count > most)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "count is ", count, "; it must be at most ",
                       most);
  CHORALE_CHECK(check_array(report, values, count, "values"));
  CHORALE_CHECK(check_entries(report, values, count, 0, kAnyEntry, "values"));
  Held<Dictionary> draft(memory.create<Dictionary>(memory));
  if (draft)
    draft->storage = Block(memory, to_size(count) * sizeof(std::int32_t));
  if (!draft || !draft->storage)
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY,
                       "the allocator gave no memory for a dictionary of ", count, " values");
  auto *to = reinterpret_cast<std::int32_t *>(draft->storage.data());
  std::copy_n(values, count, to);
  std::sort(to, to + count);
  draft->values = to;
  draft->count = static_cast<std::int32_t>(std::unique(to, to + count) - to);
  draft->has_unlisted = has_unlisted;
  made = draft.give();
  return CHORALE_OK;
}

} // namespace chorale
