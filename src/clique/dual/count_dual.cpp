// count_dual.hpp explains the words used here.
#include "clique/dual/count_dual.hpp"

#include "base/sort.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

constexpr std::int64_t kShort = 128; // greatest number of entries of a column sorted by insertion
constexpr std::int64_t kSpare = 16;  // entries kept sorted beyond ranked_entries()
constexpr double kCountRounding = 1e-15;  // relative error per operation: several unit roundoffs

} // namespace

CountDual::CountDual(Layout &layout, std::int32_t members, std::int32_t columns) noexcept
    : members_(members), columns_(columns),
      entries_(layout.take<Entry>(product_of_counts(members, columns))),
      scores_(layout.take<double>(product_of_counts(members, columns))),
      length_(layout.take<std::int32_t>(columns)), sorted_(layout.take<std::int32_t>(columns)),
      lo_(layout.take<std::int32_t>(columns)), hi_(layout.take<std::int32_t>(columns)),
      chosen_(layout.take<std::int32_t>(columns)),
      chosen_weight_(layout.take<std::int32_t>(columns)), best_(layout.take<double>(columns)),
      value_of_count_(layout.take<double>(product_of_counts(std::int64_t{members} + 1, columns))),
      slope_(layout.take<double>(members)), leave_loss_(layout.take<double>(members)),
      own_leave_loss_(layout.take<double>(product_of_counts(members, columns))),
      suffix_(layout.take<double>(std::max(std::int64_t{members} + 2, std::int64_t{columns}))),
      moved_(layout.take<Entry>(std::int64_t{members} * 3)),
      remaining_(layout.take<std::int32_t>(members)), forced_(layout.take<std::int32_t>(columns)) {}

void CountDual::load(const SumView &view) noexcept {
  view_ = &view;
  fresh_ = true;
  for (std::int64_t v = 0; v < columns_; ++v) {
    length_[v] = 0;
    lo_[v] = 0;
  }
  Pace pace(view, 8 * columns_, members_);
  for (std::int64_t i = 0; i < members_ && pace.next(); ++i) {
    const double *row = view.row(i);
    for (std::int64_t v = 0; v < columns_; ++v) {
      scores_[v * members_ + i] = row[v];
      if (row[v] > kForbidden)
        entries_[v * members_ + length_[v]++].member = static_cast<std::int32_t>(i);
    }
  }
  for (std::int64_t v = 0; v < columns_; ++v)
    hi_[v] = length_[v];
}

std::size_t CountDual::mask_words() const noexcept {
  return (product_of_counts(members_, columns_) + 63) / 64;
}

void CountDual::restrict_to(gsl::span<const std::uint64_t> mask, gsl::span<const std::int32_t> lo,
                            gsl::span<const std::int32_t> hi) noexcept {
  Expects(mask.size() >= mask_words());
  fresh_ = true;
  const std::uint64_t *words = mask.data();
  for (std::int64_t v = 0; v < columns_; ++v) {
    std::int32_t kept = 0;
    Pace pace(*view_, 4, members_);
    for (std::int64_t i = 0; i < members_ && pace.next(); ++i) {
      const std::uint64_t bit = static_cast<std::uint64_t>(i * columns_ + v);
      if (words[bit / 64] >> (bit % 64) & 1)
        entries_[v * members_ + kept++].member = static_cast<std::int32_t>(i);
    }
    length_[v] = kept;
    lo_[v] = lo.data()[v];
    hi_[v] = std::min(hi.data()[v], kept);
  }
}

