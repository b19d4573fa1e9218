#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::page {

/// A colour of the style sheet: eight hues, the same eight in a second, lighter shade, and the two of states.
using Colour = std::size_t;
inline constexpr Colour kHues = 8;
inline constexpr Colour kWaiting = 2 * kHues;
inline constexpr Colour kFailed = kWaiting + 1;
inline constexpr Colour kColours = kFailed + 1;

/// The class of the style sheet that sets an element's colour.
std::string_view colour_class(Colour colour);

/// Which name has which colour. A name keeps its colour throughout the page. The names of one chart get different hues
/// as long as there are enough, then lighter shades; charts take turns with hues, so that few names of different charts
/// look alike. "waiting" and "failed" have colours of their own.
class Palette {
 public:
  /// Gives the names of a chart colours, in their order. O(names · log names).
  void add_chart(const std::vector<std::string_view>& names);

  /// The colour of a name; the first hue for one that no chart has.
  [[nodiscard]] Colour of(std::string_view name) const;

 private:
  std::map<std::string, Colour, std::less<>> colours_;
  std::array<std::size_t, kHues> uses_ = {};
};

}  // namespace loadline::page
