// Max-marginals of positions in the joint program (joint_chain.hpp): a forward pass that keeps the
// configurations of every position, then a backward pass.
//
// In the backward pass, the row of a configuration holds, for each label, the best score of the
// positions that follow. Successors are computed again from the automata, which is faster than
// loading them from memory.
//
// The same passes with log-sums (log_sums.hpp) in the place of maxima give, for each label of a
// position, the log-sum of the scores of the labellings with this label. At every position a number
// is then subtracted from all rows, so that the greatest entry is 0. If a position has more
// configurations than the width, sums can leave out the configurations whose labellings add least.
// The weight of such labellings is at most the weight of the configuration's partial labellings
// with all completions, without properties, times the greatest weight that messages can still give.
#include "chain/joint_chain.hpp"

#include "chain/max_plus.hpp"

#include <algorithm>

namespace chorale {

bool JointChain::marginals(Scores &scores, gsl::span<const BoundProperty> properties,
                           const JointLimits &limits, const LogSums *sums, const Matrix<double> &to,
                           JointOutcome &outcome) noexcept {
  Expects(to.rows >= length_ && to.columns >= labels_);
  start(scores, properties, limits, {}, sums, outcome);
  if (sums && !limits.exact &&
      !scores.complete(*sums, {completion_, to_size(length_) * to_size(labels_)},
                       {row_, to_size(labels_)}))
    return false;
  if (!go_forward(scores))
    return false;
  for (std::int32_t t = length_ - 1; t >= 0; --t) {
    if (t == length_ - 1 ? !end_rows(scores) : !go_back(scores, t))
      return false;
    double *best = to.data + t * to.stride;
    std::fill_n(best, labels_, kForbidden);
    for (std::int32_t i = 0; i < now_.count(); ++i) {
      const double *before = forward_rows_ + (std::int64_t{t} * width_ + i) * labels_;
      const double *after = now_.row(i);
      for (std::int32_t y = 0; y < labels_; ++y)
        best[y] = sums_ ? sums_->add(best[y], before[y] + after[y])
                        : std::max(best[y], before[y] + after[y]);
    }
    if (sums && !limits.exact && t == length_ - 1) {
      const double kept = sums_->total(labels_, [best](std::int32_t y) { return best[y]; });
      outcome.overflow = kept == kForbidden;
      if (outcome.overflow)
        return false;
      lost_part_ = sums_->weight(lost_ - sums_->add(kept + lowered_, lost_));
    }
  }
  return true;
}

bool JointChain::end_rows(Scores &scores) noexcept {
  for (std::int32_t i = 0; i < now_.count(); ++i) {
    if (!scores.spend(step_work()))
      return false;
    for (std::int32_t y = 0; y < labels_; ++y)
      now_.row(i)[y] = final_score(scores, now_.key(i), y);
  }
  return true;
}

double JointChain::hope(const std::int32_t *key) const noexcept {
  double most = 0;
  for (std::int32_t k = 0; k < count_; ++k)
    most += properties_[k].greatest_payment(key[k]);
  return most;
}

void JointChain::weigh(const Matrix<const double> &edges) noexcept {
  by_.matrix = edges.data;
  by_.stride = edges.stride;
  sums_->weigh(labels_, labels_, by_);
}

void JointChain::thin() noexcept {
  for (std::int32_t i = 0; i < next_.count(); ++i) {
    const double *row = next_.row(i);
    rank_[i] =
        sums_->total(labels_, [=, this](std::int32_t y) { return row[y] + after_[y]; }) +
        hope(next_.key(i)) + lowered_;
  }
  outcome_->pruned = true;
  for (const std::int32_t i : keep_best(next_))
    lost_ = sums_->add(lost_, rank_[i]);
}

void JointChain::keep_forward(std::int32_t t) noexcept {
  const std::int64_t first = std::int64_t{t} * width_;
  forward_counts_[t] = now_.count();
  if (now_.count() == 0)
    return;
  std::copy_n(now_.key(0), std::int64_t{now_.count()} * count_, forward_keys_ + first * count_);
  std::copy_n(now_.row(0), std::int64_t{now_.count()} * labels_, forward_rows_ + first * labels_);
}

// Replaces now_, whose rows have the best scores (or log-sums) of the positions after t + 1, by the
// configurations of position t with those of the positions after t. Successors that the beam
// dropped in the forward pass count as forbidden. False if interrupted.
bool JointChain::go_back(Scores &scores, std::int32_t t) noexcept {
  const auto key_of = [this](std::int32_t position, std::int32_t i) {
    return forward_keys_ + (std::int64_t{position} * width_ + i) * count_;
  };
  clear_next();
  for (std::int32_t j = 0; j < forward_counts_[t + 1]; ++j) {
    const std::int32_t to = append(intern(key_of(t + 1, j)));
    std::copy_n(now_.row(j), labels_, next_.row(to));
  }
  now_.clear(labels_);
  const double *unary = scores.unary(t + 1);
  const double *edges = scores.backward(t + 1);
  if (sums_) {
    if (!scores.spend(LogSums::kWork * std::int64_t{labels_} * labels_))
      return false;
    weigh({edges, labels_, labels_, scores.backward_stride()});
  }
  for (std::int32_t i = 0; i < forward_counts_[t]; ++i) {
    if (!scores.spend(step_work()))
      return false;
    const std::int32_t *key = key_of(t, i);
    read_cells(key, t + 1);
    for (std::int32_t y = 0; y < labels_; ++y) {
      double paid = 0;
      const std::int32_t number =
          successor(key, t + 1, y, paid) ? all_.find(key_) : -1;
      row_[y] = number >= 0 && row_at_[number] == stamp_
                    ? unary[y] + paid + next_.row(row_of_[number])[y]
                    : kForbidden;
    }
    double *to = now_.row(now_.append(key));
    if (sums_) {
      // Labels that the forward pass forbids must not raise the greatest entry, which
      // lower_to_zero() subtracts.
      const double *before = forward_rows_ + (std::int64_t{t} * width_ + i) * labels_;
      sums_->step(row_, labels_, by_, labels_, nullptr, to);
      for (std::int32_t x = 0; x < labels_; ++x)
        if (before[x] == kForbidden)
          to[x] = kForbidden;
    } else {
      scores.max_plus().step(row_, labels_, edges, scores.backward_stride(), labels_, nullptr, to);
    }
  }
  if (sums_)
    lower_to_zero({now_.row(0), to_size(std::int64_t{now_.count()} * labels_)});
  return true;
}

} // namespace chorale
