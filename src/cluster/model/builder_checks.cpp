// The functions of the builder that add or set one thing, the checks of a clique's setup and members,
// repeated words, and freeze().
#include "cluster/model/builder.hpp"

#include "base/keyed.hpp"
#include "chain/attachments.hpp"
#include "chain/checks.hpp"
#include "clique/algorithms.hpp"
#include "potential/checks.hpp"

#include <gsl/gsl>

#include <algorithm>
#include <utility>

namespace chorale {
namespace {

chorale_status check_member_label_values(const Report &report, std::string_view name,
                                  const std::int32_t *map, std::string_view labels_name,
                                  std::int64_t labels, std::int32_t least,
                                  std::int64_t values) noexcept {
  if (!map)
    return CHORALE_OK;
  CHORALE_CHECK(check_size(report, labels_name, labels));
  for (std::int64_t y = 0; y < labels; ++y)
    if (map[y] < least || map[y] >= values)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, "[", y, "] is ", map[y],
                         "; it must be from ", least, " to ", values - 1);
  return CHORALE_OK;
}

chorale_status check_potential(const Report &report, const Potential *potential,
                               std::string_view name, std::int64_t values) noexcept {
  CHORALE_CHECK(check_given(report, name, potential));
  if (potential->values != values && potential->values != values + 2)
    return report.fail(CHORALE_ERROR_VALUES_MISMATCH, name, " has ", potential->values,
                       " values; it must have those of the clique, R = ", values,
                       ", or R + 2 with EMPTY and CONFLICT");
  return CHORALE_OK;
}

} // namespace

chorale_status create_builder(const Report &report, const Memory &memory, const Log &log,
                              Builder *&made) noexcept {
  auto *draft = memory.create<Builder>(memory, log);
  if (!draft)
    return report.out_of_memory(sizeof(Builder));
  draft->model = memory.create<Model>(memory, log);
  if (!draft->model) {
    Memory::destroy(draft, memory);
    return report.out_of_memory(sizeof(Model));
  }
  made = draft;
  return CHORALE_OK;
}

chorale_status check_builder(const Report &report, const Builder *builder) noexcept {
  CHORALE_CHECK(check_given(report, "builder", builder));
  if (!builder->model)
    return report.fail(CHORALE_ERROR_FROZEN,
                       "builder has been frozen; a model does not change any more");
  return CHORALE_OK;
}

chorale_status check_keyed(const Report &report, std::string_view place,
                           const chorale_agreement &words) noexcept {
  CHORALE_CHECK(check_flag(report, words.across, place, "across"));
  CHORALE_CHECK(check_least(report, words.minimum, 1, place, "minimum"));
  CHORALE_CHECK(check_least(report, words.stop_count, 0, place, "stop_count"));
  if (words.stop_count > kLargestSize)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, place, "stop_count is ", words.stop_count,
                       "; it must be at most ", kLargestSize);
  return check_array(report, words.stop, words.stop_count, place, "stop");
}

} // namespace chorale

using namespace chorale;

// ---- Checks ------------------------------------------------------------------------------------

chorale_status Builder::check_room(const Report &report, std::string_view what,
                                   std::int64_t count, std::int64_t more) noexcept {
  constexpr std::int64_t most = kLargestSize - 2;
  if (count > most - more)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "the model would have ",
                       static_cast<std::uint64_t>(count) + static_cast<std::uint64_t>(more), " ",
                       what, "; it must have at most ", most);
  return CHORALE_OK;
}

