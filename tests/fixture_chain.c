/* Random chains, trees and properties, and their definitions. */
#include "fixture_chain.h"

/* ---- Samples ------------------------------------------------------------------------------ */

static double random_score(Random *random, const Sample *sample, int32_t forbidden_percent) {
  if (random_chance(random, forbidden_percent))
    return -INFINITY;
  return sample->is_real ? 4 * random_unit(random) - 2 : random_int(random, -6, 6) / 4.0;
}

void random_sample(Random *random, int is_tree, Sample *sample) {
  memset(sample, 0, sizeof *sample);
  sample->is_tree = is_tree;
  sample->is_real = random_chance(random, 30);
  sample->length = random_chance(random, 5) ? 0 : random_int(random, 1, MOST_POSITIONS);
  sample->labels = random_int(random, 1, MOST_LABELS);
  sample->source = (EdgeSource)random_int(random, EDGES_NONE, EDGES_EACH);
  sample->element =
      !sample->is_real && random_chance(random, 30) ? CHORALE_FLOAT32 : CHORALE_FLOAT64;
  sample->orientation = random_chance(random, 40) ? CHORALE_ROWS_TO : CHORALE_ROWS_FROM;
  sample->column_gap = random_chance(random, 25) ? random_int(random, 1, 2) : 0;
  sample->row_gap = random_chance(random, 40) ? random_int(random, 1, 3) : 0;
  sample->matrix_gap = random_chance(random, 40) ? random_int(random, 1, 3) : 0;
  sample->is_transposed_unary = random_chance(random, 20);
  sample->has_start = random_chance(random, 60);
  sample->has_end = random_chance(random, 60);
  sample->handle_has_ends = random_chance(random, 50);
  sample->is_borrowed = random_chance(random, 30);
  const int32_t forbidden = random_chance(random, 40) ? random_int(random, 5, 40) : 0;
  const int32_t m = sample->labels;
  for (int32_t t = 0; t < sample->length; ++t) {
    sample->parents[t] = t == 0 || random_chance(random, 12) ? -1 : random_int(random, 0, t - 1);
    sample->forced[t] = random_chance(random, 30) ? random_int(random, 0, m - 1) : -1;
    for (int32_t y = 0; y < m; ++y) {
      sample->unary[t][y] = random_score(random, sample, forbidden);
      sample->allowed[t][y] = random_chance(random, 85) ? (uint8_t)random_int(random, 1, 255) : 0;
      for (int32_t x = 0; x < m; ++x) {
        double score = 0;
        if (sample->source == EDGES_EACH || (sample->source != EDGES_NONE && t <= 1))
          score = random_score(random, sample, forbidden);
        else if (sample->source != EDGES_NONE)
          score = sample->edges[1][x][y];
        sample->edges[t][x][y] = score;
      }
    }
  }
  sample->has_forced = random_chance(random, 20);
  sample->has_allowed = random_chance(random, 20);
  for (int32_t y = 0; y < m; ++y) {
    sample->start[y] = sample->has_start ? random_score(random, sample, forbidden) : 0;
    sample->end[y] = sample->has_end ? random_score(random, sample, forbidden) : 0;
  }
}

static void put(double *wide, float *narrow, int32_t at, double score) {
  assert_true(at < SPACE);
  wide[at] = score;
  narrow[at] = (float)score;
}

