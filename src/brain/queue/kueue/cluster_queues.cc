#include "brain/queue/kueue/cluster_queues.h"

#include <algorithm>

namespace loadline::queue::kueue {
namespace {

using InactiveCode = Inactive::Code;

double weight_of(const std::optional<kube::Quantity>& weight) { return weight ? weight->approximate() : 1; }

bool is_active(const kube::AdmissionCheck& check) {
  return std::ranges::any_of(check.conditions,
                             [](const auto& it) { return it.type == "Active" && it.status == "True"; });
}

std::set<std::string> all_flavors(const kube::ClusterQueue& queue) {
  std::set<std::string> names;
  for (const kube::ResourceGroup& group : queue.resource_groups) {
    for (const kube::FlavorQuotas& flavor : group.flavors) names.insert(flavor.flavor);
  }
  return names;
}

bool is_on_all(const kube::AdmissionCheckRule& rule, const kube::ClusterQueue& queue) {
  return rule.on_flavors.empty() ||
         std::set<std::string>(rule.on_flavors.begin(), rule.on_flavors.end()) == all_flavors(queue);
}

std::string join(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ",") + name;
  return joined;
}

void add(std::vector<Inactive>& inactive, InactiveCode code, std::vector<std::string> names) {
  if (names.empty()) return;
  if (code != InactiveCode::kFlavorNotFound) std::ranges::sort(names);
  inactive.push_back({code, std::move(names)});
}

}  // namespace

