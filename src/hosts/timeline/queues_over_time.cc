#include "hosts/timeline/queues_over_time.h"

#include <string_view>

#include "foundation/document/at.h"
#include "hosts/watching/observe.h"
#include "objects/kube/gpu_resource.h"
#include "objects/kube/kueue/cluster_queue.h"

namespace loadline::timeline {
namespace {

using document::Value;

double amount_at(const Value& value, std::string_view member) {
  const Value* found = value.find(member);
  if (found == nullptr) return 0;
  if (found->is_number()) return found->number();
  if (!found->is_string()) return 0;
  const auto amount = kube::Quantity::parse(found->string());
  return amount ? amount->approximate() : 0;
}

/// GPUs, if the queue has quota of any, else the first resource that it has.
std::string main_resource(const kube::ClusterQueue& queue) {
  std::string first;
  for (const kube::ResourceGroup& group : queue.resource_groups) {
    for (const std::string& resource : group.covered_resources) {
      if (kube::is_gpu_resource(resource)) return resource;
      if (first.empty()) first = resource;
    }
  }
  return first;
}

double nominal_of(const kube::ClusterQueue& queue, const std::string& resource) {
  double nominal = 0;
  for (const kube::ResourceGroup& group : queue.resource_groups) {
    for (const kube::FlavorQuotas& flavor : group.flavors) {
      for (const kube::FlavorQuota& quota : flavor.resources) {
        if (quota.resource == resource) nominal += quota.nominal.approximate();
      }
    }
  }
  return nominal;
}

void note(Duration at, double& now, double value, std::vector<Step>& steps) {
  if (now == value && !steps.empty()) return;
  now = value;
  if (!steps.empty() && steps.back().at == at) {
    steps.back().value = value;
  } else {
    steps.push_back({at, value});
  }
}

}  // namespace

void QueuesOverTime::see(Duration at, const Value& document, bool is_gone) {
  const auto queue = watching::read_view<kube::ClusterQueue>(document);
  Track& track = tracks_[queue.metadata.name];
  QueueLife& life = track.life;
  life.name = queue.metadata.name;
  life.resource = main_resource(queue);
  life.nominal = nominal_of(queue, life.resource);
  double pending = 0;
  double used = 0;
  double borrowed = 0;
  if (const Value* status = document.find("status"); status != nullptr && !is_gone) {
    pending = amount_at(*status, "pendingWorkloads");
    for (const Value& flavor : document::items_at(*status, {"flavorsReservation"})) {
      for (const Value& resource : document::items_at(flavor, {"resources"})) {
        if (document::text_at(resource, {"name"}) != life.resource) continue;
        used += amount_at(resource, "total");
        borrowed += amount_at(resource, "borrowed");
      }
    }
  }
  note(at, track.pending, pending, life.pending);
  note(at, track.used, used, life.used);
  note(at, track.borrowed, borrowed, life.borrowed);
}

std::vector<QueueLife> QueuesOverTime::lives() const {
  std::vector<QueueLife> lives;
  for (const auto& [name, track] : tracks_) lives.push_back(track.life);
  return lives;
}

}  // namespace loadline::timeline