void give(const Sample *sample, Given *given) {
  chorale_error error;
  const int32_t T = sample->length;
  const int32_t m = sample->labels;
  memset(given, 0, sizeof *given);
  for (int32_t i = 0; i < SPACE; ++i) {
    put(given->unary, given->unary32, i, NAN);
    put(given->edges, given->edges32, i, NAN);
  }
  chorale_chain *chain = &given->chain;
  *chain = (chorale_chain){.struct_size = sizeof *chain};
  chain->length = T;
  chain->labels = m;
  chain->element = sample->element;
  chain->orientation = sample->orientation;
  const int single = sample->element == CHORALE_FLOAT32;

  int32_t column = 1 + sample->column_gap;
  int32_t row = m * column + sample->row_gap;
  if (sample->is_transposed_unary) {
    row = 1 + sample->column_gap;
    column = (T > 0 ? T : 1) * row + sample->row_gap;
  }
  for (int32_t t = 0; t < T; ++t)
    for (int32_t y = 0; y < m; ++y)
      put(given->unary, given->unary32, t * row + y * column, sample->unary[t][y]);
  chain->unary = single ? (const void *)given->unary32 : given->unary;
  const int is_dense = !sample->is_transposed_unary && !sample->column_gap && !sample->row_gap;
  chain->unary_row_stride = is_dense ? 0 : row;
  chain->unary_column_stride = is_dense ? 0 : column;

  for (int32_t y = 0; y < m; ++y) {
    given->start[y] = sample->start[y];
    given->end[y] = sample->end[y];
    given->start32[y] = (float)sample->start[y];
    given->end32[y] = (float)sample->end[y];
  }
  const void *start = !sample->has_start ? NULL : single ? (void *)given->start32 : given->start;
  const void *end = !sample->has_end ? NULL : single ? (void *)given->end32 : given->end;

  const int shared = sample->source == EDGES_SHARED;
  column = 1 + sample->column_gap;
  row = m * column + sample->row_gap;
  const int32_t matrix = m * row + sample->matrix_gap;
  const int32_t from = sample->orientation == CHORALE_ROWS_FROM ? row : column;
  const int32_t to = sample->orientation == CHORALE_ROWS_FROM ? column : row;
  const int32_t matrices = sample->source == EDGES_EACH ? T - 1 : T > 1 ? 1 : 0;
  for (int32_t e = 0; e < matrices; ++e)
    for (int32_t x = 0; x < m; ++x)
      for (int32_t y = 0; y < m; ++y)
        put(given->edges, given->edges32, e * matrix + x * from + y * to,
            sample->edges[e + 1][x][y]);
  const void *edges = single ? (const void *)given->edges32 : given->edges;
  if (shared) {
    /* Without edges the matrix is unused, so any transitions fit. */
    if (T <= 1)
      for (int32_t i = 0; i < SPACE; ++i)
        put(given->edges, given->edges32, i, 0.25);
    chorale_transitions_options options = {.struct_size = sizeof options};
    options.element = sample->element;
    options.orientation = sample->orientation;
    options.row_stride = row;
    options.column_stride = column;
    options.borrow =
        sample->is_borrowed && !single && column == 1 && sample->orientation == CHORALE_ROWS_FROM;
    if (sample->handle_has_ends) {
      options.start = start;
      options.end = end;
    }
    OK(chorale_transitions_create(NULL, m, edges, &options, &given->transitions, &error));
    chain->transitions = given->transitions;
  } else if (sample->source != EDGES_NONE) {
    chain->edges = edges;
    chain->edge_matrices = sample->source == EDGES_EACH && T > 0 ? T - 1 : 1;
    chain->edge_matrix_stride = matrix;
    chain->edge_row_stride = row;
    chain->edge_column_stride = column;
    if (T <= 1 && chain->edge_matrices == 1)
      for (int32_t i = 0; i < SPACE; ++i)
        put(given->edges, given->edges32, i, 0.25);
  }
  if (!shared || !sample->handle_has_ends) {
    chain->start = start;
    chain->end = end;
  }
  if (sample->is_tree) {
    memcpy(given->parents, sample->parents, sizeof given->parents);
    chain->parents = given->parents;
  }
  if (sample->has_forced) {
    memcpy(given->forced, sample->forced, sizeof given->forced);
    chain->forced = given->forced;
  }
  if (sample->has_allowed) {
    for (int32_t t = 0; t < T; ++t)
      memcpy(given->allowed + t * (m + 1), sample->allowed[t], (size_t)m);
    chain->allowed = given->allowed;
    chain->allowed_row_stride = m + 1;
  }
}

void take_back(Given *given) { chorale_transitions_release(given->transitions); }

