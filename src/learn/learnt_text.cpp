// Writes a result as lines for people and as JSON, and reads this JSON.
#include "learn/learnt.hpp"

#include "base/json.hpp"

#include <algorithm>

namespace chorale {
namespace {

// ---- JSON --------------------------------------------------------------------------------------

constexpr int kDigits = 14; // of each number

// Lists of fields, for writing and reading.

template <class Visit> void report_fields(chorale_learnt_report &r, Visit &&visit) noexcept {
  visit("outcome", r.outcome);
  visit("applied", r.applied);
  visit("verdict", r.verdict);
  visit("warnings", r.warnings);
  visit("groups", r.groups);
  visit("positions", r.positions);
  visit("runs", r.runs);
  visit("tagger_cost", r.tagger_cost);
  visit("tagger_precision", r.tagger_precision);
  visit("tagger_recall", r.tagger_recall);
  visit("tagger_f1", r.tagger_f1);
  visit("tagger_accuracy", r.tagger_accuracy);
  visit("control_cost", r.control_cost);
  visit("control_precision", r.control_precision);
  visit("control_recall", r.control_recall);
  visit("control_f1", r.control_f1);
  visit("control_accuracy", r.control_accuracy);
  visit("agreeing_cost", r.agreeing_cost);
  visit("agreeing_precision", r.agreeing_precision);
  visit("agreeing_recall", r.agreeing_recall);
  visit("agreeing_f1", r.agreeing_f1);
  visit("agreeing_accuracy", r.agreeing_accuracy);
  visit("changed", r.changed);
  visit("changed_right_before", r.changed_right_before);
  visit("changed_right_after", r.changed_right_after);
  visit("agreement_p", r.agreement_p);
  visit("gain_p", r.gain_p);
  visit("expected_errors", r.expected_errors);
  visit("temperature", r.temperature);
  visit("changed_temperature", r.changed_temperature);
}

template <class Visit> void kind_fields(Kind &k, Visit &&visit) noexcept {
  visit("name", k.name);
  visit("cliques", k.cliques);
  visit("members", k.members);
  visit("uses_log_odds", k.uses_log_odds);
  visit("strength", k.strength);
  visit("bonus", k.bonus);
  visit("values", k.values);
  visit("centre_values", k.centre_values);
  visit("is_property", k.is_property);
  visit("has_empty", k.has_empty);
  visit("has_out", k.has_out);
  visit("is_centred", k.is_centred);
  visit("left_out", k.left_out);
  visit("weights", k.weights);
}

template <class Visit> void weight_fields(Weight &w, Visit &&visit) noexcept {
  visit("kind", w.kind);
  visit("basis", w.basis);
  visit("index", w.index);
  visit("weight", w.weight);
}

// Returns true if the numbers that were read are consistent, so that potentials can be created from
// them.
bool is_sound(const Learnt &learnt) noexcept {
  std::int64_t next = 0;
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    const Kind &kind = learnt.kinds[k];
    if (kind.weights < 0 || kind.weights > learnt.weights.size() - next || kind.cliques < 0 ||
        kind.values < 0 || kind.values > INT32_MAX - 2 || kind.centre_values < 0 ||
        kind.is_centred != (kind.centre_values > 0) || kind.left_out < 0 ||
        (kind.left_out != 0 && kind.is_property))
      return false;
    const auto weights = learnt.weights_of(kind);
    for (const auto &[number, basis, index, weight] : weights) {
      const std::int64_t indices = basis == Basis::centre     ? kind.centre_values * kind.columns()
                                   : basis == Basis::majority ? kind.columns() * kind.columns()
                                   : basis == Basis::value    ? kind.values
                                   : basis == Basis::share    ? 4
                                                              : 1;
      if (number != k || index < (basis == Basis::share ? 1 : 0) || index >= indices ||
          !is_finite_score(weight) || (basis == Basis::centre) != kind.is_centred ||
          (basis == Basis::majority) != (weights.data()->basis == Basis::majority) ||
          (basis == Basis::out && !kind.has_out) ||
          ((basis == Basis::empty || basis == Basis::conflict) && !kind.has_empty))
        return false;
    }
    next += kind.weights;
  }
  return next == learnt.weights.size();
}

struct WriteField {
  const Learnt &learnt;
  JsonWriter &json;
  template <class Value> void operator()(std::string_view name, const Value &value) noexcept {
    json.key(name);
    if constexpr (std::is_same_v<Value, Kind::Name>)
      json.string(learnt.text_of(value));
    else if constexpr (std::is_same_v<Value, Basis>)
      json.string(kBasisNames[static_cast<std::size_t>(value)]);
    else if constexpr (std::is_same_v<Value, bool>)
      json.boolean(value);
    else if constexpr (std::is_floating_point_v<Value>)
      json.number(value, kDigits);
    else
      json.integer(value);
  }
};

// Reads the value of a field if it has the name `wanted`.
struct ReadField {
  Learnt &to;
  JsonReader &reader;
  bool &has_memory;
  std::string_view wanted;
  bool was_read = false;

