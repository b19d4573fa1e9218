#include "hosts/operators/kuberay/ray_job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "brain/workloads/job.h"
#include "brain/workloads/ray_cluster.h"
#include "brain/workloads/ray_job.h"
#include "foundation/document/at.h"
#include "hosts/controllers/finalizers.h"
#include "hosts/operators/custom_finalizers.h"
#include "hosts/operators/kuberay/ray_dashboard.h"
#include "hosts/operators/kuberay/ray_job_cleanup.h"
#include "hosts/operators/kuberay/ray_job_creation.h"
#include "hosts/operators/kuberay/ray_job_event.h"
#include "hosts/operators/kuberay/ray_job_objects.h"
#include "hosts/operators/kuberay/ray_job_rules.h"
#include "hosts/operators/kuberay/ray_job_status.h"
#include "hosts/operators/kuberay/ray_suffix.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/service.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Value;
using watching::Event;
using watching::kind_name;
using watching::ObjectKey;
using watching::Observed;

using ClusterPtr = watching::ObjectPtr<kube::RayCluster>;

constexpr std::string_view kState = "jobDeploymentStatus";
constexpr std::string_view kFinalizer = "ray.io/rayjob-finalizer";

/// How far the submitter is.
struct Submission {
  RaySubmitter by;
  std::optional<Instant> finished_at;
  std::optional<std::string> failure;  ///< why it failed
};

/// One look at a RayJob. Each is one step of its life, which `status.jobDeploymentStatus` says.
class RayJobSync {
 public:
  RayJobSync(const Observed<kube::RayJob>& object, const Context& context)
      : object_(object), job_(object.view), context_(context), status_(object.document) {}

  watching::Reconciliation run() {
    if (object_.is_being_deleted()) return let_go();
    if (!is_valid()) return std::move(result_);
    const std::string& state = job_.status.deployment_status;
    if (state == "Complete" || state == "Failed") return clean_up_ray_job(object_, context_);
    const bool goes_on = step(state);
    if (goes_on) conclude();
    return std::move(result_);
  }

 private:
  /// Whether there may be something to write.
  bool step(std::string_view state) {
    if (state.empty()) return begin();
    if (state == "Initializing") return prepare();
    if (state == "Waiting") return wait_for_person();
    if (state == "Running") return follow();
    if (state == "Suspending" || state == "Retrying") return release();
    return state == "Suspended" && resume();
  }

  [[nodiscard]] const std::string& name_space() const { return job_.metadata.namespace_; }
  [[nodiscard]] std::string title() const { return object_.key().to_string(); }
  [[nodiscard]] std::string_view mode() const { return workloads::submission_mode(job_.spec); }
  [[nodiscard]] bool has_submitter() const {
    return mode() == workloads::kJobMode || mode() == workloads::kSidecarMode;
  }
  [[nodiscard]] RaySubmission submission() const {
    return {object_, status_.text("jobId"), status_.text("dashboardURL")};
  }
  /// Null: it is not there yet.
  ClusterPtr find_or_create_cluster() {
    return find_or_create_ray_cluster(submission(), status_.text("rayClusterName"), context_, result_);
  }
  void fail(std::string_view reason, std::string_view message) {
    status_.set(kState, "Failed");
    status_.set("reason", reason);
    status_.set("message", message);
  }

  watching::Reconciliation let_go() {
    if (!controllers::has_finalizer(job_.metadata, kFinalizer)) return {};
    result_.then(
        watching::update(kind_name<kube::RayJob>(), object_.key(), without_finalizer(object_.document, kFinalizer)));
    return std::move(result_);
  }

  // ---- what is wrong with it ----------------------------------------------------------------------------------------

