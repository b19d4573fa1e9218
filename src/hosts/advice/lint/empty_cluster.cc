#include "hosts/advice/lint/empty_cluster.h"

#include <algorithm>
#include <map>
#include <utility>

#include "brain/engine/registry.h"
#include "hosts/simulator/intake.h"
#include "objects/kube/core/namespace.h"

namespace loadline::advice::lint {
namespace {

bool comes_and_goes(const kube::Taint& taint) {
  return taint.key.starts_with("node.kubernetes.io/") || taint.key.starts_with("node.cloudprovider.kubernetes.io/") ||
         taint.key == "ToBeDeletedByClusterAutoscaler" || taint.key == "DeletionCandidateOfClusterAutoscaler";
}

kube::Node in_good_health(kube::Node node) {
  node.unschedulable = false;
  std::erase_if(node.taints, comes_and_goes);
  return node;
}

void clear_requests(std::vector<kube::Container>& containers) {
  for (kube::Container& container : containers) container.resources = {};
}

void clear_requests(kube::PodSpec& spec) {
  clear_requests(spec.containers);
  clear_requests(spec.init_containers);
  spec.resources.reset();
  spec.overhead.clear();
}

void clear_selection(kube::PodSpec& spec) {
  spec.node_selector.clear();
  spec.affinity.reset();
}

void tolerate_everything(kube::PodSpec& spec) {
  kube::Toleration everything;
  everything.op = kube::TolerationOperator::kExists;
  spec.tolerations = {everything};
}

/// Only what the node itself decides: no other pods, no ports.
void clear_neighbours(kube::PodSpec& spec) {
  spec.topology_spread_constraints.clear();
  if (spec.affinity) {
    spec.affinity->pod.reset();
    spec.affinity->pod_anti.reset();
  }
  for (kube::Container& container : spec.containers) container.ports.clear();
  for (kube::Container& container : spec.init_containers) container.ports.clear();
}

/// Terms that only pods like this one can satisfy stay; the cluster is empty of all others.
void keep_affinity_to_itself(kube::PodSpec& spec, const kube::StringMap& labels) {
  if (!spec.affinity || !spec.affinity->pod) return;
  std::erase_if(spec.affinity->pod->required, [&](const kube::PodAffinityTerm& term) {
    return !term.label_selector || !kube::matches(*term.label_selector, labels) || !term.namespaces.empty() ||
           term.namespace_selector.has_value();
  });
}

void leave_out(kube::PluginSet& plugins, const std::vector<kube::PluginMention>& names) {
  std::erase_if(plugins.enabled, [&](const kube::PluginReference& each) {
    return std::ranges::any_of(names, [&](const kube::PluginMention& name) { return name.name == each.name; });
  });
}

/// The configuration without what others bring: plugins from libraries only score. Extenders are not called, as there
/// is nothing to call them by; the resources that are left to them stay left to them.
kube::SchedulerConfiguration with_own_plugins(kube::SchedulerConfiguration configuration) {
  for (kube::SchedulerProfile& profile : configuration.profiles) {
    leave_out(profile.plugins.pre_score, profile.out_of_tree);
    leave_out(profile.plugins.score, profile.out_of_tree);
    leave_out(profile.plugins.multi_point, profile.out_of_tree);
  }
  return configuration;
}

}  // namespace

Result<std::unique_ptr<EmptyCluster>> EmptyCluster::make(const kube::Objects& objects,
                                                         const kube::SchedulerConfiguration& configuration) {
  std::vector<kube::Node> nodes;
  nodes.reserve(objects.of<kube::Node>().size());
  for (const kube::Node& node : objects.of<kube::Node>()) nodes.push_back(in_good_health(node));
  std::unique_ptr<EmptyCluster> result(new EmptyCluster(std::move(nodes)));
  kube::Objects model;
  model.of<kube::Namespace>() = objects.of<kube::Namespace>();
  model.of<kube::Node>() = result->nodes_;
  simulator::fill_cluster(model, result->cluster_);
  Result<placement::Scheduler> scheduler =
      placement::Scheduler::make(result->cluster_, engine::registry(), with_own_plugins(configuration));
  if (!scheduler) return tl::unexpected(scheduler.error());
  result->scheduler_.emplace(std::move(*scheduler));
  result->default_scheduler_ = configuration.profiles.front().scheduler_name;
  return result;
}

kube::Pod EmptyCluster::prepared(const kube::Pod& pod, const kube::PodSpec& spec) {
  kube::PodSpec asked = spec;
  asked.node_name.clear();
  asked.volumes.clear();
  asked.resource_claims.clear();
  asked.scheduling_gates.clear();
  if (scheduler_->profile(asked.scheduler_name) == nullptr) asked.scheduler_name = default_scheduler_;
  kube::Pod result;
  result.metadata.namespace_ = pod.metadata.namespace_;
  result.metadata.labels = pod.metadata.labels;
  result.metadata.name = "pod";
  result.spec = std::make_shared<const kube::PodSpec>(std::move(asked));
  return result;
}

NodeNumbers EmptyCluster::ask(const kube::Pod& pod, const kube::PodSpec& spec) {
  NodeNumbers numbers;
  if (nodes_.empty()) return numbers;
  const cluster::PodId id = cluster_.add_pod(prepared(pod, spec));
  const placement::Decision decision = scheduler_->decide(id, placement::Detail::kFull);
  for (const cluster::NodeId node : decision.attempt.feasible) numbers.push_back(node.index());
  cluster_.remove_pod(id);
  std::ranges::sort(numbers);
  return numbers;
}

std::set<std::string> EmptyCluster::demanded(const kube::Pod& pod) {
  const cluster::PodId id = cluster_.add_pod(prepared(pod, *pod.spec));
  std::set<std::string> names;
  for (const cluster::ResourceAmount& each : scheduler_->demand_of(id).amounts) {
    names.emplace(cluster_.resources().name(each.resource));
  }
  cluster_.remove_pod(id);
  return names;
}

NodeNumbers EmptyCluster::takers(const kube::Pod& pod) {
  kube::PodSpec spec = *pod.spec;
  clear_neighbours(spec);
  return ask(pod, spec);
}

NodeNumbers EmptyCluster::selected(const kube::Pod& pod) {
  kube::PodSpec spec = *pod.spec;
  clear_neighbours(spec);
  clear_requests(spec);
  tolerate_everything(spec);
  return ask(pod, spec);
}

NodeNumbers EmptyCluster::large_enough(const kube::Pod& pod) {
  kube::PodSpec spec = *pod.spec;
  clear_neighbours(spec);
  clear_selection(spec);
  tolerate_everything(spec);
  return ask(pod, spec);
}

std::string EmptyCluster::blocker_of(cluster::PodId pod, const NodeNumbers& takers) {
  const placement::Decision decision = scheduler_->decide(pod, placement::Detail::kFull);
  std::map<std::string_view, std::size_t> nodes_by_plugin;
  for (const std::size_t node : takers) {
    if (node >= decision.attempt.rejection_by_node.size()) continue;
    const placement::RejectionId rejection = decision.attempt.rejection_by_node[node];
    if (!rejection.valid() || rejection == placement::kPassed) continue;
    ++nodes_by_plugin[scheduler_->rejections().at(rejection).plugin];
  }
  const auto most = std::ranges::max_element(nodes_by_plugin, {}, [](const auto& entry) { return entry.second; });
  return most == nodes_by_plugin.end() ? "unknown" : std::string(most->first);
}

Room EmptyCluster::room_for(const kube::Pod& pod, std::size_t wanted, const NodeNumbers& takers) {
  Room room;
  if (nodes_.empty()) return room;
  kube::PodSpec spec = *pod.spec;
  keep_affinity_to_itself(spec, pod.metadata.labels);
  const kube::Pod asked = prepared(pod, spec);
  std::vector<cluster::PodId> placed;
  while (placed.size() < wanted) {
    const cluster::PodId id = cluster_.add_pod(asked);
    const placement::Decision decision = scheduler_->decide(id);
    placed.push_back(id);
    if (!decision.attempt.scheduled()) {
      room.blocker = blocker_of(id, takers);
      break;
    }
    cluster_.place(id, decision.attempt.node);
    ++room.pods;
  }
  for (auto id = placed.rbegin(); id != placed.rend(); ++id) cluster_.remove_pod(*id);
  return room;
}

NodeNumbers EmptyCluster::matching(const kube::NodeSelectorTerm& term) {
  const cluster::NodeTerm compiled = cluster::compile_node_term(term, cluster_.symbols());
  NodeNumbers numbers;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const cluster::NodeFacts& facts = cluster_.facts(cluster::NodeId(i));
    if (cluster::matches(compiled, facts.labels, facts.name, cluster_.symbols())) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace loadline::advice::lint
