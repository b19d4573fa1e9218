#include "hosts/scheduler/volume_binder.h"

#include <fmt/format.h>

#include <utility>

#include "brain/cluster/ledgers/volumes.h"
#include "brain/placement/plugins/volume_reach.h"
#include "foundation/base/contract.h"
#include "hosts/watching/reflector.h"
#include "hosts/watching/volume_patches.h"

namespace loadline::scheduler {

using cluster::ChosenVolume;
using watching::Change;
using watching::Keys;
using watching::ObjectKey;
using watching::ObjectPtr;

namespace {

constexpr std::string_view kVolume = "v1.PersistentVolume";
constexpr std::string_view kClaim = "v1.PersistentVolumeClaim";

ObjectKey claim_key(const ChosenVolume& chosen) { return {chosen.name_space, chosen.claim}; }

Error not_found(std::string_view kind, const std::string& name) {
  return {fmt::format("could not find {} \"{}\"", kind, name)};
}

/// PreBind's error as the framework passes it on.
std::string in_pre_bind(const std::string& error) { return "running PreBind plugin \"VolumeBinding\": " + error; }

}  // namespace

/// A pod whose claims are not bound yet.
struct VolumeBinder::Waiting {
  std::string node;
  std::vector<ChosenVolume> chosen;
  Done done;
  std::unique_ptr<EventLoop::Timer> timeout;
  bool is_written = false;
  std::map<ObjectKey, std::uint64_t> revisions;          // of what was written, by claim
  std::shared_ptr<int> still = std::make_shared<int>();  // answers look at it: the pod may be another one by then
};

VolumeBinder::VolumeBinder(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator,
                           cluster::Cluster& cluster)
    : loop_(loop), caches_(subscriptions.caches()), actuator_(actuator), cluster_(cluster) {
  subscriptions.on<kube::PersistentVolumeClaim>(
      [this](const Change<kube::PersistentVolumeClaim>& change, Keys&) { look_at_pods_of(change.last().key()); });
  subscriptions.on<kube::PersistentVolume>([this](const Change<kube::PersistentVolume>& change, Keys&) {
    for (const auto& version : {change.before, change.after}) {
      if (version == nullptr || !version->view.claim_ref) continue;
      look_at_pods_of({version->view.claim_ref->namespace_, version->view.claim_ref->name});
    }
  });
  subscriptions.on<kube::Node>([this](const Change<kube::Node>& change, Keys&) {
    if (change.after != nullptr) return;
    for (const auto& [key, pod] : pods_) {
      if (pod->node == change.before->metadata().name) look_at(key);
    }
  });
  subscriptions.on<kube::Pod>([this](const Change<kube::Pod>& change, Keys&) {
    if (change.after == nullptr && pods_.contains(change.before->key())) {
      end(change.before->key(), "pod does not exist any more");
    }
  });
}

VolumeBinder::~VolumeBinder() = default;

void VolumeBinder::bind(const watching::Observed<kube::Pod>& pod, std::string_view node,
                        std::vector<ChosenVolume> chosen, Duration timeout, Done done) {
  const ObjectKey key = pod.key();
  REQUIRES(!pods_.contains(key));
  for (const ChosenVolume& each : chosen) by_claim_[claim_key(each)].insert(key);
  std::unique_ptr<Waiting>& waiting = pods_[key];
  waiting = std::make_unique<Waiting>();
  waiting->node = node;
  waiting->chosen = std::move(chosen);
  waiting->done = std::move(done);
  waiting->timeout = loop_.after(timeout, [this, key] { end(key, "binding volumes: context deadline exceeded"); });
  Result<std::vector<Step>> steps = writes(*waiting);
  if (!steps) {
    return loop_.post([this, key, error = steps.error().message, still = std::weak_ptr<int>(waiting->still)] {
      if (!still.expired()) end(key, error);
    });
  }
  actuator_.perform(std::move(*steps),
                    [this, key, still = std::weak_ptr<int>(waiting->still)](
                        const watching::ReconciliationResult& outcome) { on_written(key, still, outcome); });
}

/// First the volumes, then the claims, as upstream does; one after the other, so that what fails leaves little behind.
Result<std::vector<VolumeBinder::Step>> VolumeBinder::writes(const Waiting& pod) const {
  std::vector<Step> volumes;
  std::vector<Step> claims;
  for (const ChosenVolume& chosen : pod.chosen) {
    const auto claim = caches_.of<kube::PersistentVolumeClaim>().find(claim_key(chosen));
    if (claim == nullptr) return tl::unexpected(not_found(kClaim, claim_key(chosen).to_string()));
    if (chosen.volume.empty()) {
      const auto& annotations = claim->metadata().annotations;
      const auto selected = annotations.find(cluster::kSelectedNodeAnnotation);
      if (selected != annotations.end() && selected->second == pod.node) continue;
      document::Object annotation{{std::string(cluster::kSelectedNodeAnnotation), document::Value(pod.node), {}}};
      claims.push_back({watching::annotate_claim(*claim, std::move(annotation))});
      continue;
    }
    const auto volume = caches_.of<kube::PersistentVolume>().find("", chosen.volume);
    if (volume == nullptr) return tl::unexpected(not_found(kVolume, chosen.volume));
    if (auto reservation = watching::reserve_volume(*claim, *volume)) volumes.push_back({std::move(*reservation)});
  }
  volumes.insert(volumes.end(), claims.begin(), claims.end());
  return volumes;
}

void VolumeBinder::on_written(const ObjectKey& key, const std::weak_ptr<int>& still,
                              const watching::ReconciliationResult& outcome) {
  if (still.expired()) return;
  if (!outcome.failures.empty()) return end(key, outcome.failures.front().status.message);
  Waiting& pod = *pods_.at(key);
  pod.is_written = true;
  for (const watching::Written& written : outcome.written) {
    for (const ChosenVolume& chosen : pod.chosen) {
      const bool is_claim = written.of.plural == "persistentvolumeclaims";
      const std::string& name = is_claim ? chosen.claim : chosen.volume;
      if (name != written.of.name) continue;
      pod.revisions[claim_key(chosen)] = watching::revision_of(written.object);
    }
  }
  look_at(key);
}

void VolumeBinder::look_at_pods_of(const ObjectKey& claim) {
  const auto pods = by_claim_.find(claim);
  if (pods == by_claim_.end()) return;
  for (const ObjectKey& pod : pods->second) look_at(pod);
}

/// In a task of its own, once all caches have the change.
void VolumeBinder::look_at(const ObjectKey& pod) {
  to_look_at_.insert(pod);
  if (is_posted_) return;
  is_posted_ = true;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) look();
  });
}

