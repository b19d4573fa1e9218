#include "app/page/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "app/page/label.h"

namespace loadline::page {
namespace {

constexpr std::size_t kMostNames = 24;

}  // namespace

void draw_legend(HtmlWriter& writer, const std::vector<std::string_view>& names, const Palette& palette,
                 LegendKey key) {
  std::vector<std::string_view> named = names;
  std::erase(named, std::string_view());
  if (named.empty()) return;
  const std::size_t shown = named.size() <= kMostNames ? named.size() : kMostNames - 1;
  writer.open("ul", {{"class", "legend"}});
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string_view kind = key == LegendKey::kBox ? "box" : "stroke";
    writer.open("li");
    writer.element("span", {{"class", fmt::format("key {} {}", kind, colour_class(palette.of(named[i])))}}, "");
    writer.element("span", {}, tooltip(named[i]));
    writer.close();
  }
  if (shown < named.size()) writer.element("li", {{"class", "more"}}, fmt::format("and {} more", named.size() - shown));
  writer.close();
}

}  // namespace loadline::page
