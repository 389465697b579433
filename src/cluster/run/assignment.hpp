// Compact storage of a labelling of a whole model, and of the counts of its cliques.
//
// A slot is one position, or a whole chain through a property, as a member of one clique. It
// *shows* a column of its clique: the column of its label, or for a whole-chain slot the column of
// the property's value on the labelling; -1 if the clique's dictionary lacks that value and has no
// value UNLISTED, or if the chain is left out (Assignment::is_partial). The *site* of a position is
// its index in an array of the labels of all chains, end to end; the site of a whole-chain slot is
// negative (model.hpp). An *instance* is a chain for which callbacks of the caller do the
// inference. phi is the score of one chain under its labels, without messages; C is the potential
// of one clique for the columns that its members show. *Equation 1*, the score of a labelling of
// the model, is the sum of phi over the chains plus the sum of C, times the strength of the clique
// (inputs.hpp), over the cliques.
#pragma once

#include "base/limits.hpp"
#include "base/numeric.hpp"
#include "base/workspace.hpp"
#include "cluster/model/model.hpp"

#include <algorithm>
#include <cstring>

namespace chorale {

// An array of numbers from 0 to `labels` - 1, in one, two or four bytes each: the labels of all
// chains, end to end (Assignment), or the counts of all cliques (CountStore).
class LabelStore {
public:
  LabelStore() noexcept = default;
  LabelStore(Layout &layout, std::int64_t count, std::int64_t labels) noexcept
      : width_(labels <= 256     ? 1
               : labels <= 65536 ? 2
                                 : 4),
        bytes_(saturating_product(static_cast<std::size_t>(count),
                                  static_cast<std::size_t>(width_))),
        data_(layout.take<std::byte>(bytes_)) {}

  std::int32_t get(std::int64_t i) const noexcept {
    switch (width_) {
    case 1:
      return reinterpret_cast<const std::uint8_t *>(data_)[i];
    case 2:
      return reinterpret_cast<const std::uint16_t *>(data_)[i];
    default:
      return reinterpret_cast<const std::int32_t *>(data_)[i];
    }
  }
  void set(std::int64_t i, std::int32_t label) noexcept {
    switch (width_) {
    case 1:
      reinterpret_cast<std::uint8_t *>(data_)[i] = static_cast<std::uint8_t>(label);
      break;
    case 2:
      reinterpret_cast<std::uint16_t *>(data_)[i] = static_cast<std::uint16_t>(label);
      break;
    default:
      reinterpret_cast<std::int32_t *>(data_)[i] = label;
      break;
    }
  }
  // Sets consecutive entries, from entry `first` on.
  void write(std::int64_t first, gsl::span<const std::int32_t> labels) noexcept {
    for (std::size_t t = 0; t < labels.size(); ++t)
      set(first++, labels.data()[t]);
  }
  // Fills `labels` with consecutive entries, from entry `first` on.
  void read(std::int64_t first, gsl::span<std::int32_t> labels) const noexcept {
    for (std::size_t t = 0; t < labels.size(); ++t)
      labels.data()[t] = get(first++);
  }
  // True if the entries from `first` on equal `labels`.
  bool equal(std::int64_t first, gsl::span<const std::int32_t> labels) const noexcept {
    for (std::size_t t = 0; t < labels.size(); ++t)
      if (get(first++) != labels.data()[t])
        return false;
    return true;
  }
  // True if `count` entries from `first` on are the same in both arrays.
  bool same(std::int64_t first, std::int32_t count, const LabelStore &other) const noexcept {
    return count == 0 || std::memcmp(data_ + first * width_, other.data_ + first * width_,
                                     to_size(std::int64_t{count} * width_)) == 0;
  }
  // Returns a hash of all labels.
  std::uint64_t hash() const noexcept {
    std::uint64_t hash = bytes_;
    for (std::size_t at = 0; at < bytes_; at += sizeof hash) {
      std::uint64_t word = 0;
      std::memcpy(&word, data_ + at, std::min(sizeof word, bytes_ - at));
      hash = (hash ^ word) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    return hash;
  }
  bool equals(const LabelStore &other) const noexcept {
    return bytes_ == 0 || std::memcmp(data_, other.data_, bytes_) == 0;
  }
  void clear() noexcept {
    if (bytes_ > 0)
      std::memset(data_, 0, bytes_);
  }
  void copy(const LabelStore &from) noexcept {
    if (bytes_ > 0)
      std::memcpy(data_, from.data_, bytes_);
  }

private:
  std::int32_t width_ = 1; // bytes of an entry
  std::size_t bytes_ = 0;
  std::byte *data_ = nullptr;
};

// A labelling of a model: labels, the columns that whole-chain slots show, and the scores phi of
// the chains.
struct Assignment {
  Assignment() noexcept = default;
  Assignment(Layout &layout, const Model &model) noexcept
      : model_(&model), score_(layout.take<double>(model.chains.size())),
        labels(layout, model.label_count, model.most_labels),
        whole_(layout.take<std::int32_t>(model.wholes.size())) {}

