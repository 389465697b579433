// The course of learning: chorale/learn.h.
#pragma once

#include "learn/lessons.hpp"

namespace chorale {

chorale_status learn(const Report &report, const Memory &memory, LearnSpec &spec,
                     Learnt &learnt) noexcept;

} // namespace chorale
