/* Labels words from the logits of their sub-tokens, as models for token classification give them,
 * such that equal words tend to get equal labels.
 *
 *   token_logits FILE [STRENGTH]
 *
 * FILE holds the output of a model and its tokenizer, line by line:
 *
 *   labels O B-LOC I-LOC    the names of the K labels, in the scheme BIO
 *   window 0                a row of the batch, and the number of its text: 0, 1, ...
 *   - [CLS] 9.1 -2.0 -3.1   a sub-token: the number of its word in the text, 0, 1, ... ("-": none),
 *   0 Ant 0.3 4.2 -1.7      its piece, its K logits
 *   0 ##werp -0.4 0.1 3.9
 *
 * The scores of a word are the log-probabilities of the labels at its first sub-token. If several
 * windows of a text contain a word, its scores come from the window with most context around it.
 * Words of one form, in all texts, are members of one clique. A clique of n words, n_v of which
 * have label v, scores STRENGTH / n * sum_v n_v^2 (default strength 1). Prints all words with their
 * labels.
 */
#include <chorale/experimental.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1 << 16 };

typedef struct piece {
  int64_t word; /* -1: none */
  char *form;
} piece;

typedef struct window {
  int64_t text, first, end; /* its pieces: first .. end - 1 */
} window;

/* A word, and the sub-token from which its scores and its form are taken. */
typedef struct word {
  int64_t piece, end; /* its sub-token, and the end of the window; piece -1: no sub-token is its */
  int64_t context;    /* number of sub-tokens from there to the nearer end of the window */
  int64_t seen;       /* number, from 1, of the last window in which the word was found */
  int is_inside;      /* 1 if some window of the text begins before the word */
  char *form;
  int32_t id;
} word;

typedef struct batch {
  char **names; /* of the labels */
  int64_t labels;
  window *windows;
  int64_t window_count;
  piece *pieces;
  double *logits; /* pieces x labels */
  int64_t piece_count;
  /* The words of all texts, text after text: those of text t begin at starts[t]. */
  word *words;
  int64_t *starts;
  int64_t texts;
} batch;

static void stop(const char *what, const char *why) {
  fprintf(stderr, "token_logits: %s: %s\n", what, why);
  exit(EXIT_FAILURE);
}

static void stop_at(int64_t line, const char *why) {
  char where[40];
  snprintf(where, sizeof where, "line %" PRId64, line);
  stop(where, why);
}

static void *have(void *memory) {
  if (memory == NULL)
    stop("memory", "there is none");
  return memory;
}

/* Returns an array with space for one more element than `count`. The space doubles each time. */
static void *grown(void *array, int64_t count, size_t size) {
  if ((count & (count - 1)) != 0) /* not a power of two: there is space */
    return array;
  return have(realloc(array, (size_t)(count == 0 ? 1 : 2 * count) * size));
}

static char *copied(const char *text) { return strcpy(have(malloc(strlen(text) + 1)), text); }

/* ---- Reading ------------------------------------------------------------------------------ */

static const char blanks[] = " \t\r\n";
static int64_t read_index(const char *text, int64_t line) {
  char *end = NULL;
  const long long number = text != NULL ? strtoll(text, &end, 10) : -1;
  if (number < 0 || number >= 1 << 24 || *end != '\0')
    stop_at(line, "there should be a number, from 0 to 2^24");
  return number;
}

static void read_piece(batch *into, const char *number, int64_t line) {
  if (into->window_count == 0)
    stop_at(line, "a sub-token before the first window");
  const char *form = strtok(NULL, blanks);
  if (form == NULL)
    stop_at(line, "a sub-token without its piece");
  into->pieces = grown(into->pieces, into->piece_count, sizeof *into->pieces);
  piece *made = &into->pieces[into->piece_count];
  made->word = strcmp(number, "-") == 0 ? -1 : read_index(number, line);
  made->form = copied(form);
  into->logits = grown(into->logits, into->piece_count, (size_t)into->labels * sizeof(double));
  double *row = into->logits + into->piece_count++ * into->labels;
  for (int64_t y = 0; y < into->labels; ++y) {
    const char *given = strtok(NULL, blanks);
    char *end = NULL;
    row[y] = given != NULL ? strtod(given, &end) : 0;
    if (given == NULL || *end != '\0' || !(fabs(row[y]) <= 1e30))
      stop_at(line, "there should be one finite logit for each label");
  }
  if (strtok(NULL, blanks) != NULL)
    stop_at(line, "more logits than labels");
  into->windows[into->window_count - 1].end = into->piece_count;
}

