// Rounds of Kueue's queues in recordings: they are written down, and decided again alike.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/recording/check.h"
#include "hosts/recording/recording.h"
#include "simulation/queue_drafts.h"

namespace loadline::recording {
namespace {

using simulation::kueue_resource;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A queue of four CPUs, for whose quota a Workload is preempted.
class RecordedQueues : public embedded::testing::ClusterTest {
 protected:
  std::string record(embedded::ClusterOptions options = {}) {
    std::string text;
    options.recording = std::make_shared<Recording>([&text](std::string_view lines) { text += lines; },
                                                    RecordedProgram{"loadline of this test", {}});
    start({embedded::testing::node("n1")}, std::move(options));
    apply(kueue_resource("resourceflavors"), simulation::flavor_manifest("f", "", ""));
    simulation::ClusterQueueDraft queue{.name = "q", .preemption = ", preemption: {withinClusterQueue: LowerPriority}"};
    queue.flavors = {{"f", {{"cpu", "4"}}}};
    apply(kueue_resource("clusterqueues"), queue.manifest());
    apply(kueue_resource("localqueues", "default"), simulation::local_queue_manifest("default", "l", "q"));
    add_workload("low", 3, 0);
    add_workload("high", 2, 10);
    loop_.advance(Duration::seconds(3));
    client_.reset();
    cluster_.reset();
    loop_.run_until_idle();
    return text;
  }
  void add_workload(const std::string& name, int cpus, int priority) {
    apply(
        kueue_resource("workloads", "default"),
        fmt::format("{{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {{name: {}, namespace: default}}, "
                    "spec: {{queueName: l, priority: {}, podSets: [{{name: main, count: 1, template: {{spec: "
                    "{{restartPolicy: Never, containers: [{{name: app, image: train, resources: {{requests: {{cpu: "
                    "'{}'}}}}}}]}}}}}}]}}}}",
                    name, priority, cpus));
    loop_.advance(Duration::seconds(2));
  }
  static RecordingCheck checked(const std::string& text) {
    std::istringstream stream(text);
    const auto check = check_recording(stream, "recording.jsonl");
    EXPECT_TRUE(check) << check.error().front().to_string();
    return check ? *check : RecordingCheck();
  }
};

/// The lines that hold the text, with their numbers.
std::vector<std::pair<std::size_t, std::string>> lines_with(const std::string& text, std::string_view part) {
  std::vector<std::pair<std::size_t, std::string>> lines;
  std::istringstream stream(text);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find(part) != std::string::npos) lines.emplace_back(number, line);
  }
  return lines;
}

/// The first line that holds it.
std::string line_with(const std::string& text, std::string_view part) {
  const auto lines = lines_with(text, part);
  EXPECT_FALSE(lines.empty()) << part;
  return lines.empty() ? std::string() : lines.front().second;
}

std::string with_change(std::string text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  return at == std::string::npos ? text : text.replace(at, before.size(), after);
}

TEST_F(RecordedQueues, EachRoundSaysWhatItDecided) {
  const std::string text = record();
  const RecordingCheck check = checked(text);
  EXPECT_THAT(check.first_differences, IsEmpty());
  EXPECT_EQ(check.differences, 0U);
  EXPECT_GE(check.rounds, 2U);
  EXPECT_THAT(line_with(text, R"("workload":"default/low")"),
              AllOf(HasSubstr(R"({"round":1,"workload":"default/low","uid":")"),
                    HasSubstr(R"(","outcome":"Admitted","clusterQueue":"q","podSets":[{"name":"main","count":1,)"
                              R"("flavors":{"cpu":"f"},"usage":{"cpu":"3"}}]})")));
  EXPECT_THAT(
      line_with(text, R"("workload":"default/high","uid")"),
      AllOf(HasSubstr(R"("outcome":"Preempting","clusterQueue":"q","message":"couldn't assign flavors)"),
            HasSubstr(R"("victims":[{"workload":"default/low","reason":"InClusterQueue"}],)"
                      R"("evicted":[{"workload":"default/low","reason":"InClusterQueue"}],"requeued":"Ready"})")));
}

TEST_F(RecordedQueues, ARoundThatWasTamperedWithIsFound) {
  const std::string text = record();
  const auto [number, line] = lines_with(text, R"("workload":"default/low","uid")").front();
  const std::string other = with_change(line, R"("cpu":"3")", R"("cpu":"4")");
  const RecordingCheck check = checked(with_change(text, line, other));
  ASSERT_EQ(check.differences, 1U);
  const Difference& difference = check.first_differences.front();
  EXPECT_EQ(difference.line, number);
  EXPECT_EQ(difference.subject, "workload default/low");
  EXPECT_EQ(difference.recorded, other);
  EXPECT_EQ(difference.now, line);

  const RecordingCheck without = checked(with_change(text, line + "\n", ""));
  EXPECT_GT(without.differences, 0U);
  EXPECT_EQ(without.first_differences.front().now, line) << "it is decided, and not recorded";
  EXPECT_GT(checked(with_change(text, line + "\n", line + "\n" + line + "\n")).differences, 0U);
}

/// What a round was told was another thing than what is recorded: from there on it decides otherwise.
TEST_F(RecordedQueues, OtherQuotaIsAnotherDecision) {
  const std::string text = record();
  const std::string put = line_with(text, R"("put":"clusterqueues.kueue.x-k8s.io")");
  std::string other = text;
  for (const auto& [number, line] : lines_with(text, R"("put":"clusterqueues.kueue.x-k8s.io")")) {
    const std::size_t quota = line.find(R"("nominalQuota":)") + 15;
    std::string more = line;
    more.replace(quota, more.find_first_of(",}", quota) - quota, "7");
    other = with_change(other, line, more);
  }
  const RecordingCheck check = checked(other);
  ASSERT_GT(check.differences, 0U);
  const Difference& difference = check.first_differences.front();
  EXPECT_EQ(difference.subject, "workload default/high");
  EXPECT_EQ(difference.line, lines_with(text, R"("workload":"default/high","uid")").front().first);
  EXPECT_THAT(difference.recorded, HasSubstr(R"("outcome":"Preempting")"));
  EXPECT_THAT(difference.now, HasSubstr(R"("outcome":"Admitted")"));
}

/// A scheduler whose queues were not its matter has none when it is made again.
TEST_F(RecordedQueues, WhereKueueWasDisabledThereAreNone) {
  embedded::ClusterOptions options;
  options.disabled_operators = {"kueue"};
  const std::string text = record(std::move(options));
  const RecordingCheck check = checked(text);
  EXPECT_EQ(check.differences, 0U);
  EXPECT_EQ(check.rounds, 0U);
}

/// A recording of before says nothing of rounds; what follows from them is compared.
TEST_F(RecordedQueues, OlderOnesAreCheckedByTheirRequests) {
  std::string text = with_change(record(), R"(,"kueue":true})", "}");
  const std::size_t rounds = lines_with(text, R"({"round":)").size();
  for (const auto& [number, line] : lines_with(text, R"({"round":)")) text = with_change(text, line + "\n", "");
  const std::string end = line_with(text, R"("end":true)");
  const std::size_t count = end.find(R"("lines":)") + 8;
  const std::size_t lines = std::stoul(end.substr(count));
  text = with_change(text, end, end.substr(0, count) + std::to_string(lines - rounds) + "}");
  const RecordingCheck check = checked(text);
  EXPECT_EQ(check.differences, 0U) << (check.differences == 0 ? "" : check.first_differences.front().now);
  EXPECT_GT(check.requests, 0U);
}

}  // namespace
}  // namespace loadline::recording