  bool is_valid() {
    const Value spec = document::value_at(object_.document, {"spec"});
    if (std::string problem = ray_job_name_problem(job_.metadata.name); !problem.empty()) {
      return refuse("InvalidRayJobMetadata", problem);
    }
    if (std::string problem = ray_job_spec_problem(job_.spec, spec, job_.metadata.annotations); !problem.empty()) {
      return refuse("InvalidRayJobSpec", problem);
    }
    if (job_.status.deployment_status == "Waiting" && mode() != workloads::kInteractiveMode) {
      return refuse("InvalidRayJobStatus",
                    "The RayJob status is invalid: JobDeploymentStatus cannot be `Waiting` when SubmissionMode is not "
                    "InteractiveMode");
    }
    return true;
  }

  bool refuse(std::string_view reason, const std::string& problem) {
    result_.events.push_back(
        ray_job_event(object_, Event::Type::kWarning, reason, fmt::format("{}: {}", title(), problem)));
    status_.set(kState, "ValidationFailed");
    status_.set("reason", "ValidationFailed");
    status_.set("message", problem);
    write();
    return false;
  }

  // ---- its life, step by step ---------------------------------------------------------------------------------------

  bool begin() {
    if (!controllers::has_finalizer(job_.metadata, kFinalizer)) {
      Value spec = ray_job_spec_as_written(document::value_at(object_.document, {"spec"}));
      Value written = with_finalizer(object_.document, kFinalizer).with("spec", std::move(spec));
      result_.then(watching::update(kind_name<kube::RayJob>(), object_.key(), std::move(written)));
      return false;
    }
    const auto generated = [&](std::string_view what) {
      const std::string seed = fmt::format("{}/{}/{}", job_.metadata.uid, object_.revision, what);
      return fmt::format("{}-{}", job_.metadata.name, ray_suffix(seed));
    };
    const Value chosen = document::value_at(object_.document, {"spec", "jobId"});
    if (mode() != workloads::kInteractiveMode && job_.status.job_id.empty()) {
      status_.set("jobId",
                  chosen.is_string() && !chosen.string().empty() ? std::string(chosen.string()) : generated("job"));
    }
    if (job_.status.cluster_name.empty()) {
      const auto selected = job_.spec.cluster_selector.find(kube::kRayCluster);
      status_.set("rayClusterName",
                  selected == job_.spec.cluster_selector.end() ? generated("cluster") : selected->second);
    }
    status_.set(kState, "Initializing");
    status_.set("startTime", context_.now);
    return true;
  }

  bool prepare() {
    if (suspends() || is_past_its_deadline()) return true;
    if (is_slow_to_start()) return true;
    const ClusterPtr cluster = find_or_create_cluster();
    if (cluster == nullptr) return false;
    if (status_.text("dashboardURL").empty()) {
      if (cluster->view.status.state != "ready") {
        status_.set_cluster_status(document::value_at(cluster->document, {"status"}));
        return true;
      }
      const std::string address = ray_dashboard_of(*cluster, context_);
      if (address.empty()) return false;
      status_.set("dashboardURL", address);
    }
    if (mode() == workloads::kInteractiveMode) {
      status_.set(kState, "Waiting");
      return true;
    }
    if (mode() == workloads::kJobMode && !create_ray_submitter(submission(), cluster->view.spec, context_, result_)) {
      return false;
    }
    status_.set(kState, "Running");
    return true;
  }

  bool wait_for_person() {
    if (is_slow_to_start()) return true;
    const std::string id(document::text_at(object_.document, {"spec", "jobId"}));
    if (id.empty()) return false;
    status_.set("jobId", id);
    status_.set(kState, "Running");
    return true;
  }