static void read_line(batch *into, char *text, int64_t line) {
  const char *kind = strtok(text, blanks);
  if (kind == NULL)
    return;
  if (strcmp(kind, "labels") == 0) {
    if (into->labels > 0)
      stop_at(line, "labels a second time");
    for (const char *name; (name = strtok(NULL, blanks)) != NULL; ++into->labels) {
      into->names = grown(into->names, into->labels, sizeof *into->names);
      into->names[into->labels] = copied(name);
    }
  } else if (into->labels == 0) {
    stop_at(line, "the labels come first");
  } else if (strcmp(kind, "window") == 0) {
    into->windows = grown(into->windows, into->window_count, sizeof *into->windows);
    window *made = &into->windows[into->window_count++];
    made->text = read_index(strtok(NULL, blanks), line);
    made->first = made->end = into->piece_count;
  } else {
    read_piece(into, kind, line);
  }
}

static void read_file(batch *into, const char *path) {
  static char text[LONGEST_LINE];
  FILE *file = fopen(path, "r");
  if (file == NULL)
    stop(path, "cannot be opened");
  for (int64_t line = 1; fgets(text, sizeof text, file) != NULL; ++line) {
    if (strlen(text) + 1 == sizeof text)
      stop_at(line, "too long");
    read_line(into, text, line);
  }
  if (ferror(file))
    stop(path, "cannot be read");
  fclose(file);
}

/* ---- From sub-tokens to words ------------------------------------------------------------- */

/* Counts the words of each text: up to the last word to which a sub-token belongs. */
static void count_words(batch *of) {
  for (int64_t w = 0; w < of->window_count; ++w)
    if (of->windows[w].text >= of->texts)
      of->texts = of->windows[w].text + 1;
  if (of->texts > of->window_count)
    stop("windows", "some text has none");
  of->starts = have(calloc((size_t)of->texts + 1, sizeof *of->starts));
  for (int64_t w = 0; w < of->window_count; ++w) {
    const window *row = &of->windows[w];
    int64_t *count = &of->starts[row->text + 1];
    for (int64_t p = row->first; p < row->end; ++p)
      if (of->pieces[p].word >= *count)
        *count = of->pieces[p].word + 1;
  }
  for (int64_t t = 0; t < of->texts; ++t)
    if (of->starts[t + 1] == 0)
      stop("a text", "it has no words");
    else
      of->starts[t + 1] += of->starts[t];
  of->words = have(calloc((size_t)of->starts[of->texts] + 1, sizeof *of->words));
  for (int64_t i = 0; i < of->starts[of->texts]; ++i)
    of->words[i].piece = -1;
}

static void choose_places(batch *of) {
  /* The first sub-token of a window may lie in the middle of a word. If another window begins
   * before this word, the first sub-token in that window is taken. So the first pass finds the
   * words before which some window begins, and the second pass chooses. */
  for (int pass = 0; pass < 2; ++pass)
    for (int64_t w = 0; w < of->window_count; ++w) {
      const window *row = &of->windows[w];
      word *words = of->words + of->starts[row->text];
      int64_t first = row->first, last = row->end - 1;
      while (first <= last && of->pieces[first].word < 0)
        ++first;
      while (last > first && of->pieces[last].word < 0)
        --last;
      for (int64_t p = first; p <= last; ++p) {
        if (of->pieces[p].word < 0)
          continue;
        word *here = &words[of->pieces[p].word];
        const int begins = of->pieces[first].word == of->pieces[p].word;
        if (pass == 0) {
          here->is_inside |= !begins;
        } else if (here->seen != w + 1) { /* the first sub-token of the word in this window */
          const int64_t near = p - first < last - p ? p - first : last - p;
          const int64_t context = begins && here->is_inside ? -1 : near;
          if (here->piece < 0 || context > here->context) {
            here->piece = p;
            here->end = row->end;
            here->context = context;
          }
          here->seen = w + 1;
        }
      }
    }
}

