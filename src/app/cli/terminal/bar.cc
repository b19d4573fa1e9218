#include "app/cli/terminal/bar.h"

#include <algorithm>
#include <string>

namespace loadline::cli {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

Style heat(int percent) {
  if (percent >= 95) return Style::kBad;
  return percent >= 75 ? Style::kWarn : Style::kGood;
}

}  // namespace

Line bar(int percent, std::size_t cells, Letters letters) {
  const auto within = static_cast<std::size_t>(std::clamp(percent, 0, 100));
  const std::size_t filled = within * cells / 100;
  const bool unicode = letters == Letters::kUnicode;
  return Line(repeated(unicode ? "▇" : "#", filled), heat(percent))
      .add(repeated(unicode ? "▁" : ".", cells - filled), Style::kDim);
}

Line boxes(const std::vector<Box>& devices, Letters letters) {
  const bool unicode = letters == Letters::kUnicode;
  Line line("[");
  for (std::size_t first = 0; first < devices.size();) {
    std::size_t end = first;
    while (end < devices.size() && devices[end] == devices[first]) ++end;
    if (devices[first] == Box::kHeld) {
      line.add(repeated(unicode ? "■" : "#", end - first), Style::kAccent);
    } else if (devices[first] == Box::kReserved) {
      line.add(repeated(unicode ? "▣" : "+", end - first), Style::kAccent);
    } else {
      line.add(repeated(unicode ? "□" : ".", end - first), Style::kDim);
    }
    first = end;
  }
  return line.add("]");
}

}  // namespace loadline::cli