  bool follow() {
    if (suspends() || is_past_its_deadline()) return true;
    if (stays_behind()) return true;
    const ClusterPtr cluster = find_or_create_cluster();
    if (cluster == nullptr) return false;
    keep_ray_service(object_, *cluster, context_, result_);
    Submission submission;
    if (has_submitter()) {
      std::optional<Submission> found = submission_to(*cluster);
      if (!found) return status_.text(kState) == "Failed";
      submission = *std::move(found);
      if (is_left_open(submission)) return true;
    }
    const RayAnswer answer = ask_ray(job_, status_.info(), submission.by, context_);
    if (answer.again_after) result_.wake_after(*answer.again_after);
    if (submission.failure && !fails_first(answer)) {
      fail_with_submitter(*submission.failure);
      return true;
    }
    if (!answer.is_there) {
      if (!submission.finished_at || mode() == workloads::kHttpMode) return false;
      fail("AppFailed", "Submitter completed but Ray job not found in RayCluster.");
      return true;
    }
    take(answer, submission, *cluster);
    return true;
  }

  /// Once everything is gone.
  bool release() {
    const bool is_cluster_gone = remove_ray_cluster(object_, context_, result_);
    const bool is_submitter_gone = remove_ray_submitter(object_, context_, result_);
    if (!is_cluster_gone || !is_submitter_gone) return false;
    const bool retries = job_.status.deployment_status == "Retrying";
    for (const std::string_view field : {"rayClusterName", "dashboardURL", "jobId", "message", "reason", "jobStatus"}) {
      status_.set(field, "");
    }
    status_.set_cluster_status({});
    status_.forget_info();
    status_.set(kState, retries ? "" : "Suspended");
    return true;
  }

  bool resume() {
    if (job_.spec.suspend) return false;
    status_.set("jobStatus", "");
    status_.set(kState, "");
    return true;
  }

  // ---- limits -------------------------------------------------------------------------------------------------------

  bool suspends() {
    if (job_.spec.suspend) status_.set(kState, "Suspending");
    return job_.spec.suspend;
  }

  bool is_past_its_deadline() {
    return is_late(job_.spec.active_deadline_seconds, "DeadlineExceeded", "activeDeadlineSeconds",
                   "ActiveDeadlineSeconds");
  }
  bool is_slow_to_start() {
    return is_late(job_.spec.pre_running_deadline_seconds, "PreRunningDeadlineExceeded", "preRunningDeadlineSeconds",
                   "PreRunningDeadlineSeconds");
  }
  bool is_late(std::optional<std::int32_t> seconds, std::string_view reason, std::string_view field,
               std::string_view title) {
    if (!seconds || !job_.status.start_time) return false;
    const Instant deadline = *job_.status.start_time + Duration::seconds(*seconds);
    if (context_.now < deadline) {
      result_.wake_after(deadline - context_.now);
      return false;
    }
    fail(reason, fmt::format("The RayJob has passed the {}. StartTime: {} +0000 UTC. {}: {}", field,
                             date_and_time(*job_.status.start_time), title, *seconds));
    return true;
  }

  /// Ray has said for a while that the job is over, and the submitter has not ended.
  bool stays_behind() {
    constexpr Duration kGrace = Duration::seconds(300);
    const std::optional<Instant> end = parse_rfc3339(document::text_at(status_.info(), {"endTime"}));
    if (!RayAnswer::is_end(job_.status.job_status) || !end) return false;
    if (context_.now < *end + kGrace) {
      result_.wake_after(*end + kGrace - context_.now);
      return false;
    }
    fail("JobDeploymentStatusTransitionGracePeriodExceeded",
         "JobDeploymentStatus does not transition to Complete or Failed within the grace period after JobStatus "
         "reaches a terminal state.");
    if (job_.status.job_status != "FAILED") status_.set(kState, "Complete");
    return true;
  }

  /// The submitter has ended, and for a while Ray has not said how the job did.
  bool is_left_open(const Submission& submission) {
    constexpr Duration kGrace = Duration::seconds(30);
    if (!submission.finished_at) return false;
    if (context_.now < *submission.finished_at + kGrace) {
      result_.wake_after(*submission.finished_at + kGrace - context_.now);
      return false;
    }
    status_.set("jobStatus", "FAILED");
    fail("JobDeploymentStatusTransitionGracePeriodExceeded",
         fmt::format("The RayJob submitter finished at {} but the ray job did not reach terminal state within 30s",
                     date_and_time(*submission.finished_at)));
    return true;
  }

