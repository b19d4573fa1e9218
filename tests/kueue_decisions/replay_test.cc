#include "kueue_decisions/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "foundation/document/gzip.h"
#include "foundation/document/reader.h"
#include "kueue_decisions/outcome.h"

namespace loadline::kueue_decisions {
namespace {

namespace fs = std::filesystem;
using document::Value;

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

std::vector<fs::path> recordings() {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(LOADLINE_SOURCE_DIR "/conformance/kueue/recordings", ignored)) {
    if (entry.path().extension() == ".gz") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The traces of a recording, a line each.
std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const Result<std::string> text = document::decompress_gzip(bytes, kMostBytes);
  if (!text) return {text.error().message};
  std::vector<std::string> lines;
  std::istringstream all(*text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

Value read(const std::string& line) {
  const document::Reading reading = document::read_json(line, "trace");
  return reading.documents.size() == 1 ? reading.documents.front() : Value();
}

TEST(KueueReplay, WhatTheRealKueueDecidedIsOurs) {
  const std::vector<fs::path> files = recordings();
  ASSERT_FALSE(files.empty());
  Replays replays;
  for (const fs::path& file : files) {
    std::size_t cycles = 0;
    for (const std::string& line : lines_of(file)) {
      const Result<Replayed> replayed = replays.replay(read(line));
      ASSERT_TRUE(replayed) << file << ": " << replayed.error().message;
      cycles += replayed->cycles;
      for (const Difference& it : replayed->differences) {
        ADD_FAILURE() << file << " " << line.substr(0, 40) << " step " << replayed->differs_at << ": " << it.what
                      << "\nreal: " << it.expected << "\nours: " << it.actual;
      }
    }
    EXPECT_GT(cycles, 100U) << file;
  }
}

constexpr const char* kFlavor =
    R"({"put":{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ResourceFlavor","metadata":{"name":"f","uid":"f"}}})";
constexpr const char* kNamespace =
    R"({"put":{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns","uid":"n"}}})";
constexpr const char* kQueue = R"({"put":{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue",)"
                               R"("metadata":{"name":"q","uid":"q","generation":1},"spec":{"namespaceSelector":{},)"
                               R"("resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f",)"
                               R"("resources":[{"name":"cpu","nominalQuota":"2"}]}]}]}}})";
constexpr const char* kLocalQueue =
    R"({"put":{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue",)"
    R"("metadata":{"name":"lq","namespace":"ns","uid":"l"},"spec":{"clusterQueue":"q"}}})";
constexpr const char* kWorkload =
    R"({"put":{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload",)"
    R"("metadata":{"name":"w","namespace":"ns","uid":"w","generation":1,"creationTimestamp":"2100-01-01T00:00:00Z"},)"
    R"("spec":{"queueName":"lq","podSets":[{"name":"main","count":1,"template":{"spec":{"containers":)"
    R"([{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}}]}}})";

/// A workload that fits, and what a cycle is said to have made of it.
std::string tiny(const std::string& cycle) {
  std::string steps = R"({"at":0})";
  for (const char* step : {kNamespace, kFlavor, kQueue, kLocalQueue, kWorkload}) steps += std::string(",") + step;
  return R"({"name":"tiny","steps":[)" + steps + R"(,{"cycle":)" + cycle + "}]}";
}

constexpr const char* kAdmitted =
    R"({"events":["ns/w QuotaReserved: Quota reserved in ClusterQueue q, wait time since queued was 0s"],)"
    R"("admitted":{"ns/w":[{"name":"main","count":1,"flavors":{"cpu":"f"},"usage":{"cpu":1000}}]}})";

TEST(KueueReplay, ACycleThatAgreesHasNoDifference) {
  EXPECT_EQ(Replays().answer(tiny(kAdmitted)), R"({"name":"tiny","cycles":1,"step":6,"differences":[]})");
}

TEST(KueueReplay, AnEventThatDiffersIsTold) {
  EXPECT_EQ(Replays().answer(tiny(R"({"events":["ns/w Pending: no"],"waiting":{"q":["ns/w"]}})")),
            R"({"name":"tiny","cycles":1,"step":6,"differences":[{"what":"events","expected":"ns/w Pending: no",)"
            R"("actual":"ns/w QuotaReserved: Quota reserved in ClusterQueue q, wait time since queued was 0s"},)"
            R"({"what":"inadmissible in q","expected":"ns/w","actual":""}]})");
}

TEST(KueueReplay, AnEventThatIsCutEarlierIsTheSame) {
  Outcome real;
  Outcome ours;
  real.events = {"ns/w QuotaReserved: waited 12345s, f(Fi ..."};
  ours.events = {"ns/w QuotaReserved: waited 12345s, f(Fit), g ..."};
  EXPECT_TRUE(differences(real, ours).empty());
  ours.events = {"ns/w QuotaReserved: waited 12345s, f(Preempt ..."};
  EXPECT_FALSE(differences(real, ours).empty());
  ours.events = {"ns/w QuotaReserved: waited 12345s, f(Fit), g"};
  EXPECT_FALSE(differences(real, ours).empty());
}

TEST(KueueReplay, AnotherFlavorOrAmountIsTold) {
  std::string cycle = kAdmitted;
  cycle.replace(cycle.find("1000"), 4, "2000");
  EXPECT_EQ(Replays().answer(tiny(cycle)),
            R"({"name":"tiny","cycles":1,"step":6,"differences":[{"what":"admission of ns/w",)"
            R"("expected":"main:1{cpu=f:2000}","actual":"main:1{cpu=f:1000}"}]})");
}

TEST(KueueReplay, WhatIsNoTraceIsAnError) {
  EXPECT_NE(Replays().answer("nonsense").find(R"("error":"trace:1:2)"), std::string::npos);
  EXPECT_NE(Replays().answer("[1]").find(R"("error":"a trace has steps")"), std::string::npos);
  EXPECT_NE(Replays().answer(R"({"steps":[{"put":{"kind":"Workload"}}]})").find(R"("error":"step 0: )"),
            std::string::npos);
  EXPECT_NE(Replays().answer(R"({"steps":[{"deleted":"Pod/ns/p"}]})").find(R"("error":"step 0: )"), std::string::npos);
}

}  // namespace
}  // namespace loadline::kueue_decisions
