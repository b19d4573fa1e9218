#include "app/cli/live/cluster_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "brain/cluster/spellings/later_parts.h"
#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/job.h"
#include "brain/workloads/queue.h"
#include "foundation/document/at.h"
#include "objects/kube/batch/batch_schema.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/pod_status_schema.h"
#include "objects/kube/gpu_resource.h"
#include "objects/kube/loadline/reservation_schema.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/view.h"

namespace loadline::cli {
namespace {

using document::Array;
using document::Object;
using document::Value;

namespace spellings = cluster::spellings;

constexpr std::string_view kScheduling = "waiting to be scheduled";

bool is_shown(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || kube::is_gpu_resource(resource);
}

std::string_view phase_word(const kube::Pod& pod) {
  if (pod.metadata.deletion_timestamp) return "Terminating";
  return kube::kPodPhaseNames[static_cast<std::size_t>(pod.status.phase)];
}

class Summary {
 public:
  void add_node(const kube::Node& node) {
    ++status_.nodes;
    if (kube::has_true_condition(node.conditions, "Ready")) ++status_.ready_nodes;
    if (node.unschedulable) ++status_.cordoned_nodes;
    for (const auto& [resource, amount] : node.allocatable) {
      if (is_shown(resource)) status_.resources[resource].all += amount;
    }
  }

  void add_pod(const kube::Pod& pod) {
    ++status_.pods[std::string(phase_word(pod))];
    note_later_part(pod);
    if (pod.finished()) return;
    add_queued(pod.metadata);
    add_member(pod);
    if (pod.metadata.deletion_timestamp) ++status_.on_their_way;
    if (!pod.spec->node_name.empty()) return add_placed(pod);
    if (pod.metadata.deletion_timestamp) return;
    add_waiting(pod);
  }

  void add_job(const kube::Job& job) {
    if (workloads::finished_condition(job) == nullptr) add_queued(job.metadata);
  }

  /// To be told before its pods.
  void add_group(cluster::GroupSpelling spelling, const Value& group) {
    const std::string_view later = document::text_at(group, {"metadata", "annotations", spellings::kLaterParts});
    if (later.empty()) return;
    const GroupKey key(document::text_at(group, {"metadata", "namespace"}),
                       cluster::GroupName{spelling, std::string(document::text_at(group, {"metadata", "name"}))});
    later_[key] = {spellings::read_later_parts(later).value_or(std::vector<spellings::WrittenPart>()), {}};
  }

  void add_reservation(const kube::Reservation& reservation) {
    const bool is_waiting = reservation.status.phase == kube::ReservationPhase::kPending;
    if (reservation.status.held == 0 && !is_waiting) return;
    const bool is_spare = reservation.purpose == kube::ReservationPurpose::kReplacements;
    status_.reservations.push_back({reservation.metadata.namespace_ + "/" + reservation.metadata.name,
                                    reservation.status.held, is_spare ? "replacements" : "", is_waiting});
  }

  void add_event(const Value& event) {
    ClusterStatus::Warning warning;
    for (const std::string_view field : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
      if (!warning.at) warning.at = parse_rfc3339(document::text_at(event, {field}));
    }
    const std::string_view name_space = document::text_at(event, {"involvedObject", "namespace"});
    warning.about = fmt::format("{} {}{}{}", document::text_at(event, {"involvedObject", "kind"}), name_space,
                                name_space.empty() ? "" : "/", document::text_at(event, {"involvedObject", "name"}));
    warning.reason = document::text_at(event, {"reason"});
    warning.message = document::text_at(event, {"message"});
    const Value* count = event.find("count");
    if (count != nullptr && count->is_integer()) warning.count = std::max<std::int64_t>(count->integer(), 1);
    status_.warnings.push_back(std::move(warning));
  }

  ClusterStatus finish(std::size_t most_warnings) {
    for (auto& [reason, waiting] : waiting_) status_.waiting.push_back(std::move(waiting));
    status_.groups = groups_.size();
    for (auto& [name, group] : groups_) {
      group.to_come = to_come(name);
      if (group.placed < group.members || group.to_come > 0) status_.waiting_groups.push_back(std::move(group));
    }
    std::ranges::sort(status_.reservations, {}, &ClusterStatus::HeldRoom::name);
    std::ranges::stable_sort(status_.waiting, std::greater<>(), &ClusterStatus::Waiting::count);
    std::ranges::stable_sort(status_.warnings, {},
                             [](const ClusterStatus::Warning& warning) { return warning.at.value_or(Instant{}); });
    std::vector<ClusterStatus::Warning>& warnings = status_.warnings;
    if (warnings.size() > most_warnings) {
      warnings.erase(warnings.begin(), warnings.end() - static_cast<std::ptrdiff_t>(most_warnings));
    }
    return std::move(status_);
  }

