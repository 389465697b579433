// extern "C" of model.h: building a model.
#include "capi/firewall.hpp"
#include "cluster/model/checked_builder.hpp"

namespace chorale {
namespace {

chorale_repeated_words_options default_words() noexcept {
  chorale_repeated_words_options options{};
  options.struct_size = sizeof options;
  options.minimum = 2;
  return options;
}

template <class Struct> Struct with_size() noexcept {
  Struct made{};
  made.struct_size = sizeof made;
  return made;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

void chorale_chain_options_init(chorale_chain_options *options, size_t struct_size) {
  init_struct(options, struct_size, with_size<chorale_chain_options>());
}
void chorale_instance_init(chorale_instance *instance, size_t struct_size) {
  init_struct(instance, struct_size, with_size<chorale_instance>());
}
void chorale_clique_setup_init(chorale_clique_setup *setup, size_t struct_size) {
  init_struct(setup, struct_size, with_size<chorale_clique_setup>());
}
void chorale_member_options_init(chorale_member_options *options, size_t struct_size) {
  init_struct(options, struct_size, with_size<chorale_member_options>());
}
void chorale_repeated_words_options_init(chorale_repeated_words_options *options,
                                         size_t struct_size) {
  init_struct(options, struct_size, default_words());
}

chorale_status chorale_model_builder_create(const chorale_host *host,
                                            chorale_model_builder **builder, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!builder)
      return report.null_argument("builder");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    return create_builder(report, Memory(&lent), Log(&lent), *builder);
  });
}

void chorale_model_builder_destroy(chorale_model_builder *builder) {
  if (builder)
    Memory::destroy(builder, builder->memory);
}

chorale_status chorale_model_builder_add_chain(chorale_model_builder *builder,
                                               const chorale_chain *chain,
                                               const chorale_chain_options *options, int64_t *index,
                                               chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    if (!chain)
      return report.null_argument("chain");
    auto scores = with_size<chorale_chain>();
    CHORALE_CHECK(read_struct(report, "chain", chain, scores));
    auto read = with_size<chorale_chain_options>();
    if (options)
      CHORALE_CHECK(read_struct(report, "options", options, read));
    CHORALE_CHECK(adding.add_chain(scores, read));
    if (index)
      *index = adding.model().chains.size() - 1;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_instance(chorale_model_builder *builder,
                                                  const chorale_instance *instance, int64_t *index,
                                                  chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    if (!instance)
      return report.null_argument("instance");
    auto read = with_size<chorale_instance>();
    CHORALE_CHECK(read_struct(report, "instance", instance, read));
    CHORALE_CHECK(adding.add_instance(read));
    if (index)
      *index = adding.model().chains.size() - 1;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_clique(chorale_model_builder *builder,
                                                const chorale_clique_setup *setup, int64_t *index,
                                                chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    if (!setup)
      return report.null_argument("setup");
    auto read = with_size<chorale_clique_setup>();
    CHORALE_CHECK(read_struct(report, "setup", setup, read));
    CHORALE_CHECK(adding.add_clique(read));
    if (index)
      *index = adding.model().cliques.size() - 1;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_member(chorale_model_builder *builder, int64_t clique,
                                                int64_t chain,
                                                const chorale_member_options *options,
                                                chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    auto read = with_size<chorale_member_options>();
    if (options)
      CHORALE_CHECK(read_struct(report, "options", options, read));
    return adding.add_member(clique, chain, read);
  });
}

chorale_status chorale_model_builder_add_position(chorale_model_builder *builder, int64_t clique,
                                                  int64_t chain, int64_t position,
                                                  chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    return adding.add_position(clique, chain, position);
  });
}

chorale_status chorale_model_builder_set_centre(chorale_model_builder *builder, int64_t clique,
                                                int64_t chain, int64_t position,
                                                chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    return adding.set_centre(clique, chain, position);
  });
}

chorale_status
chorale_model_builder_add_repeated_words(chorale_model_builder *builder,
                                         const chorale_potential *potential,
                                         const chorale_repeated_words_options *options,
                                         int64_t *first, int64_t *count, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    chorale_repeated_words_options read = default_words();
    if (options)
      CHORALE_CHECK(read_struct(report, "options", options, read));
    std::int64_t begin = 0;
    std::int64_t made = 0;
    CHORALE_CHECK(adding.add_repeated_words(potential, read, begin, made));
    if (first)
      *first = begin;
    if (count)
      *count = made;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_freeze(chorale_model_builder *builder, chorale_model **model,
                                            chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const CheckedBuilder adding(report, builder);
    CHORALE_CHECK(adding.check());
    if (!model)
      return report.null_argument("model");
    return adding.freeze(*model);
  });
}

} // extern "C"
