#include "brain/workloads/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/rng.h"

namespace loadline::workloads {
namespace {

constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;

std::uint64_t hash64(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

}  // namespace

Names::Names(std::uint64_t seed, std::string_view owner)
    : state_(Rng(hash64(owner, seed ^ 14695981039346656037ULL)).next()) {}

std::string Names::generate(std::string_view base, std::uint64_t number) const {
  // An affine map modulo 27^5 whose factor 3 does not divide permutes the suffixes, so that none comes twice.
  std::uint64_t factor = Rng(state_).next() % kSuffixes;
  if (factor % 3 == 0) ++factor;
  std::uint64_t drawn = (factor * (number % kSuffixes) + state_ % kSuffixes) % kSuffixes;
  std::string name(base.substr(0, std::min(base.size(), kMaxGeneratedNameBase)));
  for (std::size_t i = 0; i < kSuffixLength; ++i) {
    name += kAlphabet[drawn % kAlphabet.size()];
    drawn /= kAlphabet.size();
  }
  return name;
}

std::string Names::uid() const {
  Rng rng(state_ + 1);
  const std::uint64_t high = (rng.next() & ~0xf000ULL) | 0x4000ULL;                              // version 4
  const std::uint64_t low = (rng.next() & 0x3fff'ffff'ffff'ffffULL) | 0x8000'0000'0000'0000ULL;  // variant 1
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48,
                     low & 0xffff'ffff'ffffULL);
}

std::string spell_hash(std::uint32_t hash) {
  std::string text = fmt::format("{}", hash);
  for (char& c : text) c = kAlphabet[static_cast<unsigned char>(c) % kAlphabet.size()];
  return text;
}

std::uint32_t hash_text(std::string_view text, std::uint32_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace loadline::workloads
