#include "server/apiserver/admission/cluster_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "foundation/document/writer.h"
#include "server/apiserver/admission/refusal.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using Operation = AdmissionRequest::Operation;

/// A namespace has at most so many times what is left.
constexpr std::size_t kTimesTheRest = 9;
/// What objects that were taken in a moment ago will still cost: they are bound, run, written down and watched.
constexpr std::size_t kUnderWay = std::size_t{512} << 20;
/// An object that is there may grow by that, whatever there is room for: its status, a finalizer, the mark of its end.
constexpr std::size_t kGrowth = std::size_t{16} << 10;

bool is_exempt(std::string_view resource) {
  return resource == "events" || resource == "events.events.k8s.io" || resource == "leases.coordination.k8s.io";
}

/// From then on only small namespaces get more.
std::size_t nearly_full(std::size_t memory) {
  return std::max(memory / 2, std::min(memory / 5 * 4, memory - std::min(memory, kUnderWay)));
}

}  // namespace

Answer<void> ClusterBounds::review(const AdmissionRequest& request, const Value& object) {
  const Call& call = request.call;
  const std::string_view resource = call.served->store_name;
  if (request.operation == Operation::kDelete || is_exempt(resource)) return {};
  if (request.operation == Operation::kCreate && !call.subresource.empty()) return {};  // of an object that is there
  if (request.operation == Operation::kCreate && resource == "pods") {
    const std::string why = no_room_for_pod(call.name_space);
    if (!why.empty()) return refuse(refusal(call, object, why));
  }
  const std::string why = no_memory(call.name_space);
  if (why.empty() || (request.operation == Operation::kUpdate && may_change(call, object))) return {};
  return refuse(refusal(call, object, why));
}

bool ClusterBounds::may_change(const Call& call, const Value& object) const {
  // What ends says so in its status, and then it is gone.
  if (is_being_deleted(object)) return true;
  const store::ObjectPtr old = store_.get(call.key(call.name));
  return document::write_json(object).size() <= (old == nullptr ? 0 : old->text().size()) + kGrowth;
}

std::string ClusterBounds::no_room_for_pod(const std::string& name_space) const {
  if (bounds_.pods == 0) return {};
  const std::size_t all = store_.use().all().pods;
  if (all >= bounds_.pods) {
    return fmt::format("this cluster keeps at most {} pods, and there are {} (loadline up --max-pods)", bounds_.pods,
                       all);
  }
  const std::size_t own = store_.use().of(name_space).pods;
  if (own < kTimesTheRest * (bounds_.pods - all)) return {};
  return fmt::format(
      "this cluster keeps at most {} pods (loadline up --max-pods), and there are {}, {} of them in the namespace {}: "
      "what is left is for others",
      bounds_.pods, all, own, name_space);
}

std::string ClusterBounds::no_memory(const std::string& name_space) const {
  if (bounds_.memory == 0) return {};
  const std::size_t now = bounds_.memory_now();
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  if (now >= bounds_.memory) {
    return fmt::format("this server may take {} MiB of memory, and has taken {} (loadline up --max-memory)",
                       bounds_.memory / kMiB, now / kMiB);
  }
  if (name_space.empty() || now < nearly_full(bounds_.memory)) return {};
  const std::size_t all = store_.use().all().bytes;
  const std::size_t own = store_.use().of(name_space).bytes;
  if (own <= all / 100) return {};
  return fmt::format(
      "this server may take {} MiB of memory (loadline up --max-memory), and has taken {}; {} of {} MiB of objects are "
      "in the namespace {}: what is left is for others",
      bounds_.memory / kMiB, now / kMiB, own / kMiB, all / kMiB, name_space);
}

}  // namespace loadline::apiserver
