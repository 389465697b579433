#include "cluster/model/chains.hpp"

#include <algorithm>

namespace chorale {

std::int32_t Chains::type_of(const Type &type) noexcept {
  constexpr std::int64_t kBack = 8; // how many of the last types are compared
  for (std::int64_t k = types_.size() - 1; k >= std::max<std::int64_t>(types_.size() - kBack, 0);
       --k)
    if (types_[k] == type)
      return static_cast<std::int32_t>(k);
  return types_.push(type) ? static_cast<std::int32_t>(types_.size() - 1) : -1;
}

bool Chains::push(const Chain &chain) noexcept {
  Type type{chain.transitions, chain.labels,
            chain.is_instance ? Kind::instance
            : chain.other     ? Kind::view
                              : Kind::plain,
            chain.single, false};
  if (type.kind == Kind::plain && chain.tokens && chain.length > 0)
    type.tokens_behind =
        reinterpret_cast<const std::byte *>(chain.tokens) ==
        static_cast<const std::byte *>(chain.unary) + chain.unary_bytes();
  const bool keeps_tokens = chain.tokens && !type.tokens_behind;
  const std::int64_t before = tokens_.size();
  if (!records_.reserve(size() + 1) ||
      ((keeps_tokens || before > 0) && !tokens_.reserve(size() + 1)))
    return false;
  const std::int32_t number = type_of(type);
  if (number < 0)
    return false;
  if (keeps_tokens || before > 0) {
    tokens_.resize(size() + 1);
    std::fill(tokens_.begin() + before, tokens_.end(), nullptr);
    tokens_[size()] = keeps_tokens ? chain.tokens : nullptr;
  }
  records_.push({type.kind == Kind::plain ? chain.unary : chain.other, sites_, 0,
                 static_cast<std::uint32_t>(number), 0, 0});
  sites_ += chain.length;
  return true;
}

void Chains::place(bool even) noexcept {
  std::int32_t site = 0;
  shift_ = even ? 1 : 0;
  for (std::int64_t i = 0; i < size(); ++i) {
    const std::int32_t length = (*this)[i].length;
    records_[i].first_label = site;
    records_[i].skips = even && length % 2 != 0 ? 1 : 0;
    const std::int32_t taken = length + static_cast<std::int32_t>(records_[i].skips);
    shift_ = taken == (even ? 2 : 1) ? shift_ : -1;
    site += taken;
  }
  sites_ = site;
  item_rows_ = find_item_rows();
}

const double *Chains::find_item_rows() const noexcept {
  if (types_.size() != 1 || shift_ < 0)
    return nullptr;
  const Type &type = types_[0];
  if (type.kind != Kind::plain || type.single ||
      (type.transitions && (type.transitions->start || type.transitions->end)))
    return nullptr;
  const auto *rows = static_cast<const double *>(records_[0].scores);
  for (std::int64_t i = 0; i < size(); ++i)
    if ((*this)[i].length != 1 || records_[i].scores != rows + i * type.labels)
      return nullptr;
  return rows;
}

} // namespace chorale
