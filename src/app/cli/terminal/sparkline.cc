#include "app/cli/terminal/sparkline.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace loadline::cli {
namespace {

constexpr std::array<std::string_view, 8> kSteps = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> kAsciiSteps = {"_", ".", "-", "~", "=", "+", "*", "#"};

std::size_t step_of(double value, double most) {
  if (most <= 0 || value <= 0) return 0;
  if (value >= most) return kSteps.size() - 1;
  // Between nothing and all lie the steps between the first and the last.
  const auto between = static_cast<double>(kSteps.size() - 2);
  return 1 + std::min(static_cast<std::size_t>(value / most * between), kSteps.size() - 3);
}

std::string_view letter_of(Stretch stretch, Letters letters) {
  const bool unicode = letters == Letters::kUnicode;
  switch (stretch) {
    case Stretch::kNothing:
      return " ";
    case Stretch::kWaiting:
      return unicode ? "·" : ".";
    case Stretch::kStarting:
      return unicode ? "▒" : "+";
    case Stretch::kRunning:
      return unicode ? "█" : "#";
    case Stretch::kFailed:
      return unicode ? "▓" : "x";
  }
  return " ";
}

Style style_of(Stretch stretch) {
  switch (stretch) {
    case Stretch::kNothing:
      return Style::kPlain;
    case Stretch::kWaiting:
      return Style::kDim;
    case Stretch::kStarting:
      return Style::kWarn;
    case Stretch::kRunning:
      return Style::kGood;
    case Stretch::kFailed:
      return Style::kBad;
  }
  return Style::kPlain;
}

}  // namespace

Line sparkline(const std::vector<double>& values, double most, Letters letters) {
  const auto& steps = letters == Letters::kUnicode ? kSteps : kAsciiSteps;
  std::string text;
  for (const double value : values) text += steps[step_of(value, most)];
  return {std::move(text), Style::kAccent};
}

Line strip(const std::vector<Stretch>& cells, Letters letters) {
  Line line;
  for (std::size_t first = 0; first < cells.size();) {
    std::size_t end = first;
    std::string text;
    for (; end < cells.size() && cells[end] == cells[first]; ++end) text += letter_of(cells[end], letters);
    line.add(std::move(text), style_of(cells[first]));
    first = end;
  }
  return line;
}

}  // namespace loadline::cli
