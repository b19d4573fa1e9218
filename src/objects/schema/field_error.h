#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline::schema {

/// One broken validation rule. `message` is upstream's text after the path, for example
/// `Invalid value: "2": must be less than or equal to cpu limit of 1` or `Required value`.
struct FieldError {
  std::string path;  ///< "spec.containers[0].resources.requests"
  std::string message;
  std::string hint;  ///< what to write instead; ours, upstream has none

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

using FieldErrors = std::vector<FieldError>;

}  // namespace loadline::schema
