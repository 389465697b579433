/* Whole corpora in one call: adds many chains from ragged arrays.
 *
 * A *ragged array* is one array of entries and `count + 1` ascending offsets: part i is the entries
 * offsets[i] .. offsets[i + 1] - 1, as in Arrow's large lists and SciPy's CSR matrices. The first
 * offset may be above 0, for a slice of a larger array.
 */
#ifndef CHORALE_CORPUS_H
#define CHORALE_CORPUS_H

#include "chorale/model.h"

CHORALE_BEGIN_DECLS

/* Chains with the same number of labels, as ragged arrays. If chains have different sets of labels,
 * the labels of the corpus are those of all chains, and `allowed` says which a chain has. N is the number
 * of positions of all chains. A position is numbered by its index in the arrays: from offsets[0] to
 * offsets[chains] - 1, or from 0 to chains - 1 if `offsets` is NULL. */
typedef struct chorale_corpus {
  size_t struct_size;     /* sizeof(chorale_corpus) */
  int64_t chains;         /* >= 0 */
  const int64_t *offsets; /* chains + 1 entries; NULL: every chain has one position (it is a single
                             item) */
  int64_t labels;         /* m >= 1 */
  chorale_element element; /* of unary: CHORALE_FLOAT64 (default) or CHORALE_FLOAT32 */
  /* 1: `unary`, `edges`, `tokens`, `forced` and `allowed` are not copied; they must stay valid and
   * unchanged until the last reference to the model is released. 0 (default): copied. */
  int32_t borrow;
  /* Score of label y at position p: at p * unary_row_stride + y * unary_column_stride, in elements.
   * Strides of 0: rows without gaps. */
  const void *unary;
  int64_t unary_row_stride;
  int64_t unary_column_stride;
  const chorale_transitions *transitions; /* of all chains; NULL: all scores 0 */
  const int32_t *tokens; /* by position: a token id >= 0, or -1 for none. NULL: no chain has any */
  const int64_t *groups; /* by chain: the number of its group (document). NULL: 0 for all */
  /* `uncounted_count` labels that take no part in the agreement of positions (decode.h), such as
   * "no entity": positions gain nothing by having them together. NULL: all take part; given, it
   * has at least one entry */
  const int32_t *uncounted;
  int64_t uncounted_count;
  /* By position: m x m scores without gaps, of the type `element`, which replace the edge scores and
   * the mask of `transitions`: entry [x][y] is the score of label y at this position after label x
   * at the one before it. The matrix of the first position of a chain is not read. NULL: the edge
   * scores of `transitions` */
  const void *edges;
  const int32_t *forced;  /* by position: the label that it must take, or -1: free. NULL: all free */
  const uint8_t *allowed; /* by position: m bytes, 0 forbids a label. NULL: all allowed */
} chorale_corpus;

/* Adds every chain of a corpus. *first: receives the number of the first chain; the other chains
 * have the numbers after it. May be NULL. Errors: those of every call on a builder (model.h);
 * NULL_ARGUMENT (corpus, unary where N > 0), STRUCT_SIZE, SIZE, STRIDE, UNKNOWN_CONSTANT,
 * OUT_OF_RANGE (offsets that descend or are negative, tokens, forced), NOT_A_NUMBER, INFINITE,
 * LABELS_MISMATCH (transitions). O(N m), with `edges` O(N m^2). */
CHORALE_API chorale_status chorale_model_builder_add_corpus(chorale_model_builder *builder,
                                                            const chorale_corpus *corpus,
                                                            int64_t *first, chorale_error *error);

CHORALE_END_DECLS

#endif
