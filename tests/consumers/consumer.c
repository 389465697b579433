/* A program outside the project. Prints the version of the header and that of the library, which
 * must agree with EXPECTED_VERSION, and scores a count vector. */
#include <chorale/chorale.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  char header[64];
  snprintf(header, sizeof header, "%d.%d.%d", CHORALE_VERSION_MAJOR, CHORALE_VERSION_MINOR,
           CHORALE_VERSION_PATCH);
  printf("expected %s, header %s, library %s, ABI %d and %d\n", EXPECTED_VERSION, header,
         chorale_version(), CHORALE_ABI, (int)chorale_abi());
  if (strcmp(header, EXPECTED_VERSION) != 0 || strcmp(chorale_version(), EXPECTED_VERSION) != 0 ||
      chorale_abi() != CHORALE_ABI)
    return 1;

  const int64_t counts[3] = {2, 1, 0};
  double score = 0.0;
  chorale_error error;
  chorale_potential *potts = NULL;
  if (chorale_potential_create_potts(NULL, 3, 0.5, NULL, &potts, &error) != CHORALE_OK ||
      chorale_potential_score(potts, counts, 3, 3, &score, &error) != CHORALE_OK) {
    fprintf(stderr, "%s: %s\n", chorale_status_name(error.status), error.message);
    return 1;
  }
  chorale_potential_release(potts);
  printf("Potts of (2, 1, 0): %g\n", score);
  return score == 2.5 ? 0 : 1;
}
