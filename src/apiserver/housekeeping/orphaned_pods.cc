#include "apiserver/housekeeping/orphaned_pods.h"

#include "apiserver/housekeeping/mention.h"
#include "apiserver/metadata.h"
#include "document/at.h"

namespace loadline::apiserver {
namespace {

using document::text_at;
using document::Value;

constexpr std::size_t kPerTask = 100;

}  // namespace

OrphanedPods::OrphanedPods(const Parts& parts)
    : parts_(parts),
      writer_(parts, "system:serviceaccount:kube-system:pod-garbage-collector", "kube-controller-manager"),
      queue_(parts.loop, kPerTask, [this](const store::Key& pod) { check(pod); }) {}

void OrphanedPods::on_object(const store::ObjectPtr& object, bool gone) {
  if (object->resource() == "nodes" && gone) {
    for (const auto& [pod, ends] : deleted_) queue_.add(pod);
    return;
  }
  if (object->resource() != "pods") return;
  if (gone) {
    deleted_.erase(object->key());
    return;
  }
  if (!mentions(*object, "deletionTimestamp\"")) return;
  const std::optional<Instant> ends = parse_rfc3339(text_at(object->document(), {"metadata", "deletionTimestamp"}));
  if (!ends) return;
  deleted_.insert_or_assign(object->key(), *ends);
  due_.emplace(*ends, object->key());
  arm();
}

void OrphanedPods::arm() {
  if (due_.empty()) return;
  const Duration left = due_.begin()->first - parts_.loop.now();
  timer_ = parts_.loop.after(left < Duration{} ? Duration{} : left, [this] { on_time(); });
}

void OrphanedPods::on_time() {
  const Instant now = parts_.loop.now();
  while (!due_.empty() && due_.begin()->first <= now) {
    queue_.add(due_.begin()->second);
    due_.erase(due_.begin());
  }
  arm();
}

void OrphanedPods::check(const store::Key& pod) {
  const auto known = deleted_.find(pod);
  if (known == deleted_.end() || known->second > parts_.loop.now()) return;
  const Value object = writer_.get(pod);
  if (object.is_null() || !is_being_deleted(object) || !finalizers_of(object).empty()) return;
  const std::string node(text_at(object, {"spec", "nodeName"}));
  if (!node.empty() && parts_.store.get({"nodes", "", node}) != nullptr) return;
  DeleteOptions options;
  options.uid = std::string(uid_of(object));
  options.grace_period_seconds = 0;
  const Answer<Written> removed = writer_.remove(pod, options);
  if (!removed && removed.error().code != 404) queue_.add_later(pod);
}

}  // namespace loadline::apiserver
