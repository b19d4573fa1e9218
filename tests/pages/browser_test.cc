#include "pages/browser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "app/page/page.h"
#include "pages/picture.h"
#include "pages/sample_pages.h"

namespace loadline::pages {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Pixel kLightPaper = {255, 255, 255};
constexpr Pixel kDarkPaper = {15, 19, 24};

class InABrowser : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    scratch_ = std::filesystem::path(testing::TempDir()) / ("loadline_pages_" + test);
    browser_ = Browser::installed(scratch_);
    if (!browser_.has_value()) GTEST_SKIP() << "no Chromium is installed: how pages look was not tested";
    const char* kept = std::getenv("LOADLINE_PAGES");
    folder_ = kept != nullptr ? std::filesystem::path(kept) : scratch_;
    std::filesystem::create_directories(folder_);
  }

  void TearDown() override { std::filesystem::remove_all(scratch_); }

  std::filesystem::path write(std::string_view name, const std::string& html) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << html;
    return path;
  }

  /// Takes pictures in both colour schemes. What is drawn covers some of the paper, and not all of it.
  void expect_drawn(const std::filesystem::path& page, int height) const {
    for (const ColourScheme scheme : {ColourScheme::kLight, ColourScheme::kDark}) {
      const std::optional<Picture> picture = read_png(browser_->picture_of(page, scheme, 1280, height));
      ASSERT_TRUE(picture.has_value()) << page;
      EXPECT_EQ(picture->width, 1280u);
      EXPECT_GT(colours_of(*picture), 50u) << page;
      const double paper = share_of(*picture, scheme == ColourScheme::kDark ? kDarkPaper : kLightPaper);
      EXPECT_GT(paper, 0.2) << page;
      EXPECT_LT(paper, 0.98) << page;
    }
  }

  std::optional<Browser> browser_;
  std::filesystem::path scratch_;  // the browser's
  std::filesystem::path folder_;   // of pages and pictures
};

TEST_F(InABrowser, ATimelineIsDrawnFromAFile) {
  const std::filesystem::path page = write("timeline.html", page::html(timeline_page()));
  const Browser::Reading reading = browser_->read(page);
  EXPECT_EQ(reading.complaints, "");
  EXPECT_THAT(reading.document, HasSubstr("What happens until 8h"));
  expect_drawn(page, 3200);
}

TEST_F(InABrowser, ASweepIsDrawnFromAFile) {
  const std::filesystem::path page = write("sweep.html", page::html(sweep_page()));
  EXPECT_EQ(browser_->read(page).complaints, "");
  expect_drawn(page, 2000);
}

TEST_F(InABrowser, APageOfVeryMuchOpens) {
  const std::filesystem::path page = write("large.html", page::html(large_page(5000, 100000)));
  EXPECT_LT(std::filesystem::file_size(page), 8'000'000u);
  EXPECT_EQ(browser_->read(page).complaints, "");
  expect_drawn(page, 3200);
}

TEST_F(InABrowser, WhatAPageWouldLoadIsComplainedAbout) {
  std::string html = page::html({.title = "A plan", .subtitle = "", .parts = {}});
  html.insert(html.find("<main>"), "<img src=\"https://example.com/picture.png\"/><script>1</script>");
  const std::string complaints = browser_->read(write("loading.html", html)).complaints;
  EXPECT_THAT(complaints, HasSubstr("picture.png"));
  EXPECT_THAT(complaints, HasSubstr("script"));
}

TEST_F(InABrowser, HostileNamesStayText) {
  page::Page page{.title = "</title><script>document.title='taken'</script>", .subtitle = {}, .parts = {}};
  page.parts.emplace_back(page::Text{"<img src=x onerror=\"document.body.textContent='taken'\">"});
  page::Gantt gantt{.title = "\"><script>document.body.textContent='taken'</script>", .end = 10, .lanes = {}};
  gantt.lanes.push_back(
      {.name = "]]><!--", .spans = {{.from = 0, .to = 5, .label = "</svg><b>", .details = "", .group = "'"}}});
  page.parts.emplace_back(std::move(gantt));
  const Browser::Reading reading = browser_->read(write("hostile.html", page::html(page)));
  EXPECT_EQ(reading.complaints, "");
  EXPECT_THAT(reading.document, HasSubstr("&lt;img src=x"));
  EXPECT_THAT(reading.document, Not(HasSubstr("<script")));
  EXPECT_THAT(reading.document, Not(HasSubstr(">taken<")));
}

}  // namespace
}  // namespace loadline::pages
