/* Whole models: builder, freeze, run, results, JSON, bound, a start from an earlier run, other
 * strengths, prices of shared cliques, problem files; ordinary numbers against enumeration, scaled and hostile ones against
 * what holds for all: no result below the chains' own labellings, scores that are those of the
 * labels, bounds above them. Memory that runs out. */
#include "fuzz.h"

#include "fixture_saved.h"

typedef struct Trial {
  Cluster cluster;
  ClusterTruth truth;
  Built built;
  Supply supply;
  int is_wild; /* hostile numbers, which rounding swallows: which labelling is best is not known */
} Trial;

/* ---- Numbers ------------------------------------------------------------------------------ */

static int may_scale(const Cluster *cluster) {
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    if (cluster->chains[i].element == CHORALE_FLOAT32)
      return 0;
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t k = 0; k < MOST_CENTRES; ++k)
      if (cluster->cliques[c].potentials[k].kind == KIND_CALLBACK)
        return 0;
  return 1;
}

/* Sizes that do not mix: every chain and every potential has one of its own. Returns the largest.
 */
static double mix_sizes(Random *random, Cluster *cluster) {
  double largest = 0;
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    const double factor = mixed_power(random);
    scale_sample(&cluster->chains[i], factor);
    largest = fmax(largest, factor);
  }
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t k = 0; k < MOST_CENTRES; ++k) {
      const double factor = mixed_power(random);
      scale_problem(&cluster->cliques[c].potentials[k], factor);
      largest = fmax(largest, factor);
    }
  return largest;
}

static double make_wild(Random *random, Cluster *cluster) {
  double magnitude = 1e3;
  const int32_t times = random_int(random, 1, 6);
  for (int32_t k = 0; k < times; ++k) {
    const double number = hostile_score(random);
    double *to = NULL;
    if (cluster->clique_count > 0 && random_chance(random, 50)) {
      Group *group = &cluster->cliques[random_int(random, 0, cluster->clique_count - 1)];
      Problem *p = &group->potentials[random_int(random, 0, MOST_CENTRES - 1)];
      p->shape = CHORALE_SHAPE_DETECT;
      to = number == -INFINITY || random_chance(random, 40)
               ? &p->tables[random_int(random, 0, p->length > 0 ? p->length - 1 : 0)]
               : (random_chance(random, 50) ? &p->lambda : &p->matrix[random_int(random, 0, 3)]);
    } else {
      Sample *s = &cluster->chains[random_int(random, 0, cluster->chain_count - 1)];
      const int32_t t = random_int(random, 0, s->length > 0 ? s->length - 1 : 0);
      const int32_t y = random_int(random, 0, s->labels - 1);
      if (s->element == CHORALE_FLOAT64 && s->length > 0)
        to = &s->unary[t][y];
    }
    if (!to)
      continue;
    *to = number;
    if (number > -INFINITY)
      magnitude += fabs(number);
  }
  return magnitude * 1e3;
}

/* ---- Building ----------------------------------------------------------------------------- */

/* What the fixture's build does, a call at a time, each of which may run out of memory. A potential
 * may be refused for its numbers: then 0. */
static int build_by_calls(Trial *trial) {
  Cluster *cluster = &trial->cluster;
  Built *built = &trial->built;
  Supply *supply = &trial->supply;
  chorale_error error;
  chorale_status status = CHORALE_OK;
  memset(built, 0, sizeof *built);
  int good = 1;
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    give(&cluster->chains[i], &built->given[i]);
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    const Group *group = &cluster->cliques[c];
    if (group->shape == OVER_PROPERTY) {
      built->uses[c] = group->use;
      open_use(&built->uses[c]);
    }
    for (int32_t k = 0; k < (group->shape == CENTRED ? group->centre_values : 1); ++k) {
      FED(supply, status,
          make_potential(&group->potentials[k], &supply->host, &built->potentials[c][k], &error),
          &error);
      REQUIRE(status == CHORALE_OK || (trial->is_wild && status == CHORALE_ERROR_OUT_OF_RANGE),
              "%s", error.message);
      good = good && status == CHORALE_OK;
    }
  }
  if (!good)
    return 0;
  chorale_model_builder *builder = NULL;
  FED(supply, status, chorale_model_builder_create(&supply->host, &builder, &error), &error);
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    chorale_chain_options options = {.struct_size = sizeof options};
    options.borrow = cluster->is_borrowed[i];
    options.tokens = cluster->has_tokens[i] ? cluster->tokens[i] : NULL;
    int64_t index = -1;
    FED(supply, status,
        chorale_model_builder_add_chain(builder, &built->given[i].chain, &options, &index, &error),
        &error);
    REQUIRE(status == CHORALE_OK && index == i, "chain %d: %s", i, error.message);
  }
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    const chorale_potential *centre[MOST_CENTRES];
    for (int32_t k = 0; k < MOST_CENTRES; ++k)
      centre[k] = built->potentials[c][k];
    chorale_clique_setup setup;
    describe_group(&cluster->cliques[c], &built->uses[c], centre, &setup);
    int64_t index = -1;
    FED(supply, status, chorale_model_builder_add_cliques(builder, &setup, 1, &index, &error), &error);
    REQUIRE(status == CHORALE_OK && index == c, "clique %d: %s", c, error.message);
    for (int32_t i = 0; i < cluster->cliques[c].member_count; ++i) {
      FED(supply, status, add_one_member(cluster, built, builder, c, i, &error), &error);
      REQUIRE(status == CHORALE_OK, "member %d of clique %d: %s", i, c, error.message);
    }
  }
  FED(supply, status, chorale_model_builder_freeze(builder, &built->model, &error), &error);
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  chorale_model_builder_destroy(builder);
  return 1;
}

