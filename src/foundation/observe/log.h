#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/time.h"

namespace loadline::observe {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
/// "debug", "info", "warning", "error".
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view text);

/// Lines for people, as klog writes them, or one JSON object a line, as Kubernetes' components write them.
enum class LogFormat : std::uint8_t { kText, kJson };
/// "text", "json".
[[nodiscard]] std::optional<LogFormat> parse_log_format(std::string_view text);

struct LogOptions {
  LogLevel level = LogLevel::kWarning;  ///< less is left out
  LogFormat format = LogFormat::kText;
  std::size_t burst = 10;                   ///< lines of one message within a window; more are counted
  Duration window = Duration::seconds(10);  ///< by the wall's clock
};

/// Something worth telling that was found out about: `value` as it is, quotes are added.
struct LogField {
  std::string_view key;
  std::string_view value;
};

/// What a server says while it runs: one line for each thing that matters.
///
///     W1122 04:08:15.123456 apiserver] "Request failed" verb="PUT" path="/api/v1/nodes/a" code="500"
///     {"ts":1763784495.123456,"level":"warning","component":"apiserver","msg":"Request failed","verb":"PUT",…}
///
/// A message that repeats is written a few times within a window; then one line says how many repetitions were left
/// out. Any thread may say something.
class Log {
 public:
  using Sink = std::function<void(std::string_view line)>;  ///< the line ends with a line feed
  using Clock = std::function<Instant()>;

  Log(LogOptions options, Sink sink, Clock clock);

  /// Whether a line of that level is wanted at all: ask before making fields that cost something.
  [[nodiscard]] bool takes(LogLevel level) const { return level >= options_.level; }

  /// `component` ("scheduler") and `message` ("Pod is unschedulable") are constants of the program: each pair is
  /// remembered. Details belong into fields.
  void write(LogLevel level, std::string_view component, std::string_view message,
             std::initializer_list<LogField> fields = {});

 private:
  struct Window {
    Instant begin;
    std::size_t lines = 0;
    std::size_t left_out = 0;
  };

  /// How many were left out since the last line; nothing: this one is, too.
  std::optional<std::size_t> admit(std::string_view component, std::string_view message, Instant now);

  LogOptions options_;
  std::mutex mutex_;  // held while a line is made and told
  Sink sink_;
  Clock clock_;
  std::map<std::string, Window, std::less<>> windows_;  // by component and message
};

}  // namespace loadline::observe
