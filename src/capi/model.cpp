// Exported C functions of model.h and of experimental/ on models. Builders are in builder.cpp.
#include "capi/firewall.hpp"
#include "cluster/run/labelling.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

// Returns a chain as the public struct. Its orientation is ROWS_FROM even if the caller gave the
// chain another orientation: row stride and column stride are then exchanged.
chorale_chain chain_of(const ChainView &view) noexcept {
  chorale_chain chain{};
  chain.length = view.length;
  chain.labels = view.labels;
  chain.element = view.single ? CHORALE_FLOAT32 : CHORALE_FLOAT64;
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

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_model_score(const chorale_host *host, const chorale_model *model,
                                   const int32_t *labels, int64_t count, double *score,
                                   double *chain_scores, double *clique_scores,
                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "model", model));
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    gsl::span<const std::int32_t> read;
    CHORALE_CHECK(take_labels(report, *model, labels, count, read));
    return score_labels(report, Memory(&lent), *model, read,
                        {score, span_of(chain_scores, model->chains.size()),
                         span_of(clique_scores, model->cliques.size())});
  });
}

chorale_model *chorale_model_retain(const chorale_model *model) { return retain(model); }

void chorale_model_release(const chorale_model *model) { release(model); }

int64_t chorale_model_chain_count(const chorale_model *model) {
  return model ? model->chains.size() : 0;
}
int64_t chorale_model_clique_count(const chorale_model *model) {
  return model ? model->cliques.size() : 0;
}

chorale_status chorale_model_get_chain(const chorale_model *model, int64_t chain,
                                       chorale_chain *scores, chorale_chain_options *options,
                                       chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "model", model));
    chorale_chain out{};
    chorale_chain_options out_options{};
    CHORALE_CHECK(read_struct(report, "scores", scores, out));
    CHORALE_CHECK(read_struct(report, "options", options, out_options));
    CHORALE_CHECK(check_index(report, "chain", chain, model->chains.size()));
    const Chain &of = model->chains[chain];
    out = {};
    if (of.is_instance) { // its scores are in the caller's model, behind callbacks
      out.length = of.length;
      out.labels = of.labels;
    } else {
      out = chain_of(of.view());
    }
    write_struct(scores, out);
    out_options = {};
    out_options.tokens = of.tokens;
    out_options.group = model->groups.empty() ? 0 : model->groups.wide(chain);
    write_struct(options, out_options);
    return CHORALE_OK;
  });
}

chorale_status chorale_model_get_clique(const chorale_model *model, int64_t clique,
                                        chorale_clique_setup *setup, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "model", model, "setup", setup));
    chorale_clique_setup out{};
    CHORALE_CHECK(read_struct(report, "setup", setup, out));
    CHORALE_CHECK(check_index(report, "clique", clique, model->cliques.size()));
    const CliqueType &of = *model->cliques[clique].type;
    out = {};
    out.property = of.property;
    out.dictionary = of.dictionary;
    out.values = of.values;
    out.label_values = of.map;
    out.labels = of.map_labels;
    out.potential = of.given;
    out.centre_potentials = of.centre;
    out.centre_values = of.centre_values;
    out.centre_label_values = of.centre_map;
    out.centre_labels = of.centre_map_labels;
    write_struct(setup, out);
    return CHORALE_OK;
  });
}

chorale_status chorale_model_get_members(const chorale_model *model, int64_t clique,
                                         int64_t *chains, int64_t *positions, int64_t *weights,
                                         int64_t capacity, int64_t *needed, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "model", model));
    CHORALE_CHECK(check_index(report, "clique", clique, model->cliques.size()));
    const Clique &of = model->cliques[clique];
    const std::int64_t *first = chains ? chains : positions ? positions : weights;
    const auto fill = [&] {
      for (std::int32_t i = 0; i < of.all_members(); ++i) {
        const std::int32_t site = model->site(of, i), chain = model->chain_of(of, i);
        if (chains)
          chains[i] = chain;
        if (positions) // -1 if the member is a whole chain or an instance
          positions[i] = site < 0 ? -1 : site - model->chains[chain].first_label;
        if (weights)
          weights[i] = of.weight(i);
      }
    };
    return fill_buffer(report, "chains, positions, weights", first, capacity, of.all_members(),
                       needed, fill);
  });
}

} // extern "C"
