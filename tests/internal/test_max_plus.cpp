// The loops of dynamic programs: plain ones say what they must find, and every variant finds the
// same bits.
#include "base/numeric.hpp"
#include "chain/max_plus.hpp"

#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

using namespace chorale;

namespace {

using Numbers = std::vector<double>;

unsigned seed() {
  const char *given = std::getenv("CHORALE_TEST_SEED");
  return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
}

class Draw {
public:
  explicit Draw(unsigned from) : random_(from) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  // Small whole numbers half of the time, so that ties abound; some forbidden ones.
  Numbers numbers(std::size_t count, int forbidden_of_16) {
    Numbers made(count);
    const bool whole = below(2) == 0;
    for (double &number : made)
      number = below(16) < forbidden_of_16 ? kForbidden
               : whole                     ? std::copysign(below(4), below(2) - 0.5)
                                           : std::uniform_real_distribution<double>(-4, 4)(random_);
    return made;
  }

private:
  std::mt19937 random_;
};

bool same_bits(const Numbers &a, const Numbers &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// A chain over a padded matrix; unary rows lie apart by `gap` numbers that must not be read.
struct Chain {
  Chain(Draw &draw, std::int32_t labels_wanted)
      : labels(labels_wanted), length(1 + draw.below(40)),
        padded(static_cast<std::int32_t>(padded_labels(labels))), step(labels + draw.below(3)) {
    const int forbidden = draw.below(4) == 0 ? 6 : 0;
    // To the last number of the last row and no further: a sanitizer sees what is read behind.
    unary = draw.numbers(static_cast<std::size_t>((length - 1) * step + labels), forbidden);
    const Numbers drawn = draw.numbers(static_cast<std::size_t>(labels * labels), forbidden);
    const auto size = static_cast<std::size_t>(labels * padded);
    matrix.assign(size, kForbidden);
    transposed.assign(size, kForbidden);
    for (std::int32_t x = 0; x < labels; ++x)
      for (std::int32_t y = 0; y < labels; ++y)
        matrix[at(x, y)] = transposed[at(y, x)] = drawn[static_cast<std::size_t>(x * labels + y)];
    start = draw.numbers(static_cast<std::size_t>(labels), 0);
    for (double &number : start)
      number += 0.0; // no negative zero
  }
  std::size_t at(std::int32_t row, std::int32_t column) const {
    return static_cast<std::size_t>(row * padded + column);
  }
  double unary_at(std::int32_t t, std::int32_t y) const {
    return unary[static_cast<std::size_t>(t * step + y)];
  }

  // Of a sweep from its side, begun in `rows`.
  Sweep begin(bool backward, Numbers &rows, Numbers &work) const {
    rows.assign(static_cast<std::size_t>(length * padded), 0.0);
    work.resize(static_cast<std::size_t>(padded));
    double *first = rows.data() + (backward ? (length - 1) * padded : 0);
    std::copy(start.begin(), start.end(), first);
    const std::ptrdiff_t sign = backward ? -1 : 1;
    return {length,
            labels,
            unary.data() + (backward ? (length - 1) * step : 0),
            sign * step,
            backward ? transposed.data() : matrix.data(),
            first,
            sign * padded,
            work.data()};
  }
  Numbers swept(const MaxPlus &loops, bool backward) const {
    Numbers rows;
    Numbers work;
    loops.sweep(begin(backward, rows, work));
    return rows;
  }
  Numbers plainly_swept(bool backward) const {
    Numbers rows(static_cast<std::size_t>(length * padded), 0.0);
    std::copy(start.begin(), start.end(),
              rows.begin() + static_cast<std::ptrdiff_t>(at(backward ? length - 1 : 0, 0)));
    for (std::int32_t i = 1; i < length; ++i) {
      const std::int32_t t = backward ? length - 1 - i : i;
      const std::int32_t before = backward ? t + 1 : t - 1;
      std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(at(t, 0)), padded, kForbidden);
      for (std::int32_t y = 0; y < labels; ++y)
        for (std::int32_t x = 0; x < labels; ++x) {
          const double sum = rows[at(before, x)] + unary_at(before, x) +
                             (backward ? transposed : matrix)[at(x, y)];
          rows[at(t, y)] = std::max(rows[at(t, y)], sum);
        }
    }
    return rows;
  }
  std::vector<std::int32_t> traced(const MaxPlus &loops, Numbers &rows, std::int32_t last) const {
    std::vector<std::int32_t> found(static_cast<std::size_t>(length), -7);
    loops.trace(
        {length, labels, unary.data(), step, transposed.data(), rows.data(), padded, nullptr}, last,
        found.data());
    return found;
  }
  std::vector<std::int32_t> plainly_traced(const Numbers &rows, std::int32_t y) const {
    std::vector<std::int32_t> found(static_cast<std::size_t>(length));
    for (std::int32_t t = length - 1; t > 0; --t) {
      found[static_cast<std::size_t>(t)] = y;
      double best = kForbidden;
      std::int32_t from = -1;
      for (std::int32_t x = 0; x < labels; ++x)
        if (const double sum = rows[at(t - 1, x)] + unary_at(t - 1, x) + matrix[at(x, y)];
            sum > best) {
          best = sum;
          from = x;
        }
      y = from;
    }
    found[0] = y;
    return found;
  }

  std::int32_t labels;
  std::int32_t length;
  std::int32_t padded;
  std::int32_t step;
  Numbers unary;
  Numbers matrix;
  Numbers transposed;
  Numbers start;
};

void test_chains(void **) {
  std::printf("seed %u\n", seed());
  Draw draw(seed());
  const MaxPlus *variants[] = {&max_plus_anywhere(), &max_plus_here()};
  for (std::int32_t labels = 1; labels <= 70; ++labels)
    for (int round = 0; round < 12; ++round) {
      const Chain chain(draw, labels);
      for (const bool backward : {false, true}) {
        const Numbers expected = chain.plainly_swept(backward);
        for (const MaxPlus *loops : variants)
          assert_true(same_bits(chain.swept(*loops, backward), expected));
      }
      Numbers rows = chain.plainly_swept(false);
      for (std::int32_t last = 0; last < labels; last += 1 + labels / 5) {
        const std::int32_t t = chain.length - 1;
        if (rows[chain.at(t, last)] + chain.unary_at(t, last) == kForbidden)
          continue;
        const std::vector<std::int32_t> expected = chain.plainly_traced(rows, last);
        for (const MaxPlus *loops : variants)
          assert_true(chain.traced(*loops, rows, last) == expected);
      }
    }
}

// Single steps over any stride, and rows alone.
void test_rows(void **) {
  Draw draw(seed() + 1);
  const MaxPlus *variants[] = {&max_plus_anywhere(), &max_plus_here()};
  for (std::int32_t columns = 1; columns <= 70; ++columns)
    for (int round = 0; round < 12; ++round) {
      const std::int32_t rows = 1 + draw.below(70);
      const std::int32_t stride = columns + draw.below(4);
      const Numbers from = draw.numbers(static_cast<std::size_t>(rows), draw.below(2) * 12);
      const Numbers matrix =
          draw.numbers(static_cast<std::size_t>((rows - 1) * stride + columns), draw.below(2) * 4);
      const Numbers add = draw.numbers(static_cast<std::size_t>(columns), 2);
      const bool adds = draw.below(2) == 0;
      Numbers expected(static_cast<std::size_t>(columns), kForbidden);
      for (std::int32_t y = 0; y < columns; ++y) {
        const auto to = static_cast<std::size_t>(y);
        for (std::int32_t x = 0; x < rows; ++x)
          if (const double sum = from[static_cast<std::size_t>(x)] +
                                 matrix[static_cast<std::size_t>(x * stride + y)];
              sum > expected[to])
            expected[to] = sum;
        expected[to] += adds ? add[to] : 0;
      }
      const Numbers mask = draw.numbers(static_cast<std::size_t>(columns), 12);
      std::int32_t best = -1;
      for (std::int32_t y = 0; y < columns; ++y) {
        const auto at = [&](std::int32_t x) {
          return add[static_cast<std::size_t>(x)] + mask[static_cast<std::size_t>(x)];
        };
        if (at(y) > (best < 0 ? kForbidden : at(best)))
          best = y;
      }
      Numbers masked = expected;
      bool any = false;
      for (std::size_t y = 0; y < masked.size(); ++y) {
        any = any || add[y] + mask[y] > kForbidden;
        masked[y] = std::max(masked[y], add[y] + mask[y]);
      }
      for (const MaxPlus *loops : variants) {
        Numbers out(static_cast<std::size_t>(columns));
        const double *more = adds ? add.data() : nullptr;
        loops->step(from.data(), rows, matrix.data(), stride, columns, more, out.data());
        assert_true(out == expected);
        assert_int_equal(loops->best_sum(add.data(), mask.data(), columns), best);
        assert_int_equal(loops->max_masked(add.data(), mask.data(), columns, out.data()), any);
        assert_true(out == masked);
      }
    }
}

} // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(test_chains), cmocka_unit_test(test_rows)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
