// Writes a result as lines for people and as JSON, and reads this JSON.
#include "learn/decimal.hpp"
#include "learn/kinds.hpp"
#include "learn/learnt.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kNoIndex = std::string_view::npos;
constexpr std::size_t kMostIntegerDigits = 18; // more digits may not fit into an int64_t

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
  Text &operator<<(std::int64_t number) noexcept {
    char digits[24];
    return *this << std::string_view(
               digits, static_cast<std::size_t>(
                           std::to_chars(digits, digits + sizeof digits, number).ptr - digits));
  }
  // Appends the shortest digits that read back as the same double; "null" if it is not finite.
  Text &operator<<(double number) noexcept {
    if (!std::isfinite(number))
      return *this << "null";
    char digits[40];
    // Numbers from 2^53 on are written with an exponent. Without it, std::to_chars writes all
    // digits of a whole number, not the shortest ones.
    const auto end = std::fabs(number) < 0x1p53
                         ? std::to_chars(digits, digits + sizeof digits, number)
                         : std::to_chars(digits, digits + sizeof digits, number,
                                         std::chars_format::scientific);
    return *this << std::string_view(digits, static_cast<std::size_t>(end.ptr - digits));
  }
  // Appends a number with `digits` digits after the point; a number that rounds to 0 has no sign.
  Text &fixed(double number, int digits) noexcept {
    char text[400];
    const auto end =
        std::to_chars(text, text + sizeof text, number, std::chars_format::fixed, digits);
    std::string_view written(text, static_cast<std::size_t>(end.ptr - text));
    if (written.find_first_not_of("-0.") == std::string_view::npos)
      written.remove_prefix(written.front() == '-' ? 1 : 0);
    return *this << written;
  }
  Text &quoted(std::string_view text) noexcept {
    *this << "\"";
    for (const char c : text) {
      const auto code = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        *this << "\\" << std::string_view(&c, 1);
      } else if (code < 0x20) {
        const char escape[] = {'\\', 'u', '0', '0', kHexDigits[code / 16], kHexDigits[code % 16]};
        *this << std::string_view(escape, sizeof escape);
      } else {
        *this << std::string_view(&c, 1);
      }
    }
    return *this << "\"";
  }
  std::size_t finish() noexcept {
    if (capacity_ > 0)
      buffer_[std::min(needed_, capacity_ - 1)] = '\0';
    return needed_ + 1;
  }

private:
  char *buffer_;
  std::size_t capacity_;
  std::size_t needed_ = 0;
};

// ---- Fields: one list for writing and reading ---------------------------------------------------

template <class Visit> bool report_fields(chorale_learnt_report &r, Visit &&visit) noexcept {
  return visit("outcome", r.outcome) && visit("applied", r.applied) &&
         visit("warnings", r.warnings) && visit("groups", r.groups) && visit("folds", r.folds) &&
         visit("positions", r.positions) && visit("runs", r.runs) && visit("unit", r.unit) &&
         visit("regularisation", r.regularisation) && visit("gold_bonus", r.gold_bonus) &&
         visit("base_cost", r.base_cost) && visit("control_cost", r.control_cost) &&
         visit("all_cost", r.all_cost) && visit("gain", r.gain) &&
         visit("gain_lower", r.gain_lower) && visit("gain_upper", r.gain_upper) &&
         visit("gain_p", r.gain_p) && visit("agreement_gain", r.agreement_gain) &&
         visit("agreement_lower", r.agreement_lower) &&
         visit("agreement_upper", r.agreement_upper) &&
         visit("agreement_p", r.agreement_p) && visit("f1", r.f1) &&
         visit("temperature", r.temperature);
}

template <class Visit> bool kind_fields(Kind &k, chorale_learnt_kind &t, Visit &&visit) noexcept {
  return visit("verdict", t.verdict) && visit("cliques", t.cliques) &&
         visit("members", t.members) && visit("screening_p", t.screening_p) &&
         visit("gain", t.gain) && visit("gain_lower", t.gain_lower) &&
         visit("gain_upper", t.gain_upper) && visit("p", t.p) && visit("values", k.values) &&
         visit("centre_values", k.centre_values) && visit("is_property", k.is_property) &&
         visit("has_empty", k.has_empty) && visit("has_out", k.has_out) &&
         visit("is_centred", k.is_centred) && visit("majority", k.majority) &&
         visit("left_out", k.left_out) && visit("weights", k.weights);
}

template <class Visit> bool weight_fields(chorale_learnt_weight &w, Visit &&visit) noexcept {
  return visit("kind", w.kind) && visit("index", w.index) && visit("weight", w.weight) &&
         visit("lower", w.lower) && visit("upper", w.upper) && visit("least", w.least) &&
         visit("most", w.most);
}