chorale_status Builder::take_setup(const Report &report, chorale_clique_setup &setup) noexcept {
  const bool centred = setup.centre_values != 0;
  if (setup.property && centred)
    return report.fail(CHORALE_ERROR_KIND,
                       "setup has a property and a centre; a centred clique is over positions");
  if (setup.property) {
    setup.values = setup.dictionary ? setup.dictionary->size() : setup.property->values;
    setup.label_values = nullptr;
  } else {
    if (setup.values == 0 && !setup.label_values && setup.potential && !centred)
      setup.values = setup.potential->values;
    CHORALE_CHECK(check_size(report, "setup->values", setup.values));
    if (setup.values > kLongest - 2)
      return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "setup->values is ", setup.values,
                         "; it must be at most ", kLongest - 2);
    setup.dictionary = nullptr;
    CHORALE_CHECK(check_member_label_values(report, "setup->label_values", setup.label_values,
                                            "setup->labels", setup.labels, -1, setup.values));
  }
  if (!centred) {
    setup.centre_potentials = nullptr;
    return check_potential(report, setup.potential, "setup->potential", setup.values);
  }
  CHORALE_CHECK(check_size(report, "setup->centre_values", setup.centre_values));
  CHORALE_CHECK(check_given(report, "setup->centre_potentials", setup.centre_potentials));
  for (std::int64_t c = 0; c < setup.centre_values; ++c) {
    char name[64];
    TextWriter(name, sizeof name) << "setup->centre_potentials[" << c << "]";
    CHORALE_CHECK(check_potential(report, setup.centre_potentials[c], name, setup.values));
    if (setup.centre_potentials[c]->values != setup.centre_potentials[0]->values)
      return report.fail(CHORALE_ERROR_VALUES_MISMATCH, name, " has ",
                         setup.centre_potentials[c]->values, " values, the first has ",
                         setup.centre_potentials[0]->values, "; all must have the same");
  }
  return check_member_label_values(report, "setup->centre_label_values", setup.centre_label_values,
                            "setup->centre_labels", setup.centre_labels, 0, setup.centre_values);
}

chorale_status Builder::check_member(const Report &report, std::int64_t clique,
                                     std::int64_t chain) const noexcept {
  CHORALE_CHECK(check_index(report, "clique", clique, model->cliques.size()));
  CHORALE_CHECK(check_index(report, "chain", chain, model->chains.size()));
  if (has_weights(clique))
    return report.fail(CHORALE_ERROR_STATE, "clique ", clique,
                       " has weights; all of its members must be added in one call");
  return check_room(report, "members and cliques", slots.size() + model->cliques.size());
}

chorale_status Builder::check_new(const Report &report, std::int64_t clique, std::int64_t chain,
                                  std::int64_t position) noexcept {
  if (!taken.follow(slots))
    return report.out_of_memory();
  const Centre &centre = centres[clique];
  if (!(position >= 0 && centre.chain == chain && centre.position == position) &&
      !taken.has(slots, gsl::narrow_cast<std::int32_t>(clique),
                 gsl::narrow_cast<std::int32_t>(chain), gsl::narrow_cast<std::int32_t>(position)))
    return CHORALE_OK;
  if (position < 0)
    return report.fail(CHORALE_ERROR_DUPLICATE_MEMBER, "chain ", chain,
                       " is a member of clique ", clique, " already");
  return report.fail(CHORALE_ERROR_DUPLICATE_MEMBER, "position ", position, " of chain ", chain,
                     " is a member of clique ", clique, " already");
}

chorale_status Builder::check_position(const Report &report, std::int64_t clique,
                                       std::int64_t chain, std::int64_t position,
                                       bool centre) const noexcept {
  CHORALE_CHECK(check_member(report, clique, chain));
  const Clique &to = model->cliques[clique];
  const Chain &from = model->chains[chain];
  if (to.property())
    return report.fail(CHORALE_ERROR_KIND, "clique ", clique,
                       " is over a property; its members are whole chains");
  if (from.is_instance)
    return report.fail(CHORALE_ERROR_KIND, "chain ", chain,
                       " is an instance, which joins as a whole");
  if (centre && !to.centred())
    return report.fail(CHORALE_ERROR_KIND, "clique ", clique,
                       " is not centred; only a clique with centre_potentials takes a centre");
  CHORALE_CHECK(check_index(report, "position", position, from.length));
  const CliqueType &type = *to.type;
  const bool mapped = centre ? type.centre_map != nullptr : type.map != nullptr;
  const std::int32_t labels = centre ? (mapped ? type.centre_map_labels : type.centre_values)
                                     : (mapped ? type.map_labels : type.values);
  if (labels != from.labels)
    return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "chain ", chain, " has ", from.labels,
                       " labels; ", centre ? "the centre" : "members", " of clique ", clique,
                       " must have ", labels);
  return CHORALE_OK;
}

