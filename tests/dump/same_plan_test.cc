// What is planned with a dump of a cluster, with a snapshot of it, and with the cluster itself, is the same.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "command/command.h"
#include "dump/every_kind.h"
#include "dump/served_cluster.h"
#include "foundation/base/rng.h"
#include "foundation/document/at.h"
#include "foundation/document/gzip.h"
#include "foundation/document/reader.h"
#include "objects/kube/registry.h"
#include "simulation/observer.h"
#include "simulation/trace.h"
#include "simulation/workload.h"

namespace loadline::dump {
namespace {

using command::Ending;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

/// A cluster that users have acted upon for a while.
void live_a_while(ServedCluster& served, simulation::Workload& workload, Rng& random) {
  workload.use(served.client());
  workload.create_defaults();
  served.loop().run_until_idle();
  for (int i = 0; i < 4; ++i) workload.add_node();
  served.loop().advance(Duration::seconds(2));
  const std::vector<std::string> more = draft_surroundings(random);
  std::size_t next = 0;
  for (int step = 0; step < 24; ++step) {
    workload.act();
    for (; next < more.size() * static_cast<std::size_t>(step + 1) / 24; ++next) {
      const std::string refusal = served.create(more[next]);
      // Quotas are full at times, and users delete what something needs.
      const bool is_expected = refusal.empty() || refusal.find("exceeded quota") != std::string::npos ||
                               refusal.find("forbidden") != std::string::npos ||
                               refusal.find("already exists") != std::string::npos;
      EXPECT_TRUE(is_expected) << refusal << ": " << more[next];
    }
    served.loop().advance(Duration::seconds(static_cast<std::int64_t>(random.below(8))));
  }
}

std::string text_of(const std::string& file) {
  const std::string bytes = command::read(file);
  return file.ends_with(".gz") ? document::decompress_gzip(bytes, std::uint64_t{1} << 30).value() : bytes;
}

/// Notes the kinds whose objects a dump holds.
void note_kinds(const std::string& text, std::map<std::size_t, std::size_t>& seen) {
  const document::Reading reading = document::read(text, "dump");
  ASSERT_EQ(reading.documents.size(), 1U);
  for (const document::Value& object : document::items_at(reading.documents.front(), {"items"})) {
    for (const kube::KindInfo& info : kube::known_kinds()) {
      const bool is_it = info.kind == document::text_at(object, {"kind"}) &&
                         info.api_version == document::text_at(object, {"apiVersion"});
      if (is_it) ++seen[info.number];
    }
  }
}

/// Compares what the command says of each source. "@" stands for the source.
void expect_the_same(const std::vector<std::string>& arguments, const std::vector<std::vector<std::string>>& sources,
                     std::size_t& bytes) {
  std::vector<Ending> endings;
  for (const std::vector<std::string>& source : sources) {
    std::vector<std::string> words = arguments;
    words.insert(words.end(), source.begin(), source.end());
    endings.push_back(command::run(words));
  }
  bytes += endings.front().out.size();
  EXPECT_NE(endings.front().status, 2) << endings.front().err;
  for (std::size_t i = 1; i < endings.size(); ++i) {
    EXPECT_EQ(endings[i].status, endings.front().status) << endings[i].err;
    EXPECT_EQ(endings[i].out, endings.front().out) << fmt::format("{}", fmt::join(sources[i], " ")) << ": "
                                                   << command::first_difference(endings.front().out, endings[i].out);
  }
}

TEST(SamePlan, OfADumpASnapshotAndTheClusterItself) {
  const std::uint64_t first = number_of("LOADLINE_DUMP_FIRST_SEED", 1);
  const std::uint64_t seeds = number_of("LOADLINE_DUMP_SEEDS", 4);
  static constexpr const char* kEndings[] = {"json", "yaml", "json.gz", "yaml.gz"};
  const fs::path folder = fs::temp_directory_path() / fmt::format("loadline-dump-{}", ::getpid());
  fs::create_directories(folder);
  std::map<std::size_t, std::size_t> seen;
  std::size_t bytes = 0;
  for (std::uint64_t seed = first; seed < first + seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("LOADLINE_DUMP_FIRST_SEED={} LOADLINE_DUMP_SEEDS=1 repeats it", seed));
    Rng random(seed);
    ServedCluster served(seed);
    const simulation::Trace trace(served.loop());
    simulation::Observer observer(trace);
    observer.follow(served.client());
    simulation::Workload workload(observer, seed);
    live_a_while(served, workload, random);
    served.serve();

    const std::string kubeconfig = folder / "kubeconfig";
    const std::string dump = folder / fmt::format("dump.{}", kEndings[seed % 4]);
    const std::string snapshot = folder / fmt::format("snapshot.{}", kEndings[(seed / 4) % 4]);
    const std::string application = folder / "application.yaml";
    command::write(kubeconfig, served.kubeconfig());
    command::write(application, draft_application(random));
    const Ending dumped = command::run({"dump", "--kubeconfig", kubeconfig, "-o", dump});
    ASSERT_EQ(dumped.status, 0) << dumped.text();
    const Ending saved = command::run({"snapshot", "save", snapshot, "--kubeconfig", kubeconfig});
    ASSERT_EQ(saved.status, 0) << saved.text();
    note_kinds(text_of(dump), seen);
    EXPECT_THAT(text_of(dump), Not(HasSubstr("hush-hush")));
    EXPECT_THAT(text_of(snapshot), HasSubstr("hush-hush")) << "it is to be put back";

    const std::vector<std::vector<std::string>> sources = {
        {"--live", "--kubeconfig", kubeconfig}, {"--cluster", dump}, {"--cluster", snapshot}};
    expect_the_same({"plan", "-o", "json"}, sources, bytes);
    expect_the_same({"plan", "-o", "wide", "-f", application}, sources, bytes);
    expect_the_same({"plan", "--nodes", "-f", application}, sources, bytes);
    if (!observer.nodes().empty()) {
      const std::string node = observer.nodes().begin()->second.metadata().name;
      expect_the_same({"plan", "--diff", "--drain", node, "-o", "json"}, sources, bytes);
    }
    expect_the_same({"plan", "--diff", "--with", application}, sources, bytes);
    served.stop_serving();
    observer.let_go();
  }
  fs::remove_all(folder);
  fmt::print("{} clusters, {} kinds, {} bytes of plans\n", seeds, seen.size(), bytes);
  if (seeds < 100) return;  // a few need not have seen everything
  for (const kube::KindInfo& info : kube::known_kinds()) {
    EXPECT_GT(seen[info.number], 0U) << info.api_version << ' ' << info.kind;
    if (seen[info.number] > 0) fmt::print("  {} {}\n", seen[info.number], info.kind);
  }
}

}  // namespace
}  // namespace loadline::dump