void CountDual::save_mask(gsl::span<std::uint64_t> mask) const noexcept {
  Expects(mask.size() >= mask_words());
  std::uint64_t *words = mask.data();
  std::fill(words, words + mask_words(), 0);
  for (std::int64_t v = 0; v < columns_; ++v) {
    Pace pace(*view_, 8, length_[v]);
    for (std::int64_t r = 0; r < length_[v] && pace.next(); ++r) {
      const std::uint64_t bit =
          static_cast<std::uint64_t>(entries_[v * members_ + r].member * columns_ + v);
      words[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }
}

// Returns the number of entries of column v to sort: hi_v, since larger counts are never chosen,
// and one more, which reduce() reads.
std::int64_t CountDual::ranked_entries(std::int32_t v) const noexcept {
  return std::min<std::int64_t>(std::int64_t{hi_[v]} + 1, length_[v]);
}

// Sorts the entries of column v by descending gain psi_iv - u_i. Between two calls few prices
// change, by similar amounts, so the column is nearly sorted. A short column is sorted by
// insertion. In a long column, the entries with unchanged gain are still sorted, and the entries
// whose gain has risen and those whose gain has fallen are each nearly sorted: these two groups are
// sorted by insertion, and all three are merged. Entries whose gain is below `floor` need not be
// ranked (ranked_entries()) and stay unsorted at the end. If insertion takes too many steps, or if
// the column was never sorted, uses selection and sorting. False if interrupted.
bool CountDual::sort_column(std::int32_t v) noexcept {
  Entry *entry = entries_ + v * members_;
  const double *score = scores_ + v * members_;
  const std::int64_t length = length_[v];
  const auto gain_of = [score, u = prices_, w = view_->instance->weights](std::int32_t i) {
    const double gain = score[i] - u[i];
    return w ? gain / static_cast<double>(w[i]) : gain;
  };
  if (!fresh_ && length <= kShort) {
    for (std::int64_t j = 0; j < length; ++j)
      entry[j].gain = gain_of(entry[j].member);
    if (sort_by_insertion(entry, length))
      return true;
  } else if (!fresh_) {
    const std::int64_t ranked = ranked_entries(v);
    const double least = entry[std::min<std::int64_t>(ranked + kSpare, sorted_[v]) - 1].gain;
    const double floor = ranked < length ? least : kForbidden;
    // Writes each entry to all four lists, but lengthens only the list to which the entry belongs.
    // This avoids an unpredictable branch.
    Entry *fallen = moved_ + members_;
    Entry *below = fallen + members_;
    std::int64_t same = 0;
    std::int64_t rises = 0;
    std::int64_t falls = 0;
    std::int64_t rest = 0;
    if (!in_stretches(*view_, length, 16, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t j = begin; j < end; ++j) {
            const double before = entry[j].gain;
            const Entry now{gain_of(entry[j].member), entry[j].member};
            entry[same] = now;
            moved_[rises] = now;
            fallen[falls] = now;
            below[rest] = now;
            const bool counts = now.gain >= floor;
            same += counts & (now.gain == before);
            rises += counts & (now.gain > before);
            falls += counts & (now.gain < before);
            rest += !counts;
          }
        }))
      return false;
    if (!copy_within(*view_, below, rest, entry + (length - rest)))
      return false;
    if (length - rest >= ranked && sort_by_insertion(moved_, rises) &&
        sort_by_insertion(fallen, falls)) {
      merge_behind(entry, same, moved_, rises);
      merge_behind(entry, same + rises, fallen, falls);
      sorted_[v] = static_cast<std::int32_t>(length - rest);
      return !view_->interrupted();
    }
    if (!copy_within(*view_, moved_, rises, entry + same) ||
        !copy_within(*view_, fallen, falls, entry + same + rises))
      return false;
  }
  if (!in_stretches(*view_, length, 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t j = begin; j < end; ++j)
          entry[j].gain = gain_of(entry[j].member);
      }))
    return false;
  const std::int64_t sorted = std::min(ranked_entries(v) + kSpare, length);
  const auto comes_before = [](const Entry &a, const Entry &b) {
    return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
  };
  sorted_[v] = static_cast<std::int32_t>(sorted);
  return (sorted == length || select_within(*view_, entry, sorted, length, comes_before)) &&
         sort_within(*view_, entry, sorted, comes_before);
}

