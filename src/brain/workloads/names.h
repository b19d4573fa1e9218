#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "objects/kube/meta.h"

namespace loadline::workloads {

/// How much of a generateName stays in a name: 63 characters less the five that are drawn.
inline constexpr std::size_t kMaxGeneratedNameBase = 58;

/// The names and uids that Kubernetes draws at random, derived instead from a seed and the owner: the same input yields
/// the same names. They have the shape of real ones (alphabet, length, truncation).
class Names {
 public:
  /// `owner`: what tells owners apart, as "Deployment default/web".
  Names(std::uint64_t seed, std::string_view owner);

  /// `base` cut to 58 characters and five more, as names are generated from metadata.generateName. Distinct for
  /// distinct `number` below 27^5 (14,348,907).
  [[nodiscard]] std::string generate(std::string_view base, std::uint64_t number) const;

  /// Like the uid an API server gives: "3f0c…-…-4…-8…-…".
  [[nodiscard]] std::string uid() const;

 private:
  std::uint64_t state_;
};

/// How many distinct suffixes there are: 27^5.
inline constexpr std::uint64_t kSuffixes = 14'348'907;

/// A 32-bit hash as Kubernetes spells one in names and labels: its decimal digits in the alphabet without vowels.
/// Source: k8s.io/apimachinery/pkg/util/rand SafeEncodeString.
[[nodiscard]] std::string spell_hash(std::uint32_t hash);

/// FNV-1a over 32 bits of a text, going on from `hash`.
[[nodiscard]] std::uint32_t hash_text(std::string_view text, std::uint32_t hash = 2166136261U);

}  // namespace loadline::workloads
