#pragma once

#include <cstdint>
#include <string>

namespace loadline::gang {

/// Adds the number to the key of a state of a search. A small one takes one byte; no number's bytes begin another's.
inline void append_number(std::string& key, std::uint64_t number) {
  for (; number >= 128; number /= 128) key += static_cast<char>(number % 128 + 128);
  key += static_cast<char>(number);
}

}  // namespace loadline::gang
