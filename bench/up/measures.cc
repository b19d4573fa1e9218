#include "bench/up/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>

#include "bench/subjects/pods.h"
#include "bench/up/cluster.h"
#include "bench/up/completion.h"
#include "bench/up/rollout.h"

namespace loadline::bench {
namespace {

constexpr std::string_view kNamespace = "bench";
constexpr double kLeastOfWhatIsAsked = 0.99;  // of a rate, to have held it

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

/// "10,000".
std::string grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

Result<void> measure_deployment(const Candidate& candidate, const UpSizes::Scale& scale, Sheet& sheet) {
  auto cluster = Cluster::start(candidate.variant, candidate.programs, candidate.folder, scale.nodes);
  if (!cluster) return tl::unexpected(cluster.error());
  Subject& subject = (*cluster)->subject();
  if (const auto made = make_namespace(subject.session(), std::string(kNamespace)); !made) return made;
  const double memory = subject.resident_megabytes();
  const double cpu = subject.cpu_seconds();
  const Result<double> seconds = roll_out(subject.session(), std::string(kNamespace), "web", scale.pods);
  if (!seconds) return tl::unexpected(seconds.error());
  const double took = subject.cpu_seconds() - cpu;
  const double grown = subject.resident_megabytes() - memory;
  const std::string name = fmt::format("{} pods on {} nodes", grouped(scale.pods), grouped(scale.nodes));
  Figure running{name + ": Running", "s", true};
  if (scale.pods == 10'000) running.bar = 3;
  const auto each = static_cast<double>(scale.pods);
  sheet.add(candidate.variant, running, *seconds);
  sheet.add(candidate.variant, {name + ": processor time", "us/pod", true}, took / each * 1e6);
  sheet.add(candidate.variant, {name + ": memory", "kB/pod", true}, grown / each * 1e3);
  return {};
}

}  // namespace

UpSizes UpSizes::quick() {
  UpSizes sizes;
  sizes.nodes = {10, 100};
  sizes.deployments = {{100, 10}, {1'000, 100}};
  sizes.peer_pods = 100;
  sizes.runs = {80, 10};
  sizes.churn_nodes = 100;
  sizes.churn = {100, 3, 1};
  return sizes;
}

Result<void> measure_start(const Candidate& candidate, const UpSizes& sizes, Sheet& sheet) {
  std::vector<double> memory;
  for (const std::size_t nodes : sizes.nodes) {
    auto cluster = Cluster::start(candidate.variant, candidate.programs, candidate.folder, nodes);
    if (!cluster) return tl::unexpected(cluster.error());
    Figure ready{fmt::format("ready with {} nodes", grouped(nodes)), "ms", true};
    if (nodes == 100) ready.bar = 200;
    sheet.add(candidate.variant, ready, (*cluster)->ready_milliseconds());
    std::this_thread::sleep_for(std::chrono::seconds(1));
    memory.push_back((*cluster)->subject().resident_megabytes());
    sheet.add(candidate.variant, {fmt::format("memory with {} nodes", grouped(nodes)), "MB", true}, memory.back());
  }
  const auto more = static_cast<double>(sizes.nodes.back() - sizes.nodes.front());
  if (more > 0) {
    sheet.add(candidate.variant, {"memory of a node", "kB", true}, (memory.back() - memory.front()) / more * 1e3);
  }
  return {};
}

Result<void> measure_deployments(const Candidate& candidate, const UpSizes& sizes, Sheet& sheet) {
  for (const UpSizes::Scale& scale : sizes.deployments) {
    if (is_peer(candidate.variant) && scale.pods > sizes.peer_pods) continue;
    if (const auto done = measure_deployment(candidate, scale, sheet); !done) return done;
  }
  return {};
}

Result<void> measure_runs(const Candidate& candidate, const UpSizes& sizes, Sheet& sheet) {
  if (is_peer(candidate.variant)) return {};
  constexpr std::size_t kPods = 8;
  double of_jobs = 0;
  const std::string name_space(kNamespace);
  for (const Runner& runner : {jobs_in(name_space), job_sets_in(name_space)}) {
    auto cluster = Cluster::start(candidate.variant, candidate.programs, candidate.folder, sizes.runs.nodes);
    if (!cluster) return tl::unexpected(cluster.error());
    Subject& subject = (*cluster)->subject();
    if (const auto made = make_namespace(subject.session(), name_space); !made) return made;
    const double cpu = subject.cpu_seconds();
    const std::size_t count = sizes.runs.pods / kPods;
    const Result<double> seconds = run_to_the_end(subject.session(), runner, count, kPods);
    if (!seconds) return tl::unexpected(seconds.error());
    const double took = subject.cpu_seconds() - cpu;
    const std::string name = fmt::format("{} {} of {} pods", grouped(count), runner.name, kPods);
    sheet.add(candidate.variant, {name + ": ended", "s", true}, *seconds);
    sheet.add(candidate.variant, {name + ": processor time", "s", true}, took);
    if (of_jobs == 0) {
      of_jobs = took;
      continue;
    }
    Figure dearer{name + ": of the processor time of Jobs", "times", true};
    dearer.bar = 1.5;
    sheet.add(candidate.variant, dearer, took / of_jobs);
  }
  return {};
}

Result<void> measure_churn(const Candidate& candidate, const UpSizes& sizes, Sheet& sheet) {
  auto cluster = Cluster::start(candidate.variant, candidate.programs, candidate.folder, sizes.churn_nodes);
  if (!cluster) return tl::unexpected(cluster.error());
  Subject& subject = (*cluster)->subject();
  if (const auto made = make_namespace(subject.session(), std::string(kNamespace)); !made) return made;
  const double cpu = subject.cpu_seconds();
  const auto outcome = Churn::run(subject.session(), std::string(kNamespace), sizes.churn);
  if (!outcome) return tl::unexpected(outcome.error());
  const double took = subject.cpu_seconds() - cpu;
  const std::string name = fmt::format("churn on {} nodes", grouped(sizes.churn_nodes));
  const bool is_full = sizes.churn_nodes == 5'000;
  Figure rate{fmt::format("{}: pods created, of {:.0f}/s", name, sizes.churn.per_second), "/s"};
  Figure slowest{name + ": create to binding, p99", "ms", true};
  if (is_full) rate.bar = sizes.churn.per_second * kLeastOfWhatIsAsked;
  if (is_full) slowest.bar = 50;
  sheet.add(candidate.variant, rate, outcome->created_per_second);
  sheet.add(candidate.variant, {name + ": create to binding, p50", "ms", true}, quantile(outcome->scheduling_ms, 0.5));
  sheet.add(candidate.variant, slowest, quantile(outcome->scheduling_ms, 0.99));
  sheet.add(candidate.variant, {name + ": never bound", "pods", true, {}, 1}, static_cast<double>(outcome->unbound));
  sheet.add(candidate.variant, {name + ": not gone in the end", "pods", true, {}, 1},
            static_cast<double>(outcome->undeleted));
  if (outcome->created > 0) {
    sheet.add(candidate.variant, {name + ": processor time", "us/pod", true},
              took / static_cast<double>(outcome->created) * 1e6);
  }
  return {};
}

}  // namespace loadline::bench
