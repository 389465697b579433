// Exact messages of a SUM clique with two members and no forbidden counts, in O(K) for K columns.
// The message of member i and column v is the best score with member i fixed to v, minus the score
// of member i at v. In the best labelling the other member takes v too, or it is alone in the
// column w other than v for which its score plus f_w(1) - f_w(0) is greatest (f_w: the table of w).
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class PairMessages {
public:
  explicit PairMessages(Layout &, const Instance &instance) noexcept : instance_(&instance) {}

  static bool fits(const Instance &instance) noexcept { return instance.members == 2; }

  // Writes the messages (2 x K).
  void run(Matrix<double> messages) noexcept {
    const double *const *f = instance_->potential.tables;
    const std::int32_t K = instance_->columns;
    double nobody = 0;
    for (std::int32_t v = 0; v < K; ++v)
      nobody += f[v][0];
    for (std::int32_t i = 0; i < 2; ++i) {
      double *to = messages.row(i).data();
      const double *other = instance_->row(1 - i);
      double first = kForbidden;
      double second = kForbidden;
      std::int32_t at = -1;
      for (std::int32_t v = 0; v < K; ++v) {
        const double alone = other[v] + (f[v][1] - f[v][0]);
        if (alone > first) {
          second = first;
          first = alone;
          at = v;
        } else if (alone > second) {
          second = alone;
        }
      }
      for (std::int32_t v = 0; v < K; ++v) {
        const double apart = (v == at ? second : first) + (f[v][1] - f[v][0]);
        const double together = other[v] + (f[v][2] - f[v][0]);
        to[v] = nobody + (together > apart ? together : apart);
      }
    }
  }

private:
  const Instance *instance_;
};

} // namespace chorale
