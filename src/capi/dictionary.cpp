// Exported C functions of experimental.h: dictionaries; the value of a property on a labelling
// (*shown*), and the values that its automaton emits on the way (*fired*).
#include "property/dictionary.hpp"
#include "capi/chain_call.hpp"

using namespace chorale;

extern "C" {

chorale_status chorale_dictionary_create(const chorale_host *host, const int32_t *values,
                                         int64_t count, chorale_unlisted unlisted,
                                         chorale_dictionary **dictionary, chorale_error *error) {
  return creating(error, host, "dictionary", dictionary, [&](Report &report, const Memory &memory) {
    if (unlisted != CHORALE_UNLISTED_FORBIDDEN && unlisted != CHORALE_UNLISTED_AS_VALUE)
      return report.unknown_constant("unlisted", unlisted, "a CHORALE_UNLISTED_ constant");
    return create_dictionary(report, memory, values, count, unlisted == CHORALE_UNLISTED_AS_VALUE,
                             *dictionary);
  });
}

void chorale_dictionary_release(const chorale_dictionary *dictionary) { release(dictionary); }

chorale_status chorale_property_shown(const chorale_attachment *attachment, int64_t length,
                                      const int32_t *labelling, const int32_t *parents,
                                      int32_t *value, int32_t *fired, int64_t capacity,
                                      int64_t *needed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ChainCall call(report);
    call.view.parents = parents;
    CHORALE_CHECK(call.take_attachment(attachment, length));
    CHORALE_CHECK(call.check_labelling(labelling));
    const Attached attached = call.attachments.at(0);
    const auto labels = span_of(labelling, length);
    const auto above = span_of(parents, length);
    std::int64_t count = 0;
    attached.each_firing(labels, above, [&](std::int32_t) { ++count; });
    CHORALE_CHECK(fill_buffer(report, "fired", fired, capacity, count, needed, [&] {
      attached.each_firing(labels, above, [&](std::int32_t each) { *fired++ = each; });
    }));
    if (value)
      *value = attached.evaluate(labels, above);
    return CHORALE_OK;
  });
}

} // extern "C"