 private:
  void add_queued(const kube::ObjectMeta& metadata) {
    if (const auto queue = workloads::queue_in(metadata)) ++status_.queued[std::string(queue->project)];
  }

  using GroupKey = std::pair<std::string, cluster::GroupName>;
  /// The parts of a group that are created later, and of which copies there are pods: by part, and the copy's label.
  struct LaterPods {
    std::vector<spellings::WrittenPart> parts;
    std::set<std::pair<std::size_t, std::string>> copies;
  };

  static std::string_view label_of(const kube::Pod& pod, const std::string& key) {
    const auto label = pod.metadata.labels.find(key);
    return label == pod.metadata.labels.end() ? std::string_view() : std::string_view(label->second);
  }

  /// A part that has ended was there, too.
  void note_later_part(const kube::Pod& pod) {
    if (later_.empty()) return;
    const std::optional<cluster::GroupName> name = spellings::group_of(pod);
    const auto found = name ? later_.find(GroupKey(pod.metadata.namespace_, *name)) : later_.end();
    if (found == later_.end()) return;
    LaterPods& later = found->second;
    for (std::size_t i = 0; i < later.parts.size(); ++i) {
      const bool is_of_it = std::ranges::all_of(later.parts[i].labels, [&](const spellings::PartLabel& label) {
        return (label_of(pod, label.key) == label.value) != label.is_other;
      });
      if (is_of_it) later.copies.emplace(i, label_of(pod, later.parts[i].copy_label));
    }
  }

  [[nodiscard]] std::size_t to_come(const GroupKey& group) const {
    const auto later = later_.find(group);
    if (later == later_.end()) return 0;
    std::size_t pods = 0;
    for (std::size_t i = 0; i < later->second.parts.size(); ++i) {
      const spellings::WrittenPart& part = later->second.parts[i];
      const auto there = std::ranges::count_if(later->second.copies, [&](const auto& copy) { return copy.first == i; });
      const auto missing = std::max<std::int64_t>(part.copies - there, 0);
      pods += static_cast<std::size_t>(missing * part.pods);
    }
    return pods;
  }

  void add_member(const kube::Pod& pod) {
    const std::optional<cluster::GroupName> name = spellings::group_of(pod);
    if (!name) return;
    const GroupKey key{pod.metadata.namespace_, *name};
    ClusterStatus::WaitingGroup& group = groups_[key];
    if (group.members++ == 0) group.name = pod.metadata.namespace_ + "/" + name->name;
    if (!pod.spec->node_name.empty()) ++group.placed;
  }

  void add_placed(const kube::Pod& pod) {
    if (pod.status.phase == kube::PodPhase::kPending) ++status_.on_their_way;
    kube::PodResourcesOptions options;
    options.use_status_resources = true;
    options.use_status_pod_level_resources = true;
    for (const auto& [resource, amount] : kube::pod_requests(*pod.spec, &pod.status, options)) {
      if (is_shown(resource)) status_.resources[resource].allocated += amount;
    }
  }

  void add_waiting(const kube::Pod& pod) {
    const kube::Condition* scheduled = kube::find_condition(pod.status.conditions, "PodScheduled");
    if (scheduled == nullptr || scheduled->status != "False") ++status_.on_their_way;
    std::string reason(scheduled == nullptr || scheduled->message.empty() ? kScheduling
                                                                          : std::string_view(scheduled->message));
    ClusterStatus::Waiting& waiting = waiting_[reason];
    waiting.reason = std::move(reason);
    std::string name = pod.metadata.namespace_ + "/" + pod.metadata.name;
    if (waiting.count++ == 0 || name < waiting.example) waiting.example = std::move(name);
  }

