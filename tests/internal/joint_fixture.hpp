// A small random chain under random automata and messages, and all its labellings.
#pragma once

#include "chain/joint.hpp"
#include "property/tables.hpp"

#include <chorale/experimental.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

extern "C" {
#include <setjmp.h>

#include <cmocka.h>
}

namespace chorale {

// Returns a view of a chain over plain arrays: unary length x labels, edges labels x labels.
inline ChainView plain_view(std::int32_t length, std::int32_t labels, const double *unary,
                            const double *edges) {
  ChainView view;
  view.length = length;
  view.labels = labels;
  view.unary = unary;
  view.unary_row = labels;
  view.unary_column = 1;
  view.edges = edges;
  view.edge_from = labels;
  view.edge_to = 1;
  return view;
}

class Case {
public:
  // `tables`: some properties fire from tables, some cliques do not know all values.
  explicit Case(unsigned seed, bool tables = false) : random_(seed), tables_(tables) {
    length = 1 + below(6);
    labels = 2 + below(2);
    unary.resize(static_cast<std::size_t>(length * labels));
    edges.resize(static_cast<std::size_t>(labels * labels));
    classes.resize(static_cast<std::size_t>(length));
    for (double &score : unary)
      score = below(12) == 0 ? kForbidden : number();
    for (double &score : edges)
      score = below(12) == 0 ? kForbidden : number();
    for (std::int32_t &one : classes)
      one = below(2);
    const int count = 1 + below(5);
    messages.resize(static_cast<std::size_t>(count));
    table.resize(static_cast<std::size_t>(length));
    for (std::int32_t &value : table)
      value = tables ? below(4) - 1 : 0;
    for (int k = 0; k < count; ++k) {
      values.push_back(tables ? 3 : 1 + below(3));
      properties.push_back(make_property(values.back()));
      dictionaries.push_back(tables && below(2) == 0 ? make_dictionary() : nullptr);
      const auto columns = dictionaries.back() ? dictionaries.back()->size() : values.back();
      for (int v = 0; v < columns + 2; ++v)
        messages[static_cast<std::size_t>(k)].push_back(below(6) == 0 ? kForbidden : 2 * number());
    }
    for (std::size_t k = 0; k < properties.size(); ++k)
      attachments.push_back({properties[k], dictionaries[k], classes.data(), table.data(),
                             messages[k].data(), length});
    forced.assign(static_cast<std::size_t>(length), -1);
    view = plain_view(length, labels, unary.data(), edges.data());
  }
  ~Case() {
    for (chorale_property *property : properties)
      chorale_property_release(property);
    for (chorale_dictionary *dictionary : dictionaries)
      chorale_dictionary_release(dictionary);
  }
  Case(const Case &) = delete;
  Case &operator=(const Case &) = delete;

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double number() { return std::uniform_real_distribution<double>(-2, 2)(random_); }
  Attachments all() const {
    const auto read = [](const void *all, std::int32_t k) noexcept {
      return static_cast<const Attached *>(all)[k];
    };
    return {read, attachments.data(), static_cast<std::int32_t>(attachments.size())};
  }

  // Calls visit(labelling) for every labelling.
  template <class Visit> void each_labelling(Visit &&visit) const {
    std::vector<std::int32_t> labelling(static_cast<std::size_t>(length), 0);
    for (bool more = true; more;) {
      visit(labelling);
      more = false;
      for (int t = 0; t < length && !more; ++t) {
        std::int32_t &label = labelling[static_cast<std::size_t>(t)];
        label = (label + 1) % labels;
        more = label != 0;
      }
    }
  }
  std::vector<double> enumerate() const {
    std::vector<double> best(unary.size(), kForbidden);
    each_labelling([&](const std::vector<std::int32_t> &labelling) {
      double score = view.score(labelling);
      for (std::int32_t k = 0; k < all().count; ++k)
        score += messages[static_cast<std::size_t>(k)]
                         [static_cast<std::size_t>(all().at(k).evaluate(labelling, {}))];
      for (int t = 0; t < length; ++t) {
        const std::int32_t y = labelling[static_cast<std::size_t>(t)];
        double &to = best[static_cast<std::size_t>(t * labels + y)];
        to = std::max(to, score);
      }
    });
    return best;
  }

