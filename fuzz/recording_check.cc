// Any bytes as a recording whose decisions are made again: it is checked to its end, or refused with a place in it. No
// contract of the model is violated by what a file says, whatever lines are missing, doubled, exchanged or changed.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "hosts/recording/check.h"
#include "line_mutations.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  const auto check = loadline::recording::check_recording(text, "fuzz");
  if (check) {
    if (check->differences < check->first_differences.size()) std::abort();
    return 0;
  }
  if (check.error().empty()) std::abort();
  for (const loadline::Diagnostic& problem : check.error()) {
    if (problem.message.empty() || problem.at.line == 0 || problem.at.file == nullptr) std::abort();
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return loadline::fuzz::mutate_lines(data, size, max_size, seed);
}
