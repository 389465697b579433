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
  const Type type{chain.transitions, chain.labels,
            chain.is_instance ? Kind::instance
            : chain.other     ? Kind::view
                              : Kind::plain,
            chain.single};
  const bool keeps_tokens = chain.tokens != nullptr;
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
    tokens_[size()] = chain.tokens;
  }
  records_.push({type.kind == Kind::plain ? chain.unary : chain.other, sites_, 0,
                 static_cast<std::uint32_t>(number), 0});
  sites_ += chain.length;
  return true;
}

} // namespace chorale
