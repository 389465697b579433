// extern "C" of property.h: dictionaries, and what a labelling shows.
#include "property/dictionary.hpp"
#include "capi/chain_call.hpp"

namespace chorale {
namespace {

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
  return creating(error, host, "dictionary", dictionary, [&](Report &report, const Memory &memory) {
    return create_dictionary(report, memory, values, count, with_out != 0, *dictionary);
  });
}

chorale_status chorale_dictionary_create_best(const chorale_host *host,
                                              const chorale_dictionary *full, const double *scores,
                                              int64_t columns, int64_t keep, int32_t with_out,
                                              chorale_dictionary **dictionary,
                                              chorale_error *error) {
  return creating(error, host, "dictionary", dictionary, [&](Report &report, const Memory &memory) {
    return create_best_dictionary(report, memory, full, scores, columns, keep, with_out != 0,
                                  *dictionary);
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

chorale_status chorale_property_shown(const chorale_attachment *attachment, int64_t length,
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
