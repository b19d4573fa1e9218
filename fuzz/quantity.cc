#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/quantity.h"

/// What parses prints canonically: the text parses to the same amount, and prints as itself.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using loadline::kube::Quantity;
  const auto first = Quantity::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!first) return 0;
  const std::string canonical = first->to_string();
  const auto second = Quantity::parse(canonical);
  if (!second || *second != *first || second->to_string() != canonical) std::abort();
  return 0;
}
