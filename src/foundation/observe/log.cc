#include "foundation/observe/log.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/utf8.h"
#include "foundation/document/visible_text.h"

namespace loadline::observe {
namespace {

constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
constexpr char kLetters[] = {'D', 'I', 'W', 'E'};
constexpr std::int64_t kSecond = 1'000'000'000;

/// In quotes, as JSON and Go write texts. What is no text of one line would break the format, or a terminal.
std::string quoted(std::string_view text) {
  std::string escaped;
  for (const char letter : document::to_valid_utf8(text)) {
    if (letter == '"' || letter == '\\') {
      escaped += '\\';
      escaped += letter;
    } else if (letter == '\n') {
      escaped += "\\n";
    } else {
      escaped += letter;
    }
  }
  return '"' + document::visible(escaped) + '"';
}

/// "1122 04:08:15.123456", of "2026-11-22T04:08:15Z".
std::string klog_time(Instant now) {
  const std::string whole = format_rfc3339(now);
  const std::int64_t rest = ((now.nanoseconds % kSecond) + kSecond) % kSecond;
  return fmt::format("{}{} {}.{:06}", whole.substr(5, 2), whole.substr(8, 2), whole.substr(11, 8), rest / 1000);
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

std::optional<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::kText;
  if (text == "json") return LogFormat::kJson;
  return std::nullopt;
}

Log::Log(LogOptions options, Sink sink, Clock clock)
    : options_(options), sink_(std::move(sink)), clock_(std::move(clock)) {}

std::optional<std::size_t> Log::admit(std::string_view component, std::string_view message, Instant now) {
  std::string key(component);
  key += '\n';
  key += message;
  const auto [entry, is_new] = windows_.try_emplace(std::move(key));
  Window& window = entry->second;
  // A clock that was set back begins a new window, too.
  if (is_new || now < window.begin || now - window.begin >= options_.window) {
    const std::size_t left_out = window.left_out;
    window = {now, 1, 0};
    return left_out;
  }
  if (window.lines >= options_.burst) {
    ++window.left_out;
    return std::nullopt;
  }
  ++window.lines;
  return 0;
}

void Log::write(LogLevel level, std::string_view component, std::string_view message,
                std::initializer_list<LogField> fields) {
  if (!takes(level)) return;
  const std::scoped_lock lock(mutex_);
  const Instant now = clock_();
  const std::optional<std::size_t> left_out = admit(component, message, now);
  if (!left_out) return;
  const auto index = static_cast<std::size_t>(level);
  std::string line;
  if (options_.format == LogFormat::kText) {
    line = fmt::format("{}{} {}] {}", kLetters[index], klog_time(now), component, quoted(message));
    for (const LogField& field : fields) line += fmt::format(" {}={}", field.key, quoted(field.value));
    if (*left_out > 0) line += fmt::format(" leftOut=\"{}\"", *left_out);
  } else {
    line = fmt::format(R"({{"ts":{}.{:06},"level":"{}","component":{},"msg":{})", now.nanoseconds / kSecond,
                       (now.nanoseconds % kSecond) / 1000, kNames[index], quoted(component), quoted(message));
    for (const LogField& field : fields) line += fmt::format(",{}:{}", quoted(field.key), quoted(field.value));
    if (*left_out > 0) line += fmt::format(",\"leftOut\":{}", *left_out);
    line += '}';
  }
  line += '\n';
  sink_(line);
}

}  // namespace loadline::observe
