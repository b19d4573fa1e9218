#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "brain/workloads/kinds.h"
#include "command/up.h"
#include "huge_counts/every_count.h"
#include "huge_counts/limited_run.h"

namespace loadline::huge_counts {
namespace {

constexpr std::int64_t kMost = 2'147'483'647;
constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kHundredThousand = 100'000;

using Words = std::vector<std::string>;

/// Address sanitizers reserve more than any limit of address space lets them.
bool can_be_limited() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

class HugeCounts : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_be_limited()) GTEST_SKIP() << "sanitizers need more address space";
  }

  /// A command about a manifest with two nodes.
  LimitedRun run(Words words, const std::string& text) {
    words.insert(words.begin(), LOADLINE_PROGRAM);
    words.insert(words.end(), {"-f", folder_.with("huge.yaml", nodes() + text)});
    return run_limited(words);
  }

  [[nodiscard]] std::string file() const { return folder_.file("huge.yaml"); }

  command::Folder folder_;
};

std::string what_happened(const LimitedRun& run) {
  return "status " + std::to_string(run.status) + ", signal " + std::to_string(run.signal) + " after " +
         std::to_string(run.seconds) + " s\n" + run.err.substr(0, 2000);
}

/// The program ended by itself, said something, and did not speak of memory: but of a kind of which each replica is a
/// gang, which costs many times a pod's.
void expect_clean(const LimitedRun& run, const CountedObject& object) {
  EXPECT_EQ(run.signal, 0) << what_happened(run);
  EXPECT_TRUE(run.status >= 0 && run.status <= 2) << what_happened(run);
  EXPECT_FALSE(run.out.empty() && run.err.empty());
  const bool makes_gangs = object.kind.starts_with("PodClique");
  const bool lacks_memory = run.err.find("memory for this") != std::string::npos;
  EXPECT_TRUE(!lacks_memory || (makes_gangs && run.status == 2)) << what_happened(run);
}

/// Refused before anything was made: with the place of the number, its field, and what raises the bound.
void expect_refusal(const LimitedRun& run, const CountedObject& object, const std::string& file) {
  EXPECT_EQ(run.status, 2) << what_happened(run);
  EXPECT_LT(run.seconds, 5) << what_happened(run);
  const std::string all = run.err + run.out;
  const std::size_t line = all.find(file + ":");
  ASSERT_NE(line, std::string::npos) << what_happened(run);
  if (object.most_valid > 0) return;  // validation has a word of its own, before or instead
  EXPECT_NE(all.find(object.field + ": makes "), std::string::npos) << what_happened(run);
  EXPECT_NE(all.find("--max-pods raises it"), std::string::npos) << what_happened(run);
  EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(all[line + file.size() + 1]))) << "no line: " << all;
}

TEST_F(HugeCounts, EveryKindOfWorkloadIsInTheTable) {
  std::set<std::string> there;
  for (const CountedObject& object : every_count()) there.insert(object.kind);
  workloads::for_each_kind([&]<class Kind>() {
    const std::string kind(workloads::kind_name<Kind>());
    if (kind == "DaemonSet") return;  // it has no count but that of the nodes
    EXPECT_TRUE(there.contains(kind)) << kind << " may have a count that no test knows";
  });
}

const std::vector<Words>& commands() {
  static const auto& all =
      *new std::vector<Words>{{"plan"}, {"explain"}, {"lint"}, {"plan", "--until", "1h"}, {"plan", "--until", "idle"}};
  return all;
}

TEST_F(HugeCounts, TheMostAndAMillionAreRefusedAtOnce) {
  for (const CountedObject& object : every_count()) {
    for (const std::int64_t count : {kMost, kMillion}) {
      for (const Words& words : commands()) {
        SCOPED_TRACE(object.kind + " " + object.field + " of " + std::to_string(count) + ", " + words.back());
        expect_refusal(run(words, object.with(count)), object, file());
      }
    }
  }
}

/// A hundred thousand pods take seconds: of the table each fourth, unless LOADLINE_EVERY_COUNT is set.
std::vector<CountedObject> some_of_every_count() {
  const std::vector<CountedObject> all = every_count();
  const std::size_t step = std::getenv("LOADLINE_EVERY_COUNT") == nullptr ? 4 : 1;
  std::vector<CountedObject> some;
  for (std::size_t i = 3; i < all.size() + 3; i += step) some.push_back(all[i % all.size()]);
  return some;
}

TEST_F(HugeCounts, AHundredThousandArePlanned) {
  for (const CountedObject& object : some_of_every_count()) {
    SCOPED_TRACE(object.kind + " " + object.field);
    expect_clean(run({"plan"}, object.with(kHundredThousand)), object);
    expect_clean(run({"lint"}, object.with(kHundredThousand)), object);
    const LimitedRun later = run({"plan", "--until", "1h"}, object.with(kHundredThousand));
    expect_clean(later, object);
    EXPECT_EQ(later.status, 2) << "more than as time passes\n" << what_happened(later);
  }
}