  /// As Go prints it: "2026-01-01 00:00:00".
  static std::string date_and_time(Instant at) {
    std::string text = format_rfc3339(at);
    text[text.find('T')] = ' ';
    text.pop_back();
    return text;
  }

  // ---- what becomes of it -------------------------------------------------------------------------------------------

  /// Nothing: there is none, and the job waits or has failed.
  std::optional<Submission> submission_to(const Observed<kube::RayCluster>& cluster) {
    Submission found;
    if (mode() == workloads::kJobMode) {
      const auto job = context_.caches.of<kube::Job>().find(object_.key());
      if (job == nullptr) return std::nullopt;
      found.by.job = job.get();
      if (const kube::JobCondition* end = workloads::finished_condition(job->view)) {
        found.finished_at = end->last_transition_time;
        if (end->type == "Failed") {
          found.failure = fmt::format("Job submission has failed. Reason: {}. Message: {}", end->reason, end->message);
        }
      }
      return found;
    }
    const Observed<kube::Pod>* const head = head_of(cluster);
    if (head == nullptr) {
      fail("AppFailed", "Ray head pod not found.");
      return std::nullopt;
    }
    for (const kube::ContainerStatus& status : head->view.status.container_statuses) {
      if (status.name != kube::kRaySubmitterContainer) continue;
      found.by.container = &status;
      const auto& end = status.state.terminated;
      if (!end) continue;
      found.finished_at = end->finished_at;
      if (end->exit_code != 0) {
        found.failure = fmt::format("Ray head pod container {} terminated with exit code {}: {}",
                                    kube::kRaySubmitterContainer, end->exit_code, end->reason);
      }
    }
    return found;
  }

  [[nodiscard]] const Observed<kube::Pod>* head_of(const Observed<kube::RayCluster>& cluster) const {
    for (const auto& [key, pod] : context_.caches.of<kube::Pod>().controlled_by(cluster.metadata().uid)) {
      const auto type = pod->metadata().labels.find(kube::kRayNodeType);
      if (type != pod->metadata().labels.end() && type->second == workloads::kRayHead) return pod.get();
    }
    return nullptr;
  }

  /// A submitter fails because the job has: who asks often hears that first.
  [[nodiscard]] bool fails_first(const RayAnswer& answer) const {
    const bool is_told = context_.caches.of<kube::ConfigMap>().find(name_space(), kRayDashboard) != nullptr;
    return !is_told && answer.status == "FAILED" && job_.status.job_status != "FAILED";
  }

  void fail_with_submitter(const std::string& why) {
    if (job_.status.job_status == "FAILED") {
      status_.set(kState, "Failed");
      return status_.set("reason", "AppFailed");
    }
    fail("SubmissionFailed", why);
  }

  void take(const RayAnswer& answer, const Submission& submission, const Observed<kube::RayCluster>& cluster) {
    const bool is_over =
        RayAnswer::is_end(answer.status) && (!has_submitter() || (submission.finished_at && !submission.failure));
    const bool has_failed = is_over && answer.status == "FAILED";
    status_.set_cluster_status(document::value_at(cluster.document, {"status"}));
    status_.set("jobStatus", answer.status);
    status_.set(kState, has_failed ? "Failed" : is_over ? "Complete" : "Running");
    status_.set("reason", has_failed ? "AppFailed" : "");
    status_.set("message", answer.message);
    if (answer.start) status_.set_info("startTime", *answer.start);
    if (answer.end) status_.set_info("endTime", *answer.end);
  }

  // ---- the status ---------------------------------------------------------------------------------------------------