  ClusterStatus status_;
  std::map<std::string, ClusterStatus::Waiting> waiting_;
  std::map<GroupKey, ClusterStatus::WaitingGroup> groups_;
  std::map<GroupKey, LaterPods> later_;
};

Value number(std::size_t count) { return Value(static_cast<std::int64_t>(count)); }

}  // namespace

std::size_t ClusterStatus::waiting_pods() const {
  std::size_t count = 0;
  for (const Waiting& each : waiting) count += each.count;
  return count;
}

ClusterStatus summarize(const ClusterDocuments& documents, std::size_t most_warnings) {
  Summary summary;
  for (const Value& node : documents.nodes) summary.add_node(kube::view<kube::Node>(node, kube::kNodeSchema).object);
  for (const Value& each : documents.groups) summary.add_group(cluster::GroupSpelling::kKubernetes, each);
  for (const Value& each : documents.volcano_groups) summary.add_group(cluster::GroupSpelling::kVolcano, each);
  for (const Value& pod : documents.pods) summary.add_pod(kube::view<kube::Pod>(pod, kube::kPodSchema).object);
  for (const Value& event : documents.warnings) summary.add_event(event);
  for (const Value& each : documents.reservations) {
    summary.add_reservation(kube::view<kube::Reservation>(each, kube::kReservationSchema).object);
  }
  for (const Value& job : documents.jobs) summary.add_job(kube::view<kube::Job>(job, kube::kJobSchema).object);
  ClusterStatus status = summary.finish(most_warnings);
  if (!documents.queues.empty()) status.queued.erase(std::string(workloads::kKueueProject));
  return status;
}

Value status_document(const ClusterStatus& status) {
  Object resources;
  for (const auto& [name, amount] : status.resources) {
    resources.push_back({name,
                         Value(Object{{"allocated", Value(amount.allocated.to_string()), {}},
                                      {"allocatable", Value(amount.all.to_string()), {}}}),
                         {}});
  }
  Object phases;
  for (const auto& [phase, count] : status.pods) phases.push_back({phase, number(count), {}});
  Array waiting;
  for (const ClusterStatus::Waiting& each : status.waiting) {
    waiting.emplace_back(Object{
        {"reason", Value(each.reason), {}}, {"pods", number(each.count), {}}, {"example", Value(each.example), {}}});
  }
  Array waiting_groups;
  for (const ClusterStatus::WaitingGroup& each : status.waiting_groups) {
    Object group{
        {"name", Value(each.name), {}}, {"placed", number(each.placed), {}}, {"members", number(each.members), {}}};
    if (each.to_come > 0) group.push_back({"notCreated", number(each.to_come), {}});
    waiting_groups.emplace_back(std::move(group));
  }
  const Value groups(Object{{"all", number(status.groups), {}}, {"waiting", Value(std::move(waiting_groups)), {}}});
  Array reservations;
  for (const ClusterStatus::HeldRoom& each : status.reservations) {
    Object reservation{{"name", Value(each.name), {}}, {"held", Value(each.held), {}}};
    if (!each.for_whom.empty()) reservation.push_back({"for", Value(each.for_whom), {}});
    reservation.push_back({"waiting", Value(each.is_waiting), {}});
    reservations.emplace_back(std::move(reservation));
  }
  Array warnings;
  for (const ClusterStatus::Warning& each : status.warnings) {
    Object warning;
    if (each.at) warning.push_back({"time", Value(format_rfc3339(*each.at)), {}});
    warning.push_back({"object", Value(each.about), {}});
    warning.push_back({"reason", Value(each.reason), {}});
    warning.push_back({"message", Value(each.message), {}});
    warning.push_back({"count", Value(each.count), {}});
    warnings.emplace_back(std::move(warning));
  }
  Object queued;
  for (const auto& [project, count] : status.queued) queued.push_back({project, number(count), {}});
  const Value nodes(Object{{"all", number(status.nodes), {}},
                           {"ready", number(status.ready_nodes), {}},
                           {"cordoned", number(status.cordoned_nodes), {}}});
  return Value(Object{{"nodes", nodes, {}},
                      {"resources", Value(std::move(resources)), {}},
                      {"pods", Value(std::move(phases)), {}},
                      {"onTheirWay", number(status.on_their_way), {}},
                      {"waiting", Value(std::move(waiting)), {}},
                      {"podGroups", groups, {}},
                      {"queued", Value(std::move(queued)), {}},
                      {"reservations", Value(std::move(reservations)), {}},
                      {"warnings", Value(std::move(warnings)), {}}});
}

}  // namespace loadline::cli
