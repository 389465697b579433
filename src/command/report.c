#include "commands.h"
#include "html/report.h"
#include "summary.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

int command_report(const settings *chosen) {
  if (chosen->output != NULL)
    check_writable(chosen->output, chosen->files[0]);
  char *library = chosen->library != NULL ? load_library(chosen->library) : NULL;
  corpus all = corpus_of(chosen->files[0]);
  inference done = infer(&all, chosen);
  summary figures = summarise(&all, &done);
  if (chosen->output != NULL)
    write_report(chosen, &all, &done, &figures, library);
  if (chosen->json) {
    print_summary_json(&all, &done, &figures);
  } else {
    print_summary(&all, &done, &figures);
    if (chosen->output != NULL) {
      fputs("Report         ", stdout);
      print_name(stdout, text_of(chosen->output), 0);
      putchar('\n');
    }
  }
  free(library);
  summary_free(&figures);
  inference_free(&done);
  corpus_free(&all);
  return 0;
}
