// Writes a result as lines for people and as JSON, and reads this JSON.
#include "learn/learnt.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace chorale {
namespace {

// ---- Writing -----------------------------------------------------------------------------------

// Writes text to a buffer of the caller. Bytes that do not fit are counted, but not written.
class Text {
public:
  Text(char *buffer, std::size_t capacity) noexcept : buffer_(buffer), capacity_(capacity) {}

  Text &operator<<(std::string_view text) noexcept {
    if (needed_ < capacity_)
      std::copy_n(text.data(), std::min(text.size(), capacity_ - needed_), buffer_ + needed_);
    needed_ += text.size();
    return *this;
  }
  Text &operator<<(std::int64_t number) noexcept { return put(0, number); }
  // With as many digits as the JSON keeps.
  Text &operator<<(double number) noexcept {
    return put(0, number, std::chars_format::general, 14);
  }
  // Writes a number with `digits` digits after the point, at least `width` bytes wide.
  Text &fixed(double number, int digits, std::size_t width = 0) noexcept {
    return put(width, number, std::chars_format::fixed, digits);
  }
  Text &quoted(std::string_view text) noexcept {
    *this << "\"";
    for (const char &c : text) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(c);
      if (code < 0x20)
        *this << "\\u00" << kHex.substr(code / 16, 1) << kHex.substr(code % 16, 1);
      else
        *this << (c == '"' || c == '\\' ? "\\" : "") << std::string_view(&c, 1);
    }
    return *this << "\"";
  }
  std::size_t finish() noexcept {
    if (capacity_ > 0)
      buffer_[std::min(needed_, capacity_ - 1)] = '\0';
    return needed_ + 1;
  }

private:
  template <class... Number> Text &put(std::size_t width, Number... number) noexcept {
    char digits[400];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number...);
    const auto length = static_cast<std::size_t>(end - digits);
    for (std::size_t k = length; k < width; ++k)
      *this << " ";
    return *this << std::string_view(digits, length);
  }

  char *buffer_;
  std::size_t capacity_;
  std::size_t needed_ = 0;
};

// ---- Fields: lists for writing and reading ------------------------------------------------------

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

// ---- Reading -----------------------------------------------------------------------------------

// Reads JSON from left to right. After a mistake, is_sound() is false, at() is where it is, and
// nothing more is read.
class Reader {
public:
  explicit Reader(std::string_view text) noexcept : text_(text) {}

  // Reads `c` if it comes next.
  bool take(char c) noexcept {
    while (at_ < text_.size() && kSpace.find(text_[at_]) != kNone)
      ++at_;
    const bool found = is_sound_ && at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }
  // Demands that something holds here.
  bool expect(bool holds) noexcept { return is_sound_ = is_sound_ && holds; }
  // Reads an object or array: calls each() for every entry.
  template <class Each> void entries(char open, char close, Each &&each) noexcept {
    if (!expect(take(open)) || take(close))
      return;
    do
      each();
    while (is_sound_ && take(','));
    expect(take(close));
  }
  // Reads an object: calls each(name) for every field, which reads its value.
  template <class Each> void object(Each &&each) noexcept {
    entries('{', '}', [&] {
      const std::string_view name = string();
      if (expect(take(':')))
        each(name);
    });
  }
  // Reads a string (without its quotes), number or word, as it is written.
  std::string_view scalar() noexcept {
    const bool is_string = take('"');
    const std::size_t first = at_;
    while (at_ < text_.size() &&
           (is_string ? text_[at_] != '"' : kSpace.find(text_[at_]) == kNone &&
                                                std::string_view(",]}").find(text_[at_]) == kNone))
      at_ += is_string && text_[at_] == '\\' ? 2 : 1;
    if (!expect(at_ < text_.size() && (is_string || at_ > first)))
      return {};
    const auto found = text_.substr(first, at_ - first);
    at_ += is_string ? 1 : 0;
    return found;
  }
  // Reads a string, as it is written, without its quotes.
  std::string_view string() noexcept {
    const bool is_string = take('"');
    at_ -= is_string ? 1 : 0;
    return expect(is_string) ? scalar() : std::string_view();
  }
  // Reads a number, or true or false.
  template <class Value> void value(Value &to) noexcept {
    const std::string_view raw = scalar();
    if (expect(parse(raw, to)))
      return;
    at_ = static_cast<std::size_t>(raw.data() - text_.data());
  }
  bool is_sound() const noexcept { return is_sound_; }
  bool is_at_end() noexcept { return !take(' ') && at_ == text_.size(); }
  std::size_t at() const noexcept { return at_; }

