// Exported C functions of model.h and experimental.h: building a model.
#include "capi/firewall.hpp"
#include "cluster/model/builder.hpp"

namespace chorale {
namespace {

// Body of all calls that change a builder: checks that the builder is not NULL and not frozen, then
// calls add(report).
template <class Add>
chorale_status adding(chorale_error *error, const chorale_model_builder *builder,
                      Add &&add) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_builder(report, builder));
    return add(report);
  });
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_model_builder_create(const chorale_host *host,
                                            chorale_model_builder **builder, chorale_error *error) {
  return creating(error, host, "builder", builder,
                  [&](Report &report, const Memory &memory, const chorale_host &lent) {
                    return create_builder(report, memory, Log(&lent), *builder);
                  });
}

void chorale_model_builder_destroy(chorale_model_builder *builder) { destroy(builder); }

chorale_status chorale_model_builder_add_chain(chorale_model_builder *builder,
                                               const chorale_chain *chain,
                                               const chorale_chain_options *options, int64_t *index,
                                               chorale_error *error) {
  return adding(error, builder, [&](const Report &report) -> chorale_status {
    chorale_chain scores{};
    CHORALE_CHECK(take_struct(report, "chain", chain, scores));
    chorale_chain_options read{};
    CHORALE_CHECK(read_struct(report, "options", options, read));
    CHORALE_CHECK(builder->add_chain(report, scores, read));
    if (index)
      *index = builder->model->chains.size() - 1;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_instance(chorale_model_builder *builder,
                                                  const chorale_instance *instance, int64_t *index,
                                                  chorale_error *error) {
  return adding(error, builder, [&](const Report &report) -> chorale_status {
    chorale_instance read{};
    CHORALE_CHECK(take_struct(report, "instance", instance, read));
    CHORALE_CHECK(builder->add_instance(report, read));
    if (index)
      *index = builder->model->chains.size() - 1;
    return CHORALE_OK;
  });
}

chorale_status
chorale_model_builder_add_repeated_words(chorale_model_builder *builder,
                                         const chorale_clique_setup *setup,
                                         const chorale_agreement *words, int64_t *first,
                                         int64_t *count, chorale_error *error) {
  return adding(error, builder, [&](const Report &report) -> chorale_status {
    chorale_clique_setup read{};
    CHORALE_CHECK(take_struct(report, "setup", setup, read));
    chorale_agreement which{};
    CHORALE_CHECK(read_struct(report, "words", words, which));
    which.minimum = value_or<std::int64_t>(which.minimum, 2);
    const std::int64_t before = builder->model->cliques.size();
    std::int64_t made = 0;
    CHORALE_CHECK(builder->add_repeated_words(report, read, which, made));
    if (first)
      *first = before;
    if (count)
      *count = made;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_corpus(chorale_model_builder *builder,
                                                const chorale_corpus *corpus, int64_t *first,
                                                chorale_error *error) {
  return adding(error, builder, [&](const Report &report) -> chorale_status {
    chorale_corpus read{};
    CHORALE_CHECK(take_struct(report, "corpus", corpus, read));
    const std::int64_t before = builder->model->chains.size();
    CHORALE_CHECK(builder->add_corpus(report, read));
    if (first)
      *first = before;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_cliques(chorale_model_builder *builder,
                                                 const chorale_clique_setup *setup, int64_t count,
                                                 int64_t *first, chorale_error *error) {
  return adding(error, builder, [&](const Report &report) -> chorale_status {
    chorale_clique_setup read{};
    CHORALE_CHECK(take_struct(report, "setup", setup, read));
    const std::int64_t before = builder->model->cliques.size();
    CHORALE_CHECK(builder->add_cliques(report, read, count));
    if (first)
      *first = before;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_members(chorale_model_builder *builder,
                                                 const chorale_members *members,
                                                 chorale_error *error) {
  return adding(error, builder, [&](const Report &report) -> chorale_status {
    chorale_members read{};
    CHORALE_CHECK(take_struct(report, "members", members, read));
    return builder->add_members(report, read);
  });
}

chorale_status chorale_model_builder_freeze(chorale_model_builder *builder, chorale_model **model,
                                            chorale_error *error) {
  return adding(error, builder, [&](const Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "model", model));
    return builder->freeze(report, *model);
  });
}

} // extern "C"
