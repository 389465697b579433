// alpha-pass for any potential, and max-marginals over the labellings that alpha-pass visits.
//
// The pass of column alpha (alpha_sweep.hpp) sorts the members by their gain from alpha. It visits
// one labelling for each possible count k of alpha: the first k members have alpha, and every other
// member its default column, its best column other than alpha.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/passes/alpha_sweep.hpp"
#include "potential/count_score.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace chorale {

// For AlphaPass::run() without bounds: every pass is run, in the order of the columns.
struct AllPasses {
  AllPasses(Layout &, const Instance &) noexcept {}
  bool run() const noexcept { return true; }
  std::int32_t alpha(std::int32_t rank) const noexcept { return rank; }
  double bound(std::int32_t) const noexcept { return kInfinity; }
};

// Lists the columns that passes of a sum visit: the *warm* ones, which are the best or second-best
// columns of the members (at most 2 n) and those with f_v(0) != 0. All others are *cold*: in the
// pass of another column no member takes them, and they add nothing to the total. So the Score
// (count_score.hpp) is set up for the next pass in time proportional to the number of warm columns,
// not to K. If the potential is no sum, if members have weights, or if more than half of the
// columns are warm, all columns are listed.
template <class Score> class WarmColumns {
public:
  WarmColumns(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), columns_(layout.take<std::int32_t>(instance.columns)),
        entry_of_(layout.take<std::int32_t>(instance.columns)) {}

  // Lists the warm columns if `leaves_out` (all columns in the cases named before the class),
  // otherwise all columns. Must be called before the first pass. False if interrupted; the list is
  // then invalid.
  bool list(bool leaves_out) noexcept {
    const Instance &in = *instance_;
    const std::int32_t K = in.columns;
    previous_ = -1;
    count_ = K;
    if (!in.spend(8 * std::int64_t{K}))
      return false;
    if constexpr (kIsSum)
      if (leaves_out) {
        for (std::int32_t v = 0; v < K; ++v)
          entry_of_[v] = in.potential.tables[v][0] != 0 ? 1 : 0;
        if (!in_stretches(in, in.members, 4, [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t i = begin; i < end; ++i)
                for (const std::int32_t v : {in.best[i], in.second[i]})
                  if (v >= 0)
                    entry_of_[v] = 1;
            }))
          return false;
        const auto warm = static_cast<std::int32_t>(std::count(entry_of_, entry_of_ + K, 1));
        count_ = 2 * warm <= K ? warm : K;
      }
    std::int32_t entries = 0;
    for (std::int32_t v = 0; v < K; ++v) {
      const bool is_warm = count_ == K || entry_of_[v] != 0;
      if (is_warm)
        columns_[entries] = v;
      entry_of_[v] = is_warm ? entries++ : -1;
    }
    return true;
  }

  std::int32_t count() const noexcept { return count_; }
  // True if some columns are not listed.
  bool leaves_out() const noexcept { return count_ < instance_->columns; }
  // Return the column of an entry of the list, which is ascending; the entry of a column, or -1.
  std::int32_t operator[](std::int32_t entry) const noexcept { return columns_[entry]; }
  std::int32_t entry_of(std::int32_t v) const noexcept { return entry_of_[v]; }

  // Sets `score` to the counts `of` (K) of the first labelling of the pass of alpha. Adds up the
  // listed columns and alpha in ascending order; the others would add 0, so the total has the same
  // bits as after score.reset(of).
  void reset(Score &score, gsl::span<const std::int32_t> of, std::int32_t alpha) noexcept {
    const std::int32_t previous = std::exchange(previous_, alpha);
    if constexpr (kIsSum)
      if (previous >= 0 && leaves_out()) {
        const std::int32_t *counts = of.data();
        score.put(previous, 0);
        score.restart();
        const std::int32_t *v = columns_;
        const std::int32_t *const end = v + count_;
        for (; v != end && *v < alpha; ++v)
          score.put(*v, counts[*v]);
        score.put(alpha, counts[alpha]);
        for (v += v != end && *v == alpha; v != end; ++v)
          score.put(*v, counts[*v]);
        return;
      }
    score.reset(of);
  }

private:
  static constexpr bool kIsSum = requires(Score &score) { score.restart(); };

  const Instance *instance_;
  std::int32_t *columns_;  // K: the first count_ entries are listed
  std::int32_t *entry_of_; // K: index of the column in columns_, or -1
  std::int32_t count_ = 0; // number of listed columns
  std::int32_t previous_ = -1; // alpha of the previous pass; -1 before the first
};

