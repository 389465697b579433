#include "data.h"

#include "json.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

chorale_text title_of(const settings *chosen, const corpus *from) {
  const chorale_text title = note(from, "title");
  const char *path = chosen->files[0], *slash = strrchr(path, '/');
  return title.length > 0 ? title : text_of(slash != NULL ? slash + 1 : path);
}

/* ---- What is shown ------------------------------------------------------------------------ */

enum { TOKENS_SHOWN = 60000, PAGES_SHOWN = 400 };

typedef struct ranked {
  int64_t page, merit;
} ranked;

static int best_first(const void *a, const void *b) {
  const ranked *left = a, *right = b;
  if (left->merit != right->merit)
    return left->merit > right->merit ? -1 : 1;
  return left->page < right->page ? -1 : left->page > right->page;
}

static int is_changed(const corpus *from, const inference *done, int64_t chain) {
  const int64_t begin = from->offsets[chain], length = from->offsets[chain + 1] - begin;
  return memcmp(done->own + begin, done->together + begin, (size_t)length * sizeof *done->own) != 0;
}

shown shown_of(const corpus *from, const inference *done, const summary *of) {
  ranked *order = allocate(from->page_count, sizeof *order);
  int64_t count = 0, room = TOKENS_SHOWN;
  for (int64_t p = 0; p < from->page_count; ++p)
    if (!from->pages[p].training) {
      order[count].page = p;
      order[count++].merit = of->all.known > 0 ? of->removed[p] : of->changed[p];
    }
  qsort(order, (size_t)count, sizeof *order, best_first);
  shown made = {allocate(from->chain_count, sizeof *made.chains), 0};
  for (int64_t i = 0; i < count && i < PAGES_SHOWN; ++i) {
    const page *here = &from->pages[order[i].page];
    for (int changed = 1; changed >= 0; --changed)
      for (int64_t k = here->first; k < here->first + here->records && room > 0; ++k) {
        const int64_t chain = from->chains[k];
        if (is_changed(from, done, chain) != changed)
          continue;
        made.chains[made.count++] = chain;
        room -= from->offsets[chain + 1] - from->offsets[chain];
      }
  }
  free(order);
  return made;
}

/* ---- Names and records --------------------------------------------------------------------- */

static void put_pages(FILE *to, const corpus *from) {
  char space[NAME_SPACE];
  for (int64_t p = 0; p < from->page_count; ++p) {
    const page *here = &from->pages[p];
    put_json(to, "%,{\"name\":%t,\"training\":%b,\"chains\":[", p > 0, page_name(from, p, space),
             here->training);
    for (int64_t k = 0; k < here->records; ++k)
      put_json(to, "%,%i", k > 0, from->chains[here->first + k]);
    fputs("]}", to);
  }
}

/* Writes how probable the changed labels of a record are. The probabilities of a position are raised
 * to the power 1 / temperature and divided by their sum. Writes nothing if the library cannot compute
 * the probabilities. */
static void put_sureness(FILE *to, const corpus *from, const inference *done, int64_t chain) {
  const int64_t begin = from->offsets[chain], length = from->offsets[chain + 1] - begin;
  const double exponent = 1.0 / temperature_of(done);
  double *rows = allocate(length * from->labels, sizeof *rows);
  int32_t exact = 0;
  if (chorale_run_probabilities(done->run, chain, 1.0, rows, from->labels, &exact, NULL) ==
      CHORALE_OK) {
    int some = 0;
    put_json(to, ",\"exact\":%b,\"sure\":{", exact);
    for (int64_t t = 0; t < length; ++t) {
      const int32_t label = done->together[begin + t];
      double sum = 0.0, of_label = 0.0;
      for (int64_t y = 0; y < from->labels; ++y) {
        const double power = pow(rows[t * from->labels + y], exponent);
        sum += power;
        of_label = y == label ? power : of_label;
      }
      if (done->own[begin + t] != label)
        put_json(to, "%,\"%i\":%r", some++ > 0, t, of_label / sum);
    }
    putc('}', to);
  }
  free(rows);
}

static void put_record(FILE *to, const corpus *from, const inference *done, int64_t chain) {
  const int64_t length = from->offsets[chain + 1] - from->offsets[chain];
  put_json(to, "\n{\"chain\":%i,\"name\":%t,\"words\":[", chain,
           text_in(from->problem, CHORALE_TEXTS_CHAINS, chain));
  for (int64_t t = 0; t < length; ++t) {
    char space[NAME_SPACE];
    put_json(to, "%,%t", t > 0, word(from, chain, t, space));
  }
  if (chorale_problem_text_count(from->problem, CHORALE_TEXTS_SPACES) > 0) {
    fputs("],\"spaces\":[", to);
    for (int64_t t = 0; t < length; ++t)
      put_json(to, "%,%t", t > 0, space_before(from, chain, t));
  }
  putc(']', to);
  if (is_changed(from, done, chain))
    put_sureness(to, from, done, chain);
  putc('}', to);
}