void VolumeBinder::look() {
  is_posted_ = false;
  for (const ObjectKey& key : std::exchange(to_look_at_, {})) look(key);
}

void VolumeBinder::look(const ObjectKey& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end() || !found->second->is_written) return;
  const Result<bool> bound = is_bound(*found->second);
  if (!bound) return end(key, "binding volumes: " + bound.error().message);
  if (*bound) end(key, {});
}

Result<bool> VolumeBinder::is_bound(const Waiting& pod) const {
  if (!cluster_.find_node(pod.node).valid()) {
    return failure(fmt::format("failed to get node \"{0}\": node \"{0}\" not found", pod.node));
  }
  for (const ChosenVolume& chosen : pod.chosen) {
    if (const Result<void> stays = check_that_it_stays(claim_key(chosen)); !stays) {
      return tl::unexpected(stays.error());
    }
    const Result<bool> bound = chosen.volume.empty() ? is_provisioned(pod, chosen) : is_bound(pod, chosen);
    if (!bound || !*bound) return bound;
  }
  return true;
}

/// Nothing protects a claim of a pod that has no node yet: soon it will be gone.
Result<void> VolumeBinder::check_that_it_stays(const ObjectKey& key) const {
  const auto claim = caches_.of<kube::PersistentVolumeClaim>().find(key);
  if (claim == nullptr || !claim->is_being_deleted()) return {};
  return failure(fmt::format("persistentvolumeclaim \"{}\" is being deleted", key.name));
}

