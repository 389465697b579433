// extern "C" of model.h.
#include "capi/chain_call.hpp"
#include "potential/checks.hpp"
#include "cluster/builder.hpp"

#include <gsl/gsl>

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

class BuilderCall {
public:
  BuilderCall(const Report &report, Builder *given) noexcept : report_(report), builder_(given) {}

  chorale_status check_builder() const noexcept {
    if (!builder_)
      return report_.null_argument("builder");
    if (!builder_->model)
      return report_.fail(CHORALE_ERROR_FROZEN,
                          "builder has been frozen; a model does not change any more");
    report_.takes_from(builder_->memory);
    return CHORALE_OK;
  }

  const Model &model() const noexcept { return *builder_->model; }

  // An index into `count` things.
  chorale_status check_index(std::string_view name, std::int64_t index,
                             std::int64_t count) const noexcept {
    if (index < 0 || index >= count)
      return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", index,
                          "; it must be from 0 to ", count - 1);
    return CHORALE_OK;
  }
  // The next number, or `more` of them, of what is counted by int32.
  chorale_status check_room(std::string_view what, std::int64_t count,
                            std::int64_t more = 1) const noexcept {
    if (count >= kLargestSize - 1 - more)
      return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "the model has ", count, " ", what,
                          " already, which is the limit");
    return CHORALE_OK;
  }

  chorale_status check_label_values(std::string_view name, const std::int32_t *map,
                                    std::string_view labels_name, std::int64_t labels,
                                    std::int32_t least, std::int64_t values) const noexcept {
    if (!map)
      return CHORALE_OK;
    CHORALE_CHECK(check_size(report_, labels_name, labels));
    for (std::int64_t y = 0; y < labels; ++y)
      if (map[y] < least || map[y] >= values)
        return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, name, "[", y, "] is ", map[y],
                            "; it must be from ", least, " to ", values - 1);
    return CHORALE_OK;
  }

  chorale_status check_potential(const Potential *potential, std::string_view name,
                                 std::int64_t values) const noexcept {
    if (!potential)
      return report_.null_argument(name);
    if (potential->values != values && potential->values != values + 2)
      return report_.fail(CHORALE_ERROR_VALUES_MISMATCH, name, " has ", potential->values,
                          " values; it must have those of the clique, R = ", values,
                          ", or R + 2 with EMPTY and CONFLICT");
    return CHORALE_OK;
  }

  // Fills in R and checks everything else.
  chorale_status take_setup(chorale_clique_setup &setup) const noexcept {
    const bool centred = setup.centre_values != 0;
    if (setup.property && centred)
      return report_.fail(CHORALE_ERROR_SHAPE,
                          "setup has a property and a centre; a centred clique is over positions");
    if (setup.property) {
      setup.values = setup.dictionary ? setup.dictionary->size() : setup.property->values;
      setup.label_values = nullptr;
    } else {
      if (setup.values == 0 && !setup.label_values && setup.potential && !centred)
        setup.values = setup.potential->values;
      CHORALE_CHECK(check_size(report_, "setup->values", setup.values));
      if (setup.values > kLongest - 2)
        return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "setup->values is ", setup.values,
                            "; it must be at most ", kLongest - 2);
      setup.dictionary = nullptr;
      CHORALE_CHECK(check_label_values("setup->label_values", setup.label_values, "setup->labels",
                                       setup.labels, -1, setup.values));
    }
    if (!centred) {
      setup.centre_potentials = nullptr;
      return check_potential(setup.potential, "setup->potential", setup.values);
    }
    CHORALE_CHECK(check_size(report_, "setup->centre_values", setup.centre_values));
    if (!setup.centre_potentials)
      return report_.null_argument("setup->centre_potentials");
    for (std::int64_t c = 0; c < setup.centre_values; ++c) {
      char name[64];
      MessageWriter(name, sizeof name) << "setup->centre_potentials[" << c << "]";
      CHORALE_CHECK(check_potential(setup.centre_potentials[c], name, setup.values));
      if (setup.centre_potentials[c]->values != setup.centre_potentials[0]->values)
        return report_.fail(CHORALE_ERROR_VALUES_MISMATCH, name, " has ",
                            setup.centre_potentials[c]->values, " values, the first has ",
                            setup.centre_potentials[0]->values, "; all must have the same");
    }
    return check_label_values("setup->centre_label_values", setup.centre_label_values,
                              "setup->centre_labels", setup.centre_labels, 0, setup.centre_values);
  }

  chorale_status check_member(std::int64_t clique, std::int64_t chain) const noexcept {
    CHORALE_CHECK(check_index("clique", clique, model().cliques.size()));
    CHORALE_CHECK(check_index("chain", chain, model().chains.size()));
    return check_room("members", builder_->slots.size() + model().cliques.size());
  }

  chorale_status check_new(std::int64_t clique, std::int64_t chain,
                           std::int64_t position) const noexcept {
    if (!builder_->has_member(gsl::narrow_cast<std::int32_t>(clique),
                              gsl::narrow_cast<std::int32_t>(chain),
                              gsl::narrow_cast<std::int32_t>(position)))
      return CHORALE_OK;
    if (position < 0)
      return report_.fail(CHORALE_ERROR_DUPLICATE_MEMBER, "chain ", chain,
                          " is a member of clique ", clique, " already");
    return report_.fail(CHORALE_ERROR_DUPLICATE_MEMBER, "position ", position, " of chain ", chain,
                        " is a member of clique ", clique, " already");
  }

  // A position that is to show values by its label.
  chorale_status check_position(std::int64_t clique, std::int64_t chain, std::int64_t position,
                                bool centre) const noexcept {
    CHORALE_CHECK(check_member(clique, chain));
    const Clique &to = model().cliques[clique];
    const Chain &from = model().chains[chain];
    if (to.property())
      return report_.fail(CHORALE_ERROR_SHAPE, "clique ", clique,
                          " is over a property; its members are whole chains");
    if (from.is_instance)
      return report_.fail(CHORALE_ERROR_SHAPE, "chain ", chain,
                          " is an instance, which joins as a whole");
    if (centre && !to.centred())
      return report_.fail(CHORALE_ERROR_SHAPE, "clique ", clique, " is not centred");
    CHORALE_CHECK(check_index("position", position, from.length));
    const CliqueType &type = *to.type;
    const bool mapped = centre ? type.centre_map != nullptr : type.map != nullptr;
    const std::int32_t labels = centre ? (mapped ? type.centre_map_labels : type.centre_values)
                                       : (mapped ? type.map_labels : type.values);
    if (labels != from.labels)
      return report_.fail(CHORALE_ERROR_LABELS_MISMATCH, "chain ", chain, " has ", from.labels,
                          " labels; clique ", clique, " is over ", labels);
    return CHORALE_OK;
  }

  chorale_status out_of_memory() const noexcept {
    return report_.fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory");
  }

