#include "hosts/operators/volcano/volcano_job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/volcano_job.h"
#include "foundation/document/at.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/volcano/volcano_status.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/encoder.h"
#include "objects/kube/volcano/pod_group_schema.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Array;
using document::Object;
using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::Observed;
using watching::Reconciliation;

using kube::VolcanoPodGroup;

using PodObject = Observed<kube::Pod>;

bool is_over(const PodObject& pod) {
  return pod.view.status.phase == kube::PodPhase::kSucceeded || pod.view.status.phase == kube::PodPhase::kFailed;
}

/// Whether a task that others wait for counts the pod.
bool is_ready(const PodObject& pod) {
  if (pod.view.status.phase == kube::PodPhase::kSucceeded) return true;
  if (pod.view.status.phase != kube::PodPhase::kRunning) return false;
  return std::ranges::all_of(pod.view.status.container_statuses, &kube::ContainerStatus::ready);
}

/// One look at a Job.
class VolcanoJobSync {
 public:
  VolcanoJobSync(const Observed<kube::VolcanoJob>& object, const Context& context)
      : object_(object), job_(object.view), context_(context), status_(object, context.now) {
    for (const auto& [key, pod] : context.caches.of<kube::Pod>().controlled_by(object.metadata().uid)) {
      if (key.name_space == name_space()) pods_.emplace(key.name, pod.get());
    }
    all_ = pods_;
  }

  Reconciliation run() {
    if (job_.status.phase.empty()) {
      status_.set_phase("Pending");
    } else if (workloads::is_finished(job_)) {
      finish();
    } else {
      go_on();
    }
    write_status();
    return std::move(result_);
  }

 private:
  [[nodiscard]] const std::string& name_space() const { return job_.metadata.namespace_; }
  [[nodiscard]] Event warning(std::string_view reason, std::string message) const {
    return {watching::reference_to(object_), Event::Type::kWarning, std::string(reason), std::move(message)};
  }
  [[nodiscard]] Value owner() const {
    return controllers::controller_reference(kind_name<kube::VolcanoJob>(), job_.metadata);
  }
  [[nodiscard]] watching::ObjectPtr<VolcanoPodGroup> pod_group() const {
    return context_.caches.of<VolcanoPodGroup>().find(name_space(), workloads::pod_group_name(job_, job_.metadata.uid));
  }

  // ---- while it goes on ---------------------------------------------------------------------------------------------

  void go_on() {
    if (controllers::is_ending(context_.caches, name_space()) || !has_claims()) return count_all();
    const auto group = pod_group();
    if (group == nullptr) {
      result_.then(watching::create(kind_name<VolcanoPodGroup>(), name_space(), new_pod_group()));
      return count_all();
    }
    for (std::size_t i = 0; i < job_.tasks.size(); ++i) make_pods(job_.tasks[i], i);
    for (auto& step : controllers::by_fifties(std::move(creations_))) result_.then(std::move(step));
    result_.then(std::move(deletions_));
    status_.judge();
    mend_pod_group(*group);
  }

  /// As it was, but for what its pods are.
  void count_all() {
    for (const auto& [name, pod] : pods_) count(*pod);
  }
  void count(const PodObject& pod) {
    if (pod.is_being_deleted()) return status_.count_terminating();
    const auto task = pod.metadata().annotations.find(kube::kVolcanoTaskSpec);
    status_.count(task == pod.metadata().annotations.end() ? std::string_view() : std::string_view(task->second),
                  pod.view.status.phase);
  }

  /// Those of the task's replicas that are there, by index.
  [[nodiscard]] std::map<std::int64_t, const PodObject*> replicas_of(const kube::VolcanoTask& task) const {
    std::map<std::int64_t, const PodObject*> replicas;
    const std::string prefix = fmt::format("{}-{}-", job_.metadata.name, task.name);
    for (auto pod = all_.lower_bound(prefix); pod != all_.end() && pod->first.starts_with(prefix); ++pod) {
      const std::optional<std::int64_t> index = workloads::replica_index(job_, task, pod->first);
      if (index && *index < task.replicas) replicas.emplace(*index, pod->second);
    }
    return replicas;
  }

