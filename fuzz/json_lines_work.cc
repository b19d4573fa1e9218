// Any bytes as a trace of JSON lines: works whose pods are there, or a reason.

#include "hosts/trace/json_lines_work.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

namespace {

/// A Job of a million pods is not wrong, but takes its time.
bool has_large_number(const std::string& text) {
  std::size_t digits = 0;
  return std::ranges::any_of(text, [&](char c) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    return digits > 2;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadline::trace;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t object = text.find("spec");
  if (object != std::string::npos && has_large_number(text)) return 0;
  const auto works = read_json_lines_work(std::make_unique<Lines>(std::make_unique<std::istringstream>(text), "fuzz"));
  while (true) {
    const auto work = (*works)->next();
    if (!work && work.error().message.empty()) std::abort();
    if (!work || !*work) return 0;
    if ((*work)->name.empty() || (*work)->pods.empty()) std::abort();
    for (const PodsAlike& pods : (*work)->pods) {
      if (pods.pod == nullptr || pods.count == 0 || !pods.pod->metadata.name.empty()) std::abort();
    }
  }
}
