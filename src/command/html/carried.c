#include "carried.h"

#include "json.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

char *load_library(const char *path) {
  size_t size = 0;
  char *script = read_file("--library", path, &size);
  /* Rejects a script that contains an end tag, since the browser would end the script element
   * there. */
  if (strlen(script) != size || strstr(script, "globalThis.libchorale") == NULL ||
      strstr(script, "</script") != NULL)
    stop(EXIT_BAD_INPUT, "--library is \"%s\"; it must be libchorale.embedded.js of bindings/js",
         path);
  return script;
}

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
    putc(digits[three >> 18], to);
    putc(digits[three >> 12 & 63], to);
    putc(left > 1 ? digits[three >> 6 & 63] : '=', to);
    putc(left > 2 ? digits[three & 63] : '=', to);
  }
}

static void put_bytes(FILE *to, const corpus *from) {
  chorale_error error;
  size_t size = problem_size(from);
  unsigned char *bytes = allocate((int64_t)size, 1);
  check(chorale_problem_write(from->problem, bytes, size, &size, &error), &error);
  put_base64(to, bytes, size);
  free(bytes);
}

static void put_pages_of(FILE *to, const corpus *from) {
  const char *comma = "";
  put_json_key(to, "training", 0);
  putc('[', to);
  for (int64_t p = 0; p < from->page_count; ++p)
    if (from->pages[p].training) {
      fprintf(to, "%s%" PRId64, comma, p);
      comma = ",";
    }
  putc(']', to);
  put_json_key(to, "pages", 0);
  putc('[', to);
  for (int64_t p = 0; p < from->page_count; ++p) {
    const page *here = &from->pages[p];
    fputs(p > 0 ? ",\n[" : "[", to);
    for (int64_t k = 0; k < here->records; ++k)
      fprintf(to, "%s%" PRId64, k > 0 ? "," : "", from->chains[here->first + k]);
    putc(']', to);
  }
  putc(']', to);
}

static void put_names(FILE *to, const corpus *from) {
  char space[NAME_SPACE];
  put_json_key(to, "cliques", 0);
  putc('[', to);
  for (int64_t c = 0; c < from->clique_count; ++c) {
    fputs(c > 0 ? "," : "", to);
    put_json_text(to, clique_name(from, c, space));
  }
  putc(']', to);
  if (chorale_problem_text_count(from->problem, CHORALE_TEXTS_WORDS) > 0)
    return;
  put_json_key(to, "words", 0);
  putc('[', to);
  for (int64_t chain = 0, at = 0; chain < from->chain_count; ++chain)
    for (int64_t t = 0; at < from->offsets[chain + 1]; ++t, ++at) {
      fputs(at > 0 ? "," : "", to);
      put_json_text(to, word(from, chain, t, space));
    }
  putc(']', to);
}

static void put_labels(FILE *to, const char *key, const int32_t *labels, int64_t count) {
  put_json_key(to, key, 0);
  putc('[', to);
  for (int64_t at = 0; at < count; ++at)
    fprintf(to, "%s%d", at > 0 ? "," : "", (int)labels[at]);
  putc(']', to);
}

void put_problem(FILE *to, const settings *chosen, const corpus *from, const inference *done,
                 int64_t left_out) {
  fputs("<script type=\"application/json\" id=\"problem\">{", to);
  put_json_whole(to, "rounds", chosen->rounds, 1);
  put_json_whole(to, "beam", chosen->beam, 0);
  put_json_whole(to, "left_out", left_out, 0);
  put_json_real(to, "temperature", done->temperature, 0);
  if (chosen->learnt != NULL) {
    chorale_text learnt = {NULL, 0};
    char *text = read_file("--learnt", chosen->learnt, &learnt.length);
    learnt.bytes = text;
    put_json_key(to, "learnt", 0);
    put_json_text(to, learnt);
    free(text);
  }
  put_json_key(to, "factors", 0);
  putc('[', to);
  for (int64_t c = 0; c < from->clique_count && done->factors != NULL; ++c) {
    fputs(c > 0 ? "," : "", to);
    put_json_number(to, done->factors[c]);
  }
  putc(']', to);
  put_pages_of(to, from);
  put_names(to, from);
  put_labels(to, "own", done->own, from->positions);
  put_labels(to, "together", done->together, from->positions);
  put_json_key(to, "problem", 0);
  putc('"', to);
  put_bytes(to, from);
  fputs("\"}</script>\n", to);
}
