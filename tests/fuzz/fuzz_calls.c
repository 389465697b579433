/* Sequences of calls on live handles, in any order the contract allows: handles retained, released
 * and used by others that outlive them, flags raised, callbacks that stop and lie, arguments that
 * are NULL, out of range or of hostile sizes, structs of other sizes, memory that runs out. Every
 * failure must say so in its error struct, hand out nothing and leave everything as it was (what is
 * used again afterwards must work); at the end everything has gone back.
 *
 * Arrays are as large as the arguments say they are: a size that no array has is only ever given
 * where it must be refused before an array is read. */
#include "fuzz_calls.h"

/* ---- Solvers ------------------------------------------------------------------------------ */

static void use_clique_solver(World *w) {
  if (chance(w, 20) || !w->clique_solvers[0]) {
    chorale_clique_solver **to = w->clique_solvers[0] ? SLOT(clique_solver) : &w->clique_solvers[0];
    CALL(chorale_clique_solver_create(w->host, to, &w->error));
    return;
  }
  chorale_clique_solver *solver = PICK(clique_solvers);
  const chorale_potential *potential = PICK(potentials);
  chorale_clique_problem problem;
  chorale_clique_options o;
  chorale_clique_result result;
  problem = (chorale_clique_problem){.struct_size = sizeof problem};
  o = (chorale_clique_options){.struct_size = sizeof o};
  result = (chorale_clique_result){.struct_size = sizeof result};
  restruct(w, &problem.struct_size);
  restruct(w, &result.struct_size);
  problem.values = chance(w, 90) ? chorale_potential_values(potential) : side(w);
  problem.members = side(w);
  problem.scores = numbers(w);
  problem.row_stride = chance(w, 90) ? problem.values : stride(w);
  if (problem.values > MOST_SIDE)
    problem.members = 0; /* such rows are in no pool */
  problem.fixed = chance(w, 10) ? w->small : NULL;
  problem.weights = chance(w, 20) ? w->wholes + upto(w, 9) : NULL;
  static const chorale_algorithm algorithms[] = {0,  0,  0,  10, 20, 30, 40, 50,
                                                 60, 70, 71, 72, 80, 81, 82, 90};
  o.algorithm = constant(w, algorithms[upto(w, (int32_t)COUNT_OF(algorithms) - 1)]);
  o.start = constant(w, upto(w, 3));
  o.start_value = (int32_t)number(w);
  o.start_assignment = SELDOM(w->small + POOL / 2);
  o.subset_size = (int32_t)number(w);
  o.iteration_limit = chance(w, 70) ? 0 : number(w);
  o.node_limit = chance(w, 70) ? 0 : number(w);
  o.node_pool = chance(w, 80) ? 0 : number(w);
  o.prove = chance(w, 20);
  o.gap = chance(w, 70) ? 0 : hostile_double(w->random);
  o.tolerance = chance(w, 80) ? 1e-3 : hostile_double(w->random);
  o.time_limit = chance(w, 90) ? 0 : hostile_double(w->random);
  o.cancel = PICK(cancels);
  o.exact_marginals = chance(w, 20);
  const chorale_clique_options *options = OFTEN(&o);
  int32_t assignment[MOST_SIDE] = {0};
  double marginals[MOST_SIDE * (MOST_SIDE + 3)];
  switch (upto(w, 2)) {
  case 0:
    CALL(chorale_clique_solve(solver, potential, OFTEN(&problem), options, SELDOM(assignment),
                              &result, &w->error));
    break;
  case 1:
    CALL(chorale_clique_max_marginals(solver, potential, OFTEN(&problem), options, OFTEN(marginals),
                                      chance(w, 90) ? MOST_SIDE : -1, assignment, &result,
                                      &w->error));
    break;
  default:
    CALL(chorale_clique_score(solver, potential, &problem, OFTEN(w->small + upto(w, 9)), &result,
                                 &w->error));
  }
}

