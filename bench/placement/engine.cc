#include "bench/placement/engine.h"

#include <algorithm>
#include <set>
#include <utility>

#include "brain/engine/registry.h"

namespace loadline::bench {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// So many typed objects are made at a time, outside of what is measured, so that few of them are there at once.
constexpr std::size_t kBatch = 1024;

placement::Scheduler default_scheduler(cluster::Cluster& cluster) {
  return std::move(placement::Scheduler::make(cluster, engine::registry(), kube::SchedulerConfiguration{}).value());
}

}  // namespace

Engine::Engine(const Workload& workload) : workload_(workload), dispatcher_(cluster_, default_scheduler(cluster_)) {
  for (const kube::Node& node : make_nodes(workload)) cluster_.add_node(node);
  std::set<std::string> namespaces;
  for (const PodGroup& group : workload.init) namespaces.insert(group.pod.metadata.namespace_);
  for (const PodGroup& group : workload.measure) namespaces.insert(group.pod.metadata.namespace_);
  for (const std::string& name : namespaces) cluster_.set_namespace(name, {{"kubernetes.io/metadata.name", name}});
}

std::size_t Engine::fill() {
  PodStream stream(workload_.init, false, pods_made_);
  while (const auto pod = stream.next()) bring({*pod}, false);
  const std::size_t arrived = is_measured_.size();
  work_off_queue();
  std::size_t unplaced = 0;
  for (std::size_t i = 0; i < arrived; ++i) unplaced += cluster_.pod(PodId{i}).node.valid() ? 0 : 1;
  measurement_ = {};
  return unplaced;
}

std::vector<std::string> Engine::nodes_of_init_pods() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < is_measured_.size(); ++i) {
    const NodeId node = cluster_.pod(PodId{i}).node;
    names.emplace_back(node.valid() ? cluster_.node_name(node) : "");
  }
  return names;
}

Measurement Engine::measure(std::chrono::nanoseconds limit) {
  limit_ = limit;
  PodStream stream(workload_.measure, workload_.interleave, pods_made_);
  const std::size_t wanted = workload_.measured_count();
  measurement_.decisions.reserve(wanted);
  const std::size_t round = workload_.round > 0 ? workload_.round : wanted;
  for (std::size_t brought = 0; brought < wanted && !out_of_time(); brought += round) {
    bring_round(stream, round);
    work_off_queue();
  }
  measurement_.unplaced = wanted - measurement_.placed;
  return std::move(measurement_);
}

void Engine::bring_round(PodStream& stream, std::size_t most) {
  if (workload_.churn) bring({make_pod(*workload_.churn, pods_made_)}, false);
  std::vector<kube::Pod> pods;
  for (std::size_t brought = 0; brought < most; brought += pods.size()) {
    pods.clear();
    while (pods.size() < std::min(kBatch, most - brought)) {
      auto pod = stream.next();
      if (!pod) break;
      pods.push_back(std::move(*pod));
    }
    if (pods.empty()) return;
    bring(pods, true);
  }
}

void Engine::bring(const std::vector<kube::Pod>& pods, bool measured) {
  is_measured_.resize(is_measured_.size() + pods.size(), measured);
  const auto start = Clock::now();
  for (const kube::Pod& pod : pods) dispatcher_.add(cluster_.add_pod(pod));
  measurement_.elapsed += Clock::now() - start;
}

void Engine::work_off_queue() {
  decision::Turn turn;
  auto last = Clock::now();
  while (!out_of_time()) {
    const auto unit = dispatcher_.next();
    if (!unit) return;
    dispatcher_.take(*unit, placement::Detail::kDecision, turn);
    for (const decision::PodTurn& pod : turn.pods) act(pod);
    const auto now = Clock::now();
    measurement_.decisions.push_back((now - last).count());
    measurement_.elapsed += now - last;
    last = now;
  }
}

/// What a host does about a turn, in a cluster where bindings and evictions are carried out at once.
void Engine::act(const decision::PodTurn& turn) {
  if (turn.node.valid() && is_measured_[turn.pod.index()]) ++measurement_.placed;
  for (const PodId victim : turn.victims) {
    dispatcher_.leaving(victim);
    cluster_.remove_pod(victim);
  }
  if (!turn.victims.empty()) dispatcher_.capacity_freed();
}

}  // namespace loadline::bench
