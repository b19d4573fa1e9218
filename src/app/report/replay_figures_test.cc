#include "app/report/replay_figures.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "app/report/replay_document.h"
#include "app/report/replay_page.h"

namespace loadline::report {
namespace {

TEST(ReplayFigures, SpansHaveTwoPlacesAtMost) {
  EXPECT_EQ(long_span_text(0), "0s");
  EXPECT_EQ(long_span_text(59.6), "1m");
  EXPECT_EQ(long_span_text(725), "12m5s");
  EXPECT_EQ(long_span_text(3 * 3600), "3h");
  EXPECT_EQ(long_span_text(3 * 3600 + 59), "3h");
  EXPECT_EQ(long_span_text(5 * 86400 + 4 * 3600 + 60), "5d4h");
  EXPECT_EQ(long_span_text(-3), "0s");
}

TEST(ReplayFigures, AreWrittenInTheirUnits) {
  EXPECT_EQ(figure_text(FigureUnit::kShare, 0.87444), "87.44 %");
  EXPECT_EQ(figure_text(FigureUnit::kCount, 12345), "12,345");
  EXPECT_EQ(figure_text(FigureUnit::kHours, 9.96), "10.0");
  EXPECT_EQ(figure_text(FigureUnit::kHours, 1234.4), "1,234");
  EXPECT_EQ(figure_text(FigureUnit::kRatio, 1.256), "1.26");
}

TEST(ReplayFigures, HaveKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  for (const ReplayFigure& figure : replay_figures()) EXPECT_TRUE(keys.insert(figure.key).second) << figure.key;
}

/// Two variants that differ in how long works waited.
std::vector<replay::VariantRuns> sweep() {
  std::vector<replay::VariantRuns> all = {{"nodes=1", {{}, {}}}, {"nodes=2", {{}, {}}}};
  all[0].runs[0].all.waiting.mean = 10;
  all[0].runs[1].all.waiting.mean = 20;
  return all;
}

TEST(ReplayDocument, OfASweepHasMeansAndIntervals) {
  const document::Value document = to_document(sweep());
  const document::Value& first = document.find("variants")->array().front();
  EXPECT_EQ(first.find("variant")->string(), "nodes=1");
  const document::Value& waiting = *first.find("figures")->find("waitingMeanSeconds");
  EXPECT_DOUBLE_EQ(waiting.find("mean")->number(), 15);
  EXPECT_LT(waiting.find("low")->number(), 0);  // t(0.975, 1) is 12.7
}

TEST(ReplayPage, ComparesWhatDiffersAndListsTheRest) {
  const page::Page page = sweep_page(sweep(), "Replays of <jobs>");
  std::size_t comparisons = 0;
  std::size_t same = 0;
  for (const auto& part : page.parts) {
    if (std::holds_alternative<page::Comparison>(part)) ++comparisons;
    if (const auto* table = std::get_if<page::Table>(&part)) same += table->rows.size();
  }
  EXPECT_EQ(comparisons, 1U);
  EXPECT_EQ(comparisons + same, replay_figures().size());
}

TEST(ReplayDocument, SamplesHaveACellForEachColumn) {
  replay::Sample sample;
  sample.at = Duration::seconds(90);
  EXPECT_EQ(sample_row(sample).size(), sample_columns().size());
  EXPECT_EQ(sample_row(sample).front(), "90");
}

}  // namespace
}  // namespace loadline::report
