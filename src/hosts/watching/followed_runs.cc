#include "hosts/watching/followed_runs.h"

#include <string>

#include "brain/workloads/kinds.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::watching {

using workloads::WorkloadReference;

void follow_expected_runs(Subscriptions& subscriptions, workloads::ExpectedRuns& runs,
                          std::function<void(const WorkloadReference& workload, Keys& keys)> changed) {
  workloads::for_each_ending_kind([&]<class Kind>() {
    subscriptions.on<Kind>([&runs, changed](const Change<Kind>& change, Keys& keys) {
      const kube::ObjectMeta& metadata = change.last().metadata();
      const WorkloadReference workload{std::string(workloads::kind_name<Kind>()), metadata.namespace_, metadata.name};
      const bool is_different = change.after == nullptr ? runs.remove(workload) : runs.set(change.after->view);
      if (is_different) changed(workload, keys);
    });
  });
  subscriptions.on<kube::KueueWorkload>([&runs, changed](const Change<kube::KueueWorkload>& change, Keys& keys) {
    const auto view_of = [](const auto& version) { return version == nullptr ? nullptr : &version->view; };
    for (const WorkloadReference& owner : runs.renew_bound(view_of(change.before), view_of(change.after))) {
      changed(owner, keys);
    }
  });
}

}  // namespace loadline::watching
