// Kinds of cliques and their potentials; results as lines for people and as JSON.
#include "learn/learnt.hpp"

#include "base/json.hpp"
#include "potential/create.hpp"

namespace chorale {

namespace {

// Adds the kinds of a problem to those of `learnt`. classes: as in chorale_learn_options.
chorale_status add_kinds(const Report &report, const Problem &problem,
                         gsl::span<const std::int32_t> classes, Learnt &learnt) {
  constexpr std::int32_t kMostKinds = 1 << 16; // each number up to the greatest takes memory
  for (std::int64_t i = 0; i < problem.model->chains.size(); ++i)
    if (problem.model->chains[i].is_instance)
      return report.fail(CHORALE_ERROR_KIND, "chain ", i, " is an instance; "
                                             "strengths are learnt from chains and trees");
  for (std::int64_t c = 0; c < problem.kinds.size(); ++c) {
    const std::int32_t number = problem.kinds[c];
    if (number < 0)
      continue;
    if (number >= kMostKinds)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "clique ", c, " is of kind ", number,
                         "; kinds to learn are numbered from 0 to ", kMostKinds - 1);
    while (learnt.kinds.size() <= number)
      need(learnt.kinds.push({}));
    Kind &kind = learnt.kinds[number];
    const Clique clique = problem.model->cliques[c];
    if (kind.cliques == 0) {
      const std::string_view name = kind.name; // given by an earlier problem without such cliques
      kind = kind_of(clique);
      kind.name = name;
    }
    CHORALE_CHECK(check_alike(report, kind, clique, c));
    if (kind.values != clique.values())
      kind.values = 0;
    for (std::int32_t y = 0; y < static_cast<std::int32_t>(classes.size()); ++y)
      if (const std::int32_t v = kind.is_property ? -1 : clique.value_of(clique.column_of(-1, y));
          v >= 0 && v < Kind::kLeftOutValues)
        (classes.data()[y] >= 0 ? kind.counted : kind.left_out) |= std::int64_t{1} << v;
    ++kind.cliques;
    kind.members += clique.members;
  }
  return check_names(report, problem, learnt, [&](Kind &kind, std::string_view name) {
    const char *copy = learnt.names.copy(name.data(), static_cast<std::int64_t>(name.size()));
    need(copy != nullptr);
    kind.name = {copy, name.size()};
  });
}

} // namespace

chorale_status find_kinds(const Report &report, Problems problems,
                          gsl::span<const std::int32_t> classes, Learnt &learnt) {
  for (std::size_t k = 0; k < problems.size(); ++k) {
    chorale_error error;
    if (const auto status = add_kinds(Report(&error), *problems.data()[k], classes, learnt);
        status != CHORALE_OK)
      return report.fail(status, "problems[", static_cast<std::int64_t>(k), "]: ",
                         std::string_view(error.message));
  }
  if (learnt.kinds.empty())
    return report.fail(CHORALE_ERROR_KIND,
                       "no clique has a kind, so there is nothing to learn; set kinds with "
                       "chorale_problem_set_cliques");
  learnt.report.kinds = learnt.kinds.size();
  for (Kind &kind : learnt.kinds)
    kind.left_out = kind.values == 0 ? 0 : kind.left_out & ~kind.counted;
  return CHORALE_OK;
}

Kind kind_of(const Clique &clique) noexcept {
  return {.values = clique.values(),
          .centre_values = clique.centred() ? clique.centre_values() : 0,
          .is_property = clique.property() != nullptr,
          .has_empty = clique.all_columns() > clique.values(),
          .has_out = clique.dictionary() && clique.dictionary()->has_unlisted};
}

chorale_status check_alike(const Report &report, const Kind &kind, const Clique &clique,
                           std::int64_t number) noexcept {
  const Kind other = kind_of(clique);
  if (kind.is_property != other.is_property || kind.has_empty != other.has_empty ||
      kind.has_out != other.has_out || kind.centre_values != other.centre_values)
    return report.fail(CHORALE_ERROR_KIND, "clique ", number, " must be like the others of its "
                       "kind that are learnt from, in property, EMPTY, UNLISTED and centre");
  if (clique.weighted())
    return report.fail(CHORALE_ERROR_WEIGHTS, "clique ", number, " has a kind, and members with "
                       "weights above 1; strengths are for members that count once");
  return CHORALE_OK;
}