void scale_sample(Sample *sample, double factor) {
  scale_numbers(&sample->unary[0][0], sizeof sample->unary / sizeof(double), factor);
  scale_numbers(&sample->edges[0][0][0], sizeof sample->edges / sizeof(double), factor);
  scale_numbers(sample->start, COUNT_OF(sample->start), factor);
  scale_numbers(sample->end, COUNT_OF(sample->end), factor);
  sample->element = CHORALE_FLOAT64;
}

void print_sample(const Sample *sample) {
  const int32_t m = sample->labels;
  fprintf(stderr, "%s of %d positions, %d labels, edge source %d\n",
          sample->is_tree ? "tree" : "chain", sample->length, m, (int)sample->source);
  for (int32_t t = 0; t < sample->length; ++t) {
    fprintf(stderr, "  %d:", t);
    if (sample->is_tree)
      fprintf(stderr, " parent %d;", sample->parents[t]);
    for (int32_t y = 0; y < m; ++y)
      fprintf(stderr, " %g%s", sample->unary[t][y],
              sample->has_allowed && !sample->allowed[t][y] ? "!" : "");
    if (sample->has_forced)
      fprintf(stderr, "; forced %d", sample->forced[t]);
    fprintf(stderr, "\n");
    for (int32_t x = 0; t > 0 && x < m; ++x) {
      fprintf(stderr, "      from %d:", x);
      for (int32_t y = 0; y < m; ++y)
        fprintf(stderr, " %g", sample->edges[t][x][y]);
      fprintf(stderr, "\n");
    }
  }
  for (int32_t y = 0; y < m; ++y)
    fprintf(stderr, "  label %d: start %g, end %g\n", y, sample->start[y], sample->end[y]);
}

static int has_children(const Sample *sample, int32_t t) {
  if (!sample->is_tree)
    return t + 1 < sample->length;
  for (int32_t c = t + 1; c < sample->length; ++c)
    if (sample->parents[c] == t)
      return 1;
  return 0;
}

double own_phi(const Sample *sample, const int32_t *labelling) {
  double total = 0;
  for (int32_t t = 0; t < sample->length; ++t) {
    const int32_t y = labelling[t];
    const int32_t parent = sample->is_tree ? sample->parents[t] : t - 1;
    if (sample->has_forced && sample->forced[t] >= 0 && sample->forced[t] != y)
      return -INFINITY;
    if (sample->has_allowed && !sample->allowed[t][y])
      return -INFINITY;
    total += parent < 0 ? sample->start[y] : sample->edges[t][labelling[parent]][y];
    total += sample->unary[t][y];
    if (!has_children(sample, t))
      total += sample->end[y];
  }
  return total;
}

int32_t labelling_count(const Sample *sample) {
  int32_t count = 1;
  for (int32_t t = 0; t < sample->length; ++t)
    count *= sample->labels;
  return count;
}

void labelling_at(const Sample *sample, int32_t index, int32_t *labelling) {
  for (int32_t t = 0; t < sample->length; ++t) {
    labelling[t] = index % sample->labels;
    index /= sample->labels;
  }
}

/* ---- Properties --------------------------------------------------------------------------- */

static int32_t random_action(Random *random, const Rule *rule) {
  const int32_t what = random_int(random, 0, 9);
  if (what < 4)
    return CHORALE_FIRE_NOTHING;
  if (what < 6)
    return CHORALE_FIRE_LABEL;
  if (what < 8)
    return CHORALE_FIRE_TABLE;
  return random_int(random, 0, rule->values - 1);
}

