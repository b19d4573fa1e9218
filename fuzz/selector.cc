#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "objects/kube/selector_text.h"

/// Whatever is accepted is well formed: keys in order, values only where the operator takes them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadline::kube;
  const auto selector = parse_label_selector(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!selector) return 0;
  std::string_view last;
  for (const LabelSelectorRequirement& requirement : selector->match_expressions) {
    const bool takes_values =
        requirement.op == LabelSelectorOperator::kIn || requirement.op == LabelSelectorOperator::kNotIn;
    if (requirement.key < last || requirement.values.empty() == takes_values) std::abort();
    last = requirement.key;
  }
  (void)matches(*selector, {{"a", "b"}});
  return 0;
}