chorale_status create_learnt(const Report &report, const Memory &memory, const Kind &kind,
                             gsl::span<const Weight> weights, std::int64_t values,
                             std::int64_t centre_value, Potential *&made) {
  const bool is_bound = std::any_of(weights.begin(), weights.end(), [](const Weight &weight) {
    return weight.basis >= Basis::value;
  });
  if ((is_bound || kind.left_out != 0) && values != kind.values)
    return report.fail(CHORALE_ERROR_VALUES_MISMATCH, "cliques have ", values,
                       " values; they must have ", kind.values,
                       ", as those from which their kind was learnt");
  const std::int64_t columns = values + (kind.has_empty ? 2 : 0);
  const bool is_majority = !weights.empty() && weights.data()->basis == Basis::majority;
  Array<double> numbers(memory); // a mixture: kMixtureHead weights, then one a column; or a matrix
  Array<std::uint8_t> mask(memory);
  need(numbers.fill(is_majority ? columns * columns : kMixtureHead + columns, 0.0) &&
       mask.resize(columns));
  double *linear = numbers.begin() + kMixtureHead;
  for (std::int64_t v = 0; v < columns; ++v) {
    const bool agrees = v < values - (kind.has_out ? 1 : 0) && !kind.is_centred();
    mask[v] = agrees && !kind.leaves_out(v) ? 1 : kLinearOnly;
  }
  for (const auto &[number, basis, index, weight] : weights)
    if (is_majority)
      numbers[index] = weight;
    else if (basis <= Basis::share) // the first weights: n_v^2 / n, n_v^2 / log n, shares 1 to 3
      numbers[(basis == Basis::agreement ? 0 : 1) + index] += weight;
    else if (basis == Basis::single)
      for (std::int64_t v = 0; v < values; ++v)
        linear[v] += kind.leaves_out(v) ? 0 : weight;
    else if (basis < Basis::value) // of the last value, EMPTY or CONFLICT
      linear[values - 1 + static_cast<std::int32_t>(basis) - static_cast<std::int32_t>(Basis::out)] +=
          weight;
    else if (basis == Basis::value || index / columns == centre_value)
      linear[index % columns] += weight;
  if (is_majority)
    return create_by_square(report, memory, {columns}, Form::majority,
                            {numbers.begin(), columns, columns, columns}, {}, made);
  return create_mixture(report, memory, mask, span_of(numbers.begin(), kMixtureHead),
                        span_of(linear, columns), made);
}

namespace {

constexpr int kDigits = 14; // of each number in JSON

constexpr std::string_view kBasisNames[] = {"agreement", "log-agreement", "share", "single",
                                            "out",       "empty",         "conflict", "value",
                                            "centre",    "majority"};

// Call visit(name, field) for each field that the JSON has, in the order in which it is written.
#define FIELD(name) visit(#name, of.name)
template <class Visit> void fields(chorale_learnt_report &of, Visit &visit) {
  FIELD(outcome), FIELD(applied), FIELD(verdict), FIELD(warnings), FIELD(groups), FIELD(positions),
      FIELD(runs), FIELD(tagger_cost), FIELD(tagger_precision), FIELD(tagger_recall),
      FIELD(tagger_f1), FIELD(tagger_accuracy), FIELD(control_cost), FIELD(control_precision),
      FIELD(control_recall), FIELD(control_f1), FIELD(control_accuracy), FIELD(agreeing_cost),
      FIELD(agreeing_precision), FIELD(agreeing_recall), FIELD(agreeing_f1),
      FIELD(agreeing_accuracy), FIELD(changed), FIELD(changed_right_before),
      FIELD(changed_right_after), FIELD(agreement_p), FIELD(gain_p), FIELD(expected_errors),
      FIELD(temperature), FIELD(changed_temperature);
}
template <class Visit> void fields(Kind &of, Visit &visit) {
  FIELD(name), FIELD(cliques), FIELD(members), FIELD(uses_log_odds), FIELD(strength), FIELD(bonus),
      FIELD(values), FIELD(centre_values), FIELD(is_property), FIELD(has_empty), FIELD(has_out),
      FIELD(left_out);
}
template <class Visit> void fields(Weight &of, Visit &visit) {
  FIELD(kind), FIELD(basis), FIELD(index), FIELD(weight);
}
#undef FIELD

struct WriteField {
  JsonWriter &json;
  template <class Value> void operator()(std::string_view name, const Value &value) noexcept {
    json.key(name);
    if constexpr (std::is_same_v<Value, std::string_view>)
      json.string(value);
    else if constexpr (std::is_same_v<Value, Basis>)
      json.string(kBasisNames[static_cast<std::size_t>(value)]);
    else if constexpr (std::is_arithmetic_v<Value>)
      json.value(value, kDigits);
    else {
      json.open('[');
      for (auto entry : value) {
        json.open('{');
        fields(entry, *this);
        json.close('}');
      }
      json.close(']');
    }
  }
};

// A visitor for fields(): reads the value at which `reader` is, that of the field named `wanted`,
// when it is called with this name.
struct ReadField {
  Learnt &to;
  JsonReader &reader;
  std::string_view wanted;
  bool was_read = false;