static void random_rule(Random *random, const Sample *sample, Rule *rule) {
  memset(rule, 0, sizeof *rule);
  static const PropertyKind local_kinds[] = {PROPERTY_AUTOMATON, PROPERTY_LOCAL, PROPERTY_LOCAL,
                                             PROPERTY_POSITION, PROPERTY_TOKEN};
  rule->kind = sample->is_tree ? local_kinds[random_int(random, 0, 4)]
                               : (PropertyKind)random_int(random, 0, PROPERTY_KINDS - 1);
  const int32_t m = rule->labels = sample->labels;
  rule->classes = random_int(random, 1, MOST_CLASSES);
  /* An automaton of one state is also a local property. */
  rule->states = sample->is_tree ? 1 : random_int(random, 1, MOST_STATES);
  rule->start = random_int(random, 0, rule->states - 1);
  rule->values = random_int(random, m, MOST_TOKENS);
  rule->has_end_actions = !sample->is_tree && random_chance(random, 40);
  rule->has_label_values = random_chance(random, 50);
  rule->table_offset = sample->is_tree || random_chance(random, 50) ? 0 : random_int(random, -2, 2);
  rule->outside_value = random_int(random, -1, rule->values - 1);
  rule->end_value = random_int(random, -1, m);
  rule->start_value = random_int(random, -1, MOST_TOKENS - 1);
  rule->position = random_int(random, 0, MOST_POSITIONS);
  rule->token = random_int(random, 0, 2);
  rule->kinds = random_int(random, 1, m);
  rule->anchor = random_int(random, 0, rule->kinds - 1);
  rule->segment_rule =
      random_chance(random, 50) ? CHORALE_SEGMENT_SPANS_IGNORED : CHORALE_SEGMENT_ENDS_AT_IGNORED;
  for (int32_t y = 0; y < m; ++y) {
    rule->label_values[y] = random_int(random, -1, rule->values - 1);
    rule->kind_of_label[y] = random_int(random, 0, rule->kinds - 1);
    rule->begins[y] = (uint8_t)random_chance(random, 30);
    rule->ignored[y] = (uint8_t)random_chance(random, 30);
  }
  for (int32_t s = 0; s < rule->states; ++s) {
    rule->end_actions[s] = rule->has_end_actions ? random_action(random, rule) : -1;
    for (int32_t c = 0; c < rule->classes; ++c)
      for (int32_t y = 0; y < m; ++y) {
        rule->next[s][c][y] = random_int(random, 0, rule->states - 1);
        rule->actions[s][c][y] = random_action(random, rule);
      }
  }
  for (int32_t c = 0; c < rule->classes; ++c)
    for (int32_t y = 0; y < m; ++y)
      for (int32_t above = 0; above <= m; ++above)
        rule->local[c][y][above] = random_action(random, rule);
  if (rule->kind != PROPERTY_AUTOMATON && rule->kind != PROPERTY_LOCAL)
    rule->classes = 1;
  switch (rule->kind) {
  case PROPERTY_POSITION:
  case PROPERTY_TOKEN:
  case PROPERTY_FIRST:
    rule->values = rule->kinds;
    break;
  case PROPERTY_NEXT:
    rule->values = rule->kinds > rule->end_value + 1 ? rule->kinds : rule->end_value + 1;
    break;
  case PROPERTY_BEFORE:
    rule->values = MOST_TOKENS;
    break;
  default:
    break;
  }
}

void random_use(Random *random, const Sample *sample, Use *use) {
  memset(use, 0, sizeof *use);
  random_rule(random, sample, &use->rule);
  const Rule *rule = &use->rule;
  use->has_classes = random_chance(random, 70);
  for (int32_t t = 0; t < MOST_POSITIONS; ++t) {
    use->classes[t] = random_int(random, 0, rule->classes - 1);
    use->table[t] = random_int(random, -1, rule->kind == PROPERTY_TOKEN ? 3 : rule->values - 1);
  }
  use->has_dictionary = random_chance(random, 40);
  use->has_unlisted = random_chance(random, 50);
  for (int32_t v = 0; v < rule->values; ++v)
    if (random_chance(random, 60))
      use->kept[use->kept_count++] = v;
  if (use->kept_count == 0)
    use->kept[use->kept_count++] = 0;
  use->has_message = random_chance(random, 85);
  const int32_t forbidden = random_chance(random, 25) ? 25 : 0;
  for (int32_t v = 0; v < MOST_RANGE + 2; ++v)
    use->message[v] = !use->has_message ? 0 : random_score(random, sample, forbidden);
}

