// The main function of a fuzzer where the compiler brings no libFuzzer: every input that is known already (the files
// and folders of the command line), each whole, and cut, spliced and with bytes changed in a few ways that are always
// the same. So each build tests that the fuzzers compile, and that what they once found stays mended; to search, `./dev
// fuzz`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using loadline::Rng;

constexpr int kVariants = 8;

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
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::size_t position(const std::string& input, Rng& rng) {
  return input.empty() ? 0 : static_cast<std::size_t>(rng.below(input.size()));
}

/// `input` with a byte changed, a piece missing, or the end of `other` in place of its own.
std::string variant(std::string input, const std::string& other, Rng& rng) {
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
  Rng rng(1);
  for (const std::string& input : inputs) {
    try_input(input);
    for (int count = 0; count < kVariants; ++count) {
      const std::size_t other = static_cast<std::size_t>(rng.below(inputs.size()));
      try_input(variant(input, inputs[other], rng));
    }
  }
  std::cout << inputs.size() << " inputs, each in " << kVariants + 1 << " forms\n";
}