private:
  const Report &report_;
  Builder *builder_;
};

bool has_clique(const Model *model, std::int64_t clique) noexcept {
  return model && clique >= 0 && clique < model->cliques.size();
}

// The caller's side of a view; rows "from", whichever way round they were given.
chorale_chain chain_of(const ChainView &view) noexcept {
  auto chain = with_size<chorale_chain>();
  chain.length = view.length;
  chain.labels = view.labels;
  chain.number = view.single ? CHORALE_FLOAT32 : CHORALE_FLOAT64;
  chain.orientation = CHORALE_ROWS_FROM;
  chain.unary = view.unary;
  chain.unary_row_stride = view.unary_row;
  chain.unary_column_stride = view.unary_column;
  chain.transitions = view.transitions;
  if (view.edges) {
    chain.edges = view.edges;
    chain.edge_matrices = view.edge_each ? view.length - 1 : 1;
    chain.edge_matrix_stride = view.edge_matrix;
    chain.edge_row_stride = view.edge_from;
    chain.edge_column_stride = view.edge_to;
  }
  chain.start = view.start;
  chain.end = view.end;
  chain.parents = view.parents;
  chain.forced = view.forced;
  chain.allowed = view.allowed;
  chain.allowed_row_stride = view.allowed_row;
  return chain;
}

