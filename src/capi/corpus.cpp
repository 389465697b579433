// extern "C" of corpus.h.
#include "capi/firewall.hpp"
#include "cluster/model/checked_builder.hpp"

using namespace chorale;

extern "C" {

void chorale_corpus_init(chorale_corpus *corpus, size_t struct_size) {
  init_struct(corpus, struct_size, chorale_corpus{});
}

chorale_status chorale_model_builder_add_corpus(chorale_model_builder *builder,
                                                const chorale_corpus *corpus, int64_t *first,
                                                chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    if (!corpus)
      return report.null_argument("corpus");
    chorale_corpus read{};
    CHORALE_CHECK(read_struct(report, "corpus", corpus, read));
    const std::int64_t before = adding.model().chains.size();
    CHORALE_CHECK(adding.add_corpus(read));
    if (first)
      *first = before;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_cliques(chorale_model_builder *builder,
                                                 const chorale_clique_setup *setup, int64_t count,
                                                 int64_t *first, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    if (!setup)
      return report.null_argument("setup");
    chorale_clique_setup read{};
    CHORALE_CHECK(read_struct(report, "setup", setup, read));
    const std::int64_t before = adding.model().cliques.size();
    CHORALE_CHECK(adding.add_cliques(read, count));
    if (first)
      *first = before;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_positions(chorale_model_builder *builder, int64_t first,
                                                   int64_t count, const int64_t *offsets,
                                                   const int64_t *chains, const int64_t *positions,
                                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    return adding.add_positions({first, count, offsets, chains}, positions);
  });
}

chorale_status chorale_model_builder_add_members(chorale_model_builder *builder, int64_t first,
                                                 int64_t count, const int64_t *offsets,
                                                 const int64_t *chains, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    return adding.add_members({first, count, offsets, chains});
  });
}

} // extern "C"
