#include "hosts/recording/pod_lives.h"

#include <algorithm>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/watching/observe.h"

namespace loadline::recording {
namespace {

void set_once(std::optional<Instant>& time, Instant at) {
  if (!time) time = at;
}

}  // namespace

void PodLives::take(const RecordedLine& line) {
  now_ = std::max(now_, line.at);
  switch (line.kind) {
    case LineKind::kSection:
      seen_.clear();
      return;
    case LineKind::kStart:
      return begin(now_);
    case LineKind::kPut:
      return put(line);
    case LineKind::kGone: {
      const std::string name(document::text_at(line.value, {"name"}));
      if (line.subject == "nodes" && !beginning_) nodes_.erase(name);
      if (line.subject != "pods") return;
      const auto found = there_.find({std::string(document::text_at(line.value, {"namespace"})), name});
      if (found != there_.end()) gone(found->second, now_);
      return;
    }
    default:
      return;
  }
}

/// A scheduler that comes after another does not hear of what went between them.
void PodLives::begin(Instant at) {
  std::vector<std::string> lost;
  for (const auto& [key, uid] : there_) {
    if (!seen_.contains(uid)) lost.push_back(uid);
  }
  for (const std::string& uid : lost) gone(uid, at);
  if (beginning_) return;
  beginning_ = at;
  for (auto& [uid, life] : lives_) {
    for (std::optional<Instant>* time : {&life.arrived, &life.bound, &life.started}) {
      if (*time) *time = at;
    }
  }
  // What had ended by then is no work.
  std::erase_if(lives_, [](const auto& life) { return life.second.ended || life.second.deleted; });
}

void PodLives::put(const RecordedLine& line) {
  if (line.subject == "nodes" && !beginning_) {
    const auto node = watching::observe<kube::Node>(line.object, nullptr);
    nodes_.insert_or_assign(node->metadata().name, node->view);
  }
  if (line.subject != "pods") return;
  const auto pod = watching::observe<kube::Pod>(line.object, nullptr);
  const std::string& uid = pod->metadata().uid;
  seen_.insert(uid);
  there_[pod->key()] = uid;
  const auto [place, is_new] = lives_.try_emplace(uid);
  PodLife& life = place->second;
  if (is_new) life.place = lives_.size();
  if (!life.arrived) {
    life.pod = pod->view;
    if (pod->view.spec->scheduling_gates.empty()) life.arrived = now_;
  }
  if (!pod->view.spec->node_name.empty()) set_once(life.bound, now_);
  if (pod->view.status.phase == kube::PodPhase::kRunning) set_once(life.started, now_);
  if (pod->view.finished() && !life.deleted) set_once(life.ended, now_);
  if (pod->is_being_deleted() && !life.ended) set_once(life.deleted, now_);
}

void PodLives::gone(const std::string& uid, Instant at) {
  const auto life = lives_.find(uid);
  if (life != lives_.end() && !life->second.ended) set_once(life->second.deleted, at);
  std::erase_if(there_, [&](const auto& entry) { return entry.second == uid; });
}

std::vector<kube::Node> PodLives::nodes() const {
  std::vector<kube::Node> nodes;
  for (const auto& [name, node] : nodes_) nodes.push_back(node);
  return nodes;
}

}  // namespace loadline::recording