// The one reference of the freezing thread is released when something is wrong.
chorale_status check_cliques(const Report &report, const Builder &builder) noexcept {
  const Model &model = *builder.model;
  for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
    const Clique &clique = model.cliques[c];
    if (clique.centred() && builder.centres[c].chain < 0)
      return report.fail(CHORALE_ERROR_SHAPE, "clique ", c, " is centred and has no centre");
    for (std::int32_t k = 0; k < std::max(clique.centre_values(), 1); ++k)
      CHORALE_CHECK(check_tables_serve(
          report, clique.centred() ? clique.potential_at(k) : *clique.type->given,
          builder.members[c]));
  }
  return CHORALE_OK;
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
    const Memory memory(&lent);
    const Log log(&lent);
    auto *made = memory.create<Builder>(memory, log);
    if (!made)
      return report.out_of_memory(sizeof(Builder));
    made->model = memory.create<Model>(memory, log);
    if (!made->model) {
      Memory::destroy(made, memory);
      return report.out_of_memory(sizeof(Model));
    }
    *builder = made;
    return CHORALE_OK;
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
    const BuilderCall call(report, builder);
    CHORALE_CHECK(call.check_builder());
    ChainCall given(report);
    CHORALE_CHECK(given.take_chain(chain));
    CHORALE_CHECK(given.check_numbers());
    auto read = with_size<chorale_chain_options>();
    if (options)
      CHORALE_CHECK(read_struct(report, "options", options, read));
    for (std::int64_t t = 0; read.tokens && t < given.view.length; ++t)
      if (read.tokens[t] < -1)
        return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "options->tokens[", t, "] is ",
                           read.tokens[t], "; it must be a token id, or -1 for none");
    CHORALE_CHECK(call.check_room("chains", call.model().chains.size()));
    CHORALE_CHECK(call.check_room("positions", call.model().label_count, given.view.length));
    if (!builder->add_chain(given.view, read.tokens, read.borrow != 0, read.group))
      return call.out_of_memory();
    if (index)
      *index = call.model().chains.size() - 1;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_instance(chorale_model_builder *builder,
                                                  const chorale_instance *instance, int64_t *index,
                                                  chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const BuilderCall call(report, builder);
    CHORALE_CHECK(call.check_builder());
    if (!instance)
      return report.null_argument("instance");
    auto read = with_size<chorale_instance>();
    CHORALE_CHECK(read_struct(report, "instance", instance, read));
    CHORALE_CHECK(check_size(report, "instance->length", read.length, 0));
    CHORALE_CHECK(check_size(report, "instance->labels", read.labels));
    if (!read.messages)
      return report.null_argument("instance->messages");
    if (!read.decode)
      return report.null_argument("instance->decode");
    CHORALE_CHECK(call.check_room("chains", call.model().chains.size()));
    CHORALE_CHECK(call.check_room("positions", call.model().label_count, read.length));
    if (!builder->add_instance(read))
      return call.out_of_memory();
    if (index)
      *index = call.model().chains.size() - 1;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_clique(chorale_model_builder *builder,
                                                const chorale_clique_setup *setup, int64_t *index,
                                                chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const BuilderCall call(report, builder);
    CHORALE_CHECK(call.check_builder());
    if (!setup)
      return report.null_argument("setup");
    auto read = with_size<chorale_clique_setup>();
    CHORALE_CHECK(read_struct(report, "setup", setup, read));
    CHORALE_CHECK(call.take_setup(read));
    CHORALE_CHECK(call.check_room("cliques", call.model().cliques.size()));
    if (!builder->add_clique(read))
      return call.out_of_memory();
    if (index)
      *index = call.model().cliques.size() - 1;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_member(chorale_model_builder *builder, int64_t clique,
                                                int64_t chain,
                                                const chorale_member_options *options,
                                                chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const BuilderCall call(report, builder);
    CHORALE_CHECK(call.check_builder());
    CHORALE_CHECK(call.check_member(clique, chain));
    const Clique &to = call.model().cliques[clique];
    const Chain &from = call.model().chains[chain];
    auto read = with_size<chorale_member_options>();
    if (from.is_instance) {
      if (to.centred())
        return report.fail(CHORALE_ERROR_SHAPE, "clique ", clique,
                           " is centred; its members are positions");
      read.borrow = 1;
    } else {
      if (!to.property())
        return report.fail(CHORALE_ERROR_SHAPE, "clique ", clique,
                           " is over positions; add positions of the chain");
      if (options)
        CHORALE_CHECK(read_struct(report, "options", options, read));
      chorale_attachment attachment{};
      attachment.struct_size = sizeof attachment;
      attachment.property = to.property();
      attachment.dictionary = to.dictionary();
      attachment.classes = read.classes;
      if (to.property()->reads_table()) {
        attachment.table = read.table ? read.table : from.tokens;
        if (!attachment.table && from.length > 0)
          return report.fail(CHORALE_ERROR_TOKENS_MISSING, "the property of clique ", clique,
                             " reads a table; chain ", chain,
                             " has no tokens, and options->table is NULL");
      }
      ChainCall attached(report);
      attached.view = from.view();
      CHORALE_CHECK(attached.take_attachments(&attachment, 1));
      CHORALE_CHECK(attached.check_attachments());
      read.table = attachment.table;
    }
    CHORALE_CHECK(call.check_new(clique, chain, -1));
    if (!builder->add_whole(gsl::narrow_cast<std::int32_t>(clique),
                            gsl::narrow_cast<std::int32_t>(chain), read.classes, read.table,
                            read.borrow != 0))
      return call.out_of_memory();
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_add_position(chorale_model_builder *builder, int64_t clique,
                                                  int64_t chain, int64_t position,
                                                  chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const BuilderCall call(report, builder);
    CHORALE_CHECK(call.check_builder());
    CHORALE_CHECK(call.check_position(clique, chain, position, false));
    CHORALE_CHECK(call.check_new(clique, chain, position));
    if (!builder->add_position(gsl::narrow_cast<std::int32_t>(clique),
                               gsl::narrow_cast<std::int32_t>(chain),
                               gsl::narrow_cast<std::int32_t>(position)))
      return call.out_of_memory();
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_set_centre(chorale_model_builder *builder, int64_t clique,
                                                int64_t chain, int64_t position,
                                                chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const BuilderCall call(report, builder);
    CHORALE_CHECK(call.check_builder());
    CHORALE_CHECK(call.check_position(clique, chain, position, true));
    auto &centre = builder->centres[clique];
    const auto before = centre;
    centre = {-1, -1};
    const chorale_status duplicate = call.check_new(clique, chain, position);
    centre = before;
    CHORALE_CHECK(duplicate);
    centre = {gsl::narrow_cast<std::int32_t>(chain), gsl::narrow_cast<std::int32_t>(position)};
    return CHORALE_OK;
  });
}

chorale_status
chorale_model_builder_add_repeated_words(chorale_model_builder *builder,
                                         const chorale_potential *potential,
                                         const chorale_repeated_words_options *options,
                                         int64_t *first, int64_t *count, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const BuilderCall call(report, builder);
    CHORALE_CHECK(call.check_builder());
    if (!potential)
      return report.null_argument("potential");
    chorale_repeated_words_options read = default_words();
    if (options)
      CHORALE_CHECK(read_struct(report, "options", options, read));
    CHORALE_CHECK(check_size(report, "options->minimum", read.minimum));
    CHORALE_CHECK(check_size(report, "options->stop_count", read.stop_count, 0));
    if (read.stop_count > 0 && !read.stop)
      return report.null_argument("options->stop");
    auto setup = with_size<chorale_clique_setup>();
    setup.potential = potential;
    setup.label_values = read.label_values;
    setup.labels = read.labels;
    setup.values = read.label_values ? read.values : 0;
    const auto &chains = call.model().chains;
    bool any = false;
    std::int64_t tokens = 0;
    for (std::int64_t i = 0; i < chains.size(); ++i) {
      if (!chains[i].tokens)
        continue;
      if (!any && !read.label_values)
        setup.values = chains[i].labels;
      any = true;
      tokens += chains[i].length;
      const std::int64_t labels = read.label_values ? read.labels : setup.values;
      if (chains[i].labels != labels)
        return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "chain ", i, " has ", chains[i].labels,
                           " labels; the cliques of repeated words are over ", labels);
    }
    if (!any)
      return report.fail(CHORALE_ERROR_TOKENS_MISSING, "no chain of the model has tokens");
    CHORALE_CHECK(call.take_setup(setup));
    CHORALE_CHECK(call.check_room("members", builder->slots.size() + tokens));
    CHORALE_CHECK(call.check_room("cliques", call.model().cliques.size() + tokens));
    const std::int64_t before = call.model().cliques.size();
    std::int64_t made = 0;
    if (!builder->add_repeated_words(read, setup, made))
      return call.out_of_memory();
    if (first)
      *first = before;
    if (count)
      *count = made;
    return CHORALE_OK;
  });
}

