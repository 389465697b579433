#include "commands.h"
#include "inference.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>

/* Prints the name of a label; if the file has no name for it, its number; for -1 nothing. */
static void print_label(const corpus *from, int32_t label) {
  if (label < 0)
    return; /* the chain is left out */
  const chorale_text name = text_in(from->problem, CHORALE_TEXTS_LABELS, label);
  if (name.length > 0)
    print_name(stdout, name, 0);
  else
    printf("%" PRId32, label);
}

static void print_lines(const corpus *from, const inference *done) {
  for (int64_t chain = 0; chain < from->chain_count; ++chain) {
    for (int64_t i = from->offsets[chain]; i < from->offsets[chain + 1]; ++i) {
      char space[NAME_SPACE];
      print_name(stdout, word(from, chain, i - from->offsets[chain], space), 0);
      putchar('\t');
      print_label(from, done->together[i]);
      putchar('\t');
      print_label(from, done->own[i]);
      putchar('\n');
    }
    putchar('\n');
  }
}

int command_label(const settings *chosen) {
  corpus all = corpus_of(chosen->files[0]);
  inference done = infer(&all, chosen);
  if (chosen->json) {
    char *text = json_of(&done);
    puts(text);
    free(text);
  } else {
    print_lines(&all, &done);
  }
  inference_free(&done);
  corpus_free(&all);
  return 0;
}
