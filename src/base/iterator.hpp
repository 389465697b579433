// A forward iterator over a container whose operator[] returns its elements by value.
#pragma once

#include <cstdint>

namespace chorale {

template <class Container> class IndexIterator {
public:
  IndexIterator(const Container &of, std::int64_t i) noexcept : of_(&of), i_(i) {}
  auto operator*() const noexcept { return (*of_)[i_]; }
  IndexIterator &operator++() noexcept {
    ++i_;
    return *this;
  }
  bool operator!=(const IndexIterator &other) const noexcept { return i_ != other.i_; }

private:
  const Container *of_;
  std::int64_t i_;
};

} // namespace chorale