/* Sets the form of a word: the pieces of its sub-tokens, joined; "##", which marks a piece that
 * continues a word, is left out. */
static void spell(batch *of, word *this) {
  int64_t end = this->piece;
  size_t length = 1;
  while (end >= 0 && end < this->end && of->pieces[end].word == of->pieces[this->piece].word)
    length += strlen(of->pieces[end++].form);
  this->form = have(calloc(length, 1));
  for (int64_t p = this->piece; p >= 0 && p < end; ++p) {
    const char *form = of->pieces[p].form;
    strcat(this->form, p > this->piece && strncmp(form, "##", 2) == 0 ? form + 2 : form);
  }
}

static int by_form(const void *a, const void *b) {
  return strcmp((*(word *const *)a)->form, (*(word *const *)b)->form);
}

/* Gives words of equal form the same number; -1 to a word without a sub-token. */
static void number_forms(batch *of) {
  const int64_t count = of->starts[of->texts];
  word **order = have(calloc((size_t)count + 1, sizeof *order));
  for (int64_t i = 0; i < count; ++i) {
    spell(of, &of->words[i]);
    order[i] = &of->words[i];
  }
  qsort(order, (size_t)count, sizeof *order, by_form);
  for (int64_t i = 0, id = -1; i < count; ++i) {
    id += i == 0 || strcmp(order[i - 1]->form, order[i]->form) != 0;
    order[i]->id = order[i]->piece >= 0 ? (int32_t)id : -1;
  }
  free(order);
}

/* Writes the log-probabilities of the labels; all are equal for a word without a sub-token. */
static void score_word(const batch *of, const word *this, double *row) {
  const double *logits = this->piece >= 0 ? of->logits + this->piece * of->labels : NULL;
  double most = 0, sum = 0;
  for (int64_t y = 0; y < of->labels; ++y)
    if (logits != NULL && (y == 0 || logits[y] > most))
      most = logits[y];
  for (int64_t y = 0; y < of->labels; ++y) {
    row[y] = logits != NULL ? logits[y] - most : 0;
    sum += exp(row[y]);
  }
  for (int64_t y = 0; y < of->labels; ++y)
    row[y] -= log(sum);
}

/* ---- Labelling ---------------------------------------------------------------------------- */

static void check(const char *what, chorale_status status, const chorale_error *error) {
  if (status != CHORALE_OK)
    stop(what, error->message);
}

/* Returns transitions that forbid what the scheme forbids. */
static chorale_transitions *scheme(const batch *of) {
  chorale_error error;
  const size_t m = (size_t)of->labels;
  uint8_t *mask = have(calloc(m + 2, m));
  check("labels",
        chorale_scheme_mask(CHORALE_SCHEME_BIO, (const char *const *)of->names, NULL, of->labels,
                            mask, mask + m * m, mask + m * m + m, &error),
        &error);
  chorale_transitions_options options = {.struct_size = sizeof options};
  options.mask = mask;
  options.start_mask = mask + m * m;
  options.end_mask = mask + m * m + m;
  chorale_transitions *made = NULL;
  check("transitions", chorale_transitions_create(NULL, of->labels, NULL, &options, &made, &error),
        &error);
  free(mask);
  return made;
}

