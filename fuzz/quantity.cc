#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "objects/kube/scalars.h"

/// What parses prints as text that parses to the same amount, and settles: a binary amount that no binary suffix
/// shortens prints without one ("225812.5Ki" as 231232000), so it reads back as a decimal one (231232k), which then
/// stays.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using loadline::kube::Quantity;
  const auto first = Quantity::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!first) return 0;
  const std::string canonical = first->to_string();
  const auto second = Quantity::parse(canonical);
  if (!second || *second != *first) std::abort();
  const std::string settled = second->to_string();
  const auto third = Quantity::parse(settled);
  if (!third || *third != *first || third->to_string() != settled) std::abort();
  return 0;
}
