// Exported C functions of property.h: the ready-made properties.
#include "property/ready_made.hpp"
#include "capi/firewall.hpp"
#include "property/label_scheme.hpp"

namespace chorale {
namespace {

// Body of all calls that create ready-made properties: reads host and label map, then calls
// make(report, memory, kinds, arguments.., made), a function of ready_made.hpp.
template <class Make, class... Arguments>
chorale_status create_ready_made(const chorale_host *host, const chorale_label_map *map,
                                 const std::uint8_t *ignored, chorale_property **property,
                                 chorale_error *error, Make &&make,
                                 const Arguments &...arguments) noexcept {
  return creating(error, host, "property", property, [&](Report &report, const Memory &memory) {
    chorale_label_map read{};
    CHORALE_CHECK(take_struct(report, "map", map, read));
    return make(report, memory, kinds_of(read, ignored), arguments..., *property);
  });
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_label_map_from_names(chorale_scheme scheme, const char *const *names,
                                            const size_t *lengths, int64_t labels,
                                            int32_t *kind_of_label, uint8_t *begins, int64_t *kinds,
                                            chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const LabelNames given{scheme, names, lengths, labels};
    CHORALE_CHECK(given.check(report));
    CHORALE_CHECK(check_given(report, "kind_of_label", kind_of_label, "begins", begins,
                                      "kinds", kinds));
    *kinds = given.map(span_of(kind_of_label, labels), span_of(begins, labels));
    return CHORALE_OK;
  });
}

chorale_status chorale_property_create_position_label(const chorale_host *host,
                                                      const chorale_label_map *map,
                                                      int64_t position, chorale_property **property,
                                                      chorale_error *error) {
  return create_ready_made(host, map, nullptr, property, error, create_position_label, position);
}

chorale_status chorale_property_create_token_label(const chorale_host *host,
                                                   const chorale_label_map *map, int32_t token,
                                                   chorale_property **property,
                                                   chorale_error *error) {
  return create_ready_made(host, map, nullptr, property, error, create_token_label, token);
}

chorale_status chorale_property_create_first_label(const chorale_host *host,
                                                   const chorale_label_map *map,
                                                   const uint8_t *ignored,
                                                   chorale_property **property,
                                                   chorale_error *error) {
  return create_ready_made(host, map, ignored, property, error, create_first_label);
}

chorale_status chorale_property_create_next_label(const chorale_host *host,
                                                  const chorale_label_map *map, int32_t anchor,
                                                  const uint8_t *ignored, chorale_segment_rule rule,
                                                  int32_t end_value, chorale_property **property,
                                                  chorale_error *error) {
  return create_ready_made(host, map, ignored, property, error, create_next_label, anchor, rule,
                           end_value);
}

chorale_status
chorale_property_create_token_before(const chorale_host *host, const chorale_label_map *map,
                                     int32_t anchor, const uint8_t *ignored,
                                     chorale_segment_rule rule, int64_t values, int32_t start_value,
                                     chorale_property **property, chorale_error *error) {
  return create_ready_made(host, map, ignored, property, error, create_token_before, anchor, rule,
                           values, start_value);
}

} // extern "C"