// Sorts entries by descending gain. False, with the entries partly sorted, if this takes more than
// about six moves for each entry, or if interrupted.
bool CountDual::sort_by_insertion(Entry *entry, std::int64_t length) noexcept {
  std::int64_t patience = 6 * length + 32;
  const auto insert = [&patience, entry](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = std::max<std::int64_t>(begin, 1); j < end; ++j) {
      if (!(entry[j - 1].gain < entry[j].gain))
        continue;
      if (patience < 0)
        break;
      const Entry next = entry[j];
      std::int64_t at = j;
      do {
        entry[at] = entry[at - 1];
        --at;
      } while (at > 0 && entry[at - 1].gain < next.gain);
      entry[at] = next;
      patience -= j - at;
    }
  };
  return in_stretches(*view_, length, 8, insert) && patience >= 0;
}

// Merges two sorted arrays into `entry`: `length` entries of `entry` and `more` entries of `added`.
// Fills `entry`, which has room for both, from the back. Where gains are equal, entries of `entry`
// come first.
void CountDual::merge_behind(Entry *entry, std::int64_t length, const Entry *added,
                             std::int64_t more) noexcept {
  Pace pace(*view_, 4, length + more);
  while (length > 0 && more > 0 && pace.next()) {
    const bool stays_behind = entry[length - 1].gain < added[more - 1].gain;
    entry[length + more - 1] = stays_behind ? entry[length - 1] : added[more - 1];
    length -= stays_behind ? 1 : 0;
    more -= stays_behind ? 0 : 1;
  }
  copy_within(*view_, added, more, entry);
}

double CountDual::evaluate(gsl::span<const double> prices, double negligible) noexcept {
  const double *u = prices.data();
  const bool weighted = view_->weighted();
  double total = 0;
  double magnitude = 0;
  if (!in_stretches(*view_, members_, 4, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          total += u[i];
          magnitude += std::fabs(u[i]);
          slope_[i] = 1.0;
        }
      }))
    return kInfinity;
  prices_ = u;
  price_sum_ = total;
  for (std::int32_t v = 0; v < columns_; ++v) {
    if (!sort_column(v))
      return kInfinity;
    const Entry *entry = entries_ + v * members_;
    const double *f = weighted ? nullptr : view_->tables[v];
    double *h = value_of_count_ + v * (members_ + 1);
    const std::int64_t most = std::min(hi_[v], length_[v]);
    const std::int64_t least = lo_[v];
    double gains = 0;
    double best = kForbidden;
    std::int64_t weights = 0; // of the first k members, for weighted members
    std::int64_t chosen = 0;
    std::int64_t chosen_weight = 0;
    const auto choose = [&](std::int64_t k) {
      h[k] = gains + (f ? f[k] : view_->entry(v, weights));
      if (k >= least && h[k] > best) {
        best = h[k];
        chosen = k;
        chosen_weight = weights;
      }
    };
    if (!in_stretches(*view_, most, weighted ? 16 : 8, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) {
            choose(k);
            const std::int64_t weight = weighted ? view_->weight(entry[k].member) : 1;
            gains += entry[k].gain * static_cast<double>(weight);
            weights += weight;
          }
        }))
      return kInfinity;
    choose(most);
    best_[v] = best;
    chosen_[v] = static_cast<std::int32_t>(chosen);
    chosen_weight_[v] = static_cast<std::int32_t>(chosen_weight);
    total += best;
    if (best > kForbidden) {
      const double table = view_->entry(v, chosen_weight);
      magnitude += std::fabs(best - table) + std::fabs(table);
    }
    if (!in_stretches(*view_, chosen, 16, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t r = begin; r < end; ++r)
            slope_[entry[r].member] -= 1.0;
        }))
      return kInfinity;
  }
  fresh_ = false;
  rounding_ = kCountRounding * static_cast<double>(16 + members_ + columns_) * magnitude;
  if (rounding_ <= negligible)
    rounding_ = 0;
  return value_ = total == kForbidden ? total : total + rounding_;
}

