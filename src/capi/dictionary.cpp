// extern "C" of property.h: dictionaries, and what a labelling shows.
#include "property/dictionary.hpp"
#include "capi/chain_call.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

// A dictionary with room for `count` values, or NULL.
chorale_dictionary *make_dictionary(const Memory &memory, std::int64_t count,
                                    std::int32_t with_out) noexcept {
  auto *made = memory.create<chorale_dictionary>(memory);
  if (!made)
    return nullptr;
  made->storage = Block(memory, gsl::narrow_cast<std::size_t>(count) * sizeof(std::int32_t));
  if (!made->storage) {
    Memory::destroy(made, memory);
    return nullptr;
  }
  made->has_out = with_out != 0;
  return made;
}

void seal(chorale_dictionary &dictionary, std::int32_t *values, std::int64_t count) noexcept {
  std::sort(values, values + count);
  dictionary.values = values;
  dictionary.count = gsl::narrow_cast<std::int32_t>(std::unique(values, values + count) - values);
}

chorale_status check_count(const Report &report, std::string_view name, std::int64_t count,
                           std::int32_t with_out) noexcept {
  if (count < 0 || (count == 0 && with_out == 0))
    return report.fail(CHORALE_ERROR_SIZE, name, " is ", count, "; it must be at least ",
                       with_out != 0 ? 0 : 1, with_out != 0 ? "" : " without OUT");
  constexpr std::int64_t most = INT32_MAX - 3;
  if (count > most)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, name, " is ", count, "; it must be at most ",
                       most);
  return CHORALE_OK;
}

chorale_status no_memory(const Report &report, std::int64_t count) noexcept {
  return report.fail(CHORALE_ERROR_OUT_OF_MEMORY,
                     "the allocator gave no memory for a dictionary of ", count, " values");
}

chorale_status take_labelled(ChainCall &call, const chorale_attachment *attachment,
                             std::int64_t length, const std::int32_t *labelling,
                             const std::int32_t *parents) noexcept {
  call.view.parents = parents;
  CHORALE_CHECK(call.take_attachment(attachment, length));
  return call.check_labelling(labelling);
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_dictionary_create(const chorale_host *host, const int32_t *values,
                                         int64_t count, int32_t with_out,
                                         chorale_dictionary **dictionary, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!dictionary)
      return report.null_argument("dictionary");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    CHORALE_CHECK(check_count(report, "count", count, with_out));
    if (!values && count > 0)
      return report.null_argument("values");
    for (std::int64_t i = 0; i < count; ++i)
      if (values[i] < 0)
        return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "values[", i, "] is ", values[i],
                           "; it must be at least 0");
    chorale_dictionary *made = make_dictionary(Memory(&lent), count, with_out);
    if (!made)
      return no_memory(report, count);
    auto *to = reinterpret_cast<std::int32_t *>(made->storage.data());
    std::copy_n(values, count, to);
    seal(*made, to, count);
    *dictionary = made;
    return CHORALE_OK;
  });
}

chorale_status chorale_dictionary_create_best(const chorale_host *host,
                                              const chorale_dictionary *full, const double *scores,
                                              int64_t columns, int64_t keep, int32_t with_out,
                                              chorale_dictionary **dictionary,
                                              chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!dictionary)
      return report.null_argument("dictionary");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    CHORALE_CHECK(check_count(report, "columns", columns, 1));
    CHORALE_CHECK(check_count(report, "keep", keep, with_out));
    if (full && columns < full->size())
      return report.fail(CHORALE_ERROR_VALUES_MISMATCH, "columns is ", columns,
                         "; it must be at least the values of the dictionary, ", full->size());
    if (!scores && columns > 0)
      return report.null_argument("scores");
    const std::int64_t count = full ? full->count : columns;
    for (std::int64_t v = 0; v < count; ++v)
      if (!is_score(scores[v]))
        return fail_number(report, scores[v], true,
                           [&](MessageWriter &place) { place << "scores[" << v << "]"; });
    chorale_dictionary *made = make_dictionary(Memory(&lent), count, with_out);
    if (!made)
      return no_memory(report, count);
    auto *to = reinterpret_cast<std::int32_t *>(made->storage.data());
    std::int32_t *end = to;
    for (std::int32_t v = 0; v < count; ++v)
      if (scores[v] > kForbidden)
        *end++ = v;
    const std::int64_t kept = std::min<std::int64_t>(keep, end - to);
    std::nth_element(to, to + kept, end, [scores](std::int32_t a, std::int32_t b) {
      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
    for (std::int64_t i = 0; full && i < kept; ++i)
      to[i] = full->values[to[i]];
    seal(*made, to, kept);
    if (made->size() == 0) {
      Memory::destroy(made, made->memory);
      return report.fail(CHORALE_ERROR_SIZE, "no score is above minus infinity; without OUT the "
                                             "dictionary would be empty");
    }
    *dictionary = made;
    return CHORALE_OK;
  });
}

chorale_dictionary *chorale_dictionary_retain(const chorale_dictionary *dictionary) {
  return retain(dictionary);
}

void chorale_dictionary_release(const chorale_dictionary *dictionary) { release(dictionary); }

int64_t chorale_dictionary_values(const chorale_dictionary *dictionary) {
  return dictionary ? dictionary->size() : 0;
}

int32_t chorale_dictionary_find(const chorale_dictionary *dictionary, int32_t value) {
  return dictionary ? dictionary->find(value) : -1;
}

int32_t chorale_dictionary_value(const chorale_dictionary *dictionary, int64_t number) {
  return dictionary && number >= 0 && number < dictionary->count ? dictionary->values[number] : -1;
}

void chorale_attachment_init(chorale_attachment *attachment, size_t struct_size) {
  init_struct(attachment, struct_size, chorale_attachment{});
}

int64_t chorale_attachment_values(const chorale_attachment *attachment) {
  if (!attachment)
    return 0;
  return attachment->dictionary ? chorale_dictionary_values(attachment->dictionary)
                                : chorale_property_values(attachment->property);
}

chorale_status chorale_property_evaluate(const chorale_attachment *attachment, int64_t length,
                                         const int32_t *labelling, const int32_t *parents,
                                         int32_t *value, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!value)
      return report.null_argument("value");
    ChainCall call(report);
    CHORALE_CHECK(take_labelled(call, attachment, length, labelling, parents));
    *value = call.attachments.at(0).evaluate(labelling, parents);
    return CHORALE_OK;
  });
}

chorale_status chorale_property_fired(const chorale_attachment *attachment, int64_t length,
                                      const int32_t *labelling, const int32_t *parents,
                                      int32_t *values, int64_t capacity, int64_t *count,
                                      chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!count)
      return report.null_argument("count");
    if (capacity < 0)
      return report.fail(CHORALE_ERROR_SIZE, "capacity is ", capacity, "; it must be at least 0");
    if (!values && capacity > 0)
      return report.null_argument("values");
    ChainCall call(report);
    CHORALE_CHECK(take_labelled(call, attachment, length, labelling, parents));
    std::int64_t found = 0;
    call.attachments.at(0).each_firing(labelling, parents, [&](std::int32_t fired) {
      if (found < capacity)
        values[found] = fired;
      ++found;
    });
    *count = found;
    return CHORALE_OK;
  });
}

} // extern "C"
