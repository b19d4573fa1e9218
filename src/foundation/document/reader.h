#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/document/equal_keys.h"
#include "foundation/document/value.h"

namespace loadline::document {

/// More levels of nesting than this are refused. Go bounds JSON at 10,000; whatever walks a Value by recursion is safe
/// on any thread's stack with a tenth.
inline constexpr std::size_t kMaxDepth = 1000;

/// What one input text held: its documents in order, and everything wrong with it. A document that could not be
/// read whole is absent from `documents` and present in `problems`; the others are still there.
struct Reading {
  std::vector<Value> documents;
  Diagnostics problems;
};

/// What becomes of a YAML scalar that is no key.
enum class Scalars : std::uint8_t {
  kResolved,  ///< `1.30` is the number 1.3
  kTexts,     ///< the text as it is written, "1.30"
};

/// Reads YAML (1.1 scalars, as kubectl reads it) or JSON, told apart as kubectl does: JSON if the first character that
/// is not white space is `{` (several JSON values may follow one another). Empty documents are skipped. Never throws;
/// bounded in depth and in alias expansion. Of equal keys kubectl takes the last.
Reading read(std::string_view text, std::string file, EqualKeys equal_keys = EqualKeys::kLast);
Reading read_json(std::string_view text, std::string file, EqualKeys equal_keys = EqualKeys::kRefused);
Reading read_yaml(std::string_view text, std::string file, EqualKeys equal_keys = EqualKeys::kRefused,
                  Scalars scalars = Scalars::kResolved);

}  // namespace loadline::document