struct WriteField {
  Text &text;
  bool first = true;
  template <class Value> bool operator()(std::string_view name, const Value &value) noexcept {
    text << (first ? "\"" : ",\"") << name << "\":";
    first = false;
    if constexpr (std::is_same_v<Value, bool>)
      text << std::string_view(value ? "true" : "false");
    else if constexpr (std::is_floating_point_v<Value>)
      text << value;
    else
      text << static_cast<std::int64_t>(value);
    return true;
  }
};

// ---- Reading -----------------------------------------------------------------------------------

// Reads JSON that has the fields in the order in which the writer above writes them. White space
// between tokens is allowed.
class Reader {
public:
  explicit Reader(std::string_view text) noexcept : text_(text) {}

  bool take(std::string_view part) noexcept {
    skip();
    if (text_.substr(at_, part.size()) != part)
      return false;
    at_ += part.size();
    return true;
  }
  bool name(std::string_view of) noexcept {
    return take("\"") && text_.substr(at_, of.size()) == of && (at_ += of.size(), true) &&
           at_ < text_.size() && text_[at_] == '"' && (++at_, true) && take(":");
  }
  bool number(double &to) noexcept {
    skip();
    const std::size_t length = read_decimal(text_.substr(at_), to);
    at_ += length;
    return length > 0;
  }
  template <class Integer> bool number(Integer &to) noexcept {
    skip();
    const bool is_negative = at_ < text_.size() && text_[at_] == '-';
    at_ += is_negative ? 1 : 0;
    const std::size_t first = at_;
    std::int64_t number = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (at_ - first == kMostIntegerDigits)
        return false;
      number = 10 * number + (text_[at_] - '0');
    }
    to = static_cast<Integer>(is_negative ? -number : number);
    return at_ > first && to == (is_negative ? -number : number);
  }
  bool string(Array<char> &to) noexcept {
    if (!take("\""))
      return false;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      char c = text_[at_];
      if (c == '\\') {
        if (++at_ >= text_.size())
          return false;
        c = text_[at_];
        if (c == 'u') {
          // After backslash and u, the writer puts only the code of a control character: 00, then
          // two hexadecimal digits from 00 to 1f.
          const std::string_view written = text_.substr(at_, 5);
          const std::size_t low = written.size() == 5 ? kHexDigits.find(written[4]) : kNoIndex;
          if (low == kNoIndex || !written.starts_with("u00") ||
              (written[3] != '0' && written[3] != '1'))
            return false;
          at_ += 4;
          c = static_cast<char>(16 * (written[3] - '0') + static_cast<int>(low));
        } else if (c != '"' && c != '\\') {
          return false;
        }
      }
      if (!keep(to, c))
        return false;
    }
    return at_++ < text_.size();
  }
  bool at_end() noexcept {
    skip();
    return at_ == text_.size();
  }
  std::size_t at() const noexcept { return at_; }
  // Appends an entry. Returns false if memory has run out, in this call or an earlier one;
  // without_memory() then returns true.
  template <class Entry> bool keep(Array<Entry> &to, const Entry &entry) noexcept {
    without_memory_ = without_memory_ || !to.push(entry);
    return !without_memory_;
  }
  bool without_memory() const noexcept { return without_memory_; }

private:
  void skip() noexcept {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool without_memory_ = false;
};

// Returns true for fields that may be absent, since the first version of the library did not write
// them.
bool is_later(std::string_view name) noexcept {
  return name == "f1" || name == "temperature" || name == "left_out";
}

struct ReadField {
  Reader &reader;
  bool first = true;
  template <class Value> bool operator()(std::string_view name, Value &value) noexcept {
    if (Reader ahead = reader; is_later(name) && !(ahead.take(",") && ahead.name(name)))
      return true;
    if ((!first && !reader.take(",")) || !reader.name(name))
      return false;
    first = false;
    if constexpr (std::is_same_v<Value, bool>) {
      value = reader.take("true");
      return value || reader.take("false");
    } else if constexpr (std::is_floating_point_v<Value>) {
      const bool is_bound = name == "least" || name == "most";
      const bool is_weight = is_bound || name == "weight" || name == "lower" || name == "upper";
      // Weights must be finite scores. Other numbers, such as sums of costs, may be larger.
      if (!reader.take("null"))
        return reader.number(value) && (is_finite_score(value) || !is_weight);
      value = name == "least" ? kForbidden : kInfinity;
      return is_bound;
    } else {
      return reader.number(value);
    }
  }
};

bool read_weight(Reader &reader, std::int64_t number, Learnt &to) noexcept {
  chorale_learnt_weight weight{};
  if ((number > 0 && !reader.take(",")) || !reader.take("{") || !reader.name("basis") ||
      !reader.take("\""))
    return false;
  const auto *basis = std::find_if(std::begin(kBases), std::end(kBases), [&](chorale_basis b) {
    Reader ahead = reader;
    return ahead.take(basis_name(b)) && ahead.take("\"");
  });
  if (basis == std::end(kBases))
    return false;
  weight.basis = *basis;
  return reader.take(basis_name(*basis)) && reader.take("\"") && reader.take(",") &&
         weight_fields(weight, ReadField{reader}) && reader.take("}") && weight.index >= 0 &&
         reader.keep(to.weights, weight);
}

