/* The subcommands, one source file each. Each returns the exit code of the program, or ends the
 * program on an error (support.h). */
#ifndef CHORALE_COMMAND_COMMANDS_H
#define CHORALE_COMMAND_COMMANDS_H

#include "options.h"

int command_label(const settings *chosen);
int command_report(const settings *chosen);
int command_learn(const settings *chosen);
int command_info(const settings *chosen);
int command_check(const settings *chosen);

#endif