// Checks before the model is frozen that every centred clique has a centre, and that the tables of
// every potential are long enough for its cliques.
chorale_status Builder::check_cliques(const Report &report) const noexcept {
  for (std::int64_t c = 0; c < model->cliques.size(); ++c) {
    const Clique &clique = model->cliques[c];
    if (clique.centred() && centres[c].chain < 0)
      return report.fail(CHORALE_ERROR_STATE, "clique ", c,
                         " is centred and has no centre; set one before the model is frozen");
    if (!clique.centred())
      CHORALE_CHECK(check_tables_serve(report, *clique.type->given, clique.full_total,
                                       "the potential of clique ", c));
    for (std::int32_t k = 0; k < clique.centre_values(); ++k)
      CHORALE_CHECK(check_tables_serve(report, clique.potential_at(k), clique.full_total,
                                       "centre potential ", k, " of clique ", c));
  }
  return CHORALE_OK;
}

// ---- Adding chains, cliques and members --------------------------------------------------------

chorale_status Builder::add_chain(const Report &report, const chorale_chain &chain,
                                  const chorale_chain_options &options) noexcept {
  ChainView view;
  CHORALE_CHECK(check_chain(report, chain, view));
  CHORALE_CHECK(check_numbers(report, view));
  if (options.tokens)
    CHORALE_CHECK(
        check_tokens(report, "options->tokens", {options.tokens, to_size(view.length)}, 0));
  CHORALE_CHECK(check_room(report, "chains", model->chains.size()));
  CHORALE_CHECK(check_room(report, "positions", model->label_count, view.length));
  return push_chain(view, span_of(options.tokens, view.length), options.borrow != 0, options.group)
             ? CHORALE_OK
             : report.out_of_memory();
}

chorale_status Builder::add_instance(const Report &report,
                                     const chorale_instance &instance) noexcept {
  CHORALE_CHECK(check_size(report, "instance->length", instance.length, 0));
  CHORALE_CHECK(check_size(report, "instance->labels", instance.labels));
  CHORALE_CHECK(check_given(report, "instance->messages", instance.messages,
                                    "instance->decode", instance.decode));
  CHORALE_CHECK(check_room(report, "chains", model->chains.size()));
  CHORALE_CHECK(check_room(report, "positions", model->label_count, instance.length));
  Chain chain{};
  chain.other = model->arena.copy(&instance, 1);
  chain.is_instance = true;
  chain.length = gsl::narrow_cast<std::int32_t>(instance.length);
  chain.labels = gsl::narrow_cast<std::int32_t>(instance.labels);
  return chain.other && push_chain(chain, 0) ? CHORALE_OK : report.out_of_memory();
}

chorale_status Builder::add_member(const Report &report, std::int64_t clique, std::int64_t chain,
                                   const std::int32_t *classes, const std::int32_t *table,
                                   bool borrow) noexcept {
  CHORALE_CHECK(check_member(report, clique, chain));
  const Clique &to = model->cliques[clique];
  const Chain &from = model->chains[chain];
  if (from.is_instance) {
    if (to.centred())
      return report.fail(CHORALE_ERROR_KIND, "clique ", clique,
                         " is centred; its members are positions");
    classes = table = nullptr;
  } else {
    if (!to.property())
      return report.fail(CHORALE_ERROR_KIND, "clique ", clique,
                         " is over positions; add positions of the chain");
    const bool own = table != nullptr;
    if (!to.property()->reads_table())
      table = nullptr;
    else if (!own) {
      table = from.tokens;
      if (!table && from.length > 0)
        return report.fail(CHORALE_ERROR_TOKENS_MISSING, "the property of clique ", clique,
                           " reads a table; chain ", chain,
                           " has no tokens, and no table is given for it");
    }
    char property[48];
    char tokens[48];
    TextWriter(property, sizeof property) << "the property of clique " << clique;
    TextWriter(tokens, sizeof tokens) << "(the tokens of chain " << chain << ")";
    const AttachmentNames names{"", property, own ? "table" : tokens};
    const Attached attached{to.property(), to.dictionary(), classes, table, nullptr, from.length};
    CHORALE_CHECK(check_attachment(report, names, attached, from.view()));
    CHORALE_CHECK(check_attachment_numbers(report, names, attached));
  }
  CHORALE_CHECK(check_new(report, clique, chain, -1));
  if (!borrow && classes && !(classes = model->arena.copy(classes, from.length)))
    return report.out_of_memory();
  if (!borrow && table && table != from.tokens &&
      !(table = model->arena.copy(table, from.length)))
    return report.out_of_memory();
  const std::int64_t whole = model->wholes.size();
  if (!model->wholes.push({classes, table, gsl::narrow_cast<std::int32_t>(chain)}))
    return report.out_of_memory();
  if (push_member(clique, chain, -1, whole))
    return CHORALE_OK;
  model->wholes.truncate(whole);
  return report.out_of_memory();
}