  template <class Value> void operator()(std::string_view name, Value &value) {
    if (name != wanted || was_read)
      return;
    was_read = true;
    if constexpr (std::is_same_v<Value, std::string_view>) {
      const std::string_view raw = reader.string();
      char *text = to.names.take_array<char>(static_cast<std::int64_t>(raw.size()));
      need(text != nullptr);
      value = {text, reader.unescape(raw, text)};
    } else if constexpr (std::is_same_v<Value, Basis>) {
      const auto *known =
          std::find(std::begin(kBasisNames), std::end(kBasisNames), reader.string());
      reader.expect(known != std::end(kBasisNames));
      value = static_cast<Basis>(known - std::begin(kBasisNames));
    } else if constexpr (std::is_arithmetic_v<Value>) {
      reader.value(value);
    } else {
      reader.entries('[', ']', [&] {
        auto entry = std::remove_cvref_t<decltype(value[0])>{};
        object(to, reader, [&](ReadField &read) { fields(entry, read); });
        need(value.push(entry));
      });
    }
  }
  // Reads an object. read_all(read) calls read(name, value) for each known field. Unknown fields
  // are skipped if they are strings or numbers; objects and arrays are mistakes.
  template <class ReadAll>
  static void object(Learnt &to, JsonReader &reader, ReadAll &&read_all) {
    reader.object([&](std::string_view name) {
      ReadField read{to, reader, name};
      read_all(read);
      if (!read.was_read)
        reader.scalar();
    });
  }
};

// Returns true if potentials can be created from the numbers that were read.
bool is_sound(const Learnt &learnt) noexcept {
  for (const Kind &kind : learnt.kinds)
    if (kind.cliques < 0 || kind.values < 0 || kind.values > INT32_MAX - 2 ||
        kind.centre_values < 0 || kind.left_out < 0)
      return false;
  Weight last{-1, Basis::agreement, 0, 0};
  for (const Weight &now : learnt.weights) {
    const auto &[number, basis, index, weight] = now;
    if (number < std::max(last.kind, 0) || number >= learnt.kinds.size() ||
        (number == last.kind && (basis == Basis::majority) != (last.basis == Basis::majority)))
      return false;
    const Kind &kind = learnt.kinds[number];
    const std::int64_t columns = kind.columns(), one = kind.has_empty ? 1 : 0;
    const std::int64_t indices[] = {1,   1,   4,           1, kind.has_out ? 1 : 0,
                                    one, one, kind.values, kind.centre_values * columns,
                                    columns * columns};
    if (index < 0 || index >= indices[static_cast<std::size_t>(basis)] || !is_finite_score(weight))
      return false;
    last = now;
  }
  return true;
}

struct Sentence {
  std::int32_t of; // a verdict or warning
  std::string_view text;
};
constexpr Sentence kVerdicts[] = {
    {CHORALE_VERDICT_GAIN, ": held-out groups gain by it."},
    {CHORALE_VERDICT_WITHOUT_GOLD, ". Its strength was found without gold labels, so nothing tells "
                                   "whether it helps."},
    {CHORALE_VERDICT_NO_AGREEMENT, ": members of cliques agree no more than by chance."},
    {CHORALE_VERDICT_NO_GAIN, ": held-out groups gain nothing by agreement."},
    {CHORALE_VERDICT_MAY_BE_CHANCE, ": held-out groups gain by agreement, but it may be chance."},
    {CHORALE_VERDICT_LOWERS_ACCURACY, ": agreement lowers accuracy by more than a standard error."},
    {CHORALE_VERDICT_INTERRUPTED, ": the call was cancelled, or its time was too short."}};
constexpr Sentence kWarnings[] = {
    {CHORALE_WARNING_GOLD_FORBIDDEN, "some gold labels are forbidden by their chains"},
    {CHORALE_WARNING_BASE_KNOWS,
     "the tagger is right on more than 99 % of gold: it may have seen the answers"},
    {CHORALE_WARNING_FEW_GROUPS, "with so few groups, much may be chance"},
    {CHORALE_WARNING_ONE_LABEL, "nearly all positions have one label: agreement may spread it"}};

} // namespace

