/* The report: one HTML file with everything in it. */
#ifndef CHORALE_COMMAND_REPORT_H
#define CHORALE_COMMAND_REPORT_H

#include "options.h"
#include "summary.h"

/* Writes to chosen->output; ends the program where that fails. library: the script that makes the
 * report take corrections, as load_library gives it; may be NULL. */
void write_report(const settings *chosen, const corpus *from, const inference *done,
                  const summary *of, const char *library);

#endif