chorale_status Builder::add_position(const Report &report, std::int64_t clique, std::int64_t chain,
                                     std::int64_t position) noexcept {
  CHORALE_CHECK(check_position(report, clique, chain, position, false));
  CHORALE_CHECK(check_new(report, clique, chain, position));
  return push_member(clique, chain, position, -1) ? CHORALE_OK : report.out_of_memory();
}

chorale_status Builder::check_centre(const Report &report, std::int64_t clique, std::int64_t chain,
                                     std::int64_t position) noexcept {
  CHORALE_CHECK(check_position(report, clique, chain, position, true));
  auto &centre = centres[clique];
  const auto before = centre;
  centre = {-1, -1};
  const chorale_status duplicate = check_new(report, clique, chain, position);
  centre = before;
  return duplicate;
}

chorale_status Builder::set_centre(const Report &report, std::int64_t clique, std::int64_t chain,
                                   std::int64_t position) noexcept {
  CHORALE_CHECK(check_centre(report, clique, chain, position));
  centres[clique] = {gsl::narrow_cast<std::int32_t>(chain), gsl::narrow_cast<std::int32_t>(position)};
  return CHORALE_OK;
}

chorale_status Builder::check_weights_of(const Report &report, std::string_view name,
                                         std::int64_t clique, gsl::span<const std::int64_t> given,
                                         std::int64_t begin, bool &weighted) const noexcept {
  const auto count = static_cast<std::int64_t>(given.size());
  std::int64_t total = 0;
  CHORALE_CHECK(check_weights(report, name, given, begin, total));
  weighted = total != count;
  if (!weighted)
    return CHORALE_OK;
  const CliqueType &type = *model->cliques[clique].type;
  if (type.centre)
    return report.fail(CHORALE_ERROR_WEIGHTS, "weights of clique ", clique, " add up to ", total,
                       " for ", count, " members; members of a centred clique count once");
  CHORALE_CHECK(check_tables_serve(report, *type.given, total, "the potential of clique ", clique));
  const CliqueKind kind(*type.given, gsl::narrow_cast<std::int32_t>(total));
  if (!kind.takes_weights(type.columns > type.given->values))
    return fail_weights(report, kind, count, "weights of clique ", clique);
  return CHORALE_OK;
}

void Builder::store_weights(std::int64_t clique, std::int64_t first,
                            gsl::span<const std::int64_t> given) noexcept {
  Clique &to = model->cliques[clique];
  to.full_total = 0;
  for (const std::int64_t weight : given) {
    slots[first].weight = gsl::narrow_cast<std::int32_t>(weight);
    to.full_total += slots[first++].weight;
  }
}

chorale_status Builder::set_weights(const Report &report, std::int64_t clique, std::int64_t first,
                                    gsl::span<const std::int64_t> given) noexcept {
  bool weighted = false;
  CHORALE_CHECK(check_weights_of(report, "weights", clique, given, 0, weighted));
  store_weights(clique, first, given);
  return CHORALE_OK;
}