  template <class Value> void operator()(std::string_view name, Value &value) noexcept {
    if (name != wanted || was_read)
      return;
    was_read = true;
    if constexpr (std::is_same_v<Value, Kind::Name>) {
      value.first = to.names.size();
      has_memory = has_memory && append(reader.string());
      value.length = to.names.size() - value.first;
    } else if constexpr (std::is_same_v<Value, Basis>) {
      const auto *known =
          std::find(std::begin(kBasisNames), std::end(kBasisNames), reader.string());
      reader.expect(known != std::end(kBasisNames));
      value = static_cast<Basis>(known - std::begin(kBasisNames));
    } else {
      reader.value(value);
    }
  }
  // Appends the bytes of a string to the names. Of escapes, only those of the writer are known. False
  // if memory runs out.
  bool append(std::string_view raw) noexcept {
    for (std::size_t k = 0; k < raw.size(); ++k) {
      int code = raw[k];
      if (code == '\\' && raw.substr(k + 1, 3) == "u00") {
        reader.expect(JsonReader::parse(raw.substr(k + 4, 2), code, 16) && code < 0x20);
        k += 5;
      } else if (code == '\\') {
        code = raw[++k];
        reader.expect(code == '"' || code == '\\');
      }
      if (!to.names.push(static_cast<char>(code)))
        return false;
    }
    return true;
  }
};

} // namespace

