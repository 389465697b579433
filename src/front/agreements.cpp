#include "front/agreements.hpp"

#include "base/keyed.hpp"
#include "chain/checks.hpp"
#include "cluster/model/builder.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// Greatest magnitude of a strength. Scores of the size of log-probabilities would lose digits when
// they are added to larger numbers.
constexpr double kLargestStrength = 1e9;

// The members of several cliques as ragged arrays (model.h): the members of clique c are the
// entries offsets[c] .. offsets[c + 1] - 1 of `chains` and `positions`.
struct Ragged {
  explicit Ragged(const Memory &memory) noexcept
      : offsets(memory), chains(memory), positions(memory) {}

  bool begin() noexcept { return offsets.push(0); }
  // Ends a clique. Its members are the entries that were added since the previous clique ended.
  bool end_clique() noexcept { return offsets.push(chains.size()); }
  std::int64_t cliques() const noexcept { return offsets.size() - 1; }

  Array<std::int64_t> offsets;
  Array<std::int64_t> chains;
  Array<std::int64_t> positions;
};

// Checks one agreement and adds its cliques.
class Work {
public:
  Work(const Report &report, std::string_view place, const Memory &memory,
       const chorale_host *host, const CorpusParts &parts, const chorale_agreement &agreement,
       chorale_model_builder *builder) noexcept
      : report_(report), place_(place), memory_(memory), host_(host), parts_(parts),
        agreement_(agreement), builder_(builder), weights_(memory) {}
  ~Work() { chorale_potential_release(made_); }
  Work(const Work &) = delete;
  Work &operator=(const Work &) = delete;

  chorale_status carry_out() noexcept {
    CHORALE_CHECK(check());
    switch (agreement_.kind) {
    case CHORALE_AGREE_WORDS:
      return add_keys(parts_.corpus().tokens);
    case CHORALE_AGREE_KEYS:
      return add_keys(agreement_.keys);
    case CHORALE_AGREE_PROPERTY:
      return add_property();
    default:
      return add_given();
    }
  }

  std::int64_t cliques() const noexcept { return cliques_; }

private:
  template <class... Parts>
  chorale_status fail(chorale_status status, const Parts &...parts) const noexcept {
    return report_.fail(status, place_, parts...);
  }
  // Returns `status`, the status of a public call. On an error, reports the call's message again,
  // with the place of the agreement before it.
  chorale_status pass_on(chorale_status status, const chorale_error &error) const noexcept {
    return status == CHORALE_OK ? status : fail(status, ": ", std::string_view(error.message));
  }
  chorale_status check() noexcept {
    switch (agreement_.kind) {
    case CHORALE_AGREE_WORDS:
      if (!parts_.corpus().tokens && parts_.positions() > 0)
        return fail(CHORALE_ERROR_TOKENS_MISSING,
                    " is over words, and corpus->tokens is NULL; give the tokens of all positions");
      break;
    case CHORALE_AGREE_KEYS:
      CHORALE_CHECK(check_array(report_, agreement_.keys, parts_.positions(), place_, ".keys"));
      break;
    case CHORALE_AGREE_PROPERTY:
      CHORALE_CHECK(check_array(report_, agreement_.property, 1, place_, ".property"));
      break;
    case CHORALE_AGREE_CLIQUES:
      CHORALE_CHECK(check_given());
      break;
    default:
      return fail(CHORALE_ERROR_UNKNOWN_CONSTANT, ".kind is ", agreement_.kind,
                  "; it must be a CHORALE_AGREE_ constant");
    }
    char field[64];
    TextWriter(field, sizeof field) << place_ << ".";
    CHORALE_CHECK(check_keyed(report_, field, agreement_));
    if (!is_finite_score(agreement_.strength))
      return fail_number(report_, agreement_.strength, false, place_, ".strength");
    if (std::fabs(agreement_.strength) > kLargestStrength &&
        agreement_.strength != kNoAgreement)
      return fail(CHORALE_ERROR_OUT_OF_RANGE, ".strength is ", agreement_.strength,
                  "; it must be from -1e9 to 1e9, so that scores keep their digits beside it");
    return take_weights();
  }

  // True if the members of the cliques are whole chains, not positions.
  bool is_of_chains() const noexcept { return agreement_.kind == CHORALE_AGREE_PROPERTY; }

  // Sets weights_ to the products of the agreement's weights and the counts of the chains.
  chorale_status take_weights() noexcept {
    const std::int64_t *const counts = parts_.corpus().counts;
    const std::int64_t first = is_of_chains() ? 0 : parts_.begin(0);
    if (!agreement_.weights && !counts)
      return CHORALE_OK;
    if (!weights_.fill(is_of_chains() ? parts_.chains() : parts_.positions(), 1))
      return report_.out_of_memory();
    for (std::int64_t p = 0; agreement_.weights && p < weights_.size(); ++p) {
      weights_[p] = agreement_.weights[first + p];
      if (weights_[p] < 1)
        return fail(CHORALE_ERROR_OUT_OF_RANGE, ".weights[", first + p, "] is ", weights_[p],
                    "; it must be at least 1");
    }
    for (std::int64_t i = 0; counts && i < parts_.chains(); ++i) {
      const std::int64_t begin = is_of_chains() ? i : parts_.begin(i) - first;
      const std::int64_t end = is_of_chains() ? i + 1 : parts_.begin(i + 1) - first;
      // A product that is too large stays so: the sum of a clique's weights is checked.
      for (std::int64_t p = begin; p < end; ++p)
        weights_[p] = std::min(weights_[p], kLongest + 1) * counts[i];
    }
    return CHORALE_OK;
  }

