#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "app/page/page.h"
#include "app/page/testing/markup.h"
#include "foundation/base/rng.h"

namespace loadline::page {
namespace {

/// Pages of names and numbers such as only an enemy would give, and some that are harmless.
class RandomPage {
 public:
  explicit RandomPage(std::uint64_t seed) : rng_(seed) {}

  Page page() {
    Page page{.title = text(), .subtitle = text(), .parts = {}};
    for (std::uint64_t i = rng_.below(7); i > 0; --i) add_part(page);
    return page;
  }

 private:
  std::string text() {
    constexpr std::array<std::string_view, 22> kPieces = {
        "<script>", "</style>",     "</title>",    "]]>",    "<!--",   "\"",           "'",       "&",      "&#x3c;",
        "\xFF\xFE", "\xED\xA0\x80", "\x1B[31m",    "\u202E", "\u2028", "\xEF\xBF\xBF", "waiting", "failed", "node-1",
        "日本語",   "\r\n",         "javascript:", ""};
    std::string text;
    for (std::uint64_t i = rng_.below(4); i > 0; --i) text += kPieces[rng_.below(kPieces.size())];
    if (rng_.below(20) == 0) text += std::string(1, '\0');
    if (rng_.below(50) == 0) text += std::string(3000, '<');
    return text;
  }

  double number() {
    constexpr std::array<double, 12> kNumbers = {0,      -0.0,   1,   -1,       0.5,       1e308,
                                                 -1e308, 1e-320, NAN, INFINITY, -INFINITY, 1e15};
    return rng_.below(3) == 0 ? kNumbers[rng_.below(kNumbers.size())] : static_cast<double>(rng_.below(100'000)) / 7;
  }

  std::string unit() {
    constexpr std::array<std::string_view, 4> kUnits = {"%", "s", "GPUs", ""};
    return rng_.below(5) == 0 ? text() : std::string(kUnits[rng_.below(kUnits.size())]);
  }

  void add_part(Page& page) {
    switch (rng_.below(6)) {
      case 0:
        page.parts.emplace_back(Figures{{{text(), text()}, {text(), text()}}});
        break;
      case 1:
        page.parts.emplace_back(Text{text(), rng_.below(2) == 0 ? "" : text()});
        break;
      case 2:
        page.parts.emplace_back(line_chart());
        break;
      case 3:
        page.parts.emplace_back(gantt());
        break;
      case 4:
        page.parts.emplace_back(comparison());
        break;
      default:
        page.parts.emplace_back(
            Table{.title = text(), .header = {text(), text()}, .rows = {{text()}, {text(), text(), text()}, {}}});
    }
  }

  LineChart line_chart() {
    LineChart chart{.title = text(),
                    .unit = unit(),
                    .axis = rng_.below(2) == 0 ? Axis::kSeconds : Axis::kNumber,
                    .curves = {},
                    .end = number()};
    for (std::uint64_t i = rng_.below(30); i > 0; --i) {
      Curve curve{.name = text(), .points = {}};
      for (std::uint64_t j = rng_.below(20); j > 0; --j) curve.points.push_back({.x = number(), .y = number()});
      chart.curves.push_back(std::move(curve));
    }
    return chart;
  }

  Gantt gantt() {
    Gantt chart{.title = text(), .end = number(), .lanes = {}};
    for (std::uint64_t i = rng_.below(260); i > 0; --i) {
      Lane lane{.name = text(), .spans = {}};
      for (std::uint64_t j = rng_.below(6); j > 0; --j) {
        lane.spans.push_back({.from = number(), .to = number(), .label = text(), .details = text(), .group = text()});
      }
      chart.lanes.push_back(std::move(lane));
    }
    return chart;
  }

  Comparison comparison() {
    Comparison chart{.title = text(), .unit = unit(), .variants = {}};
    for (std::uint64_t i = rng_.below(8); i > 0; --i) {
      chart.variants.push_back({.name = text(), .value = {.mean = number(), .low = number(), .high = number()}});
    }
    return chart;
  }

  Rng rng_;
};

TEST(PageProperty, IsWellFormedWhateverItShows) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const std::string text = html(RandomPage(seed).page());
    const Markup markup(text);
    ASSERT_EQ(markup.fault(), "") << "seed " << seed;
    ASSERT_EQ(markup.count("style"), 1u) << "seed " << seed;
    for (const std::string& value : markup.values()) {
      ASSERT_EQ(value.find("nan"), std::string::npos) << "seed " << seed << ": " << value;
    }
  }
}

TEST(PageProperty, IsTheSameBytesEachTime) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_EQ(html(RandomPage(seed).page()), html(RandomPage(seed).page())) << "seed " << seed;
  }
}

TEST(Markup, FindsWhatIsWrong) {
  constexpr std::string_view kType = "<!DOCTYPE html>\n";
  EXPECT_EQ(Markup("<!DOCTYPE html>\n<p class=\"a\">x &amp; y</p>\n").fault(), "");
  for (const std::string_view wrong : {"<p>", "</p>", "<p></div>", "<script></script>", "<p onclick=\"\"></p>",
                                       "<p class=a></p>", "<p>&nbsp;</p>", "<p>a > b</p>", "<p class=\"<\"></p>",
                                       "<p class=\"\" class=\"\"></p>", "<p>\x01</p>", "<p>\xFF</p>", "<!-- -->"}) {
    EXPECT_NE(Markup(fmt::format("{}{}", kType, wrong)).fault(), "") << wrong;
  }
}

}  // namespace
}  // namespace loadline::page
