#include "bench/placement/host.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bench/placement/engine.h"
#include "bench/placement/objects.h"
#include "hosts/simulator/plan.h"

namespace loadline::bench {
namespace {

kube::Pod running(kube::Pod pod, const std::string& node) {
  auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
  spec->node_name = node;
  pod.spec = std::move(spec);
  pod.status.phase = kube::PodPhase::kRunning;
  return pod;
}

Result<std::vector<std::string>> place_init_pods(const Workload& workload) {
  Engine engine(workload);
  const std::size_t unplaced = engine.fill();
  if (unplaced > 0) return failure(fmt::format("{} init pods of {} fit nowhere", unplaced, workload.name));
  return engine.nodes_of_init_pods();
}

/// Adds the measured pods and those that come in between, in the order in which the engine's benchmark brings them.
/// Returns the names of the measured ones.
std::set<std::string> add_measured_pods(const Workload& workload, std::size_t& counter, std::vector<kube::Pod>& pods) {
  std::set<std::string> names;
  PodStream stream(workload.measure, workload.interleave, counter);
  while (auto pod = stream.next()) {
    if (workload.churn && names.size() % workload.round == 0) {
      pods.push_back(make_pod(*workload.churn, counter));
    }
    names.insert(pod->metadata.name);
    pods.push_back(std::move(*pod));
  }
  return names;
}

/// Notes how long the host took for each run of decisions, as it reports them.
class Pace {
 public:
  Pace(Measurement& measurement, std::size_t decided)
      : measurement_(measurement), last_(Clock::now()), seen_(decided) {}

  void decided(std::size_t pods) {
    const auto now = Clock::now();
    if (pods > seen_) {
      measurement_.decisions.push_back((now - last_).count() / static_cast<std::int64_t>(pods - seen_));
      seen_ = pods;
    }
    last_ = now;
  }

 private:
  Measurement& measurement_;
  Clock::time_point last_;
  std::size_t seen_;
};

}  // namespace

Result<Measurement> measure_host(const Workload& workload) {
  const Result<std::vector<std::string>> nodes = place_init_pods(workload);
  if (!nodes) return tl::unexpected(nodes.error());
  kube::Objects objects = workload.objects;
  objects.of<kube::Node>() = make_nodes(workload);
  std::size_t counter = 0;
  PodStream init(workload.init, false, counter);
  for (const std::string& node : *nodes) objects.of<kube::Pod>().push_back(running(*init.next(), node));
  const std::set<std::string> measured = add_measured_pods(workload, counter, objects.of<kube::Pod>());

  Measurement measurement;
  simulator::PlanOptions options;
  std::optional<Pace> pace;
  options.progress = [&](std::size_t decided, std::size_t) {
    if (pace) {
      pace->decided(decided);
    } else {
      pace.emplace(measurement, decided);
    }
  };
  const auto start = Clock::now();
  const Result<simulator::Plan> plan = simulator::make_plan(objects, {}, options);
  measurement.elapsed = Clock::now() - start;
  if (!plan) return tl::unexpected(plan.error());
  for (const simulator::PlannedPod& pod : plan->pods) {
    if (!measured.contains(pod.name)) continue;
    ++(pod.outcome == simulator::PodOutcome::kPlaced ? measurement.placed : measurement.unplaced);
  }
  return measurement;
}

}  // namespace loadline::bench