  /// A batch of what is missing.
  void make_pods(const kube::VolcanoTask& task, std::size_t place) {
    const std::map<std::int64_t, const PodObject*> there = replicas_of(task);
    for (const auto& [index, pod] : there) {
      count(*pod);
      pods_.erase(pod->metadata().name);
    }
    if (static_cast<std::int64_t>(there.size()) < task.replicas && dependencies_are_met(task)) {
      const std::size_t most = controllers::kBurst - std::min(controllers::kBurst, creations_.size());
      make_pods(task, place, controllers::first_free(task.replicas, most, [&](std::int64_t index) {
                  return there.contains(index);
                }));
    }
    remove_surplus(task);
  }

  void make_pods(const kube::VolcanoTask& task, std::size_t place, const std::vector<std::int64_t>& indexes) {
    const Value pod_template = template_of(task, place);
    workloads::PodDraft shared = workloads::shared_draft(job_, task, job_.metadata.uid);
    shared.volumes = volumes_;
    for (const std::int64_t index : indexes) {
      make_pod(pod_template, shared, workloads::replica_draft(job_, task, index));
      status_.count(task.name, kube::PodPhase::kPending);
    }
  }

  void make_pod(const Value& pod_template, const workloads::PodDraft& shared, const workloads::PodDraft& draft) {
    Value pod = controllers::pod_from_template(pod_template, shared, owner());
    Action action =
        watching::create(kind_name<kube::Pod>(), name_space(), controllers::with_draft(std::move(pod), draft));
    action.said_if_failed =
        warning("FailedCreate", fmt::format("Error creating pods: failed to create pod {}, err: ", draft.name));
    creations_.push_back(std::move(action));
  }

  /// Pods of the task beyond its replicas.
  void remove_surplus(const kube::VolcanoTask& task) {
    for (const auto& [name, pod] : pods_) {
      const auto of = pod->metadata().annotations.find(kube::kVolcanoTaskSpec);
      if (of == pod->metadata().annotations.end() || of->second != task.name) continue;
      status_.count_terminating();
      if (!pod->is_being_deleted()) deletions_.push_back(removal(*pod));
    }
  }

  [[nodiscard]] static Action removal(const PodObject& pod) {
    return watching::remove(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid);
  }

  /// What its author wrote, with the Job's scheduler, priority and volumes.
  [[nodiscard]] Value template_of(const kube::VolcanoTask& task, std::size_t place) const {
    Value written = document::find_at(object_.document, {"spec", "tasks"})->array()[place];
    Value pods = document::value_at(written, {"template"});
    if (!task.names_scheduler) {
      const std::string name = job_.scheduler_name.empty() ? "volcano" : job_.scheduler_name;
      pods = document::with_at(std::move(pods), {"spec", "schedulerName"}, Value(name));
    }
    if (document::text_at(pods, {"spec", "priorityClassName"}).empty() && !job_.priority_class_name.empty()) {
      pods = document::with_at(std::move(pods), {"spec", "priorityClassName"}, Value(job_.priority_class_name));
    }
    if (mounts_.empty()) return pods;
    Array containers = document::items_at(pods, {"spec", "containers"});
    for (Value& container : containers) {
      Array mounts = document::items_at(container, {"volumeMounts"});
      mounts.insert(mounts.end(), mounts_.begin(), mounts_.end());
      container = std::move(container).with("volumeMounts", Value(std::move(mounts)));
    }
    return document::with_at(std::move(pods), {"spec", "containers"}, Value(std::move(containers)));
  }

  [[nodiscard]] bool dependencies_are_met(const kube::VolcanoTask& task) const {
    if (!task.depends_on) return true;
    const auto& names = task.depends_on->tasks;
    const auto runs = [&](const std::string& name) {
      const auto found = std::ranges::find(job_.tasks, name, &kube::VolcanoTask::name);
      return found == job_.tasks.end() || task_runs(*found);
    };
    if (names.size() > 1 && task.depends_on->iteration == "any") return std::ranges::any_of(names, runs);
    return std::ranges::all_of(names, runs);
  }
  [[nodiscard]] bool task_runs(const kube::VolcanoTask& task) const {
    const std::map<std::int64_t, const PodObject*> replicas = replicas_of(task);
    const auto ready = std::ranges::count_if(replicas, [](const auto& replica) { return is_ready(*replica.second); });
    return ready >= workloads::least_available(task);
  }

  // ---- claims -------------------------------------------------------------------------------------------------------

