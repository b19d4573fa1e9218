#pragma once

#include <cstdint>

#include "foundation/base/contract.h"

namespace loadline {

/// A seeded generator (SplitMix64, Steele et al. 2014): the same seed yields the same numbers on every machine.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// A number in 0 .. bound - 1. REQUIRES: bound > 0. The bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    REQUIRES(bound > 0);
    return next() % bound;
  }

 private:
  std::uint64_t state_;
};

}  // namespace loadline
