#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "foundation/document/value.h"

namespace loadline::document {

/// Why a patch changed nothing, told apart as far as a server answers differently.
struct PatchError {
  enum class Kind : std::uint8_t {
    kMalformed,      ///< no patch of that format: 400, with the message
    kTooLarge,       ///< too many operations: 413, with the message
    kDoesNotApply,   ///< 422; kube-apiserver keeps the message to itself and answers with `kRejected`
    kCannotProcess,  ///< 500, with the message
  };
  /// What clients are told when a patch does not apply.
  static constexpr const char* kRejected = "the server rejected our request due to an error in our request";

  Kind kind = Kind::kMalformed;
  std::string message;

  friend bool operator==(const PatchError&, const PatchError&) = default;
};

using PatchResult = tl::expected<Value, PatchError>;

inline tl::unexpected<PatchError> refuse(PatchError::Kind kind, std::string message) {
  return tl::unexpected<PatchError>(PatchError{kind, std::move(message)});
}

}  // namespace loadline::document
