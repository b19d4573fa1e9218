// The main function of a fuzzer where the compiler brings no libFuzzer: every input that is known already (the files
// and folders of the command line), each whole, and in a few other forms that are always the same: cut, spliced and
// with bytes changed, or as the fuzzer's own mutations have it. So each build tests that the fuzzers compile, and that
// what they once found stays mended; to search, `./dev fuzz`. LOADLINE_FUZZ_VARIANTS and LOADLINE_FUZZ_SEED try more
// forms, and LOADLINE_FUZZ_INPUT names a file that has the one that is tried.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                                             unsigned seed);

namespace {

using loadline::Rng;

constexpr std::uint64_t kVariants = 8;
constexpr std::size_t kLongerBy = 4096;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

std::vector<std::string> files_below(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path.string()};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void try_input(std::string_view input) {
  if (const char* path = std::getenv("LOADLINE_FUZZ_INPUT")) std::ofstream(path, std::ios::binary) << input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::size_t position(const std::string& input, Rng& rng) {
  return input.empty() ? 0 : static_cast<std::size_t>(rng.below(input.size()));
}

/// `input` with a byte changed, a piece missing, or the end of `other` in place of its own.
std::string variant(std::string input, const std::string& other, Rng& rng) {
  if (LLVMFuzzerCustomMutator != nullptr) {
    const std::size_t size = input.size();
    input.resize(size + kLongerBy);
    input.resize(LLVMFuzzerCustomMutator(reinterpret_cast<std::uint8_t*>(input.data()), size, input.size(),
                                         static_cast<unsigned>(rng.next())));
    return input;
  }
  const std::size_t at = position(input, rng);
  switch (rng.below(3)) {
    case 0:
      if (!input.empty()) input[at] = static_cast<char>(rng.below(256));
      return input;
    case 1:
      return input.erase(at, 1 + position(input, rng));
    default:
      return input.substr(0, at) + other.substr(position(other, rng));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> inputs = {""};
  for (int argument = 1; argument < argc; ++argument) {
    if (!std::filesystem::exists(argv[argument])) continue;  // a fuzzer that found nothing yet has no corpus
    for (const std::string& file : files_below(argv[argument])) inputs.push_back(content_of(file));
  }
  Rng rng(number_of("LOADLINE_FUZZ_SEED", 1));
  const std::uint64_t variants = number_of("LOADLINE_FUZZ_VARIANTS", kVariants);
  for (const std::string& input : inputs) try_input(input);
  for (std::uint64_t count = 0; count < variants; ++count) {
    for (const std::string& input : inputs) {
      const std::size_t other = static_cast<std::size_t>(rng.below(inputs.size()));
      try_input(variant(input, inputs[other], rng));
    }
  }
  std::cout << inputs.size() << " inputs, each in " << variants + 1 << " forms\n";
}
