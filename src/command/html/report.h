/* Writes the report: one HTML file that needs no other file. */
#ifndef CHORALE_COMMAND_REPORT_H
#define CHORALE_COMMAND_REPORT_H

#include "options.h"
#include "summary.h"

/* Returns the library for browsers, a script, from the file at `path`; the caller frees it. Ends
 * the program with EXIT_BAD_INPUT if the file cannot be read or is not such a script. */
char *load_library(const char *path);

/* Writes the report to chosen->output; ends the program if writing fails. library: the script of
 * the library for browsers (load_library), with which the report accepts corrections; may be
 * NULL. */
void write_report(const settings *chosen, const corpus *from, const inference *done,
                  const summary *of, const char *library);

#endif
