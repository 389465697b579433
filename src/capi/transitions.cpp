// Exported C functions of chain.h and experimental.h: transitions, and the masks of
// labelling schemes.
#include "capi/firewall.hpp"
#include "chain/transitions.hpp"
#include "property/label_scheme.hpp"

using namespace chorale;

extern "C" {

chorale_status chorale_transitions_create(const chorale_host *host, int64_t labels,
                                          const void *scores,
                                          const chorale_transitions_options *options,
                                          chorale_transitions **transitions, chorale_error *error) {
  return creating(error, host, "transitions", transitions,
                  [&](Report &report, const Memory &memory) {
                  chorale_transitions_options read{};
                  CHORALE_CHECK(read_struct(report, "options", options, read));
                  return create_transitions(report, memory, labels, scores, read, *transitions);
                  });
}

chorale_transitions *chorale_transitions_retain(const chorale_transitions *transitions) {
  return retain(transitions);
}

void chorale_transitions_release(const chorale_transitions *transitions) { release(transitions); }

int64_t chorale_transitions_labels(const chorale_transitions *transitions) {
  return transitions ? transitions->labels : 0;
}

chorale_status chorale_scheme_mask(chorale_scheme scheme, const char *const *names,
                                   const size_t *lengths, int64_t labels, uint8_t *mask,
                                   uint8_t *start, uint8_t *end, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const LabelNames given{scheme, names, lengths, labels};
    CHORALE_CHECK(given.check(report));
    given.write_masks(span_of(mask, labels * labels), span_of(start, labels), span_of(end, labels));
    return CHORALE_OK;
  });
}

} // extern "C"