static int has_instance(const Cluster *cluster) {
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    if (cluster->is_instance[i])
      return 1;
  return 0;
}

/* ---- What holds for every run ------------------------------------------------------------- */

/* A chain that the run sets aside keeps labels, and takes no part: then labels of -1 say so. False if
 * it has no positions that could say it. */
static int forget_if_out(Trial *trial, const chorale_run *run, int32_t chain, int32_t *labels) {
  const int32_t length = trial->cluster.chains[chain].length;
  chorale_error error;
  chorale_left_out out[MOST_CHAINS];
  int64_t count = 0;
  int is_out = 0;
  chorale_status status;
  FED(&trial->supply, status,
      chorale_run_left_out(run, out, sizeof out[0], MOST_CHAINS, &count, &error), &error);
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  for (int64_t k = 0; k < count; ++k)
    is_out = is_out || out[k].chain == chain;
  for (int32_t t = 0; is_out && t < length; ++t)
    labels[t] = -1;
  return !is_out || length > 0;
}

static void check_any(Trial *trial, const chorale_run *run, const chorale_run_result *r,
                      const double *factors) {
  const Cluster *cluster = &trial->cluster;
  chorale_error error;
  REQUIRE(!isnan(r->score) && r->score < INFINITY && !isnan(r->upper_bound), "score %g, bound %g",
          r->score, r->upper_bound);
  /* Up to rounding: a part that gains may be lost in the sum with larger ones. */
  REQUIRE(is_at_most(r->own_score, r->score), "score %.17g below the chains' own %.17g", r->score,
          r->own_score);
  REQUIRE(is_at_most(r->score, r->upper_bound), "score %.17g above the bound %.17g", r->score,
          r->upper_bound);
  if (r->score == -INFINITY)
    return;
  REQUIRE(r->score == r->chain_score + r->clique_score, "score %.17g is not the sum", r->score);
  Labelling labels;
  Parts parts;
  memset(labels, 0, sizeof labels);
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    REQUIRE(chorale_run_labels(run, i, CHORALE_TOGETHER, labels[i], MOST_POSITIONS, NULL,
                               &error) == CHORALE_OK, "%s",
            error.message);
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    if (!forget_if_out(trial, run, i, labels[i]))
      return;
  own_parts(cluster, labels, &parts);
  double total = 0;
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    total += labels[i][0] < 0 ? 0 : parts.chains[i]; /* -1: left out */
  REQUIRE(is_close(total, r->chain_score), "chains score %.17g, they are %.17g", r->chain_score,
          total);
  total = 0;
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    total +=
        parts.cliques[c] == -INFINITY ? -INFINITY : (factors ? factors[c] : 1) * parts.cliques[c];
  REQUIRE(is_close(total, r->clique_score), "cliques score %.17g, they are %.17g", r->clique_score,
          total);
  static char text[1 << 15];
  size_t needed = 0;
  chorale_status written;
  FED(&trial->supply, written, chorale_run_json(run, text, sizeof text, &needed, &error), &error);
  REQUIRE(written == CHORALE_OK && needed <= sizeof text && needed == strlen(text) + 1, "%s",
          error.message);
  REQUIRE(is_json(text), "not JSON: %.400s", text);
}