bool CountDual::tighten_box() noexcept {
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (std::int64_t v = 0; v < columns_; ++v) {
    if (lo_[v] > hi_[v])
      return false;
    least += lo_[v];
    most += hi_[v];
  }
  if (least > members_ || most < members_)
    return false;
  const std::int64_t room = members_ - least;
  const std::int64_t surplus = most - members_;
  for (std::int64_t v = 0; v < columns_; ++v) {
    const std::int64_t lo = lo_[v];
    const std::int64_t hi = hi_[v];
    hi_[v] = static_cast<std::int32_t>(std::min(hi, lo + room));
    lo_[v] = static_cast<std::int32_t>(std::max(lo, hi - surplus));
  }
  return true;
}

// Let D = value_, and let best_v be the greatest H_v(k). A labelling with count k in column v
// scores at most D - best_v + H_v(k). A labelling with member i in column v scores at most D, minus
// the amount by which best_v falls if column v must choose i, minus the amounts by which best_w
// falls for each other column w that chooses i, if w must not choose i.
bool CountDual::reduce(double level, double *dropped) noexcept {
  const double slack = value_ - level;
  if (!in_stretches(*view_, members_, 2, [&](std::int64_t begin, std::int64_t end) {
        std::fill(leave_loss_ + begin, leave_loss_ + end, 0.0);
        std::fill(remaining_ + begin, remaining_ + end, 0);
      }))
    return true;
  // Raises *dropped to value_ - loss, the bound on labellings with the dropped count or entry. This
  // is at most `level`, but for rounding, since only counts and entries with loss >= slack are
  // dropped.
  const auto drop = [&](double loss) {
    *dropped = std::max(*dropped, std::min(value_ - loss, level));
  };

  for (std::int64_t v = 0; v < columns_; ++v) {
    const Entry *entry = entries_ + v * members_;
    const double *h = value_of_count_ + v * (members_ + 1);
    std::int32_t lo = lo_[v];
    std::int32_t hi = std::min(hi_[v], length_[v]);
    Pace counts(*view_, 4, hi - lo + 1);
    while (hi > chosen_[v] && best_[v] - h[hi] >= slack && counts.next())
      drop(best_[v] - h[hi--]);
    while (lo < chosen_[v] && best_[v] - h[lo] >= slack && counts.next())
      drop(best_[v] - h[lo++]);
    lo_[v] = lo;
    hi_[v] = hi;
    // Entries are in descending order of gain, from rank 0; H_v(k) (count_dual.hpp) is the value of
    // choosing the first k. suffix_[r] is the maximum, over counts k > r, of H_v(k) plus the gain
    // of the entry of rank k. Subtracting the gain of rank r gives the best value of choosing more
    // than r entries without that of rank r, whose place the entry of rank k takes.
    const std::int64_t last_count = std::min<std::int64_t>(hi, std::int64_t{length_[v]} - 1);
    double prefix = kForbidden; // max of H_v(k) over counts k <= r, which do not contain rank r
    double *own = own_leave_loss_ + v * members_;
    const std::int64_t chosen = chosen_[v];
    double with_more = kForbidden;
    if (!in_stretches(*view_, last_count, 8, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = last_count - begin; k > last_count - end; --k) {
            if (k >= lo)
              with_more = std::max(with_more, h[k] + entry[k].gain);
            if (k <= chosen)
              suffix_[k - 1] = with_more;
          }
        }))
      return true;
    const auto find_losses = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        if (r >= lo)
          prefix = std::max(prefix, h[r]);
        const double more = r + 1 <= last_count ? suffix_[r] : kForbidden;
        const double without = std::max(prefix, more - entry[r].gain);
        own[r] = std::max(0.0, best_[v] - without);
        leave_loss_[entry[r].member] += own[r];
      }
    };
    if (!in_stretches(*view_, chosen, Limits::kScattered, find_losses))
      return true;
  }

  for (std::int64_t v = 0; v < columns_; ++v) {
    Entry *entry = entries_ + v * members_;
    const double *h = value_of_count_ + v * (members_ + 1);
    const double *own = own_leave_loss_ + v * members_;
    const std::int64_t lo = lo_[v];
    const std::int64_t hi = hi_[v];
    const std::int64_t chosen = chosen_[v];
    suffix_[hi + 1] = kForbidden;
    if (!in_stretches(*view_, hi + 1, 4, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = hi - begin; k > hi - end; --k)
            suffix_[k] = k >= lo ? std::max(suffix_[k + 1], h[k]) : suffix_[k + 1];
        }))
      return true;
    double replacing = kForbidden; // max of H_v(k) - gain of rank k - 1, over k <= r
    std::int64_t kept = 0;
    std::int32_t sorted = 0;
    const auto drop_entries = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        if (r >= 1 && r >= lo && r <= hi)
          replacing = std::max(replacing, h[r] - entry[r - 1].gain);
        const double with =
            std::max(r + 1 <= hi ? suffix_[r + 1] : kForbidden, replacing + entry[r].gain);
        const double own_loss = r < chosen ? own[r] : 0.0;
        const double others = leave_loss_[entry[r].member];
        const double loss =
            (best_[v] - with) +
            (others == kInfinity && own_loss == kInfinity ? 0.0 : others - own_loss);
        if (loss >= slack) {
          drop(loss);
          continue;
        }
        ++remaining_[entry[r].member];
        sorted += r < sorted_[v];
        entry[kept++] = entry[r];
      }
    };
    // If interrupted, the column may hold entries twice; the dual is loaded again before its next
    // use.
    if (!in_stretches(*view_, length_[v], Limits::kScattered, drop_entries))
      return true;
    length_[v] = static_cast<std::int32_t>(kept);
    sorted_[v] = sorted;
    hi_[v] = std::min(hi_[v], length_[v]);
  }

  std::fill(forced_, forced_ + columns_, 0);
  bool is_left_out = false;
  if (!in_stretches(*view_, members_, 2, [&](std::int64_t begin, std::int64_t end) {
        is_left_out = is_left_out || std::find(remaining_ + begin, remaining_ + end, 0) !=
                                         remaining_ + end;
      }))
    return true;
  if (is_left_out)
    return false;
  for (std::int64_t v = 0; v < columns_; ++v) {
    const auto count_forced = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r)
        forced_[v] += remaining_[entries_[v * members_ + r].member] == 1 ? 1 : 0;
    };
    if (!in_stretches(*view_, length_[v], Limits::kScattered, count_forced))
      return true;
    lo_[v] = std::max(lo_[v], forced_[v]);
  }
  return tighten_box();
}

