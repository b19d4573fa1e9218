#include "hosts/embedded/pending_workloads.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "objects/kube/kueue/local_queue.h"

namespace loadline::embedded {
namespace {

using apiserver::PendingQuestion;
using apiserver::PendingWorkload;
using document::Array;
using document::Object;
using document::Value;
using WorkloadObject = watching::Observed<kube::KueueWorkload>;

/// Of whom it is, without who controls it.
Value shown_owners(const Value& workload) {
  Array owners;
  for (const Value& owner : document::items_at(workload, {"metadata", "ownerReferences"})) {
    Object shown;
    for (const std::string_view member : {"apiVersion", "kind", "name", "uid"}) {
      shown.push_back({std::string(member), document::value_at(owner, {member}), {}});
    }
    owners.emplace_back(std::move(shown));
  }
  return Value(std::move(owners));
}

Value shown_metadata(const Value& workload) {
  Object shown;
  for (const std::string_view member : {"name", "namespace", "creationTimestamp"}) {
    shown.push_back({std::string(member), document::value_at(workload, {"metadata", member}), {}});
  }
  Value owners = shown_owners(workload);
  if (!owners.array().empty()) shown.push_back({"ownerReferences", std::move(owners), {}});
  return Value(std::move(shown));
}

/// "cq": the one that is asked about, or that leads the LocalQueue that is. Nothing: there is no such LocalQueue.
std::optional<std::string> cluster_queue_of(const PendingQuestion& question, const watching::Caches& caches) {
  if (question.name_space.empty()) return question.queue;
  const auto local = caches.of<kube::LocalQueue>().find(question.name_space, question.queue);
  return local == nullptr ? std::nullopt : std::optional(local->view.cluster_queue);
}

std::optional<std::vector<PendingWorkload>> answer_to(const PendingQuestion& question,
                                                      const control::ControlLoop* loop) {
  if (loop == nullptr || loop->queues() == nullptr) return std::nullopt;
  const std::optional<std::string> cluster_queue = cluster_queue_of(question, loop->caches());
  if (!cluster_queue) return std::nullopt;
  const auto waiting = loop->queues()->waiting_in(*cluster_queue);
  if (!waiting) return std::nullopt;
  std::vector<PendingWorkload> found;
  std::map<watching::ObjectKey, std::int64_t> positions;  // of the next one of each LocalQueue
  std::int64_t skipped = 0;
  for (std::size_t i = 0; i < waiting->size() && std::ssize(found) < question.limit; ++i) {
    const WorkloadObject& each = *(*waiting)[i];
    const watching::ObjectKey local{each.metadata().namespace_, each.view.queue_name};
    const std::int64_t position = positions[local]++;
    const bool is_asked_for =
        question.name_space.empty() || (local.name_space == question.name_space && local.name == question.queue);
    if (!is_asked_for || skipped++ < question.offset) continue;
    found.push_back({shown_metadata(each.document), each.view.priority.value_or(0), each.view.queue_name,
                     static_cast<std::int64_t>(i), position});
  }
  return found;
}

}  // namespace

void PendingWorkloads::ask(PendingQuestion question, OnWorkloads done) const {
  questions_.ask([this, question = std::move(question)] { return answer_to(question, known_()); }, std::move(done));
}

}  // namespace loadline::embedded