  /// False: one that the Job names is not there, or one is being made.
  bool has_claims() {
    for (std::size_t i = 0; i < job_.volumes.size(); ++i) {
      const kube::VolcanoVolume& volume = job_.volumes[i];
      if (volume.claim_name.empty()) {
        make_claim(i);
        return false;
      }
      const auto claim = context_.caches.of<kube::PersistentVolumeClaim>().find(name_space(), volume.claim_name);
      if (claim == nullptr && !volume.claim) {
        result_.events.push_back(
            warning("PVCError", fmt::format("Failed to create PVC, err: pvc {} is not found, the job will be in the "
                                            "Pending state until the PVC is created",
                                            volume.claim_name)));
        return false;
      }
      const bool is_known =
          std::ranges::find(volumes_, volume.claim_name, &workloads::PodDraft::ClaimVolume::claim) != volumes_.end();
      if (is_known) continue;
      const std::string name = fmt::format("{}-volume-{}", job_.metadata.name, i);
      volumes_.push_back({name, volume.claim_name});
      mounts_.push_back(Value(Object{{"mountPath", Value(volume.mount_path), {}}, {"name", Value(name), {}}}));
    }
    return true;
  }

  /// A claim of a name that the Job then has.
  void make_claim(std::size_t place) {
    const std::string name =
        fmt::format("{}-pvc-{}", job_.metadata.name, job_.metadata.uid.substr(0, 8) + std::to_string(place));
    Array volumes = document::find_at(object_.document, {"spec", "volumes"})->array();
    if (job_.volumes[place].claim) {
      Value claim(Object{{"apiVersion", Value("v1"), {}},
                         {"kind", Value("PersistentVolumeClaim"), {}},
                         {"metadata",
                          Value(Object{{"name", Value(name), {}},
                                       {"namespace", Value(name_space()), {}},
                                       {"ownerReferences", Value(Array{owner()}), {}}}),
                          {}},
                         {"spec", document::value_at(volumes[place], {"volumeClaim"}), {}}});
      Action action = watching::create(kind_name<kube::PersistentVolumeClaim>(), name_space(), std::move(claim));
      action.said_if_failed = warning("PVCError", "Failed to create PVC, err: ");
      if (context_.caches.of<kube::PersistentVolumeClaim>().find(name_space(), name) == nullptr) {
        result_.then(std::move(action));
      }
    }
    volumes[place] = std::move(volumes[place]).with("volumeClaimName", Value(name));
    renames_claims_ = true;
    result_.then(watching::update(kind_name<kube::VolcanoJob>(), object_.key(),
                                  document::with_at(object_.document, {"spec", "volumes"}, Value(std::move(volumes)))));
  }

  // ---- the PodGroup -------------------------------------------------------------------------------------------------

  [[nodiscard]] kube::VolcanoPodGroup wanted_group() const { return workloads::pod_group_of(job_, job_.metadata.uid); }
  [[nodiscard]] static Value spec_of(const kube::VolcanoPodGroup& group) {
    return document::value_at(kube::encode_object(kube::kVolcanoPodGroupSchema, &group), {"spec"});
  }

  /// Volcano's scheduler would let it in first; here nothing keeps its pods from being made. Its status is the
  /// scheduler's to write.
  [[nodiscard]] Value new_pod_group() const {
    const kube::VolcanoPodGroup wanted = wanted_group();
    Object metadata{{"name", Value(wanted.metadata.name), {}},
                    {"namespace", Value(name_space()), {}},
                    {"ownerReferences", Value(Array{owner()}), {}}};
    for (const std::string_view field : {"labels", "annotations"}) {
      const Value* own = document::find_at(object_.document, {"metadata", field});
      if (own != nullptr && own->is_object()) metadata.push_back({std::string(field), *own, {}});
    }
    return annotated(Value(Object{{"apiVersion", Value(kind_name<VolcanoPodGroup>().api_version()), {}},
                                  {"kind", Value("PodGroup"), {}},
                                  {"metadata", Value(std::move(metadata)), {}},
                                  {"spec", spec_of(wanted), {}}}),
                     wanted);
  }

  /// With what is said of the order in which pods are created.
  static Value annotated(Value document, const kube::VolcanoPodGroup& wanted) {
    using cluster::spellings::kLaterParts;
    const auto later = wanted.metadata.annotations.find(kLaterParts);
    if (later != wanted.metadata.annotations.end()) {
      return document::with_at(std::move(document), {"metadata", "annotations", kLaterParts}, Value(later->second));
    }
    if (document::find_at(document, {"metadata", "annotations", kLaterParts}) == nullptr) return document;
    return document::without_at(std::move(document), {"metadata", "annotations", kLaterParts});
  }