void CountDual::bounds_of_member(std::int64_t i, gsl::span<double> bounds_of) const noexcept {
  double *bounds = bounds_of.data();
  // For each column v, computes without[v], the greatest H_v(k) if v may not choose member i, and
  // bounds[v], the same if v must choose i and the gain of i counts as 0.
  double others = 0;
  std::int32_t needing = 0; // number of columns that have no feasible count without member i
  double *without = suffix_;
  for (std::int64_t v = 0; v < columns_; ++v) {
    const Entry *entry = entries_ + v * members_;
    const double *f = view_->tables[v];
    double gains = 0;
    double alone = kForbidden;
    double joined = kForbidden;
    std::int64_t k = 0;
    Pace pace(*view_, 8, length_[v] + 1);
    for (std::int64_t r = 0;; ++r) {
      if (!pace.next())
        return;
      if (r < length_[v] && entry[r].member == i)
        continue;
      alone = std::max(alone, gains + f[k]);
      if (k < members_)
        joined = std::max(joined, gains + f[k + 1]);
      if (r >= length_[v])
        break;
      gains += entry[r].gain;
      ++k;
    }
    without[v] = alone;
    bounds[v] = joined;
    if (alone == kForbidden)
      ++needing;
    else
      others += alone;
  }
  const double rest = (price_sum_ - prices_[i]) + others + rounding_;
  for (std::int64_t v = 0; v < columns_; ++v) {
    const bool itself = without[v] == kForbidden;
    if (needing > (itself ? 1 : 0))
      bounds[v] = kForbidden;
    else
      bounds[v] += rest - (itself ? 0.0 : without[v]);
  }
}

} // namespace chorale