chorale_status chorale_model_builder_freeze(chorale_model_builder *builder, chorale_model **model,
                                            chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const BuilderCall call(report, builder);
    CHORALE_CHECK(call.check_builder());
    if (!model)
      return report.null_argument("model");
    CHORALE_CHECK(check_cliques(report, *builder));
    if (!builder->freeze())
      return call.out_of_memory();
    *model = std::exchange(builder->model, nullptr);
    return CHORALE_OK;
  });
}

chorale_status chorale_model_reweigh(const chorale_host *host, const chorale_model *model,
                                     const double *factors, chorale_model **reweighed,
                                     chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!model)
      return report.null_argument("model");
    if (!reweighed)
      return report.null_argument("reweighed");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    if (!factors && !model->cliques.empty())
      return report.null_argument("factors");
    for (std::int64_t c = 0; c < model->cliques.size(); ++c) {
      const Clique &clique = model->cliques[c];
      char name[40];
      MessageWriter(name, sizeof name) << "factors[" << c << "]";
      for (std::int32_t k = 0; k < std::max(clique.centre_values(), 1); ++k)
        CHORALE_CHECK(check_factor(report, name, factors[c], clique.potential_at(k)));
    }
    chorale_model *made = reweigh(Memory(&lent), Log(&lent), *model, factors);
    if (!made)
      return report.fail(CHORALE_ERROR_OUT_OF_MEMORY,
                         "the allocator gave no memory for a model of ", model->chains.size(),
                         " chains");
    *reweighed = made;
    return CHORALE_OK;
  });
}

