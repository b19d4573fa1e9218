#include "brain/workloads/later_rooms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "brain/workloads/reservation.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using cluster::spellings::PartLabel;
using cluster::spellings::WrittenPart;

bool has_label(const kube::ObjectMeta& pod, const PartLabel& label) {
  const auto said = pod.labels.find(label.key);
  const bool is_equal = said != pod.labels.end() && said->second == label.value;
  return is_equal != label.is_other;
}

/// The place of the later part that the pod is of; nothing: it is created at once.
std::optional<std::size_t> later_part_of(const WholePart& part, const kube::ObjectMeta& pod) {
  const auto found = std::ranges::find_if(part.later, [&](const WrittenPart& each) {
    return std::ranges::all_of(each.labels, [&](const PartLabel& label) { return has_label(pod, label); });
  });
  if (found == part.later.end()) return std::nullopt;
  return static_cast<std::size_t>(found - part.later.begin());
}

/// The labels that tell the pods of a part from those of other workloads, groups and roles, and that operators put on
/// them as a plan does.
kube::StringMap telling_labels(const kube::ObjectMeta& pod) {
  kube::StringMap labels;
  for (const std::string_view key : {kube::kJobSetName, kube::kReplicatedJobName, kube::kJobSetJobIndex, kube::kLwsName,
                                     kube::kLwsGroupIndex, kube::kTrainingJobName, kube::kTrainingJobRole}) {
    if (const auto said = pod.labels.find(key); said != pod.labels.end()) labels[said->first] = said->second;
  }
  return labels;
}

/// Which pods consume the room. What tells them from the first part of the same template is a label of their own.
kube::LabelSelector selector_of(const WrittenPart& later, const kube::ObjectMeta& pod) {
  kube::LabelSelector selector{telling_labels(pod), {}};
  for (const PartLabel& label : later.labels) {
    if (label.is_other) {
      selector.match_expressions.push_back({label.key, kube::LabelSelectorOperator::kNotIn, {label.value}});
    } else {
      selector.match_labels[label.key] = label.value;
    }
  }
  return selector;
}

/// What the pods of one reservation have in common.
using Likeness = std::tuple<std::size_t, kube::StringMap, const kube::PodSpec*>;

class Rooms {
 public:
  Rooms(const kube::KindInfo& kind, const kube::ObjectMeta& workload, const WholePart& part)
      : kind_(kind), workload_(workload), part_(part) {}

  void add(const kube::Pod& pod) {
    ++pods_;
    if (scheduler_.empty()) scheduler_ = pod.spec->scheduler_name;
    has_one_scheduler_ &= scheduler_ == pod.spec->scheduler_name;
    const std::optional<std::size_t> later = later_part_of(part_, pod.metadata);
    if (!later) return;
    ++later_pods_;
    Likeness likeness(*later, telling_labels(pod.metadata), pod.spec.get());
    const auto known = std::ranges::find(known_, likeness);
    if (known != known_.end()) {
      ++rooms_[static_cast<std::size_t>(known - known_.begin())].pods;
      return;
    }
    rooms_.push_back(room_for(pod, part_.later[*later]));
    known_.push_back(std::move(likeness));
  }

  [[nodiscard]] std::vector<kube::Reservation> take() {
    std::int64_t wanted = 0;
    for (const WrittenPart& each : part_.later) wanted += std::int64_t{each.pods} * each.copies;
    const bool is_all = pods_ == part_.min_count && later_pods_ == wanted;
    if (!is_all || !has_one_scheduler_) return {};
    return std::move(rooms_);
  }

 private:
  [[nodiscard]] kube::Reservation room_for(const kube::Pod& pod, const WrittenPart& later) const {
    kube::Reservation room;
    room.metadata.name = room_name(part_.group, rooms_.size());
    room.metadata.namespace_ = workload_.namespace_;
    room.metadata.owner_references = {
        {std::string(kind_.api_version), std::string(kind_.kind), workload_.name, workload_.uid, true}};
    room.metadata.source = workload_.source;
    room.metadata.annotations[std::string(kStartsWith)] = part_.group;
    room.pods = 1;
    room.template_.metadata.labels = pod.metadata.labels;
    keep_workload_name(pod.metadata, room.template_.metadata);
    auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
    spec->pod_group_name.clear();
    // A claim of the pod's own, as a StatefulSet makes it, comes with the pod.
    std::erase_if(spec->volumes, [&](const kube::Volume& volume) {
      const auto& claim = volume.persistent_volume_claim;
      return claim && claim->claim_name.ends_with('-' + pod.metadata.name);
    });
    room.template_.spec = std::move(spec);
    room.selector = selector_of(later, pod.metadata);
    return room;
  }

  const kube::KindInfo& kind_;
  const kube::ObjectMeta& workload_;
  const WholePart& part_;
  std::vector<kube::Reservation> rooms_;
  std::vector<Likeness> known_;  // by room
  std::int64_t pods_ = 0;
  std::int64_t later_pods_ = 0;
  std::string scheduler_;
  bool has_one_scheduler_ = true;
};

}  // namespace

std::string room_name(std::string_view group, std::size_t number) { return fmt::format("{}-room-{}", group, number); }

std::vector<kube::Reservation> rooms_of_later_parts(const kube::KindInfo& kind, const kube::ObjectMeta& workload,
                                                    const WholePart& part, std::span<const kube::Pod* const> pods) {
  if (part.later.empty()) return {};
  Rooms rooms(kind, workload, part);
  for (const kube::Pod* pod : pods) rooms.add(*pod);
  return rooms.take();
}

}  // namespace loadline::workloads