static void use_chain_solver(World *w) {
  if (chance(w, 20) || !w->chain_solvers[0]) {
    chorale_chain_solver **to = w->chain_solvers[0] ? SLOT(chain_solver) : &w->chain_solvers[0];
    CALL(chorale_chain_solver_create(w->host, to, &w->error));
    return;
  }
  chorale_chain_solver *solver = PICK(chain_solvers);
  chorale_chain chain;
  chorale_chain_result result;
  describe_chain(w, &chain);
  result = (chorale_chain_result){.struct_size = sizeof result};
  restruct(w, &result.struct_size);
  int32_t labels[8 * MOST_SIDE] = {0};
  double wide[(MOST_SIDE + 1) * MOST_SIDE * MOST_SIDE], margins[MOST_SIDE], scores[8];
  int64_t found = 0;
  chorale_attachment attachment = {.struct_size = sizeof attachment};
  attachment.property = PICK(properties);
  attachment.dictionary = chance(w, 30) ? PICK(dictionaries) : NULL;
  attachment.classes = SELDOM(w->small + POOL / 2);
  attachment.table = chance(w, 70) ? w->small + upto(w, 9) : NULL;
  /* At most: make_dictionary() gives at most six values and UNLISTED. */
  const int64_t range =
      attachment.dictionary ? 7 : chorale_property_values(attachment.property);
  attachment.message = range <= MOST_SIDE * MOST_SIDE ? SELDOM(w->doubles) : NULL;
  double *outgoing[1] = {range <= MOST_SIDE * MOST_SIDE ? wide : NULL};
  chorale_run_options o = {.struct_size = sizeof o};
  o.joint_mode = constant(w, 10 * upto(w, 3));
  o.max_states = chance(w, 80) ? 64 : number(w);
  o.beam_width = chance(w, 80) ? 4 : number(w);
  const int64_t k = chance(w, 80) ? upto(w, 8) : hostile_size(w->random);
  switch (upto(w, 6)) {
  case 0:
    CALL(chorale_chain_solve(solver, OFTEN(&chain), SELDOM(labels), &result, &w->error));
    break;
  case 1:
    CALL(chorale_chain_max_marginals(solver, &chain, SELDOM(wide), chance(w, 90) ? 0 : -1, NULL,
                                     SELDOM(margins), NULL, &result, &w->error));
    break;
  case 2:
    CALL(chorale_chain_k_best(solver, &chain, k <= 8 ? k : 8, SELDOM(labels), 0, SELDOM(scores),
                              OFTEN(&found), &w->error));
    break;
  case 3:
    CALL(chorale_chain_messages(solver, &chain, OFTEN(&attachment), chance(w, 95) ? 1 : -1,
                                SELDOM(&o), outgoing, NULL, &w->error));
    break;
  case 4:
    CALL(chorale_chain_decode(solver, &chain, OFTEN(&attachment), chance(w, 90) ? 1 : 0, SELDOM(&o),
                              SELDOM(labels), NULL, NULL, &w->error));
    break;
  case 5: {
    int32_t value = 0;
    CALL(chorale_property_shown(&attachment, upto(w, 6) - 1, w->small + upto(w, 9),
                                SELDOM(w->parents), OFTEN(&value), NULL, 0, NULL, &w->error));
    break;
  }
  default: {
    double score = 0;
    CALL(chorale_chain_score(&chain, w->small + POOL / 2, &score, &w->error));
    if (w->status == CHORALE_OK)
      REQUIRE(!isnan(score) && score < INFINITY, "score %g", score);
  }
  }
}

/* ---- Runs --------------------------------------------------------------------------------- */