static void put_clique(FILE *to, const corpus *from, const inference *done, int64_t clique) {
  chorale_error error;
  chorale_clique_setup with = {.struct_size = sizeof with};
  check(chorale_model_get_clique(done->model, clique, &with, &error), &error);
  const int64_t values = with.values;
  int64_t members = 0;
  check(chorale_run_values(done->run, clique, CHORALE_ALONE, NULL, 0, &members, &error), &error);
  int32_t *of_members = allocate(2 * members, sizeof *of_members);
  char *some = allocate(values, 1); /* by value: some member has it */
  char space[NAME_SPACE];
  check(chorale_run_values(done->run, clique, CHORALE_ALONE, of_members, members, NULL, &error),
        &error);
  check(chorale_run_values(done->run, clique, CHORALE_TOGETHER, of_members + members, members, NULL,
                           &error), &error);
  put_json(to, "{\"name\":%t,\"values\":%i", clique_name(from, clique, space), values);
  if (memcmp(of_members, of_members + members, (size_t)members * sizeof *of_members) != 0) {
    if (values > 0)
      some[0] = 1; /* needed by valueName() in labelling.js for a last value without name */
    for (int64_t k = 0; k < 2 * members; ++k)
      if (of_members[k] >= 0 && of_members[k] < values)
        some[of_members[k]] = 1;
    fputs(",\"names\":{", to);
    for (int64_t v = 0, before = 0; v < values; ++v) {
      const chorale_text name = name_of_value(from->problem, clique, (int32_t)v);
      if (some[v] && name.length > 0)
        put_json(to, "%,\"%i\":%t", before++ > 0, v, name);
    }
    putc('}', to);
  }
  putc('}', to);
  free(of_members);
  free(some);
}

static void put_notes(FILE *to, const corpus *from) {
  static const char *const others[] = {"title", "training_groups", "learnt.json"};
  const int64_t notes = chorale_problem_text_count(from->problem, CHORALE_TEXTS_NOTES);
  for (int64_t i = 0, before = 0; i < notes; ++i) {
    const chorale_text name = text_in(from->problem, CHORALE_TEXTS_NOTE_NAMES, i);
    int is_other = 0;
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k)
      is_other |= same_text(name, text_of(others[k]));
    if (!is_other)
      put_json(to, "%,[%t,%t]", before++ > 0, name, text_in(from->problem, CHORALE_TEXTS_NOTES, i));
  }
}

/* ---- The problem --------------------------------------------------------------------------- */

size_t problem_size(const corpus *from) {
  chorale_error error;
  size_t size = 0;
  check(chorale_problem_write(from->problem, NULL, 0, &size, &error), &error);
  return size;
}

static void put_base64(FILE *to, const unsigned char *bytes, size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    const size_t left = count - i;
    const unsigned three = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? bytes[i + 2] : 0);
    for (unsigned k = 0; k < 4; ++k)
      putc(k <= left ? digits[three >> (18 - 6 * k) & 63] : '=', to);
  }
}

static void put_problem(FILE *to, const settings *chosen, const corpus *from,
                        const inference *done) {
  chorale_error error;
  chorale_text learnt = {NULL, 0};
  char *text = NULL;
  if (chosen->learnt != NULL)
    learnt.bytes = text = read_file("--learnt", chosen->learnt, &learnt.length);
  put_json(to, ",\n\"rounds\":%i,\"beam\":%i,\"temperature\":%r,\"learnt\":%t,\"factors\":[",
           chosen->rounds, chosen->beam, temperature_of(done), learnt);
  free(text);
  for (int64_t c = 0; c < from->clique_count && done->factors != NULL; ++c)
    put_json(to, "%,%r", c > 0, done->factors[c]);
  size_t size = problem_size(from);
  unsigned char *bytes = allocate((int64_t)size, 1);
  check(chorale_problem_write(from->problem, bytes, size, &size, &error), &error);
  fputs("],\"problem\":\"", to);
  put_base64(to, bytes, size);
  putc('"', to);
  free(bytes);
}

/* ---- Everything ---------------------------------------------------------------------------- */

void put_data(FILE *to, const settings *chosen, const corpus *from, const inference *done,
              const summary *of, const shown *which, int carried) {
  char *run = json_of(done);
  put_json(to,
           "{\"version\":%t,\"title\":%t,\"strength\":%r,\"properties\":%t,\"threads\":%i,"
           "\"seconds\":%r,\"left_out\":%i,\n\"run\":",
           text_of(chorale_version()), title_of(chosen, from), chosen->strength,
           text_of(chosen->properties != NULL ? chosen->properties : ""), chosen->threads,
           done->seconds, of->left_out);
  fputs(run, to);
  free(run);
  fputs(",\n\"labels\":[", to);
  for (int64_t y = 0; y < from->labels; ++y)
    put_json(to, "%,%t", y > 0, text_in(from->problem, CHORALE_TEXTS_LABELS, y));
  fputs("],\n\"gold\":[", to);
  for (int64_t t = 0; t < from->positions && from->gold != NULL; ++t)
    put_json(to, "%,%i", t > 0, (int64_t)from->gold[t]);
  fputs("],\n\"pages\":[", to);
  put_pages(to, from);
  fputs("],\n\"records\":[", to);
  for (int64_t k = 0; k < which->count; ++k) {
    fputs(k > 0 ? "," : "", to);
    put_record(to, from, done, which->chains[k]);
  }
  fputs("],\n\"cliques\":[", to);
  for (int64_t c = 0; c < from->clique_count; ++c) {
    fputs(c > 0 ? ",\n" : "", to);
    put_clique(to, from, done, c);
  }
  fputs("],\n\"notes\":[", to);
  put_notes(to, from);
  fputs("],\n\"control\":[", to);
  const chorale_learnt_report *learnt = &done->learnt;
  if (learnt->control_accuracy > 0.0) /* also 0 for a result of 0.2: no accuracies are read */
    put_json(to, "%r,%r,%r", learnt->tagger_accuracy, learnt->control_accuracy,
             learnt->agreeing_accuracy);
  putc(']', to);
  if (carried)
    put_problem(to, chosen, from, done);
  putc('}', to);
}