  // Sums of exp(score / temperature) by label of each position. `local`: messages become local
  // scores (bound_property.hpp); otherwise each is added once.
  std::vector<double> enumerate_sums(double temperature, bool local) const {
    std::vector<double> sums(unary.size(), 0);
    each_labelling([&](const std::vector<std::int32_t> &labelling) {
      double score = view.score(labelling);
      for (std::int32_t k = 0; k < all().count; ++k) {
        const Attached one = all().at(k);
        const auto &message = messages[static_cast<std::size_t>(k)];
        const auto at = [&](std::int32_t column) {
          return message[static_cast<std::size_t>(column)];
        };
        if (one.fires_outside(labelling, {})) {
          score = kForbidden;
          break;
        }
        if (!local) {
          score += at(one.evaluate(labelling, {}));
          continue;
        }
        const double empty = at(one.values());
        const double most = *std::max_element(message.begin(), message.end() - 2);
        const double base = empty > kForbidden ? empty : most > kForbidden ? most : 0;
        bool fires = false;
        double paid = 0;
        one.each_firing(labelling, {}, [&](std::int32_t value) {
          fires = true;
          paid += at(one.number(value)) - base;
        });
        score += empty != kForbidden ? empty + paid : fires ? paid : kForbidden;
      }
      for (int t = 0; t < length; ++t) {
        const std::int32_t y = labelling[static_cast<std::size_t>(t)];
        sums[static_cast<std::size_t>(t * labels + y)] += std::exp(score / temperature);
      }
    });
    return sums;
  }
  std::vector<double> sums(const JointOptions &options, double temperature, JointSummary &summary) {
    std::vector<double> found(unary.size(), 7.0);
    with_joint(options, JointUse::sums, [&](Joint &joint) {
      joint.sums(LogSums(temperature), {found.data(), length, labels, labels}, summary);
    });
    return found;
  }

  std::vector<double> marginals(const JointOptions &options, JointOutcome &outcome) {
    std::vector<double> found(unary.size(), 7.0);
    with_joint(options, JointUse::marginals, [&](Joint &joint) {
      JointSummary summary;
      joint.marginals({found.data(), length, labels, labels}, summary);
      outcome = summary.outcome;
    });
    return found;
  }
  double forced_value(const JointOptions &options, int t, std::int32_t y) {
    double score = kForbidden;
    forced[static_cast<std::size_t>(t)] = y;
    view.forced = forced.data();
    with_joint(options, JointUse::decoding, [&](Joint &joint) {
      JointSummary summary;
      joint.decode(summary);
      score = summary.score;
    });
    view.forced = nullptr;
    forced[static_cast<std::size_t>(t)] = -1;
    return score;
  }

  int length, labels;
  std::vector<double> unary, edges;
  std::vector<std::int32_t> classes, forced, table;
  std::vector<int> values;
  std::vector<chorale_property *> properties;
  std::vector<chorale_dictionary *> dictionaries; // or NULL
  std::vector<std::vector<double>> messages;
  std::vector<Attached> attachments;
  ChainView view;

private:
  // A random automaton of up to three states over two classes of positions.
  chorale_property *make_property(int range) {
    const int states = 1 + below(3);
    AutomatonTables tables(Memory(nullptr), labels, 2, range);
    assert_true(tables.add_states(states));
    for (int rule = below(8); rule >= 0; --rule) {
      const int state = below(states), next = below(states);
      const int position_class = below(3) == 0 ? -1 : below(2); // -1: each
      const int label = below(3) == 0 ? -1 : below(labels);
      const int action = below(3) == 0              ? CHORALE_FIRE_NOTHING
                         : tables_ && below(2) == 0 ? CHORALE_FIRE_TABLE
                                                    : below(range);
      for (int c = 0; c < 2; ++c)
        for (int y = 0; y < labels; ++y)
          if ((position_class < 0 || c == position_class) && (label < 0 || y == label))
            tables.set(state, c, y, next, action);
    }
    if (below(3) == 0)
      tables.set_end(below(states), below(range));
    chorale_property *property = tables.compile();
    assert_non_null(property);
    return property;
  }

  chorale_dictionary *make_dictionary() {
    std::vector<std::int32_t> known;
    for (std::int32_t v = 0; v < 3; ++v)
      if (below(3) > 0)
        known.push_back(v);
    chorale_dictionary *dictionary = nullptr;
    chorale_error error;
    assert_int_equal(
        chorale_dictionary_create(
            nullptr, known.data(), static_cast<std::int64_t>(known.size()),
            known.empty() || below(2) == 0 ? CHORALE_UNLISTED_AS_VALUE : CHORALE_UNLISTED_FORBIDDEN,
            &dictionary, &error),
        CHORALE_OK);
    return dictionary;
  }

  template <class Body>
  void with_joint(const JointOptions &options, JointUse use, Body &&body) const {
    Layout measure;
    const Joint measured(measure, view, all(), options, use);
    std::vector<std::byte> memory(measure.bytes() + kAlignment);
    Layout layout(reinterpret_cast<std::byte *>(
        (reinterpret_cast<std::uintptr_t>(memory.data()) + kAlignment - 1) / kAlignment *
        kAlignment));
    Joint joint(layout, view, all(), options, use);
    joint.prepare();
    body(joint);
  }

  std::mt19937 random_;
  bool tables_;
};

} // namespace chorale