static chorale_run *open_run(Trial *trial, const chorale_model *model,
                             const chorale_run_options *options, const chorale_run *earlier) {
  chorale_run *run = NULL;
  chorale_error error;
  chorale_status status;
  FED(&trial->supply, status,
      chorale_run_create(&trial->supply.host, model, options, earlier, &run, &error), &error);
  REQUIRE(status == CHORALE_OK || status == CHORALE_ERROR_STATE_SPACE, "%s", error.message);
  REQUIRE((status == CHORALE_OK) == (run != NULL), "status %d", status);
  return run;
}

static void solve_run(Trial *trial, chorale_run *run, chorale_run_result *result) {
  chorale_error error;
  chorale_status status;
  *result = (chorale_run_result){.struct_size = sizeof *result};
  const int64_t allocations = trial->supply.memory.allocations;
  FED(&trial->supply, status, chorale_run_solve(run, result, &error), &error);
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  REQUIRE(allocations == trial->supply.memory.allocations, "a run allocates");
}

/* ---- Sequences ---------------------------------------------------------------------------- */

typedef struct Follower {
  chorale_run *run;
  int64_t left; /* reports until it cancels */
  int64_t loops, breaks_at;
  int is_broken; /* in the last call */
} Follower;

/* A callback may read its run, but not change it. */
static int32_t report_progress(void *user, const chorale_progress *progress) {
  Follower *self = user;
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  REQUIRE(!isnan(progress->best_score), "no score");
  REQUIRE(chorale_run_get_result(self->run, &result, &error) == CHORALE_OK, "%s", error.message);
  REQUIRE(chorale_run_step(self->run, &result, &error) == CHORALE_ERROR_BUSY, "a step in a step");
  REQUIRE(chorale_run_solve(self->run, NULL, &error) == CHORALE_ERROR_BUSY, "a solve in a step");
  chorale_run_reset(self->run);
  chorale_run_destroy(self->run);
  return --self->left == 0;
}

/* Leaves out the first step, or runs the last one twice, of one loop. */
static void run_most(void *user, int64_t count, int64_t workers, chorale_parallel_body body,
                     void *body_user) {
  Follower *self = user;
  const int breaks = ++self->loops == self->breaks_at;
  for (int64_t i = breaks && count % 2 == 0; i < count; ++i)
    body(body_user, i, i % workers);
  if (breaks && count % 2 == 1)
    body(body_user, count - 1, 0);
  self->is_broken = self->is_broken || breaks;
}

/* Gives the run a labelling drawn at random. */
static chorale_status go_on_from_any(const Trial *trial, Random *random, chorale_run *run) {
  const Cluster *cluster = &trial->cluster;
  int32_t labels[MOST_CHAINS * MOST_POSITIONS];
  int64_t count = 0;
  chorale_error error;
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    for (int32_t t = 0; t < cluster->chains[i].length; ++t)
      labels[count++] = random_int(random, 0, cluster->chains[i].labels - 1);
  return chorale_run_set_labels(run, labels, count, &error);
}

