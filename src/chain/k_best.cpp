#include "chain/programs.hpp"

#include <algorithm>

namespace chorale {
namespace {

// Returns min(k, m^T), an upper bound on the length of any list of labellings.
std::int32_t list_depth(const ChainView &view, std::int64_t k) noexcept {
  std::int64_t labellings = 1;
  for (std::int32_t t = 0; t < view.length && labellings < k && view.labels > 1; ++t)
    labellings = labellings > k / view.labels ? k : labellings * view.labels;
  return static_cast<std::int32_t>(std::min(k, labellings));
}

} // namespace

KBest::KBest(Layout &layout, const ChainView &view, std::int64_t k) noexcept
    : labels_(view.labels), k_(k), depth_(list_depth(view, k)) {
  const std::size_t list =
      saturating_product(static_cast<std::size_t>(labels_), static_cast<std::size_t>(depth_));
  const std::size_t all = saturating_product(list, static_cast<std::size_t>(view.length));
  now_ = layout.take<double>(list);
  next_ = layout.take<double>(list);
  lengths_ = layout.take<std::int32_t>(labels_);
  next_lengths_ = layout.take<std::int32_t>(labels_);
  back_from_ = layout.take<std::int32_t>(all);
  back_rank_ = layout.take<std::int32_t>(all);
  heap_ = layout.take<Head>(labels_);
}

// Keeps one entry of each label's list (now_ in programs.hpp) in a heap, at first the best one.
// Repeatedly takes the best entry from the heap and replaces it by the next entry of the same list.
// Among equal scores, the entry of the lowest label comes first.
template <class EdgeScore, class Push>
std::int32_t KBest::merge(std::int32_t limit, EdgeScore &&edge, Push &&push) noexcept {
  const double *lists = now_;
  const std::int32_t *lengths = lengths_;
  const auto worse = [](const Head &a, const Head &b) {
    return a.score < b.score || (a.score == b.score && a.from > b.from);
  };
  Head *end = heap_;
  for (std::int32_t x = 0; x < labels_; ++x) {
    if (lengths[x] == 0)
      continue;
    const double score = lists[std::int64_t{x} * depth_] + edge(x);
    if (score > kForbidden)
      *end++ = {score, x, 0};
  }
  std::make_heap(heap_, end, worse);
  std::int32_t count = 0;
  while (end != heap_ && count < limit) {
    std::pop_heap(heap_, end, worse);
    Head &head = end[-1];
    push(count++, head);
    if (++head.rank < lengths[head.from]) {
      head.score = lists[std::int64_t{head.from} * depth_ + head.rank] + edge(head.from);
      std::push_heap(heap_, end, worse);
    } else {
      --end;
    }
  }
  return count;
}

std::int64_t KBest::run(Scores &scores, const Matrix<std::int32_t> &labellings,
                        gsl::span<double> ranking) noexcept {
  const std::int32_t T = scores.length();
  const std::int32_t m = labels_;
  Expects(!labellings || (labellings.rows >= k_ && labellings.columns >= T));
  Expects(ranking.empty() || ranking.size() >= to_size(k_));
  double *const ranked = ranking.data();
  if (T == 0) {
    if (ranked)
      ranked[0] = 0;
    return 1;
  }
  for (std::int32_t y = 0; y < m; ++y) {
    now_[std::int64_t{y} * depth_] = scores.start()[y] + scores.unary(0)[y];
    lengths_[y] = now_[std::int64_t{y} * depth_] > kForbidden ? 1 : 0;
  }
  for (std::int32_t t = 1; t < T; ++t) {
    const double *edges = scores.backward(t);
    for (std::int32_t y = 0; y < m; ++y) {
      const double *to = edges + y * scores.backward_stride();
      const double own = scores.unary(t)[y];
      const std::int64_t list = std::int64_t{y} * depth_;
      const std::int64_t back = (std::int64_t{t} * m + y) * depth_;
      next_lengths_[y] = 0;
      if (own == kForbidden)
        continue;
      next_lengths_[y] = merge(
          depth_, [to](std::int32_t x) { return to[x]; },
          [&](std::int32_t rank, const Head &head) {
            next_[list + rank] = head.score + own;
            back_from_[back + rank] = head.from;
            back_rank_[back + rank] = head.rank;
          });
    }
    std::swap(now_, next_);
    std::swap(lengths_, next_lengths_);
  }
  const double *end = scores.end();
  return merge(
      static_cast<std::int32_t>(std::min<std::int64_t>(k_, INT32_MAX)),
      [end](std::int32_t y) { return end[y]; },
      [&](std::int32_t place, const Head &head) {
        if (ranked)
          ranked[place] = head.score;
        if (!labellings)
          return;
        std::int32_t *out = labellings.row(place).data();
        std::int32_t y = head.from;
        std::int32_t rank = head.rank;
        for (std::int32_t t = T - 1; t > 0; --t) {
          out[t] = y;
          const std::int64_t back = (std::int64_t{t} * m + y) * depth_ + rank;
          y = back_from_[back];
          rank = back_rank_[back];
        }
        out[0] = y;
      });
}

} // namespace chorale