static void make_run(World *w) {
  chorale_run_options o;
  chorale_run_cost cost;
  o = (chorale_run_options){.struct_size = sizeof o};
  cost = (chorale_run_cost){.struct_size = sizeof cost};
  restruct(w, &o.struct_size);
  o.rounds = number(w);
  o.damping = chance(w, 90) ? upto(w, 3) / 4.0 : hostile_double(w->random);
  o.algorithm = constant(w, chance(w, 90) ? 0 : 10);
  o.exact_marginals = chance(w, 10);
  o.no_local_search = !chance(w, 80);
  o.restrict_range = chance(w, 20);
  o.joint_mode = constant(w, chance(w, 80) ? 0 : 10 * upto(w, 3));
  o.message_element = constant(w, 10 * upto(w, 3));
  o.beam_width = chance(w, 80) ? 4 : number(w);
  o.max_states = chance(w, 80) ? 64 : number(w);
  o.threads = chance(w, 95) ? 1 : chance(w, 50) ? 2 : hostile_size(w->random);
  o.time_limit = chance(w, 90) ? 0 : hostile_double(w->random);
  o.cancel = PICK(cancels);
  o.progress = report_progress;
  o.progress_user = w;
  o.bound_steps = chance(w, 60) ? 0 : number(w);
  o.edits = constant(w, upto(w, 1));
  w->reports_left = 40;
  const chorale_model *model = PICK(models);
  const chorale_run *earlier = chance(w, 40) ? PICK(runs) : NULL;
  CALL(chorale_run_estimate(model, &o, &cost, &w->error));
  chorale_run *run = NULL;
  CALL(chorale_run_create(w->host, model, &o, earlier, &run, &w->error));
  REQUIRE((w->status == CHORALE_OK) == (run != NULL), "status %d", w->status);
  if (run)
    *SLOT(run) = run;
}

static void read_run(World *w, chorale_run *run) {
  int32_t numbers_read[8 * MOST_SIDE];
  chorale_reason reasons[4];
  chorale_left_out left_out[4];
  int64_t count = 0;
  char text[256];
  size_t needed = 0;
  const chorale_labelling own = constant(w, upto(w, 1));
  const int64_t which = number(w), room = chance(w, 90) ? (int64_t)COUNT_OF(numbers_read) : -1;
  switch (upto(w, 5)) {
  case 0:
    CALL(chorale_run_labels(run, which, own, OFTEN(numbers_read), room, NULL, &w->error));
    break;
  case 1:
    CALL(chorale_run_labels(run, CHORALE_ALL_CHAINS, own, OFTEN(numbers_read), room, NULL,
                            &w->error));
    break;
  case 2:
    CALL(chorale_run_values(run, which, own, OFTEN(numbers_read), room, NULL, &w->error));
    break;
  case 3:
    CALL(chorale_run_left_out(run, SELDOM(left_out), sizeof *left_out, chance(w, 80) ? 4 : 0,
                              OFTEN(&count), &w->error));
    break;
  case 4:
    CALL(chorale_run_reasons(run, which, SELDOM(reasons), sizeof(chorale_reason),
                             chance(w, 80) ? 4 : 0, OFTEN(&count), &w->error));
    break;
  default:
    CALL(chorale_run_json(run, text, chance(w, 80) ? sizeof text : 0, &needed, &w->error));
    if (w->status == CHORALE_OK && needed <= sizeof text && needed > 0)
      text[0] = '{';
  }
}