/* Steps, polish, bound, limits, resets, labellings in any order: the best never falls but by a reset. */
static void wander(Trial *trial, Random *random) {
  chorale_run_options options = trial->cluster.options;
  chorale_error error;
  chorale_cancel *cancel = NULL;
  chorale_status status;
  FED(&trial->supply, status, chorale_cancel_create(&trial->supply.host, &cancel, &error), &error);
  Follower follower = {NULL, random_int(random, 0, 12), 0, 0, 0};
  options.progress = report_progress;
  options.progress_user = &follower;
  options.cancel = cancel;
  options.bound_steps += random_int(random, 0, 1);
  options.threads = 2;
  options.executor = run_most;
  options.executor_user = &follower;
  follower.breaks_at = random_chance(random, 30) ? random_int(random, 1, 20) : 0;
  chorale_run *run = open_run(trial, trial->built.model, &options, NULL);
  follower.run = run;
  double best = -INFINITY;
  const int32_t steps = random_int(random, 1, 8);
  for (int32_t k = 0; run && k < steps; ++k) {
    chorale_run_result r = {.struct_size = sizeof r};
    status = CHORALE_OK;
    follower.is_broken = 0;
    switch (random_int(random, 0, 9)) {
    case 0:
    case 1:
      status = chorale_run_step(run, &r, &error);
      break;
    case 2:
      status = chorale_run_solve(run, &r, &error);
      break;
    case 3:
      status = chorale_run_local_search(run, &r, &error);
      break;
    case 4:
      status = chorale_run_bound(run, random_int(random, 0, 4), &r, &error);
      if (status == CHORALE_ERROR_STATE)
        status = CHORALE_OK;
      break;
    case 5:
      chorale_cancel_raise(cancel);
      break;
    case 6:
      chorale_cancel_lower(cancel);
      break;
    case 7:
      status = chorale_run_set_limits(run, random_chance(random, 50) ? -1 : 0, cancel, &error);
      break;
    case 9:
      status = go_on_from_any(trial, random, run);
      best = -INFINITY;
      break;
    default:
      if (random_chance(random, 50)) {
        chorale_run_reset(run);
        best = -INFINITY;
      } else if (trial->cluster.chain_count > 0 && !trial->cluster.is_instance[0]) {
        FED(&trial->supply, status,
            chorale_run_set_chain(run, 0, &trial->built.given[0].chain, &error), &error);
      }
    }
    REQUIRE(status == (follower.is_broken ? CHORALE_ERROR_EXECUTOR : CHORALE_OK), "%d: %s", status,
            error.message);
    REQUIRE(chorale_run_get_result(run, &r, &error) == CHORALE_OK, "%s", error.message);
    int32_t labels[MOST_CHAINS * MOST_POSITIONS];
    int64_t count = 0;
    if (chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels,
                           (int64_t)COUNT_OF(labels), &count, &error) != CHORALE_OK)
      continue;
    check_any(trial, run, &r, NULL);
    for (int32_t i = 0, first = 0; i < trial->cluster.chain_count; ++i) {
      forget_if_out(trial, run, i, labels + first);
      first += trial->cluster.chains[i].length;
    }
    double score = NAN;
    FED(&trial->supply, status,
        chorale_model_score(&trial->supply.host, trial->built.model, labels, count, &score, NULL,
                            NULL, &error),
        &error);
    REQUIRE(status == CHORALE_ERROR_KIND || (status == CHORALE_OK && score == r.score),
            "labels of score %.17g, the result says %.17g: %s", score, r.score, error.message);
    REQUIRE(is_at_most(best, r.score), "the best falls from %.17g to %.17g", best, r.score);
    best = r.score;
  }
  chorale_run_destroy(run);
  chorale_cancel_destroy(cancel);
}

static void check_strengths(Trial *trial, Random *random, const chorale_run *earlier) {
  double factors[MOST_CLIQUES];
  for (int32_t c = 0; c < MOST_CLIQUES; ++c)
    factors[c] = random_chance(random, 30) ? 0 : random_int(random, 1, 8) / 4.0;
  chorale_run_options options = trial->cluster.options;
  options.edits = 1;
  chorale_run *run = open_run(trial, trial->built.model, &options, earlier);
  for (int32_t c = 0; run && c < trial->cluster.clique_count; ++c) {
    chorale_error error;
    const chorale_status status = chorale_run_set_strength(run, c, factors[c], &error);
    if (status == CHORALE_ERROR_OUT_OF_RANGE && trial->is_wild)
      factors[c] = 1;
    else
      REQUIRE(status == CHORALE_OK, "%s", error.message);
  }
  if (run) {
    chorale_run_result result;
    solve_run(trial, run, &result);
    if (result.outcome != CHORALE_OUTCOME_INFEASIBLE)
      check_any(trial, run, &result, factors);
  }
  chorale_run_destroy(run);
}

static void check_file(Trial *trial, const chorale_run_result *expected) {
  chorale_problem *problem = NULL, *loaded = NULL;
  chorale_error error;
  chorale_status status;
  Supply *supply = &trial->supply;
  FED(supply, status, chorale_problem_create(&supply->host, trial->built.model, &problem, &error),
      &error);
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  Saved saved = {NULL, 0};
  void *bytes = NULL;
  FED(supply, status, chorale_problem_write(problem, NULL, 0, &saved.size, &error), &error);
  REQUIRE(status == CHORALE_OK && posix_memalign(&bytes, 64, saved.size) == 0, "%s", error.message);
  saved.bytes = bytes;
  FED(supply, status, chorale_problem_write(problem, bytes, saved.size, NULL, &error), &error);
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  FED(supply, status, read_saved(&supply->host, &saved, 0, &loaded, &error), &error);
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  drop_saved(&saved);
  chorale_run *run = open_run(trial, chorale_problem_model(loaded), &trial->cluster.options, NULL);
  if (run) {
    chorale_run_result result;
    solve_run(trial, run, &result);
    REQUIRE(memcmp(&result, expected, sizeof result) == 0, "%.17g from a file, %.17g before",
            result.score, expected->score);
  }
  chorale_run_destroy(run);
  chorale_problem_destroy(loaded);
  chorale_problem_destroy(problem);
}

/* ---- Under prices ------------------------------------------------------------------------- */

