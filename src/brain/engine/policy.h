#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "brain/gang/switches.h"
#include "brain/placement/switches.h"
#include "brain/queue/kueue/switches.h"
#include "foundation/document/value.h"
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
  queue::kueue::Switches queues;

  friend bool operator==(const Policy&, const Policy&) = default;
};

/// A value that a switch may have: as users write it, and what it does.
struct Word {
  std::string_view name;
  std::string_view means;  ///< goes on after the name and a colon
};

/// The whole numbers that a switch may have.
struct NumberRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::string_view means;  ///< what a number does; goes on after it and a colon
};

/// A switch of the policy, for all who write or read it as text. Its value is a number: itself, or the place of a word
/// in `words`.
struct Switch {
  std::string_view name;         ///< "nodesToScore": its field in the spec of a Policy
  std::string_view decides;      ///< a sentence
  std::span<const Word> words;   ///< that it may have; empty: it is a number
  NumberRange numbers;           ///< of a switch that is a number
  std::int64_t parity = 0;       ///< what upstream does
  std::int64_t recommended = 0;  ///< what is there without a policy
  std::string_view source;       ///< of what upstream does
  std::int64_t (*get)(const Policy&) = nullptr;
  void (*set)(Policy&, std::int64_t value) = nullptr;

  [[nodiscard]] constexpr bool is_number() const { return words.empty(); }
  /// What it has where it is not written.
  [[nodiscard]] std::int64_t by_default(kube::PolicyBase base) const {
    return base == kube::PolicyBase::kParity ? parity : recommended;
  }
  /// The value as users write it: a text with the word, or a number.
  [[nodiscard]] document::Value written(std::int64_t value) const;
  /// The same, as text.
  [[nodiscard]] std::string text(std::int64_t value) const;
  /// The value that is written so; nullopt: that is none of its words, or out of its range.
  [[nodiscard]] std::optional<std::int64_t> read(const document::Value& written) const;
  /// What may be written: "one of All, Adaptive", "a whole number from 1 to 1000".
  [[nodiscard]] std::string expected() const;
};

/// Every switch, in the order of the documentation.
[[nodiscard]] std::span<const Switch> switches();

/// The policy in which no switch is written.
[[nodiscard]] Policy policy_of(kube::PolicyBase base);

}  // namespace loadline::engine