static void open_property(Use *use) {
  const Rule *rule = &use->rule;
  chorale_error error;
  const int32_t m = rule->labels;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = m;
  map.kinds = rule->kinds;
  map.kind_of_label = rule->kind_of_label;
  map.begins = rule->begins;
  int32_t next[MOST_STATES * MOST_CLASSES * MOST_LABELS];
  int32_t actions[MOST_STATES * MOST_CLASSES * MOST_LABELS];
  int32_t local[MOST_CLASSES * MOST_LABELS * (MOST_LABELS + 1)];
  int32_t at = 0;
  for (int32_t s = 0; s < rule->states; ++s)
    for (int32_t c = 0; c < rule->classes; ++c)
      for (int32_t y = 0; y < m; ++y, ++at) {
        next[at] = rule->next[s][c][y];
        actions[at] = rule->actions[s][c][y];
      }
  at = 0;
  for (int32_t c = 0; c < rule->classes; ++c)
    for (int32_t y = 0; y < m; ++y)
      for (int32_t above = 0; above <= m; ++above)
        local[at++] = rule->local[c][y][above];
  chorale_automaton automaton = {.struct_size = sizeof automaton};
  automaton.labels = m;
  automaton.classes = rule->classes;
  automaton.states = rule->states;
  automaton.values = rule->values;
  automaton.start = rule->start;
  automaton.table_offset = rule->table_offset;
  automaton.outside_value = rule->outside_value;
  automaton.fires_outside = rule->outside_value >= 0;
  automaton.next = next;
  automaton.actions = actions;
  automaton.end_actions = rule->has_end_actions ? rule->end_actions : NULL;
  automaton.label_values = rule->has_label_values ? rule->label_values : NULL;
  switch (rule->kind) {
  case PROPERTY_AUTOMATON:
    OK(chorale_property_create(NULL, &automaton, &use->property, &error));
    break;
  case PROPERTY_LOCAL:
    OK(chorale_property_create_local(NULL, m, rule->classes, rule->values, local,
                                     automaton.label_values, &use->property, &error));
    break;
  case PROPERTY_POSITION:
    OK(chorale_property_create_position_label(NULL, &map, rule->position, &use->property, &error));
    break;
  case PROPERTY_TOKEN:
    OK(chorale_property_create_token_label(NULL, &map, rule->token, &use->property, &error));
    break;
  case PROPERTY_FIRST:
    OK(chorale_property_create_first_label(NULL, &map, rule->ignored, &use->property, &error));
    break;
  case PROPERTY_NEXT:
    OK(chorale_property_create_next_label(NULL, &map, rule->anchor, rule->ignored,
                                          rule->segment_rule, rule->end_value, &use->property,
                                          &error));
    break;
  default:
    OK(chorale_property_create_token_before(NULL, &map, rule->anchor, rule->ignored,
                                            rule->segment_rule, rule->values, rule->start_value,
                                            &use->property, &error));
    break;
  }
  assert_int_equal(chorale_property_values(use->property), rule->values);
  assert_int_equal(chorale_property_labels(use->property), m);
}

void open_use(Use *use) {
  chorale_error error;
  open_property(use);
  use->attachment = (chorale_attachment){.struct_size = sizeof use->attachment};
  use->attachment.property = use->property;
  if (use->has_dictionary) {
    OK(chorale_dictionary_create(NULL, use->kept, use->kept_count, use->has_unlisted, &use->dictionary,
                                 &error));
    use->attachment.dictionary = use->dictionary;
  }
  use->attachment.classes = use->has_classes ? use->classes : NULL;
  use->attachment.table = use->table;
  use->attachment.message = use->has_message ? use->message : NULL;
}

void close_use(Use *use) {
  chorale_property_release(use->property);
  chorale_dictionary_release(use->dictionary);
}

