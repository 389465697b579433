// extern "C" of property.h: the properties of the paper.
#include "property/ready_made.hpp"
#include "capi/label_names.hpp"
#include "capi/property_checks.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

// What the ready-made properties share.
class ReadyMade {
public:
  ReadyMade(const Report &report, const chorale_host *host, const chorale_label_map *map,
            const std::uint8_t *ignored, chorale_property **property) noexcept
      : report_(report), host_(host), map_(map), ignored_(ignored), property_(property) {}

  LabelKinds kinds{};
  Memory memory;

  chorale_status take() noexcept {
    if (!property_)
      return report_.null_argument("property");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report_, host_, lent));
    memory = Memory(&lent);
    if (!map_)
      return report_.null_argument("map");
    chorale_label_map map{};
    CHORALE_CHECK(read_struct(report_, "map", map_, map));
    CHORALE_CHECK(check_size(report_, "map->labels", map.labels));
    CHORALE_CHECK(check_values(report_, map.kinds));
    CHORALE_CHECK(check_table_size(report_, 3, 2, map.labels));
    if (!map.kind_of_label && map.kinds != map.labels)
      return report_.fail(CHORALE_ERROR_SHAPE, "map->kinds is ", map.kinds,
                          "; without kind_of_label it must be map->labels = ", map.labels);
    for (std::int64_t y = 0; map.kind_of_label && y < map.labels; ++y)
      if (map.kind_of_label[y] < 0 || map.kind_of_label[y] >= map.kinds)
        return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "map->kind_of_label[", y, "] is ",
                            map.kind_of_label[y], "; it must be from 0 to ", map.kinds - 1);
    kinds = {gsl::narrow_cast<std::int32_t>(map.labels), gsl::narrow_cast<std::int32_t>(map.kinds),
             map.kind_of_label, map.begins, ignored_};
    return CHORALE_OK;
  }
  chorale_status take_anchor(std::int32_t anchor, chorale_segment_rule rule) const noexcept {
    if (anchor < 0 || anchor >= kinds.kinds)
      return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "anchor is ", anchor,
                          "; it must be a kind, 0 to ", kinds.kinds - 1);
    if (rule != CHORALE_SEGMENT_SPANS_IGNORED && rule != CHORALE_SEGMENT_ENDS_AT_IGNORED)
      return report_.unknown_constant("rule", rule, "a CHORALE_SEGMENT_ constant");
    return CHORALE_OK;
  }
  chorale_status give(chorale_property *made) const noexcept {
    return hand_over(report_, made, property_);
  }

private:
  const Report &report_;
  const chorale_host *host_;
  const chorale_label_map *map_;
  const std::uint8_t *ignored_;
  chorale_property **property_;
};

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

void chorale_label_map_init(chorale_label_map *map, size_t struct_size) {
  init_struct(map, struct_size, chorale_label_map{});
}

chorale_status chorale_label_map_from_names(chorale_scheme scheme, const char *const *names,
                                            const size_t *lengths, int64_t labels,
                                            int32_t *kind_of_label, uint8_t *begins, int64_t *kinds,
                                            chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const LabelNames given{scheme, names, lengths, labels};
    CHORALE_CHECK(check_names(report, given));
    if (!kind_of_label)
      return report.null_argument("kind_of_label");
    if (!begins)
      return report.null_argument("begins");
    if (!kinds)
      return report.null_argument("kinds");
    std::int32_t count = 0;
    for (std::int64_t y = 0; y < labels; ++y) {
      const LabelName name = given.at(y);
      begins[y] = always_begins(name) ? 1 : 0;
      kind_of_label[y] = -1;
      // "O" is a kind of its own, even beside a kind of that name.
      for (std::int64_t z = 0; z < y && kind_of_label[y] < 0; ++z)
        if (const LabelName other = given.at(z);
            other.kind == name.kind &&
            (other.part == Part::outside) == (name.part == Part::outside))
          kind_of_label[y] = kind_of_label[z];
      if (kind_of_label[y] < 0)
        kind_of_label[y] = count++;
    }
    *kinds = count;
    return CHORALE_OK;
  });
}

chorale_status chorale_property_create_position_label(const chorale_host *host,
                                                      const chorale_label_map *map,
                                                      int64_t position, chorale_property **property,
                                                      chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, nullptr, property);
    CHORALE_CHECK(ready.take());
    CHORALE_CHECK(check_size(report, "position", position, 0));
    return ready.give(
        make_position_label(ready.memory, ready.kinds, gsl::narrow_cast<std::int32_t>(position)));
  });
}

chorale_status chorale_property_create_token_label(const chorale_host *host,
                                                   const chorale_label_map *map, int32_t token,
                                                   chorale_property **property,
                                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, nullptr, property);
    CHORALE_CHECK(ready.take());
    if (token < 0)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "token is ", token, "; it must be at least 0");
    return ready.give(make_token_label(ready.memory, ready.kinds, token));
  });
}

chorale_status chorale_property_create_first_label(const chorale_host *host,
                                                   const chorale_label_map *map,
                                                   const uint8_t *ignored,
                                                   chorale_property **property,
                                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, ignored, property);
    CHORALE_CHECK(ready.take());
    return ready.give(make_first_label(ready.memory, ready.kinds));
  });
}

chorale_status chorale_property_create_next_label(const chorale_host *host,
                                                  const chorale_label_map *map, int32_t anchor,
                                                  const uint8_t *ignored, chorale_segment_rule rule,
                                                  int32_t end_value, chorale_property **property,
                                                  chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, ignored, property);
    CHORALE_CHECK(ready.take());
    CHORALE_CHECK(ready.take_anchor(anchor, rule));
    if (end_value < -1 || end_value >= kMostValues)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "end_value is ", end_value,
                         "; it must be from -1 to ", kMostValues - 1);
    return ready.give(make_next_label(ready.memory, ready.kinds, anchor, rule, end_value));
  });
}

chorale_status
chorale_property_create_token_before(const chorale_host *host, const chorale_label_map *map,
                                     int32_t anchor, const uint8_t *ignored,
                                     chorale_segment_rule rule, int64_t values, int32_t start_value,
                                     chorale_property **property, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, ignored, property);
    CHORALE_CHECK(ready.take());
    CHORALE_CHECK(ready.take_anchor(anchor, rule));
    CHORALE_CHECK(check_values(report, values));
    if (start_value < -1 || start_value >= values)
      return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "start_value is ", start_value,
                         "; it must be -1 or a value, 0 to ", values - 1);
    return ready.give(make_token_before(ready.memory, ready.kinds, anchor, rule,
                                        gsl::narrow_cast<std::int32_t>(values), start_value));
  });
}

} // extern "C"