std::size_t FlavorGroup::place_of(Symbol resource) const {
  return static_cast<std::size_t>(std::ranges::find(resources, resource) - resources.begin());
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

QuotaNodeId ClusterQueues::cohort(std::string_view name) {
  const QuotaNodeId found = tree_.find(cluster::QuotaNodeKind::kGroup, name);
  return found.valid() ? found : tree_.add(cluster::QuotaNodeKind::kGroup, name);
}

void ClusterQueues::move_below(QuotaNodeId node, std::string_view cohort_name) {
  const QuotaNodeId before = tree_.parent(node);
  tree_.set_parent(node, cohort_name.empty() ? QuotaNodeId{} : cohort(cohort_name));
  if (!before.valid() || before == tree_.parent(node)) return;
  refresh(before);
  drop_if_unused(before);
}

void ClusterQueues::drop_if_unused(QuotaNodeId cohort) {
  if (explicit_cohorts_.contains(cohort) || !tree_.children(cohort).empty()) return;
  quotas_.forget(cohort);
  tree_.remove(cohort);
}

void ClusterQueues::refresh(QuotaNodeId node) {
  quotas_.refresh(node);
  for (const QueueId queue : of_tree(node)) ++queues_[queue.index()].generation;
}

std::vector<QueueId> ClusterQueues::of_tree(QuotaNodeId node) const {
  std::vector<QueueId> queues;
  if (!tree_.is_in_cycle(node)) add_queues(tree_.root(node), queues);
  return queues;
}

void ClusterQueues::add_queues(QuotaNodeId node, std::vector<QueueId>& queues) const {
  if (tree_.kind(node) == cluster::QuotaNodeKind::kQueue) queues.push_back(node);
  for (const QuotaNodeId child : tree_.children(node)) add_queues(child, queues);
}

Quotas::Limits ClusterQueues::limits_of(const std::vector<kube::ResourceGroup>& groups) {
  Quotas::Limits limits;
  for (const kube::ResourceGroup& group : groups) {
    for (const kube::FlavorQuotas& flavor : group.flavors) {
      for (const kube::FlavorQuota& quota : flavor.resources) {
        const auto amount = [&](const kube::Quantity& it) { return Amount::of(quota.resource, it); };
        QuotaLimits it{amount(quota.nominal), {}, {}};
        if (quota.borrowing_limit) it.borrowing = amount(*quota.borrowing_limit);
        if (quota.lending_limit) it.lending = amount(*quota.lending_limit);
        const Symbol resource = tree_.symbols().intern(quota.resource);
        limits.emplace_back(tree_.column({flavors_.name(flavors_.intern(flavor.flavor)), resource}), it);
      }
    }
  }
  return limits;
}

FlavorGroup ClusterQueues::compile(QueueId queue, const kube::ResourceGroup& group) {
  FlavorGroup it;
  for (const std::string& resource : group.covered_resources) it.resources.push_back(tree_.symbols().intern(resource));
  for (const kube::FlavorQuotas& flavor : group.flavors) {
    it.flavors.push_back(flavors_.intern(flavor.flavor));
    for (const Symbol resource : it.resources) {
      it.cells.push_back(tree_.cell(queue, tree_.column({flavors_.name(it.flavors.back()), resource})));
    }
  }
  return it;
}

// ---- objects -------------------------------------------------------------------------------------------------------

QueueId ClusterQueues::set(const kube::ClusterQueue& object) {
  QueueId queue = find(object.metadata.name);
  const bool is_new = !queue.valid();
  if (is_new) queue = tree_.add(cluster::QuotaNodeKind::kQueue, object.metadata.name);
  if (queues_.size() <= queue.index()) queues_.resize(tree_.node_bound());
  const QuotaNodeId before = tree_.parent(queue);
  move_below(queue, object.cohort);
  ClusterQueue& it = queues_[queue.index()];
  it.object = object;
  const bool is_other = quotas_.set_limits(queue, limits_of(object.resource_groups));
  quotas_.set_weight(queue, weight_of(object.fair_sharing_weight));
  it.groups.clear();
  for (const kube::ResourceGroup& group : object.resource_groups) it.groups.push_back(compile(queue, group));
  const Symbol pods = tree_.symbols().intern("pods");
  it.covers_pods = std::ranges::any_of(
      it.groups, [&](const FlavorGroup& group) { return group.place_of(pods) < group.resources.size(); });
  if (is_new || is_other || before != tree_.parent(queue)) refresh(queue);
  if (is_new) {
    all_.insert(
        std::ranges::upper_bound(all_, tree_.name(queue), {}, [this](QueueId other) { return tree_.name(other); }),
        queue);
    number_queues();
  }
  look_anew();
  return queue;
}

void ClusterQueues::number_queues() {
  for (std::size_t i = 0; i < all_.size(); ++i) queues_[all_[i].index()].place = i;
}

void ClusterQueues::remove_queue(std::string_view name) {
  const QueueId queue = find(name);
  if (!queue.valid()) return;
  const QuotaNodeId parent = tree_.parent(queue);
  std::erase(all_, queue);
  queues_[queue.index()] = {};
  number_queues();
  quotas_.forget(queue);
  tree_.remove(queue);
  if (!parent.valid()) return;
  refresh(parent);
  drop_if_unused(parent);
  look_anew();
}

QuotaNodeId ClusterQueues::set(const kube::Cohort& object) {
  const QuotaNodeId node = cohort(object.metadata.name);
  explicit_cohorts_.insert(node);
  quotas_.set_limits(node, limits_of(object.resource_groups));
  quotas_.set_weight(node, weight_of(object.fair_sharing_weight));
  move_below(node, object.parent);
  if (queues_.size() <= node.index()) queues_.resize(tree_.node_bound());
  refresh(node);
  look_anew();
  return node;
}

void ClusterQueues::remove_cohort(std::string_view name) {
  const QuotaNodeId node = tree_.find(cluster::QuotaNodeKind::kGroup, name);
  if (!node.valid() || explicit_cohorts_.erase(node) == 0) return;
  move_below(node, "");
  quotas_.set_limits(node, {});
  quotas_.set_weight(node, 0);
  refresh(node);
  drop_if_unused(node);
  look_anew();
}

void ClusterQueues::set(const kube::AdmissionCheck& check) {
  checks_[check.metadata.name] = check;
  look_anew();
}

void ClusterQueues::remove_check(std::string_view name) {
  const auto found = checks_.find(name);
  if (found != checks_.end()) checks_.erase(found);
  look_anew();
}

const kube::AdmissionCheck* ClusterQueues::find_check(std::string_view name) const {
  const auto found = checks_.find(name);
  return found == checks_.end() ? nullptr : &found->second;
}

// ---- activity ------------------------------------------------------------------------------------------------------

/// Heights count active queues only, so a tree in which one stops or starts is computed anew.
void ClusterQueues::look_anew() {
  for (const QueueId queue : all_) look_anew_at(queue);
}

void ClusterQueues::look_anew_at(QueueId queue) {
  ClusterQueue& it = queues_[queue.index()];
  it.inactive = look_at(queue);
  if (quotas_.is_active(queue) == it.inactive.empty()) return;
  quotas_.set_active(queue, it.inactive.empty());
  quotas_.refresh(queue);
}

std::vector<Inactive> ClusterQueues::look_at(QueueId queue) const {
  const ClusterQueue& it = at(queue);
  std::vector<Inactive> inactive;
  std::vector<std::string> missing;
  std::vector<std::string> with_topology;
  for (const FlavorGroup& group : it.groups) {
    for (const FlavorId flavor : group.flavors) {
      std::string name(tree_.symbols().text(flavors_.name(flavor)));
      if (!flavors_.exists(flavor)) {
        missing.push_back(std::move(name));
      } else if (!flavors_.object(flavor).topology.empty()) {
        with_topology.push_back(std::move(name));
      }
    }
  }
  if (it.object.metadata.deletion_timestamp) inactive.push_back({InactiveCode::kTerminating, {}});
  if (it.object.stop_policy != kube::StopPolicy::kNone) inactive.push_back({InactiveCode::kStopped, {}});
  add(inactive, InactiveCode::kFlavorNotFound, std::move(missing));
  look_at_checks(it, inactive);
  if (tree_.is_in_cycle(queue)) inactive.push_back({InactiveCode::kCohortCycle, {}});
  add(inactive, InactiveCode::kTopologyUnsupported, std::move(with_topology));
  return inactive;
}

bool ClusterQueues::has_turns(QueueId queue) const {
  return std::ranges::all_of(at(queue).inactive,
                             [](const Inactive& it) { return it.code == InactiveCode::kCohortCycle; });
}

bool ClusterQueues::uses(QueueId queue, std::string_view flavor) const {
  const auto has_it = [&](FlavorId it) { return tree_.symbols().text(flavors_.name(it)) == flavor; };
  return std::ranges::any_of(at(queue).groups,
                             [&](const FlavorGroup& group) { return std::ranges::any_of(group.flavors, has_it); });
}

void ClusterQueues::look_at_checks(const ClusterQueue& queue, std::vector<Inactive>& inactive) const {
  std::vector<std::string> missing;
  std::vector<std::string> stopped;
  std::vector<std::string> elsewhere;
  std::vector<std::string> elsewhere_in_part;
  std::vector<std::string> provisioning;
  for (const kube::AdmissionCheckRule& rule : queue.object.admission_checks) {
    const kube::AdmissionCheck* check = find_check(rule.name);
    if (check == nullptr) {
      missing.push_back(rule.name);
      continue;
    }
    if (!kueue::is_active(*check)) stopped.push_back(rule.name);
    if (check->controller_name == kube::kProvisioningRequestController) provisioning.push_back(rule.name);
    if (check->controller_name != kube::kMultiKueueController) continue;
    elsewhere.push_back(rule.name);
    if (!is_on_all(rule, queue.object)) elsewhere_in_part.push_back(rule.name);
  }
  add(inactive, InactiveCode::kCheckNotFound, std::move(missing));
  add(inactive, InactiveCode::kCheckInactive, std::move(stopped));
  if (elsewhere.size() > 1) add(inactive, InactiveCode::kSeveralMultiKueueChecks, elsewhere);
  add(inactive, InactiveCode::kMultiKueuePerFlavor, std::move(elsewhere_in_part));
  if (!elsewhere.empty() && !provisioning.empty()) {
    std::ranges::sort(elsewhere);
    std::ranges::sort(provisioning);
    inactive.push_back({InactiveCode::kMultiKueueWithProvisioning, {join(elsewhere), join(provisioning)}});
  }
  add(inactive, InactiveCode::kMultiKueueUnsupported, std::move(elsewhere));
}

std::vector<std::string> ClusterQueues::checks_for(QueueId queue, std::span<const FlavorId> flavors) const {
  std::vector<std::string> names;
  for (const kube::AdmissionCheckRule& rule : at(queue).object.admission_checks) {
    const bool is_on_one = std::ranges::any_of(flavors, [&](FlavorId flavor) {
      return std::ranges::find(rule.on_flavors, tree_.symbols().text(flavors_.name(flavor))) != rule.on_flavors.end();
    });
    if (rule.on_flavors.empty() || is_on_one) names.push_back(rule.name);
  }
  return names;
}

}  // namespace loadline::queue::kueue