static chorale_model *model_of(const batch *of, double strength) {
  chorale_error error;
  chorale_transitions *transitions = scheme(of);
  chorale_model_builder *builder = NULL;
  check("builder", chorale_model_builder_create(NULL, &builder, &error), &error);
  for (int64_t t = 0; t < of->texts; ++t) {
    const int64_t length = of->starts[t + 1] - of->starts[t];
    double *scores = have(malloc((size_t)(length * of->labels) * sizeof *scores));
    int32_t *tokens = have(malloc((size_t)length * sizeof *tokens));
    for (int64_t i = 0; i < length; ++i) {
      score_word(of, &of->words[of->starts[t] + i], scores + i * of->labels);
      tokens[i] = of->words[of->starts[t] + i].id;
    }
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = length;
    chain.labels = of->labels;
    chain.unary = scores;
    chain.transitions = transitions;
    chorale_chain_options options; /* by default the model copies what it is given */
    options = (chorale_chain_options){.struct_size = sizeof options};
    options.tokens = tokens;
    check("chain", chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error),
          &error);
    free(scores);
    free(tokens);
  }
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *agreement = NULL;
  check("strength",
        chorale_potential_create_potts(NULL, of->labels, strength, &scaled, &agreement, &error),
        &error);
  chorale_clique_setup words = {.struct_size = sizeof words};
  words.potential = agreement;
  check("words",
        chorale_model_builder_add_repeated_words(builder, &words, NULL, NULL, NULL, &error),
        &error);
  chorale_model *model = NULL;
  check("model", chorale_model_builder_freeze(builder, &model, &error), &error);
  chorale_potential_release(agreement);
  chorale_transitions_release(transitions);
  chorale_model_builder_destroy(builder);
  return model;
}

static void print_labels(const batch *of, chorale_run *run) {
  chorale_error error;
  const int64_t count = of->starts[of->texts];
  int32_t *own = have(malloc((size_t)(count + 1) * sizeof *own));
  int32_t *best = have(malloc((size_t)(count + 1) * sizeof *best));
  check("labels", chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_ALONE, own, count, NULL,
                                     &error), &error);
  check("labels", chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, best, count, NULL,
                                     &error), &error);
  for (int64_t t = 0; t < of->texts; ++t)
    for (int64_t i = of->starts[t]; i < of->starts[t + 1]; ++i)
      printf("%" PRId64 " %-16s %s%s%s\n", t, of->words[i].form, of->names[best[i]],
             own[i] != best[i] ? "   was " : "", own[i] != best[i] ? of->names[own[i]] : "");
  free(own);
  free(best);
}

int main(int count, char **arguments) {
  char *end = NULL;
  const double strength = count == 3 ? strtod(arguments[2], &end) : 1;
  if (count < 2 || count > 3 || (end != NULL && (end == arguments[2] || *end != '\0'))) {
    fputs("usage: token_logits FILE [STRENGTH]\n", stderr);
    return 2;
  }
  batch all = {0};
  read_file(&all, arguments[1]);
  if (all.window_count == 0)
    stop(arguments[1], "it has no windows");
  count_words(&all);
  choose_places(&all);
  number_forms(&all);

  chorale_error error;
  chorale_model *model = model_of(&all, strength);
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 50;
  chorale_run *run = NULL;
  check("run", chorale_run_create(NULL, model, &options, NULL, &run, &error), &error);
  chorale_run_result result = {.struct_size = sizeof result};
  check("run", chorale_run_solve(run, &result, &error), &error);
  print_labels(&all, run);
  printf("score %.9f, alone %.9f, at most %.9f\n", result.score, result.own_score,
         result.upper_bound);

  chorale_run_destroy(run);
  chorale_model_release(model);
  for (int64_t p = 0; p < all.piece_count; ++p)
    free(all.pieces[p].form);
  for (int64_t y = 0; y < all.labels; ++y)
    free(all.names[y]);
  for (int64_t i = 0; i < all.starts[all.texts]; ++i)
    free(all.words[i].form);
  free(all.names);
  free(all.windows);
  free(all.pieces);
  free(all.logits);
  free(all.words);
  free(all.starts);
  return 0;
}