typedef struct Priced {
  chorale_prices *prices;
  int64_t shared[MOST_CLIQUES], count, values;
  double score, numbers[MOST_PRICES];
  int64_t counts[MOST_PRICES];
  chorale_run_result result;
  Labelling labels;
} Priced;

/* Solves without an allocation. Returns 0 if no labelling was found. */
static int solve_priced(Trial *trial, Priced *priced) {
  chorale_error error;
  chorale_status status;
  const int64_t allocations = trial->supply.memory.allocations;
  priced->result = (chorale_run_result){.struct_size = sizeof priced->result};
  memset(priced->labels, 0, sizeof priced->labels);
  FED(&trial->supply, status,
      chorale_prices_solve(priced->prices, priced->numbers, priced->values, &priced->score,
                           &priced->result, &error),
      &error);
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  REQUIRE(allocations == trial->supply.memory.allocations, "prices allocate");
  status = chorale_prices_counts(priced->prices, priced->counts, MOST_PRICES, NULL, &error);
  REQUIRE(status == (priced->score > -INFINITY ? CHORALE_OK : CHORALE_ERROR_NO_LABELLING),
          "score %g, status %d", priced->score, status);
  if (status != CHORALE_OK)
    return 0;
  for (int32_t i = 0; i < trial->cluster.chain_count; ++i)
    REQUIRE(chorale_run_labels(chorale_prices_run(priced->prices), i, CHORALE_TOGETHER,
                               priced->labels[i], MOST_POSITIONS, NULL, &error) == CHORALE_OK,
            "%s", error.message);
  return 1;
}

/* Prices in the place of the potentials of some cliques: counts and scores are those of the labels;
 * no labelling has more than the optimum, which is reached where nothing else joins chains; the
 * same prices give the same labels. */
static void check_prices(Trial *trial, Random *random) {
  const Cluster *cluster = &trial->cluster;
  static Priced priced, again;
  memset(&priced, 0, sizeof priced);
  Cluster linear = *cluster;
  /* Options under which messages say all there is to say, which then is that every member has its
   * price. */
  const chorale_run_options *options = &cluster->options;
  int is_exact = !trial->is_wild && rounds_of(options) > 0 && options->damping == 0 &&
                 !options->restrict_range && options->joint_mode == CHORALE_JOINT_AUTO &&
                 options->max_states >= 1024 &&
                 (options->message_element == CHORALE_MESSAGES_AUTO ||
                  options->message_element == CHORALE_MESSAGES_FLOAT64);
  for (int32_t c = cluster->clique_count - 1; c >= 0; --c) {
    Problem *potential = &linear.cliques[c].potentials[0];
    if (cluster->cliques[c].shape == CENTRED || random_chance(random, 20)) {
      is_exact = 0;
      continue;
    }
    priced.shared[priced.count++] = c;
    double *numbers = priced.numbers + priced.values;
    for (int32_t v = 0; v < potential->values; ++v) {
      numbers[v] = 4 * random_unit(random) - 2;
      if (trial->is_wild && random_chance(random, 20))
        numbers[v] = hostile_score(random);
      if (numbers[v] == -INFINITY) /* a score may be, a price may not */
        numbers[v] = -1e280;
    }
    make_linear(potential, numbers);
    priced.values += potential->values;
  }
  chorale_error error;
  chorale_status status;
  FED(&trial->supply, status,
      chorale_prices_create(&trial->supply.host, trial->built.model, priced.shared, priced.count,
                            &cluster->options, &priced.prices, &error),
      &error);
  REQUIRE(status == CHORALE_OK || status == CHORALE_ERROR_STATE_SPACE, "%s", error.message);
  if (status != CHORALE_OK)
    return;
  if (solve_priced(trial, &priced)) {
    Parts parts;
    ClusterTruth truth;
    int64_t counts[MOST_PRICES];
    own_parts(cluster, priced.labels, &parts);
    const double rest = shared_counts(cluster, &parts, priced.shared, priced.count, counts);
    /* A chain that is set aside has labels, but takes no part in counts. */
    const int is_whole = priced.result.left_out == 0;
    REQUIRE(!is_whole || memcmp(counts, priced.counts, sizeof *counts * (size_t)priced.values) == 0,
            "counts are not those of the labels");
    REQUIRE(trial->is_wild || !is_whole || is_close(rest, priced.score), "score %.17g, it is %.17g",
            priced.score, rest);
    if (!trial->is_wild && is_whole && enumerate_cluster(&linear, &truth)) {
      REQUIRE(is_at_most(priced.result.score, truth.best_any) &&
                  is_at_most(truth.best, priced.result.upper_bound),
              "under prices %.17g, bound %.17g, the optimum is %.17g", priced.result.score,
              priced.result.upper_bound, truth.best_any);
      REQUIRE(!is_exact || is_at_most(truth.best, priced.result.score),
              "under prices %.17g, the optimum is %.17g", priced.result.score, truth.best);
    }
    again = priced;
    for (int64_t v = 0; v < priced.values; ++v)
      again.numbers[v] = -0.5 * priced.numbers[v];
    (void)solve_priced(trial, &again);
    memcpy(again.numbers, priced.numbers, sizeof again.numbers);
    REQUIRE(solve_priced(trial, &again) && again.score == priced.score &&
                memcmp(again.labels, priced.labels, sizeof again.labels) == 0,
            "the same prices give other labels the second time");
  }
  chorale_prices_destroy(priced.prices);
}

