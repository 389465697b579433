/* The Lagrangian relaxation of the majority potential with conservative steps, as the paper prints
 * it: one member is given its best value by itself, whatever else is tied, and nothing is repaired.
 * It stands beside the library's to show what that adds. Two liberties, without which it does not
 * move: ties go to the lowest value, and a multiplier that would not change changes by 1e-9.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* sum psi + max over the values a of highest count of sum_v w_av n_v. */
static double true_score(int64_t members, int64_t values, const double *psi, const double *weights,
                         const int32_t *x, const int32_t *counts) {
  double total = 0;
  int32_t most = 0;
  for (int64_t i = 0; i < members; ++i)
    total += psi[i * values + x[i]];
  for (int64_t v = 0; v < values; ++v)
    most = counts[v] > most ? counts[v] : most;
  double best = -INFINITY;
  for (int64_t a = 0; a < values; ++a) {
    if (counts[a] != most)
      continue;
    double score = 0;
    for (int64_t v = 0; v < values; ++v)
      score += weights[a * values + v] * counts[v];
    best = score > best ? score : best;
  }
  return total + best;
}

/* psi: members x values; weights: values x values, row the majority value. iterations: at most so
 * many a majority value. tolerance: of complementary slackness, as a fraction of the largest useful
 * multiplier. Returns the score of the best labelling met, NaN where memory runs out. */
double printed_lagrangian(int64_t members, int64_t values, const double *psi, const double *weights,
                          int64_t iterations, double tolerance) {
  double *multiplier = malloc((size_t)values * sizeof *multiplier);
  int32_t *counts = malloc((size_t)values * sizeof *counts);
  int32_t *x = malloc((size_t)members * sizeof *x);
  int32_t *second = malloc((size_t)members * sizeof *second);
  double best = multiplier && counts && x && second ? -INFINITY : NAN;
  for (int64_t alpha = 0; alpha < values && !isnan(best); ++alpha) {
    const double *w = weights + alpha * values;
    double largest = 0;
    for (int64_t v = 0; v < values; ++v) {
      multiplier[v] = 0;
      counts[v] = v == alpha ? (int32_t)members : 0;
      for (int64_t i = 0; i < members; ++i)
        largest = fmax(largest, psi[i * values + v] + w[v] - psi[i * values + alpha] - w[alpha]);
    }
    for (int64_t i = 0; i < members; ++i)
      x[i] = (int32_t)alpha;
    best = fmax(best, true_score(members, values, psi, weights, x, counts));
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {
      double sum = 0;
      for (int64_t v = 0; v < values; ++v) {
        sum += multiplier[v];
        counts[v] = 0;
      }
      for (int64_t i = 0; i < members; ++i) {
        double highest = -INFINITY;
        double next = -INFINITY;
        for (int32_t v = 0; v < values; ++v) {
          const double level = psi[i * values + v] + w[v] - multiplier[v] + (v == alpha ? sum : 0);
          if (level > highest) {
            next = highest;
            second[i] = x[i];
            highest = level;
            x[i] = v;
          } else if (level > next) {
            next = level;
            second[i] = v;
          }
        }
        ++counts[x[i]];
      }
      best = fmax(best, true_score(members, values, psi, weights, x, counts));

      int64_t v = -1;
      double violation = 0;
      for (int64_t u = 0; u < values; ++u)
        if (counts[u] - counts[alpha] > violation) {
          violation = counts[u] - counts[alpha];
          v = u;
        }
      const int above = v >= 0;
      if (!above) {
        violation = tolerance * largest;
        for (int64_t u = 0; u < values; ++u)
          if (u != alpha && multiplier[u] * (counts[alpha] - counts[u]) > violation) {
            violation = multiplier[u] * (counts[alpha] - counts[u]);
            v = u;
          }
        if (v < 0)
          break;
      }
      /* Equations consCase1 and consCase2. */
      double changed = above ? INFINITY : 0;
      for (int64_t i = 0; i < members; ++i) {
        if ((x[i] == v) != above)
          continue;
        const int32_t other = above ? second[i] : x[i];
        const double difference = psi[i * values + v] + w[v] - psi[i * values + other] - w[other];
        const double reached = other == alpha ? (difference - (sum - multiplier[v])) / 2
                                              : difference + multiplier[other];
        changed = above ? fmin(changed, reached) : fmax(changed, reached);
      }
      if (above)
        multiplier[v] = changed > multiplier[v] ? changed : multiplier[v] + 1e-9;
      else
        multiplier[v] = changed < multiplier[v] ? changed : fmax(0, multiplier[v] - 1e-9);
    }
  }
  free(multiplier);
  free(counts);
  free(x);
  free(second);
  return best;
}
