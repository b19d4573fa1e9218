#include "hosts/recording/recorded_work.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "hosts/recording/header.h"

namespace loadline::recording {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A recording, written line by line; times are seconds.
class Written {
 public:
  Written() : text_(header_line({"loadline 0.1.0", {}}, {}) + "\n") { section(); }

  Written& section() {
    text_ += R"({"section":1,"at":"2026-01-01T00:00:00Z"})"
             "\n";
    return *this;
  }
  Written& start(int at) { return line(at, R"("start":true)"); }
  Written& node(int at, const std::string& name) {
    return line(at, fmt::format(R"("put":"nodes","object":{{"metadata":{{"name":"{}"}}}})", name));
  }
  /// `status` and `spec` are the members' texts.
  Written& pod(int at, const std::string& name, const std::string& phase, const std::string& spec = "",
               const std::string& metadata = "") {
    const std::string uid = metadata.starts_with("\"uid\"") ? "" : fmt::format(R"(,"uid":"u-{}")", name);
    return line(
        at, fmt::format(R"("put":"pods","object":{{"metadata":{{"namespace":"ml","name":"{}"{}{}{}}},)"
                        R"("spec":{{"containers":[{{"name":"main","image":"x"}}]{}{}}},"status":{{"phase":"{}"}}}})",
                        name, uid, metadata.empty() ? "" : ",", metadata, spec.empty() ? "" : ",", spec, phase));
  }
  Written& gone(int at, const std::string& name) {
    return line(at, fmt::format(R"("gone":"pods","namespace":"ml","name":"{}")", name));
  }

