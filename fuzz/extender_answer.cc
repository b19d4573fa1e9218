#include "hosts/extension/extender_answer.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Answers of extenders come from other programs: whatever they hold, they are read or refused, and never end us.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  using namespace loadline::extension;
  for (const NodeCache cache : {NodeCache::kCapable, NodeCache::kNot})
    static_cast<void>(decode_filter_answer(text, cache));
  static_cast<void>(decode_prioritize_answer(text));
  static_cast<void>(decode_preemption_answer(text));
  static_cast<void>(decode_binding_answer(text));
  return 0;
}
