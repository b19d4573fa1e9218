#include "server/apiserver/builtin_controllers/orphaned_pods.h"

#include <algorithm>
#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/builtin_controllers/mention.h"
#include "server/apiserver/builtin_controllers/object_head.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::text_at;
using document::Value;

constexpr std::size_t kPodsPerTask = 100;

}  // namespace

OrphanedPods::OrphanedPods(const ServerContext& context)
    : context_(context),
      writer_(context, "system:serviceaccount:kube-system:pod-garbage-collector", "kube-controller-manager"),
      queue_(context, kPodsPerTask, [this](const store::Key& pod) { check(pod); }) {}

void OrphanedPods::on_object(const store::ObjectPtr& object, bool gone) {
  if (object->resource() == "nodes" && gone) {
    for (const auto& [pod, deleted] : deleted_) queue_.add(pod);
    return;
  }
  if (object->resource() != "pods") return;
  if (gone) {
    deleted_.erase(object->key());
    return;
  }
  if (!mentions(*object, "deletionTimestamp\"")) return;
  const Value head = head_of(*object);
  const std::optional<Instant> ends = parse_rfc3339(text_at(head, {"metadata", "deletionTimestamp"}));
  if (!ends) return;
  const auto [entry, is_new] = deleted_.try_emplace(object->key());
  if (!is_new && entry->second.ends == *ends) return;
  // If the clock was set back meanwhile, the time that is left is still no longer than all of it.
  Duration left = *ends - context_.loop.now();
  const Value* grace = document::find_at(head, {"metadata", "deletionGracePeriodSeconds"});
  if (grace != nullptr && grace->is_integer()) left = std::min(left, Duration::seconds(grace->integer()));
  entry->second = {*ends,
                   context_.loop.after(std::max(left, Duration{}), [this, pod = entry->first] { on_time(pod); })};
}

void OrphanedPods::on_time(const store::Key& pod) {
  const auto known = deleted_.find(pod);
  if (known == deleted_.end()) return;
  const std::unique_ptr<EventLoop::Timer> over = std::move(known->second.timer);
  queue_.add(known->first);
}

void OrphanedPods::check(const store::Key& pod) {
  const auto known = deleted_.find(pod);
  if (known == deleted_.end() || known->second.timer != nullptr) return;
  const Value object = writer_.get(pod);
  if (object.is_null() || !is_being_deleted(object) || !finalizers_of(object).empty()) return;
  const std::string node(text_at(object, {"spec", "nodeName"}));
  if (!node.empty() && context_.store.get({"nodes", "", node}) != nullptr) return;
  DeleteOptions options;
  options.uid = std::string(uid_of(object));
  options.grace_period_seconds = 0;
  const Answer<Written> removed = writer_.remove(pod, options);
  if (!removed && removed.error().code != 404) queue_.add_later(pod);
}

}  // namespace loadline::apiserver
