// Max-marginals of positions in the joint program: a forward pass that keeps every configuration,
// then a backward pass.
//
// In the backward pass a row holds, for each label, the best score of the positions that follow its
// configuration. Recomputing successors from the automata is faster than loading them from memory.
//
// The same passes with log-sums give the sums of the labellings with a given label. Rows are then
// lowered to a greatest entry of 0 at every position.
#include "chain/joint_chain.hpp"

#include "chain/max_plus.hpp"

#include <algorithm>

namespace chorale {

bool JointChain::marginals(Scores &scores, const BoundProperty *properties, const KeyField *fields,
                           std::int32_t count, const JointLimits &limits, const LogSums *sums,
                           double *to, std::ptrdiff_t row_stride, JointOutcome &outcome) noexcept {
  begin(properties, fields, count, limits, -1, outcome);
  sums_ = sums;
  lower_ = nullptr;
  for (std::int32_t t = 0; t < length_; ++t) {
    if (!step(scores, t)) {
      outcome.overflow = scores.limits().interruption() == Interruption::none;
      return false;
    }
    keep_forward(t);
  }
  for (std::int32_t t = length_ - 1; t >= 0; --t) {
    if (t == length_ - 1) {
      for (std::int32_t i = 0; i < now_.count(); ++i) {
        if (!scores.spend(step_work()))
          return false;
        for (std::int32_t y = 0; y < labels_; ++y) {
          std::int32_t shown = -1;
          now_.row(i)[y] = final_score(scores, now_.key(i), y, shown);
        }
      }
    } else if (!go_back(scores, t)) {
      return false;
    }
    double *best = to + t * row_stride;
    std::fill_n(best, labels_, kForbidden);
    for (std::int32_t i = 0; i < now_.count(); ++i) {
      const double *before = forward_rows_ + (std::int64_t{t} * width_ + i) * labels_;
      const double *after = now_.row(i);
      for (std::int32_t y = 0; y < labels_; ++y)
        best[y] = sums_ ? sums_->add(best[y], before[y] + after[y])
                        : std::max(best[y], before[y] + after[y]);
    }
  }
  return true;
}

void JointChain::keep_forward(std::int32_t t) noexcept {
  const std::int64_t first = std::int64_t{t} * width_;
  forward_counts_[t] = now_.count();
  if (now_.count() == 0)
    return;
  std::copy_n(now_.key(0), std::int64_t{now_.count()} * words_, forward_keys_ + first * words_);
  std::copy_n(now_.row(0), std::int64_t{now_.count()} * labels_, forward_rows_ + first * labels_);
}

// Replaces now_, the best scores of the positions after t + 1, by those of the positions after t.
// Successors that the beam dropped in the forward pass count as forbidden.
bool JointChain::go_back(Scores &scores, std::int32_t t) noexcept {
  const auto key_of = [this](std::int32_t position, std::int32_t i) {
    return forward_keys_ + (std::int64_t{position} * width_ + i) * words_;
  };
  next_.clear(labels_);
  for (std::int32_t j = 0; j < forward_counts_[t + 1]; ++j) {
    next_.append(key_of(t + 1, j));
    std::copy_n(now_.row(j), labels_, next_.row(j));
  }
  now_.clear(labels_);
  read_classes(t + 1);
  const double *unary = scores.unary(t + 1);
  const double *edges = scores.backward(t + 1);
  const auto after = [&](const std::uint64_t *from, std::int32_t label, double &paid) {
    Key key;
    const std::int32_t to = successor(from, t + 1, label, key, paid) ? next_.find(key.word) : -1;
    return to < 0 ? nullptr : next_.row(to);
  };
  for (std::int32_t i = 0; i < forward_counts_[t]; ++i) {
    if (!scores.spend(step_work()))
      return false;
    const std::uint64_t *key = key_of(t, i);
    double paid = 0;
    const double *most = after(key, -1, paid);
    for (std::int32_t y = 0; y < labels_; ++y)
      row_[y] = most ? unary[y] + paid + most[y] : kForbidden;
    const std::int32_t marked = mark(key);
    for (std::int32_t e = 0; e < marked; ++e) {
      const std::int32_t y = marked_[e];
      paid = 0;
      const double *own = after(key, y, paid);
      row_[y] = own ? unary[y] + paid + own[y] : kForbidden;
    }
    double *to = now_.row(now_.append(key));
    if (sums_)
      sums_->step(row_, labels_, edges, scores.backward_stride(), labels_, nullptr, to);
    else
      scores.max_plus().step(row_, labels_, edges, scores.backward_stride(), labels_, nullptr, to);
  }
  if (sums_)
    lower_to_zero(now_.row(0), std::int64_t{now_.count()} * labels_);
  return true;
}

} // namespace chorale
