#include "property/label_scheme.hpp"

namespace chorale {

LabelName read_label(chorale_scheme scheme, std::string_view name) noexcept {
  if (scheme == CHORALE_SCHEME_PLAIN)
    return {Part::plain, name};
  if (name == "O")
    return {Part::outside, name};
  if (name.size() < 3 || (name[1] != '-' && name[1] != '_'))
    return {Part::unknown, name};
  const std::string_view kind = name.substr(2);
  switch (name[0]) {
  case 'B':
    return {Part::begin, kind};
  case 'I':
    return {Part::inside, kind};
  case 'E':
    return {scheme == CHORALE_SCHEME_BIOES ? Part::end : Part::unknown, kind};
  case 'S':
    return {scheme == CHORALE_SCHEME_BIOES ? Part::single : Part::unknown, kind};
  case 'L':
    return {scheme == CHORALE_SCHEME_BILOU ? Part::end : Part::unknown, kind};
  case 'U':
    return {scheme == CHORALE_SCHEME_BILOU ? Part::single : Part::unknown, kind};
  default:
    return {Part::unknown, kind};
  }
}

bool may_follow(chorale_scheme scheme, const LabelName &before, const LabelName &after) noexcept {
  const bool open = before.part == Part::begin || before.part == Part::inside;
  const bool continues = after.part == Part::inside || after.part == Part::end;
  if (continues)
    return open && before.kind == after.kind;
  // Where segments have an end of their own, an open one must reach it.
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

} // namespace chorale
