#include "hosts/kubelet/go_duration.h"

#include <fmt/format.h>

#include <cstdint>

namespace loadline::kubelet {

std::string go_duration(Duration span) {
  const std::int64_t milliseconds = span.nanoseconds / 1'000'000;
  if (milliseconds == 0) return "0s";
  if (milliseconds < 1000) return fmt::format("{}ms", milliseconds);
  std::string text;
  const std::int64_t seconds = milliseconds / 1000;
  if (seconds >= 3600) text += fmt::format("{}h", seconds / 3600);
  if (seconds >= 60) text += fmt::format("{}m", seconds / 60 % 60);
  text += fmt::format("{}", seconds % 60);
  if (milliseconds % 1000 != 0) {
    std::string fraction = fmt::format(".{:03}", milliseconds % 1000);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += fraction;
  }
  return text + 's';
}

}  // namespace loadline::kubelet
