#include "property/label_scheme.hpp"

#include "base/span.hpp"

namespace chorale {

LabelName read_label(chorale_scheme scheme, std::string_view name) noexcept {
  if (scheme == CHORALE_SCHEME_PLAIN)
    return {Part::plain, name};
  if (name == "O")
    return {Part::outside, name};
  if (name.size() < 3 || (name[1] != '-' && name[1] != '_'))
    return {Part::unknown, name};
  const std::string_view kind = name.substr(2);
  const bool closes = scheme != CHORALE_SCHEME_BIO; // the scheme has labels for ends of segments
  const bool is_bioes = scheme == CHORALE_SCHEME_BIOES;
  const char prefix = name[0];
  const Part part = prefix == 'B'                                 ? Part::begin
                    : prefix == 'I'                               ? Part::inside
                    : closes && prefix == (is_bioes ? 'E' : 'L') ? Part::end
                    : closes && prefix == (is_bioes ? 'S' : 'U') ? Part::single
                                                                  : Part::unknown;
  return {part, kind};
}

bool may_follow(chorale_scheme scheme, const LabelName &before, const LabelName &after) noexcept {
  const bool open = before.part == Part::begin || before.part == Part::inside;
  const bool continues = after.part == Part::inside || after.part == Part::end;
  if (continues)
    return open && before.kind == after.kind;
  // In schemes with labels for the end of a segment, a segment must be closed by such a label.
  return scheme == CHORALE_SCHEME_PLAIN || scheme == CHORALE_SCHEME_BIO || !open;
}

bool may_start(const LabelName &name) noexcept {
  return name.part != Part::inside && name.part != Part::end;
}

bool may_end(chorale_scheme scheme, const LabelName &name) noexcept {
  if (scheme == CHORALE_SCHEME_PLAIN || scheme == CHORALE_SCHEME_BIO)
    return true;
  return name.part != Part::begin && name.part != Part::inside;
}

chorale_status LabelNames::check(const Report &report) const noexcept {
  if (scheme < CHORALE_SCHEME_PLAIN || scheme > CHORALE_SCHEME_BILOU)
    return report.unknown_constant("scheme", scheme, "a CHORALE_SCHEME_ constant");
  CHORALE_CHECK(check_size(report, "labels", count));
  CHORALE_CHECK(check_given(report, "names", names));
  for (std::int64_t y = 0; y < count; ++y) {
    if (!names[y])
      return report.null_argument("names[", y, "]");
    if (at(y).part == Part::unknown)
      return report.fail(CHORALE_ERROR_LABEL_NAME, "names[", y, "] is \"", name(y),
                         "\"; in this scheme it must be O or a prefix such as B-, I- and a kind");
  }
  return CHORALE_OK;
}

std::int32_t LabelNames::map(gsl::span<std::int32_t> kind_of_label,
                             gsl::span<std::uint8_t> begins) const noexcept {
  Expects(kind_of_label.size() >= to_size(count) && begins.size() >= to_size(count));
  std::int32_t *kind_of = kind_of_label.data();
  std::int32_t kinds = 0;
  for (std::int64_t y = 0; y < count; ++y) {
    const LabelName name = at(y);
    begins.data()[y] = always_begins(name) ? 1 : 0;
    kind_of[y] = -1;
    // "O" is a kind of its own, distinct from the kind "O" of "B-O".
    for (std::int64_t z = 0; z < y && kind_of[y] < 0; ++z)
      if (const LabelName other = at(z);
          other.kind == name.kind && (other.part == Part::outside) == (name.part == Part::outside))
        kind_of[y] = kind_of[z];
    if (kind_of[y] < 0)
      kind_of[y] = kinds++;
  }
  return kinds;
}

void LabelNames::write_masks(gsl::span<std::uint8_t> mask, gsl::span<std::uint8_t> start,
                             gsl::span<std::uint8_t> end) const noexcept {
  const std::size_t n = to_size(count);
  Expects((mask.empty() || mask.size() == n * n) && (start.empty() || start.size() == n) &&
          (end.empty() || end.size() == n));
  std::uint8_t *to = mask.data();
  for (std::int64_t x = 0; x < count; ++x) {
    const LabelName before = at(x);
    if (!start.empty())
      start.data()[x] = may_start(before) ? 1 : 0;
    if (!end.empty())
      end.data()[x] = may_end(scheme, before) ? 1 : 0;
    for (std::int64_t y = 0; to && y < count; ++y)
      to[x * count + y] = may_follow(scheme, before, at(y)) ? 1 : 0;
  }
}

} // namespace chorale