/* ---- In slices ---------------------------------------------------------------------------- */

/* A run in slices of no time says what it says when it is left alone. */
static void check_slices(const Trial *trial) {
  enum { MOST_SLICES = 100000 }; /* for a slice that does nothing */
  static Said whole, sliced;
  for (int32_t k = 0; k < 2; ++k) {
    chorale_run *run = NULL;
    chorale_run_result result;
    chorale_error error;
    result = (chorale_run_result){.struct_size = sizeof result};
    OK(chorale_run_create(NULL, trial->built.model, &trial->cluster.options, NULL, &run, &error));
    if (k == 1)
      OK(chorale_run_set_limits(run, 1e-9, NULL, &error));
    int32_t slices = 0;
    do
      OK(chorale_run_solve(run, &result, &error));
    while (k == 1 && result.outcome == CHORALE_OUTCOME_DEADLINE && ++slices < MOST_SLICES);
    REQUIRE(slices < MOST_SLICES, "no end of slices");
    listen_to(&trial->cluster, run, k == 0 ? &whole : &sliced);
    chorale_run_destroy(run);
  }
  const char *why = compare_said(&trial->cluster, &whole, &sliced);
  /* Where rounding swallows gains, labellings have equal scores, and the one met first stays. */
  const int is_same = trial->is_wild && whole.result.score == sliced.result.score;
  REQUIRE(!why || is_same, "in slices: %s", why);
}

/* ---- Values among many others ------------------------------------------------------------- */

typedef struct Widened {
  Cluster cluster;
  Built built;
  Wide wide[MOST_CLIQUES];
  int is_wide[MOST_CLIQUES];
  int32_t value[MOST_RANGE]; /* that each value has become */
} Widened;

static void widen_action(const Widened *w, int32_t *action) {
  if (*action >= 0)
    *action = w->value[*action];
}

static void widen_rule(const Widened *w, int32_t range, Use *use) {
  Rule *rule = &use->rule;
  for (int32_t y = 0; y < MOST_LABELS; ++y) {
    if (!rule->has_label_values)
      rule->label_values[y] = y;
    widen_action(w, &rule->label_values[y]);
    for (int32_t c = 0; c < MOST_CLASSES; ++c) {
      for (int32_t s = 0; s < MOST_STATES; ++s)
        widen_action(w, &rule->actions[s][c][y]);
      for (int32_t above = 0; above <= MOST_LABELS; ++above)
        widen_action(w, &rule->local[c][y][above]);
    }
  }
  for (int32_t s = 0; s < MOST_STATES; ++s)
    widen_action(w, &rule->end_actions[s]);
  widen_action(w, &rule->outside_value);
  widen_action(w, &rule->start_value);
  for (int32_t k = 0; k < use->kept_count; ++k)
    widen_action(w, &use->kept[k]);
  rule->has_label_values = 1;
  rule->values = range;
}

/* The model, of properties of a large range of which the old values stay; with `dictionaries` that
 * know those alone, or potentials as wide as the range. */