  void mend_pod_group(const Observed<VolcanoPodGroup>& group) {
    const kube::VolcanoPodGroup described = wanted_group();
    Value wanted = annotated(group.document, described);
    const bool says_the_same = spec_of(group.view) == spec_of(described);
    if (says_the_same && wanted == group.document) return;
    if (!says_the_same) wanted = std::move(wanted).with("spec", spec_of(described));
    result_.then(watching::update(kind_name<VolcanoPodGroup>(), group.key(), std::move(wanted)));
  }

  // ---- once it is over ----------------------------------------------------------------------------------------------

  /// Pods that are over stay; the others go, and the PodGroup, too.
  void finish() {
    std::vector<Action> removals;
    for (const auto& [name, pod] : pods_) {
      if (is_over(*pod) || pod->is_being_deleted()) {
        count(*pod);
        continue;
      }
      status_.count_terminating();
      removals.push_back(removal(*pod));
    }
    result_.then(std::move(removals));
    if (const auto group = pod_group(); group != nullptr && !group->view.metadata.deletion_timestamp) {
      result_.then(watching::remove(kind_name<VolcanoPodGroup>(), group->key(), group->metadata().uid));
    }
    if (job_.metadata.creation_timestamp) status_.end(*job_.metadata.creation_timestamp);
    remove_when_old();
  }

  void remove_when_old() {
    const std::string& phase = job_.status.phase;
    const bool has_ended = phase == "Completed" || phase == "Failed" || phase == "Terminated";
    if (!has_ended || !job_.ttl_seconds_after_finished || !job_.status.last_transition_time) return;
    const Instant end = *job_.status.last_transition_time + Duration::seconds(*job_.ttl_seconds_after_finished);
    if (context_.now < end) return result_.wake_after(end - context_.now);
    kube::DeleteOptions options;
    options.propagation = kube::DeleteOptions::Propagation::kForeground;
    result_.then(watching::remove(kind_name<kube::VolcanoJob>(), object_.key(), job_.metadata.uid, std::move(options)));
  }

  void write_status() {
    if (renames_claims_) return;  // the next look does
    Value status = status_.changed();
    if (status.is_null()) return;
    result_.then(watching::update_status(kind_name<kube::VolcanoJob>(), object_.key(),
                                         Value(object_.document).with("status", std::move(status))));
  }

  const Observed<kube::VolcanoJob>& object_;
  const kube::VolcanoJob& job_;
  const Context& context_;
  VolcanoStatusDraft status_;
  std::map<std::string, const PodObject*, std::less<>> all_;   // the Job's pods, by name
  std::map<std::string, const PodObject*, std::less<>> pods_;  // those of them that tasks still have to look at
  std::vector<workloads::PodDraft::ClaimVolume> volumes_;
  Array mounts_;
  bool renames_claims_ = false;
  std::vector<Action> creations_;
  std::vector<Action> deletions_;
  Reconciliation result_;
};

class VolcanoJobController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "volcano-job-controller"; }
  [[nodiscard]] std::string_view reporter() const override { return "vc-controller-manager"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::VolcanoJob>(watching::own_key<kube::VolcanoJob>);
    to.on<kube::Pod>(watching::controllers_of<kube::Pod>("Job", "batch.volcano.sh"));
    to.on<VolcanoPodGroup>(watching::controllers_of<VolcanoPodGroup>("Job", "batch.volcano.sh"));
    to.on<kube::PersistentVolumeClaim>([&caches = to.caches()](const auto& change, watching::Keys& keys) {
      users_of_claim(caches, change.last().metadata(), keys);
    });
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const watching::ObjectKey& key, const Context& context) override {
    const auto job = context.caches.of<kube::VolcanoJob>().find(key);
    if (job == nullptr || job->is_being_deleted()) return {};
    return VolcanoJobSync(*job, context).run();
  }

 private:
  /// The Jobs that name it.
  static void users_of_claim(const watching::Caches& caches, const kube::ObjectMeta& claim, watching::Keys& keys) {
    for (const auto& [name, job] : caches.of<kube::VolcanoJob>().in(claim.namespace_)) {
      const auto& volumes = job->view.volumes;
      const bool names_it = std::ranges::find(volumes, claim.name, &kube::VolcanoVolume::claim_name) != volumes.end();
      if (names_it) keys.insert(job->key());
    }
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_volcano_job_controller() {
  return std::make_unique<VolcanoJobController>();
}

}  // namespace loadline::operators