  void conclude() {
    const std::string state = status_.text(kState);
    status_.count("failed", state == "Failed" ? 1 : 0);
    status_.count("succeeded", state == "Complete" && status_.text("jobStatus") == "SUCCEEDED" ? 1 : 0);
    const bool may_retry = job_.spec.backoff_limit && status_.number("failed") <= *job_.spec.backoff_limit;
    if (state == "Failed" && may_retry && status_.text("reason") != "DeadlineExceeded") status_.set(kState, "Retrying");
    write();
  }

  void write() {
    if (!status_.is_news()) return;
    const std::string state = status_.text(kState);
    if (state == "Complete" || state == "Failed") status_.set("endTime", context_.now);
    result_.then(watching::update_status(kind_name<kube::RayJob>(), object_.key(),
                                         Value(object_.document).with("status", status_.value())));
  }

  const Observed<kube::RayJob>& object_;
  const kube::RayJob& job_;
  const Context& context_;
  RayJobStatusDraft status_;
  watching::Reconciliation result_;
};

class RayJobController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "rayjob-controller"; }

  /// While its pods start, a cluster's status changes several times; one look sees them all.
  [[nodiscard]] Duration pause() const override { return {100'000'000}; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::RayJob>(watching::own_key<kube::RayJob>);
    to.on<kube::RayCluster>(watching::controllers_of<kube::RayCluster>("RayJob"));
    to.on<kube::RayCluster>([&caches = to.caches()](const auto& change, watching::Keys& keys) {
      users_of_cluster(caches, change.last(), keys);
    });
    to.on<kube::Pod>([&caches = to.caches()](const watching::Change<kube::Pod>& change, watching::Keys& keys) {
      jobs_of_head(caches, change.last(), keys);
    });
    to.on<kube::ConfigMap>(
        [&caches = to.caches()](const watching::Change<kube::ConfigMap>& change, watching::Keys& keys) {
          const kube::ObjectMeta& said = change.last().metadata();
          if (said.name != kRayDashboard) return;
          for (const auto& [name, job] : caches.of<kube::RayJob>().in(said.namespace_)) {
            keys.insert({said.namespace_, name});
          }
        });
    to.on<kube::Job>(watching::controllers_of<kube::Job>("RayJob"));
    to.on<kube::Service>(watching::controllers_of<kube::Service>("RayJob"));
    to.reads<kube::Namespace>();
  }

  watching::Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const auto job = context.caches.of<kube::RayJob>().find(key);
    if (job == nullptr || workloads::is_managed_elsewhere(job->view.spec.managed_by)) return {};
    return RayJobSync(*job, context).run();
  }

 private:
  /// Whose container may have submitted the job.
  static void jobs_of_head(const watching::Caches& caches, const Observed<kube::Pod>& pod, watching::Keys& keys) {
    const auto type = pod.metadata().labels.find(kube::kRayNodeType);
    if (type == pod.metadata().labels.end() || type->second != workloads::kRayHead) return;
    const kube::OwnerReference* const owner = pod.metadata().controller();
    if (owner == nullptr || owner->kind != "RayCluster") return;
    const auto cluster = caches.of<kube::RayCluster>().find(pod.metadata().namespace_, owner->name);
    if (cluster == nullptr || cluster->metadata().controller() == nullptr) return;
    if (cluster->metadata().controller()->kind != "RayJob") return;
    keys.insert({pod.metadata().namespace_, cluster->metadata().controller()->name});
  }

  /// Who uses a cluster that others have made.
  static void users_of_cluster(const watching::Caches& caches, const Observed<kube::RayCluster>& cluster,
                               watching::Keys& keys) {
    for (const auto& [name, job] : caches.of<kube::RayJob>().in(cluster.metadata().namespace_)) {
      const auto selected = job->view.spec.cluster_selector.find(kube::kRayCluster);
      if (selected == job->view.spec.cluster_selector.end()) continue;
      if (selected->second == cluster.metadata().name) keys.insert(job->key());
    }
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_ray_job_controller() { return std::make_unique<RayJobController>(); }

}  // namespace loadline::operators
