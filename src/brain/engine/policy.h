#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "brain/gang/switches.h"
#include "brain/placement/switches.h"
#include "objects/kube/loadline/policy.h"

namespace loadline::engine {

/// Where Loadline may decide otherwise than the upstream components, whether it does: what the rooms of the brain read.
/// By default as recommended.
///
/// A switch is a member here, or of a room's own struct below, and a row of the table in policy.cc, which gives it its
/// name. From the table come parsing, validation, `loadline policy`; tests hold the definition of the kind and
/// docs/policy.md against it.
struct Policy {
  placement::Switches placement;
  gang::Switches gang;

  friend bool operator==(const Policy&, const Policy&) = default;
};

/// A value that a switch may have: as users write it, and what it does.
struct Word {
  std::string_view name;
  std::string_view means;  ///< goes on after the name and a colon
};

/// A switch of the policy, for all who write or read it as text. Words are known by their place in `words`.
struct Switch {
  std::string_view name;     ///< "nodesToScore": its field in the spec of a Policy
  std::string_view decides;  ///< a sentence
  std::span<const Word> words;
  std::size_t parity = 0;       ///< what upstream does
  std::size_t recommended = 0;  ///< what is there without a policy
  std::string_view source;      ///< of what upstream does
  std::size_t (*get)(const Policy&) = nullptr;
  void (*set)(Policy&, std::size_t word) = nullptr;

  /// What it has where it is not written.
  [[nodiscard]] std::size_t by_default(kube::PolicyBase base) const {
    return base == kube::PolicyBase::kParity ? parity : recommended;
  }
  [[nodiscard]] std::string_view word_of(const Policy& policy) const { return words[get(policy)].name; }
};

/// Every switch, in the order of the documentation.
[[nodiscard]] std::span<const Switch> switches();

/// The policy in which no switch is written.
[[nodiscard]] Policy policy_of(kube::PolicyBase base);

}  // namespace loadline::engine