  chorale_status check_given() const noexcept {
    const std::int64_t count = agreement_.cliques;
    CHORALE_CHECK(check_least(report_, count, 0, place_, ".cliques"));
    if (count == 0)
      return CHORALE_OK;
    const std::int64_t *offsets = agreement_.clique_offsets;
    CHORALE_CHECK(check_array(report_, offsets, count, place_, ".clique_offsets"));
    CHORALE_CHECK(check_offsets(report_, offsets, count, place_, ".clique_offsets"));
    const std::int64_t entries = offsets[count] - offsets[0];
    if (entries > kLongest)
      return fail(CHORALE_ERROR_SIZE_OVERFLOW, ".clique_offsets span ", entries,
                  " members; they must be at most ", kLongest);
    CHORALE_CHECK(check_array(report_, agreement_.members, entries, place_, ".members"));
    const std::int64_t first = parts_.begin(0);
    const std::int64_t end = parts_.begin(parts_.chains());
    for (std::int64_t e = offsets[0]; e < offsets[count]; ++e)
      if (agreement_.members[e] < first || agreement_.members[e] >= end)
        return first == end
                   ? fail(CHORALE_ERROR_OUT_OF_RANGE, ".members[", e, "] is ",
                          agreement_.members[e], "; the corpus has no positions")
                   : fail(CHORALE_ERROR_OUT_OF_RANGE, ".members[", e, "] is ",
                          agreement_.members[e], "; it must be a position of the corpus, from ",
                          first, " to ", end - 1);
    return CHORALE_OK;
  }

  // Sets `potential` to the potential of all cliques of the agreement. If the caller gave a
  // potential, it must have `values` values, or `values` + 2 with EMPTY and CONFLICT. If not,
  // creates a Potts potential scaled by 1 / n, whose lambda is the agreement's strength: 0 for
  // kNoAgreement, and 1 if the strength is 0, which may be found later. counted: which values
  // count; NULL: all.
  chorale_status take_potential(std::int64_t values, const std::uint8_t *counted,
                                const chorale_potential *&potential) noexcept {
    potential = agreement_.potential;
    if (potential) {
      const std::int64_t given = chorale_potential_values(potential);
      if (given == values || given == values + 2)
        return CHORALE_OK;
      return fail(CHORALE_ERROR_VALUES_MISMATCH, ".potential has ", given,
                  " values; it must have those that ought to agree, ", values);
    }
    chorale_error error;
    chorale_potential_options options{};
    options.struct_size = sizeof options;
    options.scale = CHORALE_SCALE_BY_MEMBERS;
    options.counted = counted;
    const double strength = agreement_.strength == kNoAgreement
                                ? 0
                                : value_or(agreement_.strength, 1.0);
    CHORALE_CHECK(pass_on(
        chorale_potential_create_potts(host_, values, strength, &options, &made_, &error), error));
    potential = made_;
    return CHORALE_OK;
  }

  chorale_status add(const chorale_clique_setup &setup, const Ragged &members) noexcept {
    chorale_error error;
    cliques_ = members.cliques();
    std::int64_t first = 0;
    CHORALE_CHECK(pass_on(chorale_model_builder_add_cliques(builder_, &setup, members.cliques(),
                                                            &first, &error),
                          error));
    Array<std::int64_t> weights(memory_);
    if (!weights_.empty() && !weights.resize(members.chains.size()))
      return report_.out_of_memory();
    for (std::int64_t e = 0; e < weights.size(); ++e)
      weights[e] = weights_[is_of_chains() ? members.chains[e]
                                           : parts_.begin(members.chains[e]) - parts_.begin(0) +
                                                 members.positions[e]];
    chorale_members given{};
    given.struct_size = sizeof given;
    given.first = first;
    given.cliques = members.cliques();
    given.offsets = members.offsets.begin();
    given.chains = members.chains.begin();
    given.positions = setup.property ? nullptr : members.positions.begin();
    given.weights = weights_.empty() ? nullptr : weights.begin();
    return pass_on(chorale_model_builder_add_members(builder_, &given, &error), error);
  }