static void widen(const Trial *trial, int32_t range, int32_t dictionaries, Widened *w) {
  w->cluster = trial->cluster;
  for (int32_t c = 0; c < w->cluster.clique_count; ++c) {
    Group *group = &w->cluster.cliques[c];
    const PropertyKind kind = group->use.rule.kind;
    w->is_wide[c] = 0;
    if (group->shape != OVER_PROPERTY)
      continue;
    for (int32_t i = 0; i < group->member_count; ++i) {
      Member *member = &group->members[i];
      if (member->reads_tokens)
        memcpy(member->table, w->cluster.tokens[member->chain], sizeof member->table);
      member->reads_tokens = 0;
    }
    const int fires_any =
        kind == PROPERTY_AUTOMATON || kind == PROPERTY_LOCAL || kind == PROPERTY_BEFORE;
    const int needs_potential = !group->use.has_dictionary && !dictionaries;
    if (!fires_any || (needs_potential && range > 400 && numbers_grow(&group->potentials[0])) ||
        (needs_potential && range > 80 && group->potentials[0].kind >= KIND_MAJORITY &&
         group->potentials[0].kind <= KIND_PAIRS_SEPARABLE))
      continue;
    const int32_t values = group->use.rule.values;
    widen_rule(w, range, &group->use);
    for (int32_t i = 0; i < group->member_count; ++i)
      for (int32_t t = 0; t < MOST_POSITIONS; ++t)
        widen_action(w, &group->members[i].table[t]);
    w->is_wide[c] = needs_potential;
    if (!group->use.has_dictionary && dictionaries) {
      group->use.has_dictionary = 1;
      group->use.has_unlisted = 0;
      group->use.kept_count = values;
      memcpy(group->use.kept, w->value, sizeof group->use.kept);
    }
  }
}

static void build_widened(int32_t range, int is_masked, Widened *w) {
  chorale_error error;
  open_parts(&w->cluster, NULL, &w->built);
  for (int32_t c = 0; c < w->cluster.clique_count; ++c) {
    if (!w->is_wide[c])
      continue;
    const Group *group = &w->cluster.cliques[c];
    Wide *wide = &w->wide[c];
    wide->problem = &group->potentials[0];
    wide->is_masked = is_masked;
    /* EMPTY and CONFLICT come after the values. */
    wide->values = range + wide->problem->values - group->values;
    for (int32_t v = 0; v < wide->problem->values; ++v)
      wide->column[v] = v < group->values ? w->value[v] : range + v - group->values;
    chorale_potential_release(w->built.potentials[c][0]);
    OK(make_wide_potential(wide, NULL, &w->built.potentials[c][0], &error));
  }
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  OK(add_chains(&w->cluster, &w->built, builder, &error));
  OK(add_cliques(&w->cluster, &w->built, builder, &error));
  OK(chorale_model_builder_freeze(builder, &w->built.model, &error));
  chorale_model_builder_destroy(builder);
}

/* Rounds and polish. Which labellings a bound finds depends on what can be bounded: not
 * dictionaries without UNLISTED, nor pairs beside values that do not count. */
static void run_unbounded(const Cluster *cluster, chorale_run *run) {
  chorale_error error;
  for (int64_t round = 0; round <= rounds_of(&cluster->options); ++round)
    OK(chorale_run_step(run, NULL, &error));
  if (!cluster->options.no_local_search)
    OK(chorale_run_local_search(run, NULL, &error));
}

