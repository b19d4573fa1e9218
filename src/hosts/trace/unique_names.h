#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace loadline::trace {

/// The names of a trace's works, each of which may come once. Keeps 64 bits of a name, so that a million of them cost
/// 16 MB; that two different ones of a million agree in these bits has a chance of one in thirty million.
class UniqueNames {
 public:
  /// True if the name has not come before.
  bool add(std::string_view name);

 private:
  static bool insert(std::vector<std::uint64_t>& slots, std::uint64_t digest);

  std::vector<std::uint64_t> slots_;  // open addressing; 0: free
  std::size_t count_ = 0;
};

}  // namespace loadline::trace
