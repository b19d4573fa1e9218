#include "hosts/scheduler/replaced_claims.h"

#include <algorithm>
#include <utility>

#include "brain/cluster/ledgers/volumes.h"
#include "hosts/watching/claim_use.h"
#include "hosts/watching/volume_patches.h"
#include "objects/kube/storage/storage_classes.h"

namespace loadline::scheduler {

using watching::Change;
using watching::Keys;
using watching::ObjectKey;

namespace {

Keys claims_of(const kube::Pod& pod) {
  Keys claims;
  for (const kube::Volume& volume : pod.spec->volumes) {
    std::string claim = watching::claim_of(pod, volume);
    if (!claim.empty()) claims.insert({pod.metadata.namespace_, std::move(claim)});
  }
  return claims;
}

}  // namespace

ReplacedClaims::ReplacedClaims(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator& actuator)
    : caches_(subscriptions.caches()),
      writer_(loop, actuator, [this](const ObjectKey& key, const Wanted& wanted) { return select(key, wanted); }) {
  subscriptions.on<kube::PersistentVolumeClaim>([this](const Change<kube::PersistentVolumeClaim>& change, Keys&) {
    if (change.after != nullptr) look(change.after->key());
  });
  subscriptions.on<kube::Pod>([this](const Change<kube::Pod>& change, Keys&) { on_pod(change); });
  subscriptions.reads<kube::StorageClass>();
  writer_.start();  // only of what was placed, so the caches are full by then
}

void ReplacedClaims::placed(const watching::Observed<kube::Pod>& pod, std::string_view node) {
  for (const ObjectKey& claim : claims_of(pod.view)) {
    users_[claim].insert_or_assign(pod.key(), User{pod.metadata().uid, std::string(node)});
  }
}

/// What the watches of pods and of claims tell may come in any order.
void ReplacedClaims::on_pod(const Change<kube::Pod>& change) {
  const kube::Pod& pod = change.last().view;
  const bool is_over = change.after == nullptr || pod.finished();
  for (const ObjectKey& claim : claims_of(pod)) {
    const auto users = users_.find(claim);
    if (users == users_.end()) continue;
    if (!is_over) {
      look(claim);
      continue;
    }
    users->second.erase(change.last().key());
    if (users->second.empty()) users_.erase(users);
  }
}

void ReplacedClaims::look(const ObjectKey& key) {
  const auto users = users_.find(key);
  if (users == users_.end()) return;
  const auto claim = caches_.of<kube::PersistentVolumeClaim>().find(key);
  if (claim == nullptr || !waits_for_consumer(*claim)) return;
  const auto user =
      std::ranges::find_if(users->second, [this](const auto& entry) { return is_there(entry.first, entry.second); });
  if (user == users->second.end()) return;
  Wanted wanted{claim->metadata().uid, std::move(user->second.node)};
  users->second.erase(user);
  if (users->second.empty()) users_.erase(users);
  writer_.want(key, std::move(wanted));
}

/// Whether the pod is where it was to be. One that is about to go needs no volume.
bool ReplacedClaims::is_there(const ObjectKey& key, const User& user) const {
  const auto pod = caches_.of<kube::Pod>().find(key);
  return pod != nullptr && pod->metadata().uid == user.uid && pod->view.spec->node_name == user.node &&
         !pod->is_being_deleted();
}

bool ReplacedClaims::waits_for_consumer(const watching::Observed<kube::PersistentVolumeClaim>& claim) const {
  if (claim.is_being_deleted() || !claim.view.spec.volume_name.empty()) return false;
  if (claim.metadata().annotations.contains(cluster::kSelectedNodeAnnotation)) return false;
  const auto found = caches_.of<kube::StorageClass>().find("", kube::class_of(claim.view));
  return found != nullptr && found->view.volume_binding_mode == kube::VolumeBindingMode::kWaitForFirstConsumer &&
         found->view.provisioner != cluster::kNoProvisioner;
}

std::vector<watching::Action> ReplacedClaims::select(const ObjectKey& key, const Wanted& wanted) const {
  const auto claim = caches_.of<kube::PersistentVolumeClaim>().find(key);
  if (claim == nullptr || claim->metadata().uid != wanted.uid || !waits_for_consumer(*claim)) return {};
  document::Object annotation{{std::string(cluster::kSelectedNodeAnnotation), document::Value(wanted.node), {}}};
  return {watching::annotate_claim(*claim, std::move(annotation))};
}

}  // namespace loadline::scheduler