void print_use(const Use *use) {
  const Rule *rule = &use->rule;
  fprintf(stderr,
          "property kind %d, %d values, %d classes, %d states from %d, offset %d outside %d, "
          "end actions %d, label values %d, kinds %d, anchor %d, rule %d, end %d, start %d, "
          "position %d, token %d, dictionary %d of %d, out %d\n",
          (int)rule->kind, rule->values, rule->classes, rule->states, rule->start,
          rule->table_offset, rule->outside_value, rule->has_end_actions, rule->has_label_values,
          rule->kinds, rule->anchor, rule->segment_rule, rule->end_value, rule->start_value,
          rule->position, rule->token, use->has_dictionary, use->kept_count, use->has_unlisted);
  for (int32_t s = 0; s < rule->states; ++s)
    for (int32_t c = 0; c < rule->classes; ++c)
      for (int32_t y = 0; y < rule->labels; ++y)
        fprintf(stderr, "  state %d class %d label %d: next %d fire %d (end %d)\n", s, c, y,
                rule->next[s][c][y], rule->actions[s][c][y], rule->end_actions[s]);
  for (int32_t t = 0; t < MOST_POSITIONS; ++t)
    fprintf(stderr, "  position %d: class %d table %d\n", t, use->has_classes ? use->classes[t] : 0,
            use->table[t]);
  for (int32_t v = 0; v < own_range(use) + 2; ++v)
    fprintf(stderr, "  message %d: %g\n", v, use->message[v]);
}

static int32_t own_class(const Use *use, int32_t t) {
  return use->has_classes ? use->classes[t] : 0;
}

static int32_t own_table_value(const Sample *sample, const Use *use, int32_t t, int32_t offset,
                               int32_t outside) {
  const int32_t at = t + offset;
  return at >= 0 && at < sample->length ? use->table[at] : outside;
}

static int32_t own_fired(const Sample *sample, const Use *use, int32_t action, int32_t t,
                         int32_t label, int32_t offset) {
  const Rule *rule = &use->rule;
  if (action == CHORALE_FIRE_LABEL)
    return rule->has_label_values ? rule->label_values[label] : label;
  if (action == CHORALE_FIRE_TABLE)
    return own_table_value(sample, use, t, offset, rule->outside_value);
  return action;
}

/* Finds the segments of the anchor: where each begins, and the first position after it that is not
 * ignored. */
static int32_t own_segments(const Sample *sample, const Rule *rule, const int32_t *y,
                            int32_t *begins, int32_t *next) {
  const int32_t T = sample->length;
  int32_t count = 0;
  for (int32_t t = 0; t < T;) {
    if (rule->kind_of_label[y[t]] != rule->anchor) {
      ++t;
      continue;
    }
    begins[count] = t++;
    /* A run of anchor labels; ignored labels belong to the segment if the rule spans them. */
    int32_t after = t;
    for (int32_t u = t; u < T; ++u) {
      if (rule->kind_of_label[y[u]] == rule->anchor) {
        if (rule->begins[y[u]])
          break;
        after = u + 1;
      } else if (!(rule->ignored[y[u]] && rule->segment_rule == CHORALE_SEGMENT_SPANS_IGNORED)) {
        break;
      }
    }
    t = after;
    int32_t u = after;
    while (u < T && rule->ignored[y[u]] && rule->kind_of_label[y[u]] != rule->anchor)
      ++u;
    next[count++] = u;
  }
  return count;
}