// Runs the passes. `Score`: a class of count_score.hpp, which keeps the value of the potential up
// to date while single members change their columns.
template <class Score> class AlphaPass {
public:
  AlphaPass(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), sweep_(layout, instance), score_(layout, instance.potential),
        warm_(layout, instance) {}

  // Runs the passes in descending order of the upper bounds on their scores, until a bound lies
  // below the score of `solution`. Replaces `solution` by the best labelling visited, if this
  // labelling scores more. Ends early, with the best labelling so far, if interrupted or if a
  // callback fails. `bounds`: an AllPasses, PassBounds or ThresholdBounds.
  template <class Bounds>
  void run(Bounds &bounds, Limits &limits, Solution &solution) noexcept {
    std::int32_t alpha_of_solution = -1;
    passes_ = 0;
    if (!warm_.list(true))
      return;
    for (std::int32_t rank = 0; rank < instance_->columns; ++rank) {
      const std::int32_t alpha = bounds.alpha(rank);
      if (bounds.bound(alpha) < solution.score || !limits.spend(instance_->columns))
        return;
      const Best best = pass(alpha);
      solution.failure = score_.failure();
      if (solution.failure != CallbackFailure::none || instance_->interrupted())
        return;
      // Among passes with equal scores, prefers the pass of the lowest alpha, so that the result
      // does not depend on the order of the passes.
      if (best.score > solution.score ||
          (best.score == solution.score && alpha < alpha_of_solution)) {
        if (!sweep_.write(best.count, solution.assignment))
          return;
        solution.score = best.score;
        alpha_of_solution = alpha;
      }
      remember(best);
      ++solution.iterations;
    }
  }

  static constexpr std::int32_t kRanks = 4; // number of passes that run() remembers

  // Writes the best labelling of the pass that came out `rank`-th best (0: best) in the latest
  // run(), among passes with different scores. Requires rank < kRanks. False if there is no such
  // pass, or if interrupted.
  bool write(std::int32_t rank, gsl::span<std::int32_t> assignment) noexcept {
    const Best &best = best_[rank];
    return rank < passes_ && best.score > kForbidden && sweep_.order_by(best.alpha) &&
           sweep_.write(best.count, assignment);
  }

private:
  struct Best {
    double score;
    std::int32_t alpha;
    std::int32_t count;
  };

  // Inserts a pass into best_, unless an entry of best_ has the same score up to rounding: both passes
  // have then probably found the same labelling.
  void remember(const Best &best) noexcept {
    std::int32_t at = passes_;
    for (std::int32_t k = passes_; k > 0; --k) {
      if (std::fabs(best_[k - 1].score - best.score) <= 1e-13 * std::fabs(best.score))
        return;
      at = best_[k - 1].score < best.score ? k - 1 : at;
    }
    if (at == kRanks)
      return;
    passes_ = std::min(passes_ + 1, kRanks);
    std::copy_backward(best_ + at, best_ + passes_ - 1, best_ + passes_);
    best_[at] = best;
  }

  // Runs the pass of alpha and returns its best labelling. The score is minus infinity if
  // interrupted, or if the potential forbids all labellings of the pass.
  Best pass(std::int32_t alpha) noexcept {
    Best best{kForbidden, alpha, 0};
    if (!sweep_.order_by(alpha))
      return best;
    warm_.reset(score_, sweep_.counts(), alpha);
    const bool whole = sweep_.walk(score_, [&](std::int32_t k, double members) {
      const double total = members + score_.total();
      if (total > best.score) {
        best.score = total;
        best.count = k;
      }
      return true;
    });
    return whole ? best : Best{kForbidden, alpha, 0};
  }

  const Instance *instance_;
  AlphaSweep sweep_;
  Score score_;
  WarmColumns<Score> warm_;
  Best best_[kRanks]; // the best passes of run(), in descending order of scores
  std::int32_t passes_ = 0; // number of entries of best_ in use
};

