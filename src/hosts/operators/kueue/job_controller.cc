#include "hosts/operators/kueue/job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "brain/queue/kueue/jobs/job_kinds.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/job_of.h"
#include "hosts/operators/kueue/job_sync.h"
#include "hosts/operators/kueue/management.h"
#include "hosts/operators/kueue/owner_kinds.h"
#include "hosts/operators/kueue/workload_index.h"
#include "hosts/operators/mpi_job_version.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/service.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/configuration_reader.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/kueue/workload_priority_class.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::operators::kueue {
namespace {

using watching::Change;
using watching::Keys;
using watching::ObjectKey;
using watching::Observed;

/// Whether Kueue can hold that very object: MPIJobs of the training-operator are none of its kinds, and a template
/// without pods is its operator's to refuse.
template <class Kind>
bool can_be_held(const Observed<Kind>& job) {
  if constexpr (std::is_same_v<Kind, kube::MpiJob>) {
    if (!is_of_mpi_operator(job.document)) return false;
  }
  if constexpr (std::is_same_v<Kind, kube::RayJob>) {
    if (!job.view.spec.cluster_selector.empty() || !job.view.spec.cluster) return false;
  }
  const workloads::PodSets sets = workloads::pod_sets(job.view);
  return !sets.empty() && std::ranges::all_of(sets, [](const workloads::PodSet& set) {
    return set.pod_template != nullptr && set.pod_template->spec != nullptr;
  });
}

template <class Kind>
class JobController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string_view reporter() const override { return reporter_; }

  void subscribe(watching::Subscriptions& to) override {
    const watching::Caches& caches = to.caches();
    to.on<Kind>(watching::own_key<Kind>);
    to.on<kube::KueueWorkload>([this, &caches](const Change<kube::KueueWorkload>& change, Keys& keys) {
      index_.on_change(change);
      add_job_of(change, caches, keys);
      add_children(change, caches, keys);
    });
    const auto add_all = [&caches](Keys& keys) {
      for (const ObjectKey& key : caches.of<Kind>().keys()) keys.insert(key);
    };
    // The first queue makes labels mean something, and what others need may have been missing.
    subscribe_to_new<kube::ClusterQueue, kube::LocalQueue, kube::ResourceFlavor, kube::WorkloadPriorityClass,
                     kube::PriorityClass>(to, add_all);
    to.on<kube::ConfigMap>([add_all](const Change<kube::ConfigMap>& change, Keys& keys) {
      if (change.last().metadata().namespace_ == kube::kKueueNamespace) add_all(keys);
    });
    to.on<kube::Namespace>([&caches](const Change<kube::Namespace>& change, Keys& keys) {
      if (change.before != nullptr) return;
      const std::string& name = change.after->metadata().name;
      for (const auto& [job, object] : caches.of<Kind>().in(name)) keys.insert({name, job});
    });
    read_owner_kinds(to);
  }

  watching::Reconciliation reconcile(const ObjectKey& key, const controllers::Context& context) override {
    watching::Reconciliation result;
    const CachedObjects objects(context.caches);
    std::vector<WorkloadPtr> workloads = index_.of(key, context.caches.of<kube::KueueWorkload>());
    if (workloads.empty() && !has_queues(objects)) return result;
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    if (!manages(configuration, queue::kueue::kJobKind<Kind>.framework)) return result;
    const auto job = context.caches.of<Kind>().find(key);
    if (job == nullptr || job->is_being_deleted()) {
      for (const WorkloadPtr& each : workloads) let_go(*each, context.now, result);
      return result;
    }
    if (!can_be_held(*job)) return result;
    const JobOf<Kind> held(*job);
    return JobSync(held, {context, objects, configuration}, std::move(workloads)).run();
  }

 private:
  /// New ones concern all jobs.
  template <class... Kinds, class AddAll>
  static void subscribe_to_new(watching::Subscriptions& to, AddAll add_all) {
    const auto subscribe = [&]<class Other>() {
      to.on<Other>([add_all](const Change<Other>& change, Keys& keys) {
        if (change.before == nullptr) add_all(keys);
      });
    };
    (subscribe.template operator()<Kinds>(), ...);
  }

  static void add_job_of(const Change<kube::KueueWorkload>& change, const watching::Caches& caches, Keys& keys) {
    const watching::KindName& kind = watching::kind_name<Kind>();
    watching::controllers_of<kube::KueueWorkload>(std::string(kind.kind), std::string(kind.group))(change, keys);
    // One that was made before its job is controlled by none yet.
    if (change.before != nullptr || change.after->metadata().controller() != nullptr) return;
    const ObjectKey workload = change.after->key();
    for (const auto& [name, job] : caches.of<Kind>().in(workload.name_space)) {
      if (prebuilt_workload_of(job->metadata()) == workload.name) keys.insert(job->key());
    }
  }

  /// What the Workload's job made runs as long as the Workload is admitted.
  static void add_children(const Change<kube::KueueWorkload>& change, const watching::Caches& caches, Keys& keys) {
    const kube::OwnerReference* owner = change.last().metadata().controller();
    if (owner == nullptr) return;
    for (const auto& [key, child] : caches.of<Kind>().controlled_by(owner->uid)) keys.insert(key);
  }

  const std::string name_ = kube::lower_case(watching::kind_name<Kind>().kind) + "-kueue-controller";
  const std::string reporter_ = fmt::format("{}-kueue-controller", queue::kueue::kJobKind<Kind>.framework);
  WorkloadIndex index_{std::string(watching::kind_name<Kind>().kind)};
  ConfigurationInForce configuration_;
};

}  // namespace

Controllers make_job_controllers() {
  Controllers made;
  queue::kueue::for_each_job_kind([&]<class Kind>() { made.push_back(std::make_unique<JobController<Kind>>()); });
  return made;
}

}  // namespace loadline::operators::kueue