TEST_F(HugeCounts, AHundredThousandAreExplained) {
  const std::vector<CountedObject> objects = some_of_every_count();
  for (std::size_t i = 0; i < objects.size(); i += 2) {
    SCOPED_TRACE(objects[i].kind + " " + objects[i].field);
    expect_clean(run({"explain"}, objects[i].with(kHundredThousand)), objects[i]);
  }
}

/// Minimums, limits, subgroups: whatever a number says that makes no pods, the answer is a plain one.
TEST_F(HugeCounts, OtherNumbersMakeNothing) {
  for (const CountedObject& object : every_other_count()) {
    for (const std::int64_t count : {kMost, kHundredThousand}) {
      for (const Words& words : commands()) {
        // A Job's pods run one after the other until all have: that takes as long as it says.
        if (object.kind == "completions" && words.back() == "idle") continue;
        SCOPED_TRACE(object.kind + " of " + std::to_string(count) + ", " + words.back());
        const LimitedRun ended = run(words, object.with(count));
        expect_clean(ended, object);
        EXPECT_LT(ended.seconds, 20);
      }
    }
  }
}

TEST_F(HugeCounts, TheSumCountsAndTheLargestIsNamed) {
  const CountedObject deployment = every_count().front();
  std::string text;
  for (int i = 0; i < 5; ++i) {
    std::string one = deployment.with(90'000 + i);
    one.replace(one.find("name: huge"), 10, "name: huge-" + std::to_string(i));
    text += one + "\n---\n";
  }
  const LimitedRun ended = run({"plan"}, text);
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(
      ended.err.find(
          "Deployment default/huge-4: spec.replicas: makes 90004 pods, the most of 450010 in all, more than 150000"),
      std::string::npos)
      << ended.err;
}

TEST_F(HugeCounts, TheOptionRaisesTheBound) {
  const CountedObject deployment = every_count().front();
  const LimitedRun lower = run({"plan", "--max-pods", "10"}, deployment.with(11));
  EXPECT_EQ(lower.status, 2);
  EXPECT_NE(lower.err.find("makes 11 pods, more than 10"), std::string::npos) << lower.err;
  EXPECT_EQ(run({"plan", "--max-pods", "11"}, deployment.with(11)).status, 0);
  EXPECT_EQ(run({"plan", "--max-pods", "10", "--keep-going"}, deployment.with(11)).status, 2)
      << "there is no part of the plan to leave out";
}

TEST_F(HugeCounts, ScalesAndNodesOfAChangeAreBounded) {
  const CountedObject deployment = every_count().front();
  const LimitedRun scaled = run({"plan", "--diff", "--scale", "deployment/huge=2147483647"}, deployment.with(3));
  EXPECT_EQ(scaled.status, 2) << what_happened(scaled);
  EXPECT_NE(scaled.err.find("spec.replicas: makes 2147483644 pods"), std::string::npos) << "three are there\n"
                                                                                        << scaled.err;
  const LimitedRun cliques =
      run({"plan", "--diff", "--scale", "podcliqueset/huge=2147483647"}, every_count()[24].with(1));
  EXPECT_EQ(cliques.status, 2) << what_happened(cliques);
  for (const char* count : {"2147483647", "18446744073709551615"}) {
    const LimitedRun nodes =
        run({"plan", "--diff", "--add-nodes", std::string(count) + ":gpu=h100:8"}, deployment.with(3));
    EXPECT_EQ(nodes.status, 2) << what_happened(nodes);
  }
}

TEST_F(HugeCounts, SchedulesThatRunOftenAreCountedAsTimePasses) {
  const std::vector<CountedObject> objects = every_count();
  const auto cron_job =
      std::ranges::find_if(objects, [](const CountedObject& object) { return object.kind == "CronJob"; });
  ASSERT_NE(cron_job, objects.end());
  const LimitedRun ended = run({"plan", "--until", "1000000h"}, cron_job->with(2));
  EXPECT_EQ(ended.status, 2) << what_happened(ended);
  EXPECT_NE(ended.err.find("spec.schedule: makes "), std::string::npos) << ended.err;
}

TEST_F(HugeCounts, AWorkOfATraceIsBounded) {
  for (const CountedObject& object : every_count()) {
    if (object.kind == "Reservation" || object.kind == "PodCliqueScalingGroup") continue;
    SCOPED_TRACE(object.kind + " " + object.field);
    const std::string work = "{\"template\": \"" + object.kind + "/huge\", \"arrival\": 0, \"duration\": 60}\n";
    const std::string trace = folder_.with("huge.jsonl", work);
    const std::string manifest = folder_.with("cluster.yaml", nodes() + object.with(kMost));
    const LimitedRun ended = run_limited({LOADLINE_PROGRAM, "replay", trace, "-f", manifest});
    EXPECT_EQ(ended.status, 2) << what_happened(ended);
    if (object.most_valid > 0) continue;
    EXPECT_NE(ended.err.find("makes "), std::string::npos) << ended.err;
  }
}

}  // namespace
}  // namespace loadline::huge_counts
