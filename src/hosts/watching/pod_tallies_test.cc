#include "hosts/watching/pod_tallies.h"

#include <gtest/gtest.h>

#include "brain/workloads/existing_pods.h"
#include "foundation/base/rng.h"
#include "hosts/watching/caches.h"
#include "objects/kube/core/pod_readiness.h"

namespace loadline::watching {
namespace {

ObjectPtr<kube::Pod> random_pod(Rng& rng, std::uint64_t revision) {
  Observed<kube::Pod> pod;
  pod.view.metadata.namespace_ = "default";
  pod.view.metadata.name = "p" + std::to_string(rng.next() % 20);
  pod.view.metadata.uid = "u" + std::to_string(rng.next() % 40);
  pod.view.metadata.labels = {{"app", std::to_string(rng.next() % 3)}};
  constexpr const char* kKinds[] = {"ReplicaSet", "ReplicationController", "Job"};
  if (rng.next() % 5 != 0) {
    pod.view.metadata.owner_references = {
        {"apps/v1", kKinds[rng.next() % 3], "o", "owner" + std::to_string(rng.next() % 3), true}};
  }
  pod.view.status.phase = static_cast<kube::PodPhase>(rng.next() % 4);
  if (rng.next() % 2 == 0) pod.view.status.conditions = {{"Ready", "True", "", ""}};
  if (rng.next() % 4 == 0) pod.view.metadata.deletion_timestamp = Instant{1};
  pod.revision = revision;
  return std::make_shared<const Observed<kube::Pod>>(std::move(pod));
}

PodTallies::ByLabels recount(const Caches& caches, const std::string& uid) {
  PodTallies::ByLabels tallies;
  for (const auto& [key, pod] : caches.of<kube::Pod>().controlled_by(uid)) {
    if (pod->metadata().controller()->kind == "Job") continue;
    PodTally& tally = tallies[pod->metadata().labels];
    if (workloads::is_active(pod->view)) ++tally.active;
    if (workloads::is_active(pod->view) && is_ready(pod->view)) ++tally.ready;
    if (is_terminating(pod->view)) ++tally.terminating;
  }
  std::erase_if(tallies, [](const auto& entry) { return entry.second == PodTally{}; });
  return tallies;
}

TEST(PodTallies, EqualARecountAfterAnyHistory) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    Caches caches;
    for (std::uint64_t i = 1; i <= 200; ++i) {
      if (rng.next() % 4 == 0) {
        caches.of<kube::Pod>().erase({"default", "p" + std::to_string(rng.next() % 20)});
      } else {
        caches.of<kube::Pod>().put(random_pod(rng, i));
      }
      for (const char* uid : {"owner0", "owner1", "owner2"}) {
        ASSERT_EQ(caches.pod_tallies(uid), recount(caches, uid)) << "seed " << seed << " change " << i;
      }
    }
  }
}

}  // namespace
}  // namespace loadline::watching
