// count_dual.hpp explains the words used here.
#include "clique/dual/count_dual.hpp"

#include "base/sort.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

constexpr double kCountRounding = 1e-15; // relative error per operation: several unit roundoffs

} // namespace

CountDual::CountDual(Layout &layout, std::int32_t members, std::int32_t columns) noexcept
    : members_(members), columns_(columns),
      entries_(layout.take<Entry>(product_of_counts(members, columns))),
      scores_(layout.take<double>(product_of_counts(members, columns))),
      length_(layout.take<std::int32_t>(columns)), lo_(layout.take<std::int32_t>(columns)),
      hi_(layout.take<std::int32_t>(columns)), chosen_(layout.take<std::int32_t>(columns)),
      chosen_weight_(layout.take<std::int32_t>(columns)), best_(layout.take<double>(columns)),
      value_of_count_(layout.take<double>(product_of_counts(std::int64_t{members} + 1, columns))),
      slope_(layout.take<double>(members)) {}


void CountDual::load(const Instance &in) noexcept {
  instance_ = &in;
  fresh_ = true;
  for (std::int64_t v = 0; v < columns_; ++v) {
    length_[v] = 0;
    lo_[v] = 0;
  }
  Pace pace(in, 8 * columns_, members_);
  for (std::int64_t i = 0; i < members_ && pace.next(); ++i) {
    const double *row = in.row(i);
    for (std::int64_t v = 0; v < columns_; ++v) {
      scores_[v * members_ + i] = row[v];
      if (row[v] > kForbidden)
        entries_[v * members_ + length_[v]++].member = static_cast<std::int32_t>(i);
    }
  }
  for (std::int64_t v = 0; v < columns_; ++v)
    hi_[v] = length_[v];
}

void CountDual::restrict_to(gsl::span<const std::int32_t> lo,
                            gsl::span<const std::int32_t> hi) noexcept {
  std::copy_n(lo.data(), columns_, lo_);
  std::copy_n(hi.data(), columns_, hi_);
}

bool CountDual::sort_column(std::int32_t v) noexcept {
  Entry *entry = entries_ + v * members_;
  const double *score = scores_ + v * members_;
  const std::int64_t *w = instance_->weights;
  if (!in_stretches(*instance_, length_[v], 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t j = begin; j < end; ++j) {
          const std::int32_t i = entry[j].member;
          entry[j].gain = score[i] - prices_[i];
          if (w)
            entry[j].gain /= static_cast<double>(w[i]);
        }
      }))
    return false;
  if (!fresh_ && sort_by_insertion(entry, length_[v]))
    return true;
  return sort_within(*instance_, entry, length_[v], [](const Entry &a, const Entry &b) {
    return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
  });
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
  return in_stretches(*instance_, length, 8, insert) && patience >= 0;
}

double CountDual::evaluate(gsl::span<const double> prices, double negligible) noexcept {
  const double *u = prices.data();
  const bool weighted = instance_->weights != nullptr;
  double total = 0;
  double magnitude = 0;
  if (!in_stretches(*instance_, members_, 4, [&](std::int64_t begin, std::int64_t end) {
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
    const double *f = weighted ? nullptr : instance_->potential.tables[v];
    double *h = value_of_count_ + v * (members_ + 1);
    const std::int64_t most = std::min(hi_[v], length_[v]);
    const std::int64_t least = lo_[v];
    double gains = 0;
    double best = kForbidden;
    std::int64_t weights = 0; // of the first k members, for weighted members
    std::int64_t chosen = 0;
    std::int64_t chosen_weight = 0;
    const auto choose = [&](std::int64_t k) {
      h[k] = gains + (f ? f[k] : instance_->entry(v, weights));
      if (k >= least && h[k] > best) {
        best = h[k];
        chosen = k;
        chosen_weight = weights;
      }
    };
    const auto choose_each = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        choose(k);
        const std::int64_t weight = weighted ? instance_->weight(entry[k].member) : 1;
        gains += entry[k].gain * static_cast<double>(weight);
        weights += weight;
      }
    };
    if (!in_stretches(*instance_, most, weighted ? 16 : 8, choose_each))
      return kInfinity;
    choose(most);
    best_[v] = best;
    chosen_[v] = static_cast<std::int32_t>(chosen);
    chosen_weight_[v] = static_cast<std::int32_t>(chosen_weight);
    total += best;
    if (best > kForbidden) {
      const double table = instance_->entry(v, chosen_weight);
      magnitude += std::fabs(best - table) + std::fabs(table);
    }
    if (!in_stretches(*instance_, chosen, 16, [&](std::int64_t begin, std::int64_t end) {
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
// scores at most D - best_v + H_v(k), so count k can be dropped if this is at most `level`.
bool CountDual::reduce(double level, double *dropped) noexcept {
  const double slack = value_ - level;
  // Raises *dropped to value_ - loss, the bound on labellings with the dropped count. This is at
  // most `level`, but for rounding, since only counts with loss >= slack are dropped.
  const auto drop = [&](double loss) {
    *dropped = std::max(*dropped, std::min(value_ - loss, level));
  };
  for (std::int64_t v = 0; v < columns_; ++v) {
    const double *h = value_of_count_ + v * (members_ + 1);
    Pace counts(*instance_, 4, hi_[v] - lo_[v] + 1);
    while (hi_[v] > chosen_[v] && best_[v] - h[hi_[v]] >= slack && counts.next())
      drop(best_[v] - h[hi_[v]--]);
    while (lo_[v] < chosen_[v] && best_[v] - h[lo_[v]] >= slack && counts.next())
      drop(best_[v] - h[lo_[v]++]);
  }
  return tighten_box();
}

} // namespace chorale
