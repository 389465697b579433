# Asks for small code, not fast code, in those sources of chorale.cpp whose paths match `cold`.
# These sources read and check input, or take little of the time of a run; they have no inner loops.
#
#     awk -v cold=EXPRESSION -f tools/cold.awk chorale.cpp
/^\/\/ ---- [a-z_\/0-9]+\.[ch]pp$/ {
  is_cold = $3 ~ cold
  if (is_cold && !inside) {
    print "#pragma clang attribute push(__attribute__((minsize)), apply_to = function)"
    inside = 1
  }
  if (!is_cold && inside) {
    print "#pragma clang attribute pop"
    inside = 0
  }
}
{ print }
END {
  if (inside)
    print "#pragma clang attribute pop"
}