chorale_model *chorale_model_retain(const chorale_model *model) { return retain(model); }

void chorale_model_release(const chorale_model *model) { release(model); }

int64_t chorale_model_chains(const chorale_model *model) {
  return model ? model->chains.size() : 0;
}
int64_t chorale_model_cliques(const chorale_model *model) {
  return model ? model->cliques.size() : 0;
}
int64_t chorale_model_members(const chorale_model *model) {
  return model ? model->members.size() : 0;
}
int64_t chorale_model_chain_length(const chorale_model *model, int64_t chain) {
  return model && chain >= 0 && chain < model->chains.size() ? model->chains[chain].length : 0;
}
int64_t chorale_model_clique_members(const chorale_model *model, int64_t clique) {
  return has_clique(model, clique) ? model->cliques[clique].all_members() : 0;
}
int64_t chorale_model_clique_values(const chorale_model *model, int64_t clique) {
  return has_clique(model, clique) ? model->cliques[clique].values() : 0;
}
int64_t chorale_model_clique_columns(const chorale_model *model, int64_t clique) {
  return has_clique(model, clique) ? model->cliques[clique].all_columns() : 0;
}
int64_t chorale_model_clique_centre_values(const chorale_model *model, int64_t clique) {
  return has_clique(model, clique) ? model->cliques[clique].centre_values() : 0;
}
size_t chorale_model_bytes(const chorale_model *model) { return model ? model->bytes() : 0; }
size_t chorale_model_score_bytes(const chorale_model *model) {
  return model ? model->score_bytes : 0;
}

chorale_status chorale_model_get_chain(const chorale_model *model, int64_t chain,
                                       chorale_chain *scores, chorale_chain_options *options,
                                       chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!model)
      return report.null_argument("model");
    auto out = with_size<chorale_chain>();
    auto out_options = with_size<chorale_chain_options>();
    if (scores)
      CHORALE_CHECK(read_struct(report, "scores", scores, out));
    if (options)
      CHORALE_CHECK(read_struct(report, "options", options, out_options));
    if (chain < 0 || chain >= model->chains.size())
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "chain is ", chain, "; it must be from 0 to ",
                         model->chains.size() - 1);
    const Chain &of = model->chains[chain];
    if (of.is_instance)
      return report.fail(CHORALE_ERROR_SHAPE, "chain ", chain,
                         " is an instance, which keeps its own scores");
    write_struct(scores, chain_of(of.view()));
    out_options = with_size<chorale_chain_options>();
    out_options.tokens = of.tokens;
    out_options.group = model->groups.empty() ? 0 : model->groups.wide(chain);
    write_struct(options, out_options);
    return CHORALE_OK;
  });
}

chorale_status chorale_model_member(const chorale_model *model, int64_t clique, int64_t member,
                                    int64_t *chain, int64_t *position, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!model)
      return report.null_argument("model");
    if (clique < 0 || clique >= model->cliques.size())
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "clique is ", clique,
                         "; it must be from 0 to ", model->cliques.size() - 1);
    const Clique &of = model->cliques[clique];
    if (member < 0 || member >= of.all_members())
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "member is ", member,
                         "; it must be from 0 to ", of.all_members() - 1);
    const auto number = gsl::narrow_cast<std::int32_t>(member);
    const std::int32_t site = model->site(of, number);
    const std::int32_t its_chain = model->chain_of(of, number);
    if (chain)
      *chain = its_chain;
    if (position)
      *position = site < 0 ? -1 : site - model->chains[its_chain].first_label;
    return CHORALE_OK;
  });
}

} // extern "C"
