/* The command `chorale`: labels the chains of problem files together, reports the changes, learns
 * potentials, and describes and checks problem files. The manual page is chorale.1. */
#include "commands.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

static const command commands[] = {
    {"label", command_label, TAKES_RUN, "[OPTION...] FILE",
     "label all chains of a problem file together",
     "Labels all chains of a problem file together.\n"
     "\n"
     "Prints a line a position: word, label, and the label that its chain gets alone,\n"
     "with tabs between them, and an empty line after each chain. With --json: labels by\n"
     "number, scores, what changed and which cliques gained by it.\n"},
    {"report", command_report, TAKES_RUN | TAKES_REPORT, "[OPTION...] FILE",
     "compare the labels together with those alone",
     "Labels all chains of a problem file together and compares the labels with those that\n"
     "every chain gets alone: token F1 and errors where the file has gold labels, how many\n"
     "labels changed, scores, upper bound and time.\n"},
    {"learn", command_learn, TAKES_LEARN | TAKES_FILES, "[OPTION...] FILE...",
     "learn from gold labels how much agreement is worth",
     "Learns from the gold labels of problem files how strongly members of cliques should\n"
     "agree: one strength that gains on groups that were held out, or none if none does.\n"
     "The scores must come from taggers that have not seen these gold labels.\n"
     "\n"
     "Prints what is gained on held-out groups, and why nothing is applied if nothing is.\n"},
    {"info", command_info, 0, "[--json] FILE", "describe what is in a problem file",
     "Describes a problem file: its chains, labels, cliques, texts, notes and size.\n"},
    {"check", command_check, TAKES_FILES, "[--json] FILE...", "say whether problem files are valid",
     "Loads each file, which checks every byte, and prints a line for it: \"ok\", or what is\n"
     "wrong. The exit code is 1 if any file is not valid.\n"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int print_help(void) {
  fputs("Usage: chorale COMMAND [OPTION...] FILE\n"
        "\n"
        "Labels many sequences together, so that they agree. A problem file holds their scores\n"
        "and what ought to agree.\n"
        "\n",
        stdout);
  for (int i = 0; i < COMMANDS; ++i)
    printf("  %-8s %s\n", commands[i].name, commands[i].does);
  fputs("\n"
        "  chorale COMMAND --help  its options\n"
        "  chorale --version       version of the library\n"
        "  chorale --help          this text\n"
        "\n"
        "Results go to stdout, progress to stderr if that is a terminal. Exit codes: 0 done,\n"
        "1 the answer is no, 2 bad input, 3 no memory or no room for output. See chorale(1).\n",
        stdout);
  check_printed();
  return 0;
}

static int print_version(void) {
  printf("chorale %s\n", chorale_version());
  check_printed();
  return 0;
}

/* Ends the program with a message that names the unknown subcommand (NULL: none was given) and all
 * subcommands. */
static void refuse(const char *name) {
  char list[200] = "";
  for (int i = 0; i < COMMANDS; ++i) {
    strcat(list, i == 0 ? "" : i + 1 == COMMANDS ? " or " : ", ");
    strcat(list, commands[i].name);
  }
  if (name == NULL)
    stop(EXIT_BAD_INPUT, "COMMAND is missing; it must be %s (see chorale --help)", list);
  stop(EXIT_BAD_INPUT, "COMMAND is \"%s\"; it must be %s", name, list);
}

int main(int count, char **arguments) {
  if (count < 2)
    refuse(NULL);
  const char *name = arguments[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
    return print_help();
  if (strcmp(name, "--version") == 0)
    return print_version();
  for (int i = 0; i < COMMANDS; ++i)
    if (strcmp(name, commands[i].name) == 0) {
      const settings chosen = settings_from(&commands[i], count - 2, arguments + 2);
      const int code = commands[i].run(&chosen);
      check_printed();
      return code;
    }
  refuse(name);
  return EXIT_BAD_INPUT;
}
