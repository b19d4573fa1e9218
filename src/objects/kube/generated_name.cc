#include "objects/kube/generated_name.h"

#include <cstdint>

namespace loadline::kube {
namespace {

std::uint64_t hash(std::string_view text, std::uint64_t before) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return before;
}

}  // namespace

std::string generate_name(std::string_view base, Rng& rng) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kLongestBase = 63 - 5;
  std::string name(base.substr(0, kLongestBase));
  for (int count = 0; count < 5; ++count) name += kLetters[rng.below(kLetters.size())];
  return name;
}

std::string generate_name(const ObjectMeta& metadata, std::string_view kind,
                          const std::function<bool(const std::string&)>& is_taken) {
  std::uint64_t seed = 14695981039346656037ULL;
  for (const std::string_view part :
       {kind, std::string_view(metadata.namespace_), std::string_view(metadata.generate_name)}) {
    seed = hash("/", hash(part, seed));
  }
  Rng rng(seed);
  for (;;) {
    std::string name = generate_name(metadata.generate_name, rng);
    if (!is_taken(name)) return name;
  }
}

}  // namespace loadline::kube
