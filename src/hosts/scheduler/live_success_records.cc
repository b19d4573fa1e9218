#include "hosts/scheduler/live_success_records.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "brain/workloads/kinds.h"
#include "hosts/watching/kind_name.h"

namespace loadline::scheduler {

using watching::Change;
using watching::Keys;
using watching::ObjectKey;
using workloads::GroupRecord;
using workloads::GroupRecords;
using workloads::WorkloadReference;

namespace {

class CachesAround final : public workloads::GroupSurroundings {
 public:
  explicit CachesAround(const watching::Caches& caches) : caches_(caches) {}

  [[nodiscard]] const kube::JobSet* job_set(std::string_view name_space, std::string_view name) const override {
    return view_of(caches_.of<kube::JobSet>().find(name_space, name));
  }
  [[nodiscard]] const kube::PodGroup* pod_group(std::string_view name_space, std::string_view name) const override {
    return view_of(caches_.of<kube::PodGroup>().find(name_space, name));
  }
  [[nodiscard]] const kube::PodGroup* gang_of(const kube::Job& job) const override {
    const auto& groups = caches_.of<kube::PodGroup>().controlled_by(job.metadata.uid);
    return groups.empty() ? nullptr : &groups.begin()->second->view;
  }

 private:
  template <class Kind>
  static const Kind* view_of(const watching::ObjectPtr<Kind>& object) {
    return object == nullptr ? nullptr : &object->view;  // the cache has it
  }

  const watching::Caches& caches_;
};

}  // namespace

LiveSuccessRecords::LiveSuccessRecords(watching::Subscriptions& subscriptions, cluster::Cluster& cluster,
                                       OnChange changed)
    : caches_(subscriptions.caches()), cluster_(cluster), changed_(std::move(changed)) {
  workloads::for_each_recording_kind([&]<class Kind>() {
    subscriptions.on<Kind>([this](const Change<Kind>& change, Keys&) { follow<Kind>(change.last().key()); });
  });
  listen_to_owners(subscriptions);
}

/// By these it shows which group a workload's pods are of.
void LiveSuccessRecords::listen_to_owners(watching::Subscriptions& subscriptions) {
  subscriptions.on<kube::JobSet>([this](const Change<kube::JobSet>& change, Keys&) {
    if (change.before == nullptr) follow_controlled<kube::Job>(change.last().metadata().uid);
  });
  subscriptions.on<kube::PodGroup>([this](const Change<kube::PodGroup>& change, Keys&) {
    const bool is_there_still = change.before != nullptr && change.after != nullptr;
    const kube::OwnerReference* controller = change.last().metadata().controller();
    if (is_there_still || controller == nullptr) return;
    if (controller->kind == "JobSet") return follow_controlled<kube::Job>(controller->uid);
    workloads::for_each_recording_kind([&]<class Kind>() {
      if (workloads::kind_name<Kind>() != workloads::kind_of(*controller)) return;
      follow<Kind>({change.last().metadata().namespace_, controller->name});
    });
  });
}

template <class Kind>
void LiveSuccessRecords::follow_controlled(std::string_view uid) {
  for (const auto& [key, object] : caches_.of<Kind>().controlled_by(uid)) follow<Kind>(key);
}

template <class Kind>
void LiveSuccessRecords::follow(const ObjectKey& key) {
  const auto object = caches_.of<Kind>().find(key);
  GroupRecords records;
  if (object != nullptr) records = workloads::success_records(object->view, CachesAround(caches_));
  take({std::string(workloads::kind_name<Kind>()), key.name_space, key.name}, std::move(records));
}

void LiveSuccessRecords::take(const WorkloadReference& workload, GroupRecords records) {
  const auto known = said_.find(workload);
  if (known == said_.end() && records.empty()) return;
  GroupRecords& said = known == said_.end() ? said_[workload] : known->second;
  const auto is_same = [](const GroupRecord& a, const GroupRecord& b) {
    return a.group == b.group && a.record.role == b.record.role;
  };
  for (GroupRecord before : said) {
    if (std::ranges::any_of(records, [&](const GroupRecord& each) { return is_same(each, before); })) continue;
    before.record.succeeded = 0;
    tell(before);
  }
  for (const GroupRecord& each : records) tell(each);
  said = std::move(records);
  if (said.empty()) said_.erase(workload);
}

void LiveSuccessRecords::tell(const GroupRecord& record) {
  if (!counts_) return;
  const auto& [name_space, group] = record.group;
  if (cluster_.record_succeeded(name_space, group, record.record).second) changed_(name_space, group);
}

void LiveSuccessRecords::set_counting(bool counts) {
  if (counts == counts_) return;
  counts_ = true;
  for (const auto& [workload, records] : said_) {
    for (GroupRecord each : records) {
      if (!counts) each.record.succeeded = 0;
      tell(each);
    }
  }
  counts_ = counts;
}

}  // namespace loadline::scheduler