  static bool parse(std::string_view raw, bool &to) noexcept {
    to = raw == "true";
    return to || raw == "false";
  }
  template <class Integer>
  static bool parse(std::string_view raw, Integer &to, int base = 10) noexcept {
    const char *last = raw.data() + raw.size();
    const auto [end, error] = std::from_chars(raw.data(), last, to, base);
    return error == std::errc() && end == last;
  }
  // Numbers of 14 digits come back as they were written: these digits are an integer, which is
  // multiplied with, or divided by, a power of ten. More digits than 18 are not read.
  static bool parse(std::string_view raw, double &to) noexcept {
    const bool is_negative = raw.substr(0, 1) == "-";
    const std::size_t e = std::min(raw.find_first_of("eE"), raw.size());
    std::int32_t exponent = 0;
    if (e < raw.size() && !parse(raw.substr(e + (raw.substr(e + 1, 1) == "+" ? 2 : 1)), exponent))
      return false;
    exponent = std::clamp(exponent, -1000, 1000);
    std::int64_t digits = 0;
    bool any = false;
    std::int32_t after_point = -1; // number of digits after the point; -1 before it
    for (const char c : raw.substr(is_negative ? 1 : 0, e - (is_negative ? 1 : 0))) {
      if (c == '.' && any && after_point < 0) {
        after_point = 0;
        continue;
      }
      if (c < '0' || c > '9')
        return false;
      any = true;
      after_point += after_point < 0 ? 0 : 1;
      if (digits < 100'000'000'000'000'000)
        digits = 10 * digits + (c - '0');
      else
        ++exponent;
    }
    exponent -= std::max(after_point, 0);
    double power = 1;
    for (std::int32_t k = std::abs(exponent); k > 0; --k)
      power *= 10;
    to = exponent > 0 && digits != 0 ? static_cast<double>(digits) * power
                                     : static_cast<double>(digits) / power;
    to = is_negative ? -to : to;
    return any && after_point != 0 && std::isfinite(to);
  }

private:
  static constexpr std::string_view kSpace = " \t\r\n";
  static constexpr std::size_t kNone = std::string_view::npos;

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_sound_ = true;
};

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

// Writes fields, separated by commas.
struct WriteField {
  const Learnt &learnt;
  Text &text;
  bool is_first = true;
  template <class Value> void operator()(std::string_view name, const Value &value) noexcept {
    text << (is_first ? "\"" : ",\"") << name << "\":";
    is_first = false;
    if constexpr (std::is_same_v<Value, Kind::Name>)
      text.quoted(learnt.text_of(value));
    else if constexpr (std::is_same_v<Value, Basis>)
      text.quoted(kBasisNames[static_cast<std::size_t>(value)]);
    else if constexpr (std::is_same_v<Value, bool>)
      text << (value ? "true" : "false");
    else if constexpr (std::is_floating_point_v<Value>)
      text << value;
    else
      text << std::int64_t{value};
  }
};

// Reads the value of a field if it has the name `wanted`.
struct ReadField {
  Learnt &to;
  Reader &reader;
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
        reader.expect(Reader::parse(raw.substr(k + 4, 2), code, 16) && code < 0x20);
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
  Text text(buffer, capacity);
  const auto list = [&](std::string_view name, const auto &entries, auto &&fields) {
    text << ",\"" << name << "\":[";
    for (const auto *entry = entries.begin(); entry != entries.end(); ++entry) {
      text << (entry != entries.begin() ? ",{" : "{");
      auto copy = *entry;
      fields(copy, WriteField{learnt, text});
      text << "}";
    }
    text << "]";
  };
  chorale_learnt_report told = learnt.report;
  text << "{\"learnt\":2,";
  report_fields(told, WriteField{learnt, text});
  list("kinds", learnt.kinds, kind_fields<WriteField>);
  list("weights", learnt.weights, weight_fields<WriteField>);
  text << "}";
  return text.finish();
}

chorale_status read_learnt(const Report &report, std::string_view json, Learnt &to) noexcept {
  Reader reader(json);
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
      Text text(buffer, sizeof buffer);
      text << value << ",";
      Reader(std::string_view(buffer, text.finish() - 1)).value(value);
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
  Text text(buffer, capacity);
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
  return text.finish();
}

} // namespace chorale