  // Returns phi of a chain under its labels; minus infinity if the labels are forbidden or the
  // chain is left out.
  double phi(std::int32_t chain) const noexcept {
    return score_[chain];
  }
  // True if the chain is left out (is_partial).
  bool lacks(std::int32_t chain) const noexcept { return is_partial && phi(chain) == kForbidden; }
  // Returns phi of all chains.
  gsl::span<const double> scores() const noexcept {
    return {score_, to_size(model_->chains.size())};
  }
  void set_phi(std::int32_t chain, double chain_score) noexcept { score_[chain] = chain_score; }

  std::int32_t shown(const Clique &clique, std::int32_t member) const noexcept {
    const std::int32_t site = model_->site(clique, member);
    if (site < 0)
      return whole_[-1 - site];
    if (is_partial && lacks(model_->chain_at(site))) [[unlikely]]
      return -1;
    return clique.column_of(member, labels.get(site));
  }
  std::int32_t shown(const Slot &slot) const noexcept {
    return shown(model_->cliques[slot.clique], slot.member);
  }
  // Returns the value of a clique's centre; -1 if the centre is left out, 0 if the clique has none.
  std::int32_t centre(const Clique &clique) const noexcept {
    return clique.centred() ? shown(clique, clique.members) : 0;
  }
  // Sets the labels of a chain, its phi, and the columns that its whole-chain slots show.
  // `of_slots`: the column of each slot, whole-chain slots first; the columns of the other slots
  // are not read.
  void set(std::int32_t chain, gsl::span<const std::int32_t> of_chain,
           gsl::span<const std::int32_t> of_slots, double chain_score) noexcept {
    const Chain &to = model_->chains[chain];
    const std::int32_t wholes = to.wholes();
    Expects(of_chain.size() == to_size(to.length) && of_slots.size() >= to_size(wholes));
    labels.write(to.first_label, of_chain);
    for (std::int32_t s = 0; s < wholes; ++s)
      whole_[model_->whole_of(to.first_slot + s)] = of_slots.data()[s];
    set_phi(chain, chain_score);
  }
  // Sets the labels of a chain, which must not be an instance. From these labels and `view`
  // computes phi and the columns that the whole-chain slots show.
  void judge(std::int32_t number, const ChainView &view,
             gsl::span<const std::int32_t> of_chain) noexcept {
    const Chain &chain = model_->chains[number];
    Expects(of_chain.size() == to_size(chain.length));
    labels.write(chain.first_label, of_chain);
    for (std::int32_t s = 0; s < chain.wholes(); ++s) {
      const Slot slot = model_->slot(number, s);
      whole_[slot.whole] = model_->attached(slot).evaluate(of_chain, view.all_parents());
    }
    set_phi(number, view.score(of_chain));
  }
  // Leaves a chain out, but keeps its labels: sets its phi to minus infinity, and to -1 the columns
  // that its whole-chain slots show. The caller sets is_partial.
  void set_aside(std::int32_t chain) noexcept {
    const Chain &from = model_->chains[chain];
    for (std::int32_t s = 0; s < from.wholes(); ++s)
      whole_[model_->whole_of(from.first_slot + s)] = -1;
    set_phi(chain, kForbidden);
  }
  // As set_aside(), and sets the labels of the chain to 0.
  void leave_out(std::int32_t chain) noexcept {
    const Chain &to = model_->chains[chain];
    for (std::int32_t t = 0; t < to.length; ++t)
      labels.set(to.first_label + t, 0);
    set_aside(chain);
  }
  // Sets the label and phi of a chain that has one position, whose site is `site`, and no
  // whole-chain slots.
  void set_item(std::int32_t chain, std::int32_t site, std::int32_t label,
                double chain_score) noexcept {
    labels.set(site, label);
    set_phi(chain, chain_score);
  }
  // Copies one chain from another labelling of the same model.
  void take_chain(std::int32_t number, const Assignment &from) noexcept {
    const Chain &chain = model_->chains[number];
    for (std::int32_t t = 0; t < chain.length; ++t)
      labels.set(chain.first_label + t, from.labels.get(chain.first_label + t));
    for (std::int32_t s = 0; s < chain.wholes(); ++s) {
      const std::int32_t place = model_->whole_of(chain.first_slot + s);
      whole_[place] = from.whole_[place];
    }
    set_phi(number, from.phi(number));
  }
  // True if a chain has the same labels in another labelling of the same model, and its whole-chain
  // slots show the same columns.
  bool agrees(std::int32_t number, const Assignment &other) const noexcept {
    const Chain &chain = model_->chains[number];
    if (!labels.same(chain.first_label, chain.length, other.labels))
      return false;
    for (std::int32_t s = 0; s < chain.wholes(); ++s) {
      const std::int32_t place = model_->whole_of(chain.first_slot + s);
      if (whole_[place] != other.whole_[place])
        return false;
    }
    return true;
  }
  // True if the labels of the chain equal `of_chain`.
  bool has(const Chain &chain, gsl::span<const std::int32_t> of_chain) const noexcept {
    Expects(of_chain.size() == to_size(chain.length));
    return labels.equal(chain.first_label, of_chain);
  }
  std::int32_t length(std::int32_t chain) const noexcept { return model_->chains[chain].length; }
  // Writes the labels of a chain to the first entries of `to`; zeros after leave_out().
  void get(std::int32_t chain, gsl::span<std::int32_t> to) const noexcept {
    const Chain &from = model_->chains[chain];
    labels.read(from.first_label, to.first(to_size(from.length)));
  }
  void copy(const Assignment &from) noexcept {
    labels.copy(from.labels);
    std::copy_n(from.whole_, model_->wholes.size(), whole_);
    std::copy_n(from.score_, model_->chains.size(), score_);
    copy_totals(from);
  }
  // True if another labelling of the same model has the same labels, columns and scores.
  bool equals(const Assignment &other) const noexcept {
    return labels.equals(other.labels) &&
           std::equal(whole_, whole_ + model_->wholes.size(), other.whole_) &&
           std::equal(score_, score_ + model_->chains.size(), other.score_);
  }
  void copy_totals(const Assignment &from) noexcept {
    chain_total = from.chain_total;
    clique_total = from.clique_total;
    magnitude = from.magnitude;
    is_partial = from.is_partial;
  }
  void set_totals(const MeasuredSum &chains, const MeasuredSum &cliques) noexcept {
    chain_total = chains.total;
    clique_total = cliques.total;
    magnitude = chains.magnitude + cliques.magnitude;
  }
  double total() const noexcept { return chain_total + clique_total; }

private:
  const Model *model_ = nullptr;
  double *score_ = nullptr; // by chain: phi

public:
  LabelStore labels;

private:
  // By number of the whole-chain slot: the column that it shows, or -1.
  std::int32_t *whole_ = nullptr;

public:
  double chain_total = kForbidden; // sum of phi over the chains that are not left out
  double clique_total = 0;         // sum of strength times C over the cliques
  double magnitude = 0;            // sum of the absolute values of all these terms
  // True if the chains whose phi is minus infinity are left out: they add nothing to equation 1,
  // and their slots show column -1. Their labels are 0 after leave_out(), and kept after
  // set_aside().
  bool is_partial = false;
};

// Returns the sum of the weights of those members of a clique whose chains are left out in `of`.
inline std::int32_t absent_weight(const Model &model, const Clique &clique,
                                  const Assignment &of) noexcept {
  std::int32_t absent = 0;
  for (std::int32_t i = 0; i < clique.members; ++i)
    absent += of.lacks(model.chain_of(clique, i)) ? clique.weight(i) : 0;
  return absent;
}

// Counts of all cliques. Entry model.first_count(c) + v is the sum of the weights of the members of
// clique c that show column v (a weight is 1 unless the caller gave another); a centre is not
// counted. Entries take as many bytes as the largest count needs.
class CountStore {
public:
  CountStore() noexcept = default;
  CountStore(Layout &layout, const Model &model) noexcept
      : store_(layout, model.count_count, std::int64_t{model.most_counted} + 1) {}