Result<bool> VolumeBinder::is_bound(const Waiting& pod, const ChosenVolume& chosen) const {
  const auto failed = [](const Error& error) { return failure("failed to check binding: " + error.message); };
  const auto volume = caches_.of<kube::PersistentVolume>().find("", chosen.volume);
  if (volume == nullptr) return failed(not_found(kVolume, chosen.volume));
  const auto claim = caches_.of<kube::PersistentVolumeClaim>().find(claim_key(chosen));
  if (claim == nullptr) return failed(not_found(kClaim, claim_key(chosen).to_string()));
  // What was written has not been heard of yet.
  const auto written = pod.revisions.find(claim_key(chosen));
  if (written != pod.revisions.end() && volume->revision < written->second) return false;
  if (const Result<void> reached = check_reach(volume->view, pod.node); !reached) {
    return tl::unexpected(reached.error());
  }
  if (!volume->view.claim_ref || volume->view.claim_ref->uid.empty()) {
    return failure(fmt::format("ClaimRef got reset for pv \"{}\"", chosen.volume));
  }
  return cluster::fully_bound(claim->view);
}

Result<bool> VolumeBinder::is_provisioned(const Waiting& pod, const ChosenVolume& chosen) const {
  const auto claim = caches_.of<kube::PersistentVolumeClaim>().find(claim_key(chosen));
  if (claim == nullptr) {
    return failure("failed to check provisioning pvc: " + not_found(kClaim, claim_key(chosen).to_string()).message);
  }
  const auto written = pod.revisions.find(claim_key(chosen));
  if (written != pod.revisions.end() && claim->revision < written->second) return false;
  const auto& annotations = claim->metadata().annotations;
  if (annotations.empty()) {
    return failure(fmt::format("selectedNode annotation reset for PVC \"{}\"", chosen.claim));
  }
  const auto selected = annotations.find(cluster::kSelectedNodeAnnotation);
  if (selected == annotations.end() || selected->second != pod.node) {
    return failure(fmt::format("provisioning failed for PVC \"{}\"", chosen.claim));
  }
  if (claim->view.spec.volume_name.empty()) return false;
  const auto volume = caches_.of<kube::PersistentVolume>().find("", claim->view.spec.volume_name);
  if (volume == nullptr) return false;  // we may not have heard of it yet
  if (const Result<void> reached = check_reach(volume->view, pod.node); !reached) {
    return tl::unexpected(reached.error());
  }
  return cluster::fully_bound(claim->view);
}

Result<void> VolumeBinder::check_reach(const kube::PersistentVolume& volume, std::string_view node) const {
  const Result<bool> reached = placement::VolumeReach(cluster_).reaches_bound(volume, cluster_.find_node(node));
  if (!reached) return failure("failed to translate pv to csi: " + reached.error().message);
  if (*reached) return {};
  return failure(fmt::format("pv \"{}\" node affinity doesn't match node \"{}\": no matching NodeSelectorTerms",
                             volume.metadata.name, node));
}

void VolumeBinder::end(const ObjectKey& key, const std::string& error) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  // It may be its own timer that ends it.
  const std::unique_ptr<Waiting> waiting = std::move(found->second);
  pods_.erase(found);
  for (const ChosenVolume& chosen : waiting->chosen) {
    const auto pods = by_claim_.find(claim_key(chosen));
    if (pods == by_claim_.end()) continue;
    pods->second.erase(key);
    if (pods->second.empty()) by_claim_.erase(pods);
  }
  waiting->done(error.empty() ? error : in_pre_bind(error));
}

}  // namespace loadline::scheduler