// Computes max-marginals over the labellings of alpha-pass: for every member i and column v, the
// best score of any pass in which member i is fixed to v.
//
// In a pass without fixed members, the member of rank r has its default column in labellings k <= r
// and alpha in labellings k > r. If member i, of rank r, is fixed to v, only the column of i
// changes in each labelling. So the best score of the pass with i fixed is the greater of two
// maxima over the labellings of the pass without fixed members: the prefix maximum over k <= r,
// where i moves from its default column to v, and the suffix maximum over k > r, where i moves from
// alpha to v. All passes take O(n K^3) evaluations of the potential.
//
// Sums without forbidden counts are faster: the potential changes by leave[b] + join[v] when a
// member moves from column b to v. If all tables are convex, three facts save work:
//
// - From one labelling of a pass to the next, join[v] falls or stays, unless v is alpha. So if a
//   labelling's score plus leave[b] is no greater than that of an earlier labelling, then of the
//   prefix maxima for members that leave b only the one for v = alpha can rise. Most labellings
//   take O(1) for each b.
// - No member has a cold column v (WarmColumns) except in the pass of v, so in all other passes
//   join[v] is f_v(1) - f_v(0). So one number for each member i serves all cold columns: the greatest
//   sum, over all labellings of the passes, of the other members' scores and the potential without i.
// - Let `reach` be the greatest change of the potential by a single move. In the best labelling of a
//   pass, even with another member fixed to a column, a member with gain > reach has alpha, and a
//   member with gain < -reach has not. Labellings in which this is not so are skipped.
template <class Score> class AlphaPassMarginals {
public:
  AlphaPassMarginals(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), sweep_(layout, instance), score_(layout, instance.potential),
        waiting_(layout.take<std::int32_t>(instance.columns)),
        defaults_(layout.take<std::int32_t>(std::min(instance.members, instance.columns))),
        row_of_(layout.take<std::int32_t>(instance.columns)),
        warm_(layout, instance),
        join_(layout.take<double>(std::int64_t{instance.columns} + 2)),
        cold_(layout.take<double>(instance.members)),
        before_(layout.take<double>(
            product_of_counts(std::min(instance.members, instance.columns),
                              std::int64_t{instance.columns} + 2))),
        after_(layout.take<double>(product_of_counts(
            kIsLinear ? 1 : std::int64_t{instance.members} + 1, std::int64_t{instance.columns} + 2))),
        stays_(layout.take<double>(kIsLinear ? std::int64_t{instance.members} + 1 : 0)),
        leaves_(layout.take<double>(kIsLinear ? std::int64_t{instance.members} + 1 : 0)) {}

  // Writes the messages (n x K): entry (i, v) is the best score found with x_i = v, minus the score
  // of member i at v; minus infinity if no labelling was found. Entries are too low if interrupted,
  // or if a callback fails.
  void run(Limits &limits, Solution &solution, Matrix<double> messages) noexcept {
    if (!clear_messages(*instance_, messages))
      return;
    if constexpr (kIsLinear)
      on_best_units([&, this]() CHORALE_INLINE_LAMBDA { run_passes(limits, solution, messages); });
    else
      run_passes(limits, solution, messages);
  }

private:
  static constexpr bool kIsLinear = LinearMoves<Score>;

  CHORALE_INLINE void run_passes(Limits &limits, Solution &solution,
                                 Matrix<double> messages) noexcept {
    const Instance &in = *instance_;
    is_convex_ = kIsLinear && in.potential.convex;
    const double reach = is_convex_ ? in.potential.convex_steps().range() : kInfinity;
    if (!warm_.list(is_convex_) || !in.spend(in.members))
      return;
    width_ = warm_.count();
    std::fill_n(cold_, in.members, kForbidden);
    for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
      if (!limits.spend(4 * std::int64_t{width_}) || !sweep_.order_by(alpha, reach))
        return;
      pass(alpha, messages);
      ++solution.iterations;
      if (solution.failure = score_.failure(); solution.failure != CallbackFailure::none)
        return;
    }
    if (warm_.leaves_out())
      write_cold(messages);
  }

  // Raises the messages of each member i at each cold column v to cold_[i] + f_v(1) - f_v(0).
  void write_cold(Matrix<double> messages) noexcept {
    const Instance &in = *instance_;
    Pace pace(in, 4 * std::int64_t{in.columns}, in.members);
    for (std::int64_t i = 0; i < in.members && pace.next(); ++i) {
      double *to = messages.row(i).data();
      for (std::int32_t v = 0; v < in.columns; ++v)
        if (warm_.entry_of(v) < 0)
          to[v] = std::max(to[v], cold_[i] + (in.potential.tables[v][1] - in.potential.tables[v][0]));
    }
  }

  CHORALE_INLINE void pass(std::int32_t alpha, Matrix<double> messages) noexcept {
    const Instance &in = *instance_;
    const std::int32_t *counts = sweep_.counts().data();
    warm_.reset(score_, sweep_.counts(), alpha);
    // waiting_[b] counts the members with default column b that have not yet read their prefix
    // maxima. Once it is 0, the row of before_ for b is not updated any more.
    rows_ = 0;
    for (std::int32_t e = 0; e < width_; ++e)
      if (const std::int32_t b = warm_[e]; (waiting_[b] = b == alpha ? 0 : counts[b]) > 0) {
        row_of_[b] = rows_;
        defaults_[rows_++] = b;
      }
    most_ = kForbidden;
    const std::int64_t stride = width_ + 2;
    if (!in_stretches(in, rows_, stride, [&](std::int64_t begin, std::int64_t end) {
          std::fill(before_ + begin * stride, before_ + end * stride, kForbidden);
        }))
      return;
    if constexpr (kIsLinear) {
      for (std::int32_t e = 0; e < width_; ++e)
        join_[e] = score_.join()[warm_[e]];
      join_[width_] = score_.join()[alpha];
      join_[width_ + 1] = 0;
    }

    double members = sweep_.base();
    for (std::int32_t k = sweep_.forced();; ++k) {
      if (!note_state(members) ||
          !in.spend(stride * (kIsLinear ? 1 : score_.work_of_after()) + score_.work_of_move()))
        return;
      if constexpr (kIsLinear) {
        stays_[k] = members + score_.total();
        leaves_[k] = stays_[k] + score_.leave()[alpha];
      } else {
        double *after = after_ + k * stride;
        for (std::int32_t v = 0; v < width_; ++v)
          after[v] = members + (v == alpha                ? score_.total()
                                : score_.count(alpha) > 0 ? score_.after(alpha, v)
                                                          : kForbidden);
      }
      if (k == sweep_.allowed())
        break;
      read_before(k, alpha, messages);
      members += sweep_.at(k).gain;
      move(sweep_.at(k).from, alpha, alpha);
    }
    Pace pace(in, 4 * stride, in.members);
    for (std::int32_t rank = sweep_.allowed(); rank < in.members; ++rank) {
      if (!pace.next())
        return;
      read_before(rank, alpha, messages);
    }
    read_after(alpha, messages);
  }

  // Moves a member between alpha and its default column, and updates join_.
  CHORALE_INLINE void move(std::int32_t from, std::int32_t to, std::int32_t alpha) noexcept {
    score_.move(from, to);
    if constexpr (kIsLinear) {
      for (const std::int32_t v : {from, to})
        if (warm_.entry_of(v) >= 0)
          join_[warm_.entry_of(v)] = score_.join()[v];
      join_[width_] = score_.join()[alpha];
    }
  }

  // Raises the prefix maxima in before_ to the scores that the current labelling gives. For each
  // default column b with waiting_[b] > 0 and each v, the score is `members`, the sum of member
  // scores, plus the potential after one member has moved from b to v. In `members` this member
  // still has its score at b; read_before() subtracts it. Also raises most_. False if interrupted.
  CHORALE_INLINE bool note_state(double members) noexcept {
    const std::int32_t stride = width_ + 2;
    const double score = members + score_.total();
    most_ = std::max(most_, score);
    if (!instance_->spend(2 * rows_))
      return false;
    for (std::int32_t r = 0; r < rows_; ++r) {
      const std::int32_t b = defaults_[r];
      if (waiting_[b] == 0)
        continue;
      double *row = before_ + std::int64_t{r} * stride;
      if constexpr (kIsLinear) {
        const double left = score + score_.leave()[b];
        if (is_convex_ && left <= row[width_ + 1]) {
          row[width_] = std::max(row[width_], left + join_[width_]);
          continue;
        }
        for (std::int32_t e = 0; e < stride; ++e)
          row[e] = row[e] < left + join_[e] ? left + join_[e] : row[e];
        row[warm_.entry_of(b)] = kForbidden; // a member that stays at b does not leave b: see most_
      } else {
        for (std::int32_t v = 0; v < width_; ++v)
          if (v != b)
            row[v] = std::max(row[v], members + score_.after(b, v));
      }
      if (!instance_->spend(stride * (kIsLinear ? 1 : score_.work_of_after())))
        return false;
    }
    return true;
  }

  // Raises the messages of the member of `rank` to the prefix maxima of its default column b, minus
  // the member's score at b, which these maxima contain.
  CHORALE_INLINE void read_before(std::int32_t rank, std::int32_t alpha,
                                  Matrix<double> messages) noexcept {
    const std::int64_t member = sweep_.at(rank).member;
    const std::int32_t b = sweep_.at(rank).from;
    const double own = instance_->score(member, b);
    raise(member, alpha, before_ + row_of_[b] * (std::int64_t{width_} + 2), own, messages);
    double &at_b = messages.row(member).data()[b];
    at_b = std::max(at_b, most_ - own);
    --waiting_[b];
  }

  // Raises the messages of a member to the entries of `row` minus `own`. An entry of `row` is, for
  // one column, the best score of labellings from which the member has moved to this column; `own`,
  // the member's score at the column that it has left, is still part of it. Where cold columns are
  // left out, the last entry serves all of them: it raises cold_, of which write_cold() makes
  // messages.
  CHORALE_INLINE void raise(std::int64_t member, [[maybe_unused]] std::int32_t alpha,
                            const double *row, double own, Matrix<double> messages) noexcept {
    double *to = messages.row(member).data();
    if (!warm_.leaves_out()) {
      for (std::int64_t v = 0; v < width_; ++v)
        to[v] = to[v] < row[v] - own ? row[v] - own : to[v];
    } else {
      for (std::int32_t e = 0; e < width_; ++e)
        to[warm_[e]] = std::max(to[warm_[e]], row[e] - own);
      cold_[member] = std::max(cold_[member], row[width_ + 1] - own);
    }
    if constexpr (kIsLinear)
      to[alpha] = std::max(to[alpha], row[width_] - own);
  }

  // Raises the messages to the suffix maxima. The member of rank k - 1 has alpha in labellings
  // k .. allowed(); for this member, `best` is the row of maxima over the labellings
  // max(k, forced()) .. allowed(). In sums without forbidden counts, the labellings are visited again
  // from the last to the first, since their rows together would need as much memory as the scores.
  CHORALE_INLINE void read_after(std::int32_t alpha, Matrix<double> messages) noexcept {
    const std::int64_t stride = width_ + 2;
    double *best = kIsLinear ? after_ : after_ + sweep_.allowed() * stride;
    if constexpr (kIsLinear) {
      std::fill_n(best, stride, kForbidden);
      raise_after(sweep_.allowed(), alpha, best);
    }
    Pace pace(*instance_, 8 * stride, sweep_.allowed());
    for (std::int32_t k = sweep_.allowed(); k > 0; --k) {
      if (!pace.next())
        return;
      // Members of rank below forced() have alpha in all labellings, so they share row forced().
      if (k >= sweep_.forced() && k < sweep_.allowed()) {
        if constexpr (kIsLinear) {
          move(alpha, sweep_.at(k).from, alpha);
          raise_after(k, alpha, best);
        } else {
          const double *next = best;
          best = after_ + k * stride;
          for (std::int64_t v = 0; v < width_; ++v)
            best[v] = best[v] < next[v] ? next[v] : best[v];
        }
      }
      const std::int32_t member = sweep_.at(k - 1).member;
      raise(member, alpha, best, instance_->score(member, alpha), messages);
    }
  }

  // Raises each entry of a row to the score of labelling k after a member at alpha has moved to the
  // column of the entry. The member's own part of this score is still its score at alpha; raise()
  // subtracts it.
  CHORALE_INLINE void raise_after(std::int32_t k, std::int32_t alpha, double *row) noexcept {
    const double at_alpha = std::max(row[width_], stays_[k]);
    const std::int64_t stride = width_ + 2;
    for (std::int64_t e = 0; e < stride; ++e)
      row[e] = row[e] < leaves_[k] + join_[e] ? leaves_[k] + join_[e] : row[e];
    row[width_] = at_alpha;
    if (warm_.entry_of(alpha) >= 0)
      row[warm_.entry_of(alpha)] = at_alpha;
  }

  const Instance *instance_;
  AlphaSweep sweep_;
  Score score_;
  std::int32_t *waiting_;  // K: by default column, number of members still to read before_
  std::int32_t *defaults_; // min(n, K): the default columns of the pass, ascending
  std::int32_t *row_of_;   // K: by default column, its index in defaults_
  WarmColumns<Score> warm_;
  // A row has width_ + 2 entries: one for each column of warm_, one for alpha, and one for any cold
  // column v, without join[v]. join_, stays_ and leaves_ are used in sums without forbidden counts
  // (kIsLinear) only.
  double *join_;           // one row: join of the column of each entry; 0 in the last entry
  double *cold_;           // n: maximum over all passes of the last entry, minus the member's own score
  double *before_;         // min(n, K) rows: prefix maxima, by index in defaults_
  double *after_;          // n + 1 rows (one if kIsLinear): scores, then suffix maxima, by count k
  double *stays_;          // n + 1: the score of labelling k
  double *leaves_;         // n + 1: the score of labelling k plus leave[alpha]
  std::int32_t width_ = 0; // warm_.count()
  std::int32_t rows_ = 0;  // number of entries of defaults_
  double most_ = 0;        // the greatest score of a labelling of the pass so far
  bool is_convex_ = false;
};

} // namespace chorale