chorale_status Builder::add_repeated_words(const Report &report, chorale_clique_setup setup,
                                           const chorale_agreement &words,
                                           std::int64_t &count) noexcept {
  if (setup.property || setup.centre_values != 0)
    return report.fail(CHORALE_ERROR_KIND, "setup has a ",
                       setup.property ? "property" : "centre",
                       "; cliques of repeated words are over positions, without a centre");
  if (words.kind != CHORALE_AGREE_WORDS)
    return report.fail(CHORALE_ERROR_KIND, "words->kind is ", words.kind,
                       "; it must be CHORALE_AGREE_WORDS");
  CHORALE_CHECK(check_keyed(report, "words->", words));
  bool any = false;
  for (std::int64_t i = 0; i < model->chains.size(); ++i) {
    const Chain &chain = model->chains[i];
    if (!chain.tokens)
      continue;
    if (!any && !setup.label_values && setup.values == 0)
      setup.values = chain.labels;
    any = true;
    const std::int64_t labels = setup.label_values ? setup.labels : setup.values;
    if (chain.labels != labels)
      return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "chain ", i, " has ", chain.labels,
                         " labels; all chains with tokens must have ", labels);
  }
  if (!any)
    return report.fail(CHORALE_ERROR_TOKENS_MISSING,
                       "no chain of the model has tokens; repeated words need options->tokens of "
                       "some chain");
  return add_keyed(report, setup, words, nullptr, nullptr, count);
}

chorale_status Builder::add_keyed(const Report &report, chorale_clique_setup setup,
                                  const chorale_agreement &words, const std::int32_t *keys,
                                  const std::int64_t *weights, std::int64_t &count) noexcept {
  CHORALE_CHECK(take_setup(report, setup));
  const std::int64_t cliques_before = model->cliques.size();
  const std::int64_t slots_before = slots.size();
  KeyedPositions positions(memory);
  Array<std::int64_t> of_clique(memory); // the weights of the members of one clique
  chorale_status status = CHORALE_OK;
  const auto group = [&](std::int32_t i) { return words.across != 0 ? 0 : groups[i]; };
  const auto collect = [&](std::int32_t i) {
    const Chain &chain = model->chains[i];
    const std::int32_t *of_chain = keys ? keys + chain.first_label : chain.tokens;
    for (std::int32_t t = 0; of_chain && t < chain.length; ++t)
      if (!positions.add({of_chain[t], i, t}))
        return false;
    return true;
  };
  const auto add = [&](gsl::span<const KeyedPositions::Entry> same) {
    const std::int64_t clique = model->cliques.size();
    const std::int64_t first = slots.size();
    const auto members = static_cast<std::int64_t>(same.size());
    status = check_room(report, "members and cliques", first + clique, members + 1);
    if (status != CHORALE_OK || !push_cliques(setup, 1))
      return false;
    for (const KeyedPositions::Entry &entry : same)
      if (!push_member(clique, entry.chain, entry.position, -1))
        return false;
    if (!weights)
      return true;
    if (!of_clique.resize(members))
      return false;
    std::transform(same.begin(), same.end(), of_clique.begin(), [&](const auto &entry) {
      return weights[model->chains[entry.chain].first_label + entry.position];
    });
    status = set_weights(report, clique, first, of_clique);
    return status == CHORALE_OK;
  };
  if (positions.leave_out({words.stop, to_size(words.stop_count)}) &&
      positions.each(static_cast<std::int32_t>(model->chains.size()), words.minimum, group, collect,
                     add)) {
    count = model->cliques.size() - cliques_before;
    return CHORALE_OK;
  }
  take_back(slots_before, model->wholes.size());
  drop_cliques(cliques_before);
  return status != CHORALE_OK ? status : report.out_of_memory();
}

chorale_status Builder::freeze(const Report &report, Model *&made) noexcept {
  CHORALE_CHECK(check_cliques(report));
  if (!complete())
    return report.out_of_memory();
  made = std::exchange(model, nullptr);
  return CHORALE_OK;
}