static void use_run(World *w) {
  chorale_run *run = PICK(runs);
  chorale_run_result result = {.struct_size = sizeof result};
  restruct(w, &result.struct_size);
  w->reports_left = 40;
  chorale_chain chain;
  const int32_t what = upto(w, 12);
  w->running = what <= 4 ? run : NULL;
  switch (what) {
  case 0:
    CALL(chorale_run_step(run, SELDOM(&result), &w->error));
    break;
  case 1:
  case 2:
    CALL(chorale_run_solve(run, &result, &w->error));
    break;
  case 3:
    CALL(chorale_run_local_search(run, SELDOM(&result), &w->error));
    break;
  case 4:
    CALL(chorale_run_bound(run, number(w), &result, &w->error));
    break;
  case 5:
    CALL(chorale_run_set_limits(run, chance(w, 80) ? 0 : hostile_double(w->random), PICK(cancels),
                                &w->error));
    break;
  case 6:
    chorale_run_reset(run);
    break;
  case 7:
    describe_chain(w, &chain);
    CALL(chorale_run_set_chain(run, number(w), OFTEN(&chain), &w->error));
    break;
  case 8:
  case 9:
    CALL(chorale_run_set_allowed(run, number(w), number(w), OFTEN(w->bits + upto(w, 9)),
                                 &w->error));
    break;
  case 10:
    CALL(chorale_run_set_strength(run, number(w),
                                  chance(w, 80) ? upto(w, 3) / 2.0 : hostile_double(w->random),
                                  &w->error));
    break;
  default:
    read_run(w, run);
  }
  w->running = NULL;
  if (run && chance(w, 30)) {
    result = (chorale_run_result){.struct_size = sizeof result};
    CALL(chorale_run_get_result(run, &result, &w->error));
    REQUIRE(w->status == CHORALE_OK && !isnan(result.score) && result.score < INFINITY &&
                (result.score >= result.own_score || result.score == -INFINITY),
            "score %g, own %g: %s", result.score, result.own_score, w->error.message);
  }
}

/* ---- Problems ----------------------------------------------------------------------------- */

static void use_problem(World *w) {
  static const chorale_text texts[] = {{"a", 1},        {"", 0},     {NULL, 0},
                                       {"\xc3\xa9", 2}, {"\xff", 1}, {"bcd", 3}};
  chorale_text some[MOST_SIDE];
  for (int32_t k = 0; k < MOST_SIDE; ++k)
    some[k] = texts[chance(w, 95) ? upto(w, 3) : 4 + upto(w, 1)];
  chorale_problem *p = PICK(problems);
  const chorale_model *model = chorale_problem_model(p);
  static unsigned char file[1 << 14];
  size_t needed = 0;
  switch (upto(w, 6)) {
  case 0: {
    const chorale_model *of = PICK(models);
    chorale_problem **to = SLOT(problem);
    CALL(chorale_problem_create(w->host, of, to, &w->error));
    break;
  }
  case 1:
    CALL(chorale_problem_set_texts(
        p, chance(w, 80) ? upto(w, 7) : 99 + upto(w, 3), OFTEN(some), sizeof(chorale_text),
        chance(w, 50) ? chorale_model_chain_count(model) <= MOST_SIDE ? chorale_model_chain_count(model) : 0 : upto(w, MOST_SIDE),
        &w->error));
    break;
  case 2:
    if (chorale_model_clique_count(model) <= 64)
      CALL(
          chorale_problem_set_cliques(p, SELDOM(w->small), SELDOM(w->small + POOL / 2), &w->error));
    break;
  case 3:
    if (chorale_model_chain_count(model) <= 16)
      CALL(chorale_problem_set_gold(p, SELDOM(w->small + POOL / 2), &w->error));
    break;
  case 4:
    CALL(put_note(p, some[0], some[1], &w->error));
    break;
  case 5: {
    CALL(chorale_problem_write(p, file, sizeof file, &needed, &w->error));
    if (w->status != CHORALE_OK)
      break;
    chorale_problem **to = SLOT(problem);
    CALL(chorale_problem_read(w->host, file, needed, 0, to, &w->error));
    REQUIRE(w->status == CHORALE_OK, "what was written is not read: %s", w->error.message);
    /* Its model goes on without it. */
    chorale_model *of = chorale_model_retain(chorale_problem_model(*to));
    *SLOT(model) = of;
    break;
  }
  default:
    for (int32_t v = -1; v < 4; ++v)
      (void)name_of_value(p, number(w), v);
    (void)(chorale_problem_clique_kind(p, number(w)) +
           (int64_t)text_in(p, upto(w, 10) - 1, number(w)).length +
           (int64_t)text_in(p, CHORALE_TEXTS_NOTES, number(w)).length);
  }
}

/* ---- Handles ------------------------------------------------------------------------------ */