  void clear() noexcept { store_.clear(); }
  // Fills `counts` with consecutive entries, from entry `first` on.
  void load(std::int64_t first, gsl::span<std::int64_t> counts) const noexcept {
    std::int64_t *to = counts.data();
    for (std::int64_t v = 0, columns = static_cast<std::int64_t>(counts.size()); v < columns; ++v)
      to[v] = store_.get(first + v);
  }
  void set(std::int64_t at, std::int64_t count) noexcept {
    store_.set(at, static_cast<std::int32_t>(count));
  }
  void add(std::int64_t at, std::int32_t difference) noexcept {
    store_.set(at, store_.get(at) + difference);
  }
  // Moves a member of weight `weight` from column `from` to column `to`; -1 stands for no column.
  // first: index of the first count of the clique.
  void move(std::int64_t first, std::int32_t from, std::int32_t to, std::int32_t weight) noexcept {
    if (from >= 0)
      add(first + from, -weight);
    if (to >= 0)
      add(first + to, weight);
  }
  // Counts the columns that all members show in a labelling. False if interrupted; the counts are
  // then undefined.
  bool count(const Model &model, const Assignment &of, Limits &limits) noexcept {
    clear();
    for (std::int64_t c = 0; c < model.cliques.size(); ++c) {
      const Clique &clique = model.cliques[c];
      const std::int64_t first = model.first_count(c);
      if (!in_stretches(limits, clique.members, 16, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::int32_t>(begin); i < end; ++i)
              if (const std::int32_t v = of.shown(clique, i); v >= 0)
                add(first + v, clique.weight(i));
          }))
        return false;
    }
    return true;
  }
  // Sets the labels and phi of a chain in `now`, the labelling whose counts these are, and updates the
  // counts. shown: the new column of each slot. Before `now` changes, calls moved(slot) for each
  // slot whose column will.
  template <class Moved>
  void set_chain(const Model &model, std::int32_t chain, Assignment &now,
                 gsl::span<const std::int32_t> labels, gsl::span<const std::int32_t> shown,
                 double score, Moved &&moved) noexcept {
    Expects(shown.size() >= to_size(model.chains[chain].slots));
    move_chain(
        model, chain, now, [&](std::int32_t s, const Slot &) noexcept { return shown.data()[s]; },
        moved);
    now.set(chain, labels, shown, score);
  }
  // As set_chain(), but copies the labels, phi and columns of the chain from the labelling `from`.
  template <class Moved>
  void take_chain(const Model &model, std::int32_t chain, Assignment &now, const Assignment &from,
                  Moved &&moved) noexcept {
    move_chain(
        model, chain, now,
        [&](std::int32_t, const Slot &slot) noexcept { return from.shown(slot); }, moved);
    now.take_chain(chain, from);
  }

private:
  template <class ShownAfter, class Moved>
  void move_chain(const Model &model, std::int32_t chain, const Assignment &of,
                  ShownAfter &&shown_after, Moved &&moved) noexcept {
    for (std::int32_t s = 0; s < model.chains[chain].slots; ++s) {
      const Slot slot = model.slot(chain, s);
      const std::int32_t before = of.shown(slot);
      const std::int32_t after = shown_after(s, slot);
      if (before == after)
        continue;
      const Clique &clique = model.cliques[slot.clique];
      if (slot.member != clique.members)
        move(model.first_count(slot.clique), before, after, clique.weight(slot.member));
      moved(slot);
    }
  }

  LabelStore store_;
};

} // namespace chorale