// Returns true if the numbers that were read are consistent, so that potentials can be created from
// them.
bool is_sound(const Learnt &learnt) noexcept {
  std::int64_t next = 0;
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    const Kind &kind = learnt.kinds[k];
    if (kind.first_weight != next || kind.weights < 0 || kind.values < 0 ||
        kind.values > INT32_MAX - 2 ||
        kind.centre_values < 0 || (kind.is_centred != (kind.centre_values > 0)) ||
        kind.cliques < 0 || kind.left_out < 0 ||
        (kind.left_out != 0 && (kind.is_property || kind.is_centred)) ||
        kind.weights > learnt.weights.size() - next)
      return false;
    next += kind.weights;
    const std::int64_t columns = kind.columns();
    for (std::int64_t w = kind.first_weight; w < next; ++w) {
      const chorale_learnt_weight &weight = learnt.weights[w];
      const bool square = weight.basis == CHORALE_BASIS_MAJORITY;
      const std::int64_t indices = square ? columns * columns
                                   : weight.basis == CHORALE_BASIS_CENTRE
                                       ? kind.centre_values * columns
                                   : weight.basis == CHORALE_BASIS_VALUE ? kind.values
                                   : weight.basis == CHORALE_BASIS_SHARE ? 4
                                                                         : 1;
      if (weight.kind != k || weight.index >= indices || square != kind.majority ||
          (weight.basis == CHORALE_BASIS_SHARE && weight.index < 1) ||
          (weight.basis == CHORALE_BASIS_CENTRE) != kind.is_centred ||
          (weight.basis == CHORALE_BASIS_OUT && !kind.has_out) ||
          ((weight.basis == CHORALE_BASIS_EMPTY || weight.basis == CHORALE_BASIS_CONFLICT) &&
           !kind.has_empty))
        return false;
    }
  }
  return next == learnt.weights.size();
}

std::string_view verdict_name(const chorale_learnt_kind &told) noexcept {
  switch (told.verdict) {
  case CHORALE_VERDICT_KEPT:
    return told.gain < 0 ? "kept for its agreement" : "kept";
  case CHORALE_VERDICT_NO_CLIQUES:
    return "no cliques";
  case CHORALE_VERDICT_SCREENED:
    return "left out: gold labels look no different to it";
  case CHORALE_VERDICT_NO_GAIN:
    return "left out: no gain on held-out groups";
  default:
    return "not applied";
  }
}

} // namespace

std::size_t write_learnt_json(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept {
  Text text(buffer, capacity);
  chorale_learnt_report told = learnt.report;
  text << "{\"learnt\":1,";
  report_fields(told, WriteField{text});
  text << ",\"kinds\":[";
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    Kind kind = learnt.kinds[k];
    chorale_learnt_kind told_kind = learnt.told[k];
    text << (k > 0 ? ",{\"name\":" : "{\"name\":");
    text.quoted(learnt.name(kind)) << ",";
    kind_fields(kind, told_kind, WriteField{text});
    text << "}";
  }
  text << "],\"weights\":[";
  for (std::int64_t w = 0; w < learnt.weights.size(); ++w) {
    chorale_learnt_weight weight = learnt.weights[w];
    text << (w > 0 ? ",{\"basis\":\"" : "{\"basis\":\"") << basis_name(weight.basis) << "\",";
    weight_fields(weight, WriteField{text});
    text << "}";
  }
  text << "]}";
  return text.finish();
}