static void share_handles(World *w) {
  switch (upto(w, 4)) {
  case 0: {
    chorale_potential *same = chorale_potential_retain(PICK(potentials));
    *SLOT(potential) = same;
    break;
  }
  case 1: {
    chorale_property *same = chorale_property_retain(PICK(properties));
    *SLOT(property) = same;
    break;
  }
  case 2: {
    chorale_transitions *same = chorale_transitions_retain(PICK(transitions));
    *SLOT(transitions) = same;
    break;
  }
  case 3: {
    chorale_cancel **flag = &PICK(cancels);
    if (!*flag)
      CALL(chorale_cancel_create(w->host, flag, &w->error));
    else if (chance(w, 30))
      chorale_cancel_raise(*flag);
    else
      chorale_cancel_lower(*flag);
    break;
  }
  default:
    /* The next callback but some stops or lies. */
    w->calls_left = upto(w, 30);
  }
}

static void give_back_one(World *w) {
  switch (upto(w, 7)) {
  case 0:
    (void)SLOT(potential);
    break;
  case 1:
    (void)SLOT(transitions);
    break;
  case 2:
    (void)SLOT(builder);
    break;
  case 3:
    (void)SLOT(model);
    break;
  case 4:
    (void)SLOT(run);
    break;
  case 5:
    (void)SLOT(problem);
    break;
  case 6:
    (void)SLOT(price);
    break;
  default:
    (void)SLOT(property);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Random random = open_input(data, size);
  draw_from(&random, data, size);
  static World world;
  World *w = &world;
  memset(w, 0, sizeof *w);
  w->random = &random;
  open_supply(&w->supply, &random, 0);
  w->host = &w->supply.host;
  for (int32_t k = 0; k < POOL; ++k) {
    w->doubles[k] = k % 7 - 3;
    w->small[k] = k < POOL / 2 ? k % 5 - 1 : 0;
    w->wholes[k] = k % 11 == 10 ? 0 : 1 + k % 3;
    w->parents[k] = k - 1;
    w->bits[k] = k % 4 != 3;
  }
  const int32_t spoiled = upto(w, 3);
  for (int32_t k = 0; k < spoiled; ++k)
    w->doubles[upto(w, 60)] = hostile_double(&random);
  if (chance(w, 20))
    w->wholes[upto(w, 12)] = hostile_size(&random);
  static void (*const steps[])(World *) = {make_potential_at_random,
                                           make_transitions,
                                           make_property,
                                           make_dictionary,
                                           add_to_builder,
                                           add_to_builder,
                                           add_to_builder,
                                           change_models,
                                           use_clique_solver,
                                           use_chain_solver,
                                           make_run,
                                           use_run,
                                           use_run,
                                           use_problem,
                                           share_handles,
                                           give_back_one,
                                           add_in_bulk,
                                           use_front,
                                           use_labelling,
                                           tell_weights,
                                           use_prices,
                                           use_prices,
                                           use_table};
  /* A step takes some ten bytes. */
  const size_t count = size / 8 + 4 < 400 ? size / 8 + 4 : 400;
  for (size_t k = 0; k < count; ++k)
    steps[upto(w, (int32_t)COUNT_OF(steps) - 1)](w);
  for (int32_t k = 0; k < SLOTS; ++k) {
    (void)potential_at(w, k);
    (void)transitions_at(w, k);
    (void)property_at(w, k);
    (void)dictionary_at(w, k);
    (void)builder_at(w, k);
    (void)model_at(w, k);
    (void)run_at(w, k);
    (void)problem_at(w, k);
    (void)decoded_at(w, k);
    (void)clique_solver_at(w, k);
    (void)chain_solver_at(w, k);
    (void)price_at(w, k);
    (void)ledger_at(w, k);
  }
  for (int32_t k = 0; k < SLOTS; ++k)
    chorale_cancel_destroy(w->cancels[k]);
  close_supply(&w->supply);
  draw_from(NULL, NULL, 0);
  return 0;
}