std::size_t write_learnt_json(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept {
  JsonWriter json(buffer, capacity);
  WriteField write{json};
  chorale_learnt_report told = learnt.report;
  json.open('{');
  write("learnt", 2);
  fields(told, write);
  write("kinds", learnt.kinds);
  write("weights", learnt.weights);
  json.close('}');
  return json.bytes();
}

chorale_status read_learnt(const Report &report, std::string_view json, Learnt &to) {
  JsonReader reader(json);
  std::int64_t version = 0;
  ReadField::object(to, reader, [&](ReadField &read) {
    read("learnt", version);
    fields(to.report, read);
    read("kinds", to.kinds);
    read("weights", to.weights);
  });
  if (!reader.is_sound() || !reader.is_at_end() || version < 1 || version > 2)
    return report.fail(CHORALE_ERROR_TEXT, "json is no learnt result from byte ", reader.at(),
                       " on; it must be the JSON of a learnt result, unchanged");
  if (!is_sound(to))
    return report.fail(CHORALE_ERROR_TEXT,
                       "json has kinds and weights that contradict each other; it must be the "
                       "JSON of a learnt result, unchanged");
  to.report.kinds = to.kinds.size();
  if (version == 1) { // written by 0.2, which could also apply bonuses alone
    to.report.applied = to.report.applied != 0 ? 1 : 0;
    to.report.verdict = to.report.applied != 0 ? CHORALE_VERDICT_GAIN : CHORALE_VERDICT_NO_GAIN;
  }
  return CHORALE_OK;
}

std::size_t write_lines(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept {
  TextWriter text(buffer, capacity);
  const chorale_learnt_report &told = learnt.report;
  if (told.verdict == CHORALE_VERDICT_WITHOUT_GOLD &&
      std::all_of(learnt.kinds.begin(), learnt.kinds.end(),
                  [](const Kind &kind) { return kind.strength == 0; }))
    text << "No strength fits: nothing agrees.\n";
  else
    for (const Sentence &verdict : kVerdicts)
      if (verdict.of == told.verdict)
        text << (told.applied != 0 ? "Agreement" : "Nothing") << " is applied" << verdict.text
             << "\n";
  if (told.agreement_p >= 0) {
    text << "Of 999 random exchanges of members, a share of ";
    text.fixed(told.agreement_p, 3) << " make them agree as much as the gold labels do.\n";
  }
  const bool has_f1 = told.tagger_precision > 0 || told.tagger_recall > 0;
  if (told.tagger_accuracy > 0)
    text << "held out      " << (has_f1 ? " precision    recall        F1" : "") << "  accuracy\n";
  constexpr std::string_view kRows[] = {"tagger        ", "control       ", "with agreement"};
  for (std::size_t r = 0; r < std::size(kRows); ++r) {
    const auto &[cost, precision, recall, f1, accuracy] = kFigures[r];
    if (told.*accuracy == 0 || (r == 1 && told.*cost == told.tagger_cost)) // unknown, or no control
      continue;
    text << kRows[r];
    for (const auto figure : {precision, recall, f1, accuracy})
      if (has_f1 || figure == accuracy)
        text.fixed(100 * told.*figure, 1, 10);
    text << "\n";
  }
  if (told.verdict == CHORALE_VERDICT_WITHOUT_GOLD && told.expected_errors > 0) {
    text << told.changed << " labels changed; the tagger expects ";
    text.fixed(told.expected_errors, 0) << " errors of its own.\n";
  } else if (told.changed > 0) {
    text << told.changed << " labels changed: " << told.changed_right_before
         << " were right before, " << told.changed_right_after << " are right now.\n";
  }
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    const Kind &kind = learnt.kinds[k];
    if (kind.cliques == 0)
      continue;
    if (kind.name.empty())
      text << "kind " << k;
    text << kind.name << ": ";
    if (kind.strength != 0)
      text << "strength " << kind.strength << (kind.uses_log_odds ? " of log-odds" : "") << ", ";
    if (kind.bonus != 0)
      text << "bonus " << kind.bonus << ", ";
    text << kind.cliques << " cliques, " << kind.members << " members\n";
  }
  if (told.groups > 0)
    text << told.groups << " groups, " << told.positions << " positions with gold labels\n";
  for (const Sentence &warning : kWarnings)
    if ((told.warnings & warning.of) != 0)
      text << "warning: " << warning.text << "\n";
  return text.bytes();
}

} // namespace chorale
