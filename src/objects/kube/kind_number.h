#pragma once

#include <cstddef>

namespace loadline::kube {

/// The next number that is free. Thread-safe.
std::size_t next_kind_number();

/// A small number for the struct of each kind, by which containers of all kinds find the place of one. Given out as
/// kinds are first asked for: the same as long as the process runs, and of no meaning beyond it.
template <class Kind>
std::size_t kind_number() {
  static const std::size_t number = next_kind_number();
  return number;
}

}  // namespace loadline::kube
