// Manifests with the features that the examples of each project show: each is planned, judged by `lint`, and run to its
// end in virtual time. docs/manifests.md tells what comes of them, and is made anew with UPDATE_MANIFESTS=1.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command/command.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "objects/kube/registry.h"
#include "objects/schema/published.h"

namespace loadline::manifests {
namespace {

namespace fs = std::filesystem;
using document::text_at;
using document::Value;

constexpr const char* kCases = "tests/manifests/cases";
constexpr const char* kCluster = "tests/manifests/cluster.yaml";
constexpr const char* kPage = "docs/manifests.md";
constexpr std::string_view kBegin = "<!-- what follows is made by tests/manifests -->\n";

/// The projects in the order of the page, and what each is called there.
constexpr std::array<std::pair<const char*, const char*>, 7> kProjects = {{{"jobset", "JobSet"},
                                                                           {"lws", "LeaderWorkerSet"},
                                                                           {"kuberay", "KubeRay"},
                                                                           {"training-operator", "Training operator"},
                                                                           {"mpi-operator", "MPI operator"},
                                                                           {"volcano", "Volcano"},
                                                                           {"grove", "Grove"}}};

std::vector<fs::path> cases_of(std::string_view project) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(kCases) / project)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

/// The first line, "# Workers start once the driver is ready".
std::string feature_of(const fs::path& path) { return command::lines_of(command::read(path)).front().substr(2); }

/// "9 pods placed": of the line that says how it went; or what is said instead.
std::string planned(const fs::path& path) {
  const command::Ending ending = command::run({"plan", "-f", path.string(), "--cluster", kCluster});
  constexpr std::string_view kAll = "✓ every pod has a node: ";
  for (const std::string& line : command::lines_of(ending.out)) {
    if (line.starts_with(kAll)) return line.substr(kAll.size(), line.find(',') - kAll.size());
    if (line.starts_with("✗ ")) return line.substr(std::string_view("✗ ").size());
    if (line.starts_with("? ")) return line.substr(std::string_view("? ").size());
  }
  return ending.status == 0 ? "nothing to place" : "an error: " + ending.err;
}

/// The rules that find something; "nothing".
std::string judged(const fs::path& path) {
  const command::Ending ending = command::run({"lint", "-f", path.string(), "--cluster", kCluster});
  std::set<std::string> rules;
  for (const std::string& line : command::lines_of(ending.out)) {
    if (!line.ends_with(']') || line.rfind('[') == std::string::npos) continue;
    const std::size_t at = line.rfind('[') + 1;
    rules.insert(line.substr(at, line.size() - at - 1));
  }
  return rules.empty() ? "nothing" : fmt::format("{}", fmt::join(rules, ", "));
}

kube::ResourceReference resource_of(const Value& object) {
  const std::string version(text_at(object, {"apiVersion"}));
  const std::string kind(text_at(object, {"kind"}));
  const std::size_t slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
  const schema::Resource* const published = schema::find_published(version, kind);
  std::string plural = published == nullptr ? "" : published->plural;
  if (const kube::KindInfo* info = kube::find_kind(version, kind); plural.empty() && info != nullptr) {
    plural = info->plural;
  }
  return {group, version.substr(slash == std::string::npos ? 0 : slash + 1), plural, "default"};
}

bool is_workload(const Value& object) {
  return schema::find_published(text_at(object, {"apiVersion"}), text_at(object, {"kind"})) == nullptr;
}

/// What an object says of itself: a phase, or the conditions that hold.
std::string state_of(const Value& object) {
  for (const document::Names names :
       {document::Names{"status", "jobDeploymentStatus"}, document::Names{"status", "state"},
        document::Names{"status", "state", "phase"}}) {
    if (const std::string_view text = text_at(object, names); !text.empty()) return std::string(text);
  }
  if (const auto last = text_at(object, {"status", "lastScheduleTime"}); !last.empty()) return "has made a job";
  if (text_at(object, {"kind"}) == "PodCliqueSet") {
    const Value available = document::value_at(object, {"status", "availableReplicas"});
    if (available == document::value_at(object, {"spec", "replicas"})) return "all replicas available";
  }
  std::vector<std::string> holding;
  const Value* conditions = document::find_at(object, {"status", "conditions"});
  if (conditions != nullptr && conditions->is_array()) {
    for (const Value& condition : conditions->array()) {
      if (text_at(condition, {"status"}) == "True") holding.emplace_back(text_at(condition, {"type"}));
    }
  }
  return fmt::format("{}", fmt::join(holding, ", "));
}

class Manifests : public embedded::testing::ClusterTest {
 protected:
  /// "JobSet Completed after 14 s".
  std::string lived(const fs::path& path) {
    std::vector<Value> nodes;
    std::vector<Value> rest;
    for (const Value& each : read(kCluster)) (text_at(each, {"kind"}) == "Node" ? nodes : rest).push_back(each);
    begin_at_a_whole_minute();
    start(nodes);
    for (const Value& object : read(path)) {
      rest.push_back(object);
      if (is_workload(object)) watched_.push_back(object);
    }
    for (const Value& object : rest) create(object);
    std::vector<std::string> states(watched_.size());
    std::vector<int> since(watched_.size());
    constexpr int kQuiet = 40;  // seconds without news: that was all
    for (int second = 0, news = 0; second <= news + kQuiet; ++second) {
      for (std::size_t i = 0; i < watched_.size(); ++i) {
        std::string state = now(watched_[i]);
        if (state == states[i]) continue;
        states[i] = std::move(state);
        since[i] = news = second;
      }
      loop_.advance(Duration::seconds(1));
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      const std::string kind(text_at(watched_[i], {"kind"}));
      lines.push_back(states[i].empty() ? kind + ": kept, not run"
                                        : fmt::format("{}: {} after {} s", kind, states[i], since[i]));
    }
    watched_.clear();
    return fmt::format("{}", fmt::join(lines, "; "));
  }