  // Sets the setup of cliques over positions.
  chorale_status describe_positions(chorale_clique_setup &setup) noexcept {
    setup.struct_size = sizeof setup;
    setup.values = parts_.corpus().labels;
    const chorale_corpus &corpus = parts_.corpus();
    Array<std::uint8_t> counted(memory_);
    if (corpus.uncounted_count > 0) {
      if (!counted.fill(setup.values, 1))
        return report_.out_of_memory(to_size(setup.values));
      for (std::int64_t k = 0; k < corpus.uncounted_count; ++k)
        counted[corpus.uncounted[k]] = 0;
    }
    return take_potential(setup.values, counted.begin(), setup.potential);
  }

  // Adds a clique for every group and key for which at least `minimum` positions of the group have
  // the key. keys: the key of each position; -1 and the keys of the agreement's `stop` form no
  // clique.
  chorale_status add_keys(const std::int32_t *keys) noexcept {
    const std::int64_t first = parts_.begin(0);
    for (std::int64_t p = first; p < parts_.begin(parts_.chains()); ++p)
      if (keys[p] < -1)
        return fail(CHORALE_ERROR_OUT_OF_RANGE, ".keys[", p, "] is ", keys[p],
                    "; it must be at least -1");
    chorale_clique_setup setup{};
    CHORALE_CHECK(describe_positions(setup));
    chorale_error error;
    return pass_on(builder_->add_keyed(Report(&error), setup, agreement_, keys ? keys + first : keys,
                                       weights_.empty() ? nullptr : weights_.begin(), cliques_),
                   error);
  }

  chorale_status add_given() noexcept {
    Ragged members(memory_);
    if (!members.begin())
      return report_.out_of_memory();
    const std::int64_t *offsets = agreement_.clique_offsets;
    for (std::int64_t c = 0; c < agreement_.cliques; ++c) {
      if (offsets[c + 1] - offsets[c] < agreement_.minimum)
        continue;
      for (std::int64_t e = offsets[c]; e < offsets[c + 1]; ++e) {
        const std::int64_t chain = parts_.chain_of(agreement_.members[e]);
        if (!members.chains.push(chain) ||
            !members.positions.push(agreement_.members[e] - parts_.begin(chain)))
          return report_.out_of_memory();
      }
      if (!members.end_clique())
        return report_.out_of_memory();
    }
    chorale_clique_setup setup{};
    CHORALE_CHECK(describe_positions(setup));
    return add(setup, members);
  }

  // Adds a clique over the property for each group of at least `minimum` chains, with all chains of
  // the group as members. If `across`, all chains are one group.
  chorale_status add_property() noexcept {
    const std::int64_t labels = chorale_property_labels(agreement_.property);
    if (labels != parts_.corpus().labels)
      return fail(CHORALE_ERROR_LABELS_MISMATCH, ".property has ", labels,
                  " labels; it must have those of the corpus, ", parts_.corpus().labels);
    chorale_clique_setup setup{};
    setup.struct_size = sizeof setup;
    setup.property = agreement_.property;
    CHORALE_CHECK(
        take_potential(chorale_property_values(agreement_.property), nullptr, setup.potential));

    Ragged members(memory_);
    KeyedPositions entries(memory_);
    const auto collect = [&](std::int32_t i) { return entries.add({0, i, 0}); };
    const auto add_clique = [&](gsl::span<const KeyedPositions::Entry> same) {
      for (const KeyedPositions::Entry &entry : same)
        if (!members.chains.push(entry.chain))
          return false;
      return members.end_clique();
    };
    return members.begin() && entries.each(
                                  static_cast<std::int32_t>(parts_.chains()), agreement_.minimum,
                                  [this](std::int32_t i) { return group(i); }, collect, add_clique)
               ? add(setup, members)
               : report_.out_of_memory();
  }

  // Returns the group of a chain; 0 for all chains if cliques go across groups.
  std::int64_t group(std::int64_t chain) const noexcept {
    return agreement_.across != 0 ? 0 : parts_.group(chain);
  }

  const Report &report_;
  std::string_view place_;
  const Memory &memory_;
  const chorale_host *host_;
  const CorpusParts &parts_;
  const chorale_agreement &agreement_;
  chorale_model_builder *builder_;
  Array<std::int64_t> weights_; // by position from the first (PROPERTY: by chain); empty: all 1
  chorale_potential *made_ = nullptr;
  std::int64_t cliques_ = 0;
};

} // namespace

std::int64_t CorpusParts::chain_of(std::int64_t position) const noexcept {
  if (!corpus_.offsets)
    return position;
  const std::int64_t *end = corpus_.offsets + corpus_.chains + 1;
  return std::upper_bound(corpus_.offsets, end, position) - corpus_.offsets - 1;
}

chorale_status add_agreement(const Report &report, std::string_view place, const Memory &memory,
                             const chorale_host *host, const CorpusParts &parts,
                             const chorale_agreement &agreement, chorale_model_builder *builder,
                             std::int64_t &cliques) noexcept {
  Work work(report, place, memory, host, parts, agreement, builder);
  CHORALE_CHECK(work.carry_out());
  cliques = work.cliques();
  return CHORALE_OK;
}

} // namespace chorale
