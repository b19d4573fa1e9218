#include "hosts/controllers/job.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "brain/workloads/job.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/job_gangs.h"
#include "hosts/controllers/job_sync.h"
#include "hosts/controllers/ownership.h"

namespace loadline::controllers {
namespace {

constexpr std::string_view kJobController = "job-controller";
constexpr std::string_view kManagedHere = "kubernetes.io/job-controller";

bool is_managed_elsewhere(const kube::Job& job) {
  return !job.spec.managed_by.empty() && job.spec.managed_by != kManagedHere;
}

bool job_selects(const kube::Job& job, const kube::StringMap& labels) {
  return job.spec.selector && !job.spec.selector->empty() && matches(*job.spec.selector, labels);
}

class JobController final : public Controller {
 public:
  explicit JobController(const workloads::Gates& gates) {
    if (gates.workload_with_job) gangs_.emplace();
  }

  [[nodiscard]] std::string_view name() const override { return kJobController; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::Job>(own_key<kube::Job>);
    to.on<kube::Pod>(controllers_of<kube::Pod>("Job", "batch"));
    to.on<kube::Pod>(adopters_of<kube::Pod, kube::Job>(to.caches(), job_selects));
    to.reads<kube::Namespace>();
    if (gangs_) gangs_->subscribe(to);
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const ObjectPtr<kube::Job> job = context.caches.of<kube::Job>().find(key);
    if (job == nullptr || is_managed_elsewhere(job->view) || workloads::finished_condition(job->view) != nullptr) {
      backoffs_.erase(key);
      return {};
    }
    const auto& selector = job->view.spec.selector;
    if (!selector || selector->empty()) return {};
    auto claims = claim(context.caches.of<kube::Pod>(), kind_name<kube::Job>(), job->metadata(), *selector);
    if (!claims.actions.empty()) {
      Reconciliation result;  // which pods belong to the Job is settled first
      result.then(with_tracking(std::move(claims.actions)));
      return result;
    }
    JobBackoff& backoff = backoffs_[key];
    if (backoff.job != job->metadata().uid) backoff = {job->metadata().uid, 0, {}, {}};
    const bool namespace_is_ending = is_ending(context.caches, key.name_space);
    JobGangs::Answer gang;
    if (gangs_ && !job->is_being_deleted() && !namespace_is_ending) {
      gang = gangs_->ask(*job, !claims.owned.empty());
    }
    if (gang.first) {
      Reconciliation result;
      result.then(std::move(*gang.first));
      return result;
    }
    JobSync sync(*job, std::move(claims.owned), namespace_is_ending, backoff, context.now);
    sync.join(std::move(gang.pod_group));
    return sync.run();
  }

 private:
  std::optional<JobGangs> gangs_;             // with the gate WorkloadWithJob
  std::map<ObjectKey, JobBackoff> backoffs_;  // of Jobs that are not over
};

/// No Job will count that pod any more.
bool is_orphan(const kube::ObjectMeta& pod, const Caches& caches) {
  if (!is_tracked(pod)) return false;
  const kube::OwnerReference* controller = pod.controller();
  if (controller == nullptr) return true;
  if (controller->kind != "Job" || controller->api_version != "batch/v1") return false;
  const ObjectPtr<kube::Job> job = caches.of<kube::Job>().find(pod.namespace_, controller->name);
  if (job == nullptr || job->metadata().uid != controller->uid) return true;
  return !is_managed_elsewhere(job->view) && workloads::finished_condition(job->view) != nullptr;
}

class JobOrphanController final : public Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return kJobController; }

  void subscribe(Subscriptions& to) override {
    to.on<kube::Pod>([&caches = to.caches()](const Change<kube::Pod>& change, Keys& keys) {
      if (change.after != nullptr && is_orphan(change.after->metadata(), caches)) keys.insert(change.after->key());
    });
    to.on<kube::Job>([&caches = to.caches()](const Change<kube::Job>& change, Keys& keys) {
      if (change.after != nullptr && workloads::finished_condition(change.after->view) == nullptr) return;
      for (const auto& [key, pod] : caches.of<kube::Pod>().controlled_by(change.last().metadata().uid)) {
        if (is_tracked(pod->metadata())) keys.insert(key);
      }
    });
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    Reconciliation result;
    const ObjectPtr<kube::Pod> pod = context.caches.of<kube::Pod>().find(key);
    if (pod != nullptr && is_orphan(pod->metadata(), context.caches)) result.then(untrack(pod->metadata()));
    return result;
  }
};

}  // namespace

std::unique_ptr<Controller> make_job_controller(const workloads::Gates& gates) {
  return std::make_unique<JobController>(gates);
}

std::unique_ptr<Controller> make_job_orphan_controller() { return std::make_unique<JobOrphanController>(); }

}  // namespace loadline::controllers
