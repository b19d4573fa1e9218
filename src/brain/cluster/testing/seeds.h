#pragma once

#include <cstdlib>

namespace loadline::cluster::testing {

/// The number in the environment variable; `otherwise`: there is none. Tests on random input read from it how many
/// seeds to run, and which comes first.
inline int number_of(const char* variable, int otherwise) {
  const char* said = std::getenv(variable);
  return said == nullptr ? otherwise : std::atoi(said);
}

}  // namespace loadline::cluster::testing