int32_t own_firings(const Sample *sample, const Use *use, const int32_t *y, int32_t *fired) {
  const Rule *rule = &use->rule;
  const int32_t T = sample->length;
  int32_t count = 0;
  int32_t begins[MOST_POSITIONS], next[MOST_POSITIONS];
  switch (rule->kind) {
  case PROPERTY_AUTOMATON: {
    int32_t state = rule->start;
    for (int32_t t = 0; t < T; ++t) {
      const int32_t c = own_class(use, t);
      const int32_t value =
          own_fired(sample, use, rule->actions[state][c][y[t]], t, y[t], rule->table_offset);
      if (value >= 0)
        fired[count++] = value;
      state = rule->next[state][c][y[t]];
    }
    if (rule->has_end_actions) {
      const int32_t action = rule->end_actions[state];
      if (action >= 0)
        fired[count++] = action;
      else if (T > 0) {
        const int32_t value = own_fired(sample, use, action, T - 1, y[T - 1], rule->table_offset);
        if (value >= 0)
          fired[count++] = value;
      }
    }
    break;
  }
  case PROPERTY_LOCAL:
    for (int32_t t = 0; t < T; ++t) {
      const int32_t parent = sample->is_tree ? sample->parents[t] : t - 1;
      const int32_t above = parent < 0 ? rule->labels : y[parent];
      const int32_t value =
          own_fired(sample, use, rule->local[own_class(use, t)][y[t]][above], t, y[t], 0);
      if (value >= 0)
        fired[count++] = value;
    }
    break;
  case PROPERTY_POSITION:
    if (rule->position < T)
      fired[count++] = rule->kind_of_label[y[rule->position]];
    break;
  case PROPERTY_TOKEN:
    for (int32_t t = 0; t < T; ++t)
      if (use->table[t] == rule->token)
        fired[count++] = rule->kind_of_label[y[t]];
    break;
  case PROPERTY_FIRST:
    for (int32_t t = 0; t < T && count == 0; ++t)
      if (!rule->ignored[y[t]])
        fired[count++] = rule->kind_of_label[y[t]];
    break;
  case PROPERTY_NEXT: {
    const int32_t segments = own_segments(sample, rule, y, begins, next);
    for (int32_t i = 0; i < segments; ++i) {
      if (next[i] < T)
        fired[count++] = rule->kind_of_label[y[next[i]]];
      else if (rule->end_value >= 0)
        fired[count++] = rule->end_value;
    }
    break;
  }
  default: {
    const int32_t segments = own_segments(sample, rule, y, begins, next);
    for (int32_t i = 0; i < segments; ++i) {
      const int32_t value = own_table_value(sample, use, begins[i], -1, rule->start_value);
      if (value >= 0)
        fired[count++] = value;
    }
    break;
  }
  }
  return count;
}

int32_t own_range(const Use *use) {
  return use->has_dictionary ? use->kept_count + (use->has_unlisted ? 1 : 0) : use->rule.values;
}

int32_t own_number(const Use *use, int32_t value) {
  if (!use->has_dictionary)
    return value;
  for (int32_t i = 0; i < use->kept_count; ++i)
    if (use->kept[i] == value)
      return i;
  return use->has_unlisted ? use->kept_count : -1;
}

int32_t own_value(const Sample *sample, const Use *use, const int32_t *labelling, int *is_outside) {
  int32_t fired[MOST_FIRINGS];
  const int32_t count = own_firings(sample, use, labelling, fired);
  *is_outside = 0;
  int differ = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t number = own_number(use, fired[i]);
    *is_outside = *is_outside || number < 0;
    for (int32_t j = 0; j < i; ++j)
      differ = differ ||
               (number < 0 || own_number(use, fired[j]) < 0 ? fired[i] != fired[j]
                                                            : number != own_number(use, fired[j]));
  }
  if (count == 0)
    return own_range(use);
  return differ ? own_range(use) + 1 : own_number(use, fired[0]);
}

void enumerate_joint(const Sample *sample, const Use *uses, int32_t count, Truths *truths) {
  truths->best = -INFINITY;
  truths->fires_twice = 0;
  for (int32_t k = 0; k < MOST_PROPERTIES; ++k)
    for (int32_t v = 0; v < MOST_RANGE + 2; ++v)
      truths->messages[k][v] = -INFINITY;
  int32_t labelling[MOST_POSITIONS] = {0}, fired[MOST_FIRINGS];
  for (int32_t i = 0; i < labelling_count(sample); ++i) {
    labelling_at(sample, i, labelling);
    const double phi = own_phi(sample, labelling);
    if (phi == -INFINITY)
      continue;
    int32_t shown[MOST_PROPERTIES];
    int is_outside = 0;
    for (int32_t k = 0; k < count; ++k) {
      int outside;
      shown[k] = own_value(sample, &uses[k], labelling, &outside);
      is_outside = is_outside || outside;
      truths->fires_twice =
          truths->fires_twice || own_firings(sample, &uses[k], labelling, fired) > 1;
    }
    if (is_outside)
      continue;
    for (int32_t skipped = -1; skipped < count; ++skipped) {
      double total = phi;
      for (int32_t k = 0; k < count; ++k)
        if (k != skipped)
          total += uses[k].message[shown[k]];
      double *to = skipped < 0 ? &truths->best : &truths->messages[skipped][shown[skipped]];
      if (total > *to)
        *to = total;
    }
  }
}
