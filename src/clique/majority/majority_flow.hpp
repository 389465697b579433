// Computes G_a(k), the best score of labellings in which column a has exactly k members and no
// other counted column has more, as a flow (column_flow.hpp) with scores theta_iv = psi_iv + w_av.
// The rest column (the uncounted values) may have any number of members.
//
// For columns other than a, prices are at least 0; the price of the rest column is 0. So at every
// step of the flow, and for every k,
//
//     G_a(k) <= b_a + sum_i (theta_i,x_i - p_x_i) + k sum_v p_v,
//
// with equality for the flow's k once the flow is finished. The conditions on prices do not depend
// on k, so the flow can change k at any time. It then needs further paths only for columns whose
// number of members is not allowed for the new k.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v. w_av
// and b_a are the weights and biases of the potential.
#pragma once

#include "clique/flows/column_flow.hpp"

#include <algorithm>

namespace chorale {

// A linear upper bound on G_a: at_zero + slope * k.
struct CountLine {
  double at_zero;
  double slope;
  double at(std::int64_t k) const noexcept { return at_zero + slope * static_cast<double>(k); }
};

class MajorityFlow : public ColumnFlow {
public:
  MajorityFlow(Layout &layout, const Instance &instance) noexcept
      : ColumnFlow(layout, instance, true),
        theta_(layout.take<double>(product_of_counts(members_, columns_))) {}

  // Prepares the flows for majority column a: computes theta, gives every member its column of
  // greatest theta, whatever the counts are then, and sets all prices to 0. `forbidden`: the score
  // of a forbidden entry, minus infinity or minus forbidding_penalty(). False if interrupted.
  bool load(std::int32_t a, double forbidden) noexcept {
    a_ = a;
    const double *w = weights();
    const auto fill = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const double *psi = instance_->row(i);
        double *to = theta_ + i * columns_;
        for (std::int32_t v = 0; v < columns_; ++v)
          to[v] = (psi[v] == kForbidden ? forbidden : psi[v]) + w[v];
      }
    };
    if (in_stretches(*instance_, members_, 8 + 2 * std::int64_t{columns_}, fill))
      ColumnFlow::load(theta_);
    return !instance_->interrupted();
  }

  // Begins the flow for count k >= 1 of column a, from the current labelling and prices. augment()
  // then finishes it.
  void turn_to(std::int64_t k) noexcept {
    for (std::int32_t v = 0; v < columns_; ++v)
      limit(v, v == instance_->potential.rest ? members_ : static_cast<std::int32_t>(k), v == a_);
    begin();
  }

  // Returns the upper bound on G_a that the current prices give. For a finished flow it is a
  // tangent of G_a at k.
  CountLine line() const noexcept {
    double paid = 0;
    double slope = 0;
    for (std::int32_t v = 0; v < columns_; ++v) {
      if (v == instance_->potential.rest)
        continue;
      const double p = v == a_ ? price(v) : std::max(0.0, price(v));
      slope += p;
      paid += p * counts().data()[v];
    }
    return {instance_->potential.bias[a_] + total_ - paid, slope};
  }

  // Returns w_av by column v (K), for the majority column a of load().
  const double *weights() const noexcept {
    return instance_->potential.weights + std::int64_t{a_} * columns_;
  }
  // Returns sum_i theta_i,x_i + b_a. Adds up all terms anew, so that rounding errors do not
  // accumulate.
  double score() const noexcept { return score_of_members() + instance_->potential.bias[a_]; }

private:
  double *theta_; // n x K: theta_iv
  std::int32_t a_ = -1; // the majority column
};

} // namespace chorale