  /// "a at 3 for 5 until 9", a line a work.
  [[nodiscard]] std::vector<std::string> works() const {
    std::istringstream stream(text_);
    const auto work = RecordedWork::read(stream, "r.jsonl");
    if (!work) return {work.error().front().to_string()};
    std::vector<std::string> lines;
    while (const auto next = *(*work)->next()) lines.push_back(describe(*next));
    return lines;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Written& line(int at, const std::string& members) {
    text_ += fmt::format("{{\"at\":\"2026-01-01T00:{:02}:{:02}Z\",{}}}\n", at / 60, at % 60, members);
    return *this;
  }
  static std::string describe(const trace::Work& work) {
    const auto seconds = [](Duration span) { return span.nanoseconds / 1'000'000'000; };
    std::string text = fmt::format("{} at {}", work.name, seconds(work.arrives));
    if (work.is_gang) text += ", a gang";
    if (work.pods.size() != 1 || work.pods[0].count != 1) {
      for (const trace::PodsAlike& pods : work.pods) text += fmt::format(", {} alike", pods.count);
    }
    if (work.run_time) text += fmt::format(", for {}", seconds(*work.run_time));
    if (work.estimate) text += fmt::format(", estimated {}", seconds(*work.estimate));
    if (work.deleted) text += fmt::format(", deleted at {}", seconds(*work.deleted));
    return text;
  }

  std::string text_;
};

constexpr const char* kOnNode = R"("nodeName":"n1")";

TEST(RecordedWork, APodArrivesRunsAndEnds) {
  EXPECT_THAT(Written()
                  .start(10)
                  .pod(13, "a", "Pending")
                  .pod(15, "a", "Pending", kOnNode)
                  .pod(16, "a", "Running", kOnNode)
                  .pod(46, "a", "Succeeded", kOnNode)
                  .gone(50, "a")
                  .works(),
              ElementsAre("a at 3, for 30"));
}

TEST(RecordedWork, WithoutAStartTimeCountsFromTheBinding) {
  EXPECT_THAT(Written().start(0).pod(1, "a", "Pending", kOnNode).pod(9, "a", "Failed", kOnNode).works(),
              ElementsAre("a at 1, for 8"));
}

TEST(RecordedWork, WhatWasDeletedIsDeletedAgain) {
  const char* ending = R"("deletionTimestamp":"2026-01-01T00:00:20Z")";
  EXPECT_THAT(Written()
                  .start(0)
                  .pod(1, "a", "Running", kOnNode)
                  .pod(2, "b", "Pending")
                  .gone(7, "b")
                  .pod(8, "c", "Pending")
                  .pod(20, "a", "Running", kOnNode, ending)
                  .pod(25, "a", "Failed", kOnNode, ending)
                  .gone(26, "a")
                  .works(),
              ElementsAre("a at 1, deleted at 20", "b at 2, deleted at 7", "c at 8"));
}

TEST(RecordedWork, WhatIsThereAtTheBeginningArrivesThen) {
  const std::string text = Written()
                               .node(0, "n2")
                               .node(0, "n1")
                               .pod(1, "ended", "Succeeded", kOnNode)
                               .pod(1, "runs", "Running", kOnNode)
                               .pod(1, "waits", "Pending")
                               .start(5)
                               .node(6, "n3")
                               .pod(65, "runs", "Succeeded", kOnNode)
                               .text();
  std::istringstream stream(text);
  const auto work = RecordedWork::read(stream, "r.jsonl");
  ASSERT_TRUE(work);
  ASSERT_EQ((*work)->nodes().size(), 2U);
  EXPECT_EQ((*work)->nodes()[0].metadata.name, "n1");
  const auto first = *(*work)->next();
  EXPECT_EQ(first->name, "runs");
  EXPECT_EQ(first->arrives, Duration{});
  EXPECT_EQ(first->run_time, Duration::seconds(60));
  EXPECT_TRUE(first->pods.at(0).pod->spec->node_name.empty());
  EXPECT_EQ(first->tenant, "ml");
  EXPECT_EQ(first->work_class, "Pod");
  EXPECT_EQ((*(*work)->next())->name, "waits");
  EXPECT_FALSE(*(*work)->next());
}

TEST(RecordedWork, AGroupArrivesAndEndsAsOne) {
  const std::string of_group = R"("schedulingGroup":{"podGroupName":"ring"})";
  const std::string on_node = of_group + R"(,"nodeName":"n1")";
  EXPECT_THAT(Written()
                  .start(0)
                  .pod(1, "a", "Pending", of_group)
                  .pod(4, "b", "Pending", of_group)
                  .pod(6, "a", "Running", on_node)
                  .pod(7, "b", "Running", on_node)
                  .pod(9, "late", "Pending", of_group)
                  .pod(17, "a", "Succeeded", on_node)
                  .pod(20, "b", "Succeeded", on_node)
                  .works(),
              ElementsAre("ring at 4, a gang, 2 alike, for 13", "late at 9"));
}

TEST(RecordedWork, AGateIsWaitedFor) {
  const char* gated = R"("schedulingGates":[{"name":"wait"}])";
  EXPECT_THAT(
      Written().start(0).pod(1, "a", "Pending", gated).pod(2, "b", "Pending", gated).pod(30, "a", "Pending").works(),
      ElementsAre("a at 30"));
}

TEST(RecordedWork, OwnersEstimatesAreKept) {
  EXPECT_THAT(
      Written().start(0).pod(1, "a", "Pending", "", R"("annotations":{"loadline.dev/expected-duration":"2h"})").works(),
      ElementsAre("a at 1, estimated 7200"));
}

/// A scheduler that comes back hears of what there is, not of what went.
TEST(RecordedWork, WhatWentBetweenTwoSchedulersIsGone) {
  EXPECT_THAT(Written()
                  .start(0)
                  .pod(1, "a", "Pending")
                  .pod(2, "b", "Pending")
                  .section()
                  .pod(40, "b", "Pending")
                  .start(41)
                  .works(),
              ElementsAre("a at 1, deleted at 41", "b at 2"));
}

/// Nothing arrives before the work before it, whatever the wall's clock shows.
TEST(RecordedWork, AClockThatIsSetBackStandsStill) {
  EXPECT_THAT(Written().start(100).pod(110, "a", "Pending").pod(50, "b", "Pending").pod(120, "c", "Pending").works(),
              ElementsAre("a at 10", "b at 10", "c at 20"));
}

TEST(RecordedWork, NamesAreUsedAgain) {
  EXPECT_THAT(
      Written().start(0).pod(1, "a", "Pending").gone(2, "a").pod(3, "a", "Pending", "", R"("uid":"other")").works(),
      ElementsAre("a at 1, deleted at 2", "a-2 at 3"));
}

TEST(RecordedWork, NothingComesOfNothing) {
  EXPECT_THAT(Written().works(), IsEmpty());
  std::istringstream none("{}\n");
  EXPECT_FALSE(RecordedWork::read(none, "r.jsonl"));
}

}  // namespace
}  // namespace loadline::recording