chorale_status read_learnt(const Report &report, std::string_view json, Learnt &to) noexcept {
  Reader reader(json);
  const auto read = [&] {
    if (!reader.take("{") || !reader.name("learnt") || !reader.take("1") || !reader.take(",") ||
        !report_fields(to.report, ReadField{reader}) || !reader.take(",") ||
        !reader.name("kinds") || !reader.take("["))
      return false;
    std::int64_t weights = 0;
    while (!reader.take("]")) {
      Kind kind;
      chorale_learnt_kind told{};
      told.kind = static_cast<std::int32_t>(to.kinds.size());
      kind.name = to.names.size();
      if ((told.kind > 0 && !reader.take(",")) || !reader.take("{") || !reader.name("name") ||
          !reader.string(to.names) || !reader.take(",") ||
          !kind_fields(kind, told, ReadField{reader}) || !reader.take("}"))
        return false;
      kind.cliques = told.cliques;
      kind.members = told.members;
      kind.name_length = to.names.size() - kind.name;
      kind.first_weight = weights;
      if (kind.weights < 0 || kind.weights > kLargestSize ||
          (weights += kind.weights) > kLargestSize || !reader.keep(to.kinds, kind) ||
          !reader.keep(to.told, told))
        return false;
    }
    if (!reader.take(",") || !reader.name("weights") || !reader.take("["))
      return false;
    while (!reader.take("]"))
      if (!read_weight(reader, to.weights.size(), to))
        return false;
    return reader.take("}") && reader.at_end();
  };
  if (!read())
    return reader.without_memory()
               ? report.out_of_memory(sizeof(Kind))
               : report.fail(CHORALE_ERROR_TEXT,
                             "json is no learnt result from byte ", reader.at(),
                             " on; it must be the JSON of a learnt result, unchanged");
  if (!is_sound(to))
    return report.fail(CHORALE_ERROR_TEXT,
                       "json has kinds and weights that contradict each other; it must be the "
                       "JSON of a learnt result, unchanged");
  to.report.kinds = to.kinds.size();
  to.report.weights = to.weights.size();
  return CHORALE_OK;
}

std::size_t write_lines(const Learnt &learnt, char *buffer, std::size_t capacity) noexcept {
  Text text(buffer, capacity);
  const chorale_learnt_report &told = learnt.report;
  constexpr std::string_view kApplied[] = {"nothing is applied", "bonuses are applied",
                                           "agreement and bonuses are applied"};
  text << kApplied[std::clamp(told.applied, 0, 2)] << " (" << chorale_outcome_name(told.outcome)
       << ")\n"
       << told.groups << " groups, " << told.positions << " positions, " << told.folds
       << " folds; unit ";
  text.fixed(told.unit, 3) << ", regularisation ";
  text.fixed(told.regularisation, 1) << "\ncost on held-out groups: tagger ";
  text.fixed(told.base_cost, 1) << ", bonuses alone ";
  text.fixed(told.control_cost, 1) << ", all ";
  text.fixed(told.all_cost, 1) << "\ngain ";
  const auto gain = [&](double amount, double lower, double upper, double p) {
    text.fixed(amount, 1) << " (95 %: ";
    text.fixed(lower, 1) << " to ";
    text.fixed(upper, 1) << ", p ";
    text.fixed(p, 4) << ")";
  };
  gain(told.gain, told.gain_lower, told.gain_upper, told.gain_p);
  text << ", of agreement ";
  gain(told.agreement_gain, told.agreement_lower, told.agreement_upper, told.agreement_p);
  if (told.applied == CHORALE_APPLIED_ALL && told.gain <= 0)
    text << "\nthis is the gain of the weights as learnt; smaller ones gain";
  text << "\ntemperature ";
  text.fixed(told.temperature, 3);
  if (told.f1 > 0) {
    text << "; costs are those of F1 at ";
    text.fixed(told.f1, 3) << ", the tagger's own";
  }
  text << "\n";
  constexpr std::string_view kWarnings[] = {
      "some gold labels are forbidden by their chains", "a gold label is forbidden by every score",
      "a kind has one clique alone",
      "the tagger is right on more than 99 % of gold: it may have seen the answers",
      "too few groups for anything to be credible",
      "the scores tell nothing about the gold labels: are they misaligned?"};
  for (std::size_t k = 0; k < std::size(kWarnings); ++k)
    if ((told.warnings >> k & 1) != 0)
      text << "warning: " << kWarnings[k] << "\n";
  for (std::int64_t k = 0; k < learnt.kinds.size(); ++k) {
    const Kind &kind = learnt.kinds[k];
    const chorale_learnt_kind &of = learnt.told[k];
    text << "kind " << k;
    if (!learnt.name(kind).empty())
      text << " " << learnt.name(kind);
    text << ": " << of.cliques << " cliques, " << of.members << " members; " << verdict_name(of);
    if (of.p < 1 || of.gain != 0) {
      text << "; gain ";
      gain(of.gain, of.gain_lower, of.gain_upper, of.p);
    }
    for (std::int32_t v = 0; kind.left_out != 0 && v < kLeftOutValues; ++v)
      if (is_left_out(kind, v))
        text << "; value " << std::int64_t{v} << " is no agreement";
    text << "\n";
    for (std::int64_t w = kind.first_weight; w < kind.first_weight + kind.weights; ++w) {
      const chorale_learnt_weight &weight = learnt.weights[w];
      text << "  " << basis_name(weight.basis);
      if (needs_values(weight.basis) || weight.basis == CHORALE_BASIS_SHARE)
        text << " " << weight.index;
      text << " ";
      text.fixed(weight.weight, 3) << " (95 %: ";
      text.fixed(weight.lower, 3) << " to ";
      text.fixed(weight.upper, 3) << ")\n";
    }
  }
  return text.finish();
}

} // namespace chorale