std::size_t write_learnt_json(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept {
  JsonWriter json(buffer, capacity);
  WriteField write{learnt, json};
  const auto list = [&](std::string_view name, const auto &entries, auto &&fields) {
    json.key(name);
    json.open('[');
    for (auto entry : entries) {
      json.open('{');
      fields(entry, write);
      json.close('}');
    }
    json.close(']');
  };
  chorale_learnt_report told = learnt.report;
  json.open('{');
  write("learnt", 2);
  report_fields(told, write);
  list("kinds", learnt.kinds, kind_fields<WriteField &>);
  list("weights", learnt.weights, weight_fields<WriteField &>);
  json.close('}');
  return json.bytes();
}

chorale_status read_learnt(const Report &report, std::string_view json, Learnt &to) noexcept {
  JsonReader reader(json);
  bool has_memory = true;
  std::int64_t version = 0;
  const auto list = [&]<class Entry>(Array<Entry> &entries, auto &&fields) {
    reader.entries('[', ']', [&] {
      Entry now{};
      reader.object([&](std::string_view name) {
        ReadField read{to, reader, has_memory, name};
        fields(now, read);
        if (!read.was_read)
          reader.scalar();
      });
      has_memory = has_memory && entries.push(now);
    });
  };
  reader.object([&](std::string_view name) {
    ReadField read{to, reader, has_memory, name};
    read("learnt", version);
    report_fields(to.report, read);
    if (read.was_read)
      return;
    if (name == "kinds")
      list(to.kinds, kind_fields<ReadField &>);
    else if (name == "weights")
      list(to.weights, weight_fields<ReadField &>);
    else
      reader.scalar();
  });
  if (!has_memory)
    return report.out_of_memory(sizeof(Kind));
  if (!reader.is_sound() || !reader.is_at_end() || version < 1 || version > 2)
    return report.fail(CHORALE_ERROR_TEXT, "json is no learnt result from byte ", reader.at(),
                       " on; it must be the JSON of a learnt result, unchanged");
  std::int64_t next = 0;
  for (Kind &kind : to.kinds) {
    kind.first_weight = next;
    next += std::clamp<std::int64_t>(kind.weights, 0, to.weights.size() - next);
  }
  if (!is_sound(to))
    return report.fail(CHORALE_ERROR_TEXT,
                       "json has kinds and weights that contradict each other; it must be the "
                       "JSON of a learnt result, unchanged");
  to.report.kinds = to.kinds.size();
  if (version == 1) { // of 0.2, which could also apply bonuses alone
    to.report.applied = to.report.applied != 0 ? 1 : 0;
    to.report.verdict =
        to.report.applied != 0 ? CHORALE_VERDICT_GAIN : CHORALE_VERDICT_NO_GAIN;
    for (const Weight &weight : to.weights)
      if (weight.basis == Basis::agreement)
        to.kinds[weight.kind].strength = weight.weight;
  }
  return CHORALE_OK;
}

void round_learnt(Learnt &learnt) noexcept {
  const auto round = []<class Value>(std::string_view, Value &value) {
    if constexpr (std::is_floating_point_v<Value>) {
      char buffer[40];
      TextWriter text(buffer, sizeof buffer);
      text.general(value, kDigits) << ",";
      JsonReader(buffer).value(value);
    }
  };
  report_fields(learnt.report, round);
  for (Kind &kind : learnt.kinds)
    kind_fields(kind, round);
  for (Weight &weight : learnt.weights)
    weight_fields(weight, round);
}

// ---- Lines for people ---------------------------------------------------------------------------

namespace {

std::string_view sentence_of(const chorale_learnt_report &told) noexcept {
  switch (told.verdict) {
  case CHORALE_VERDICT_GAIN:
    return "Agreement is applied: held-out groups gain by it.";
  case CHORALE_VERDICT_WITHOUT_GOLD:
    return "Agreement is applied. Its strength was found without gold labels, so nothing tells "
           "whether it helps.";
  case CHORALE_VERDICT_NO_AGREEMENT:
    return "Nothing is applied: members of cliques do not agree more than members dealt at random.";
  case CHORALE_VERDICT_NO_GAIN:
    return "Nothing is applied: held-out groups gain nothing by agreement.";
  case CHORALE_VERDICT_MAY_BE_CHANCE:
    return "Nothing is applied: held-out groups gain by agreement, but that may be chance.";
  case CHORALE_VERDICT_LOWERS_ACCURACY:
    return "Nothing is applied: agreement gains, but lowers accuracy by more than a standard error.";
  default:
    return "Nothing is applied: the call was cancelled, or its time was too short.";
  }
}

} // namespace

std::size_t write_lines(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept {
  TextWriter text(buffer, capacity);
  const chorale_learnt_report &told = learnt.report;
  text << sentence_of(told) << "\n";
  if (told.agreement_p >= 0) {
    text << "Of 999 random exchanges of members, a share of ";
    text.fixed(told.agreement_p, 3) << " make them agree as much as the gold labels do.\n";
  }
  const bool has_f1 = told.tagger_precision > 0 || told.tagger_recall > 0;
  // A row, if its figures are known.
  const auto row = [&](std::string_view name, double precision, double recall, double f1,
                       double accuracy) {
    if (accuracy == 0)
      return;
    text << name;
    for (const double share : {precision, recall, f1})
      if (has_f1)
        text.fixed(100 * share, 1, 10);
    text.fixed(100 * accuracy, 1, 10) << "\n";
  };
  if (told.tagger_accuracy > 0)
    text << (has_f1 ? "held out       precision    recall        F1  accuracy\n"
                    : "held out        accuracy\n");
  row("tagger        ", told.tagger_precision, told.tagger_recall, told.tagger_f1,
      told.tagger_accuracy);
  if (told.control_cost != told.tagger_cost)
    row("bonus alone   ", told.control_precision, told.control_recall, told.control_f1,
        told.control_accuracy);
  row("with agreement", told.agreeing_precision, told.agreeing_recall, told.agreeing_f1,
      told.agreeing_accuracy);
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
    if (kind.name.length == 0)
      text << "kind " << k;
    text << learnt.text_of(kind.name) << ": ";
    if (kind.strength != 0)
      text << "strength " << kind.strength << (kind.uses_log_odds ? " of log-odds" : "") << ", ";
    if (kind.bonus != 0)
      text << "bonus " << kind.bonus << ", ";
    text << kind.cliques << " cliques, " << kind.members << " members\n";
  }
  if (told.groups > 0)
    text << told.groups << " groups, " << told.positions << " positions with gold labels\n";
  constexpr std::string_view kWarnings[] = {
      "some gold labels are forbidden by their chains",
      "a gold label is forbidden by every score",
      "",
      "the tagger is right on more than 99 % of gold: it may have seen the answers",
      "with so few groups, much may be chance",
      "",
      "nearly all members have one label: agreement may spread it"};
  for (std::size_t k = 0; k < std::size(kWarnings); ++k)
    if ((told.warnings >> k & 1) != 0 && !kWarnings[k].empty())
      text << "warning: " << kWarnings[k] << "\n";
  return text.bytes();
}

} // namespace chorale
