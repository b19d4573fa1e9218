#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/recording/header.h"

namespace loadline::recording {

/// What a line of a recording is about: what the scheduler is told, then what it does.
enum class LineKind : std::uint8_t {
  kSection,  ///< a scheduler begins, which knows nothing
  kPut,
  kGone,
  kStart,
  kWake,
  kRan,
  kAnswer,
  kEnd,
  kDecided,
  kRound,
  kRequest,
};

/// A line of a recording behind its first one, well-formed.
struct RecordedLine {
  std::uint32_t number = 0;  ///< in its file, from 1 on
  std::string text;
  LineKind kind = LineKind::kSection;
  document::Value value;
  Instant at;                   ///< of an output: of the input before it
  std::string subject;          ///< the resource of a kPut or kGone, the pod of a kDecided, the Workload of a kRound
  std::uint64_t ordinal = 0;    ///< of a section, task, request or round; the count of a kEnd
  document::Value object = {};  ///< of a kPut, an object with a name; of a kAnswer, or null
  document::Value status = {};  ///< of a kAnswer that says no; else null
};

/// A line longer than this is refused, so that a file without any does not fill memory. An object has 3 MiB at most.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// Reads a recording line by line.
class RecordingReader {
 public:
  /// `text` outlives it; `file` is its name, for messages.
  RecordingReader(std::istream& text, std::string file);

  /// The first line. Before next(), once. Errors, with places: it is not one.
  tl::expected<Header, Diagnostics> header();
  /// The next line; nothing at the end. Errors: it cannot be read, and where; nothing more is read then.
  tl::expected<std::optional<RecordedLine>, Diagnostics> next();

  /// The last line is cut off, as of a program that was killed: it is left out.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  bool read_line();
  std::optional<document::Value> parse(Diagnostics& problems);

  std::istream& text_;
  std::string file_;
  std::string line_;
  std::array<char, std::size_t{16} << 10> block_{};
  std::uint32_t number_ = 0;
  Instant at_;
  bool is_cut_ = false;
  bool is_over_ = false;
};

}  // namespace loadline::recording