/* Says the same of properties whose few values are numbers in a large range. */
static void check_ranges(const Trial *trial, Random *random) {
  static const int32_t ranges[] = {70, 300, 1000, 65537, 1000000};
  static Widened w;
  static Said narrow, said;
  int32_t range = ranges[random_int(random, 0, (int32_t)COUNT_OF(ranges) - 1)];
  if (has_instance(&trial->cluster) && range > 300)
    range = 300; /* an instance is told of every value */
  spread_values(random, MOST_RANGE, range, w.value);
  const int is_masked = random_chance(random, 50);
  const Cluster *cluster = &trial->cluster;
  chorale_error error;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, trial->built.model, &cluster->options, NULL, &run, &error));
  run_unbounded(cluster, run);
  listen_to(cluster, run, &narrow);
  chorale_run_destroy(run);
  for (int32_t dictionaries = 0; dictionaries < 2; ++dictionaries) {
    const char *const how = dictionaries ? "under dictionaries" : "as wide potentials";
    widen(trial, range, dictionaries, &w);
    build_widened(range, is_masked, &w);
    OK(chorale_run_create(NULL, w.built.model, &cluster->options, NULL, &run, &error));
    run_unbounded(cluster, run);
    listen_to(cluster, run, &said);
    chorale_run_result bounded = {.struct_size = sizeof bounded};
    if (cluster->options.bound_steps > 0)
      OK(chorale_run_bound(run, cluster->options.bound_steps, NULL, &error));
    OK(chorale_run_get_result(run, &bounded, &error));
    /* Without the chains that are set aside, more is allowed. */
    REQUIRE(is_at_most(trial->truth.best, bounded.upper_bound) &&
                (said.undecided > 0 || is_at_most(bounded.score, trial->truth.best_any)),
            "%d values %s: score %.17g, bound %.17g, the optimum is %.17g", range, how,
            bounded.score, bounded.upper_bound, trial->truth.best);
    chorale_run_destroy(run);
    REQUIRE(said.result.score == narrow.result.score, "%d values %s: score %.17g, not %.17g", range,
            how, said.result.score, narrow.result.score);
    REQUIRE(memcmp(said.labels, narrow.labels, sizeof said.labels) == 0 &&
                memcmp(said.own, narrow.own, sizeof said.own) == 0,
            "%d values %s: other labels", range, how);
    for (int32_t c = 0; narrow.result.score > -INFINITY && c < cluster->clique_count; ++c) {
      REQUIRE(said.clique_scores[c] == narrow.clique_scores[c],
              "%d values %s: clique %d scores %.17g, not %.17g", range, how, c,
              said.clique_scores[c], narrow.clique_scores[c]);
      for (int32_t i = 0; i < cluster->cliques[c].member_count; ++i) {
        const int32_t few = cluster->cliques[c].values, value = narrow.values[c][i];
        /* -1: the member's chain is left out. */
        const int32_t expected = !w.is_wide[c] || value < 0 ? value
                                 : value < few              ? w.value[value]
                                                            : range + value - few;
        REQUIRE(said.values[c][i] == expected,
                "%d values %s: clique %d, member %d shows %d, not %d", range, how, c, i,
                said.values[c][i], expected);
      }
    }
    close_built(&w.cluster, &w.built);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Random random = open_input(data, size);
  draw_from(&random, data, size);
  static Trial trial;
  memset(&trial, 0, sizeof trial);
  const int32_t first = random_int(&random, 0, 249);
  const int32_t numbers = first % 10;
  const int32_t what = random_int(&random, 0, 255);
  if (numbers == 9 && random_chance(&random, 50))
    random_forbidding_cluster(&random, &trial.cluster);
  else if (numbers == 9)
    random_outside_cluster(&random, &trial.cluster);
  else if (first >= 220)
    random_crowded_cluster(&random, &trial.cluster);
  else
    random_cluster(&random, &trial.cluster);
  /* Threads say nothing here, and slow everything down. */
  trial.cluster.options.threads = 1;
  if (numbers >= 5 && numbers < 7 && may_scale(&trial.cluster)) {
    const double factor = hostile_power(&random);
    (void)scale_cluster(&trial.cluster, factor);
    set_magnitude(fmax(LEAST_MAGNITUDE, factor));
  } else if (numbers == 4 && may_scale(&trial.cluster)) {
    set_magnitude(100 * mix_sizes(&random, &trial.cluster));
  } else if (numbers >= 7 && numbers < 9) {
    trial.is_wild = 1;
    set_magnitude(make_wild(&random, &trial.cluster));
  }
  open_supply(&trial.supply, &random, has_instance(&trial.cluster));
  int is_built = 1;
  if (has_instance(&trial.cluster) && !trial.is_wild)
    build(&trial.cluster, &trial.supply.host, &trial.built);
  else if (has_instance(&trial.cluster))
    is_built = 0;
  else
    is_built = build_by_calls(&trial);
  chorale_run *run = NULL;
  if (is_built && (run = open_run(&trial, trial.built.model, &trial.cluster.options, NULL))) {
    chorale_run_result result;
    solve_run(&trial, run, &result);
    if (!trial.is_wild) {
      REQUIRE(enumerate_cluster(&trial.cluster, &trial.truth), "cannot be enumerated");
      trial.supply.attempts = 2; /* no memory is refused until the next call */
      PASSES(check_run(&trial.cluster, &trial.truth, run, &result));
    }
    if (result.outcome != CHORALE_OUTCOME_INFEASIBLE)
      check_any(&trial, run, &result, NULL);
    if (what & 1)
      wander(&trial, &random);
    if (what & 2)
      check_strengths(&trial, &random, run);
    if ((what & 4) && can_be_saved(&trial.cluster))
      check_file(&trial, &result);
    if (what >> 6 == 3)
      check_slices(&trial);
    if ((what >> 4 & 3) == 3 && !trial.is_wild)
      check_ranges(&trial, &random);
    if ((what >> 4 & 3) == 1)
      check_prices(&trial, &random);
    chorale_run *later =
        what & 8 ? open_run(&trial, trial.built.model, &trial.cluster.options, run) : NULL;
    chorale_run_destroy(run);
    if (later) {
      chorale_run_result again;
      solve_run(&trial, later, &again);
      REQUIRE(again.score >= result.score, "begun at %.17g it ends at %.17g", result.score,
              again.score);
      chorale_run_destroy(later);
    }
  }
  close_built(&trial.cluster, &trial.built);
  close_supply(&trial.supply);
  draw_from(NULL, NULL, 0);
  return 0;
}