 private:
  /// So that what waits for the clock waits as long, whatever ran before.
  void begin_at_a_whole_minute() {
    constexpr std::int64_t kMinute = 60'000'000'000;
    cluster_.reset();
    loop_.advance({kMinute - loop_.now().nanoseconds % kMinute});
  }

  static std::vector<Value> read(const fs::path& path) {
    document::Reading reading = document::read_yaml(command::read(path), path.string());
    EXPECT_TRUE(reading.problems.empty()) << path;
    return std::move(reading.documents);
  }

  void create(Value object) {
    const kube::ResourceReference of = resource_of(object);
    ASSERT_FALSE(of.plural.empty()) << text_at(object, {"kind"});
    kube::ResourceReference target = of;
    if (of.plural == "storageclasses") target.name_space.clear();
    client_->create(target, std::move(object), [&](const kube::Answer<Value>& answer) {
      EXPECT_TRUE(answer || of.plural == "storageclasses") << answer.error().message;
    });
    loop_.run_until_idle();
  }

  std::string now(const Value& object) {
    kube::ResourceReference of = resource_of(object);
    for (const Value& each : list(of)) {
      if (text_at(each, {"metadata", "name"}) == text_at(object, {"metadata", "name"})) return state_of(each);
    }
    return "gone";
  }

  std::vector<Value> watched_;
};

TEST_F(Manifests, DoWhatThePageSays) {
  const std::string page = command::read(kPage);
  std::string table;
  for (const auto& [project, title] : kProjects) {
    table += fmt::format("\n## {}\n\n| feature | `plan` | `lint` finds | `up` |\n| --- | --- | --- | --- |\n", title);
    for (const fs::path& path : cases_of(project)) {
      table += fmt::format("| [{}](../{}) | {} | {} | {} |\n", feature_of(path), path.string(), planned(path),
                           judged(path), lived(path));
      ASSERT_FALSE(HasFatalFailure()) << path;
    }
  }
  const std::size_t end = page.find(kBegin);
  ASSERT_NE(end, std::string::npos) << kPage << " lost the line after which it is made";
  const std::string wanted = page.substr(0, end + kBegin.size()) + table;
  if (const char* update = std::getenv("UPDATE_MANIFESTS"); update != nullptr && std::string_view(update) == "1") {
    command::write(kPage, wanted);
  }
  EXPECT_EQ(command::read(kPage), wanted) << command::first_difference(command::read(kPage), wanted);
}

}  // namespace
}  // namespace loadline::manifests
