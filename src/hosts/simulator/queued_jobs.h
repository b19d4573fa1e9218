#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/admission/admission.h"
#include "brain/cluster/ledgers/quota_tree.h"
#include "brain/queue/kueue/jobs/job_workload.h"
#include "brain/queue/kueue/jobs/pod_set_info.h"
#include "brain/queue/kueue/kueue_scheduler.h"
#include "brain/workloads/workload.h"
#include "foundation/base/diagnostic.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/queued_pods.h"
#include "hosts/simulator/simulated_pods.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// How a job stands in Kueue's queues.
enum class QueuedStage : std::uint8_t {
  kWaiting,   ///< for quota
  kReserved,  ///< it has quota, and waits for admission checks
  kStarted,   ///< its controller makes its pods
  kLeaving,   ///< it is stopped, and has its quota until its pods are gone
  kHeld,      ///< no queue will let it start as things are: see QueuedJob::why
  kOver,      ///< it has ended
};

/// A job of a plan, or pods that wait without one, and the Workload.
struct QueuedJob {
  workloads::WorkloadReference name;
  std::size_t place = 0;                  ///< among the jobs of its kind
  std::optional<PodBundle> bundle;        ///< of pods: what they are; nothing: it is a job
  bool has_released = false;              ///< of pods: they have lost their gates
  std::vector<std::size_t> members = {};  ///< of pods: indices into SimulatedPods
  kube::KueueWorkload workload;           ///< as Kueue would have written it by now
  QueuedStage stage = QueuedStage::kWaiting;
  queue::kueue::WorkloadId id;  ///< of the scheduler, as long as that knows it
  std::string why;              ///< in Kueue's words: why it waits, or was stopped
  std::size_t pods = 0;         ///< that it has in the cluster
  /// At the end: how many workloads are before it in its ClusterQueue; nullopt: it does not wait there.
  std::optional<std::size_t> position = {};
  std::size_t stops = 0;  ///< how often it was stopped in this plan
  Duration after;         ///< from the start of the plan to when that was decided
};

/// What jobs control, pods and workloads of all depths: kind, and place in the list of its kind.
using JobChildren = std::map<workloads::WorkloadReference, std::vector<std::pair<std::string, std::size_t>>>;
inline constexpr std::string_view kPodKind = "Pod";

/// Kueue in a plan: which jobs its queues hold, let start, and stop.
///
/// A queue's name means something if has_queues(). Then a job of a kind
/// that Kueue holds by a field of its own is held, if it names a queue; or, with manageJobsWithoutQueueName, if its
/// namespace is one of those that are managed. Not if what controls it is managed itself. Kinds: those of the
/// Configuration, or, if there is none, all of them.
/// Jobs of a dump stand as their Workloads say. One that runs without a Workload is left alone.
/// A plan does not wait for pods to get ready: no Workload is evicted since they do not.
class QueuedJobs {
 public:
  /// Jobs that are to be held are held from now on. `objects`, in which jobs are held, started and stopped, and
  /// `admission`, by which pods get their defaults, outlive this.
  QueuedJobs(kube::Objects& objects, const admission::Admission& admission, const PlanOptions& options);

  /// Workloads need nodes for their pods, too, to be admitted. It outlives this.
  void set_room(queue::kueue::Room* room) { scheduler_.set_room(room, options_.now); }
  /// By "namespace/name"; null: no round decides about it.
  [[nodiscard]] const kube::KueueWorkload* find_workload(const std::string& name) const;
  /// The first of the pods that wait in a queue as this Workload; nothing: it is a job's.
  [[nodiscard]] std::optional<std::size_t> first_member(const kube::KueueWorkload& workload) const;

  // ---- rounds ------------------------------------------------------------------------------------------------------
  /// A round of its own will be due then, though nothing happens; nullopt: never.
  [[nodiscard]] std::optional<Instant> due_at() const { return scheduler_.due_at(); }
  /// What is to be carried out: indices of jobs.
  struct Orders {
    std::vector<std::size_t> starts;
    std::vector<std::size_t> stops;  ///< QueuedJob::why: why
    [[nodiscard]] bool empty() const { return starts.empty() && stops.empty(); }
  };
  /// All rounds that are due.
  [[nodiscard]] Orders decide(Instant now);
  /// What is to be started or stopped when the plan begins.
  [[nodiscard]] Orders take_first_orders() { return std::exchange(first_, {}); }

  // ---- jobs --------------------------------------------------------------------------------------------------------
  [[nodiscard]] const std::vector<QueuedJob>& jobs() const { return jobs_; }
  /// The index of the job that the pod is of; nullopt: no queue decides about that.
  [[nodiscard]] std::optional<std::size_t> find(const workloads::WorkloadReference& top) const;
  /// The same of a pod that may wait without one.
  [[nodiscard]] std::optional<std::size_t> find(std::size_t subject, const workloads::WorkloadReference& top) const;
  /// The objects that controllers make the job's pods of: the job, no longer held, with what its pods get; what it
  /// controls; and the pods that it has. False: it cannot start, and QueuedJob::why says why.
  [[nodiscard]] bool start(std::size_t job, Instant now, kube::Objects& started);
  /// The job is held again. It has its quota until its pods are gone.
  void stop(std::size_t job, Instant now);
  /// Gives a pod that runs the annotation that names its Workload: older versions of Kueue give it none.
  void name_workload(const workloads::WorkloadReference& top, kube::Pod& pod) const;
  void pod_comes(std::size_t subject, const workloads::WorkloadReference& top);
  /// A pod has left the cluster: with the last one of a job that was stopped, that waits again.
  void pod_goes(std::size_t subject, const workloads::WorkloadReference& top, Instant now);

  // ---- pods without a job ------------------------------------------------------------------------------------------
  /// A pod that is new: it waits in a queue by itself, or with others. False: it does not, or was let start.
  [[nodiscard]] bool holds_pod(std::size_t subject, const SimulatedPod& pod);
  /// A pod that runs: it has quota if a Workload says so.
  void adopt_pod(std::size_t subject, const SimulatedPod& pod);
  /// All that come at once have come: those that are complete wait for quota.
  void submit_pods(const SimulatedPods& pods, Instant now);
  /// Its pods lose their gates.
  void note_release(std::size_t job) { jobs_[job].has_released = true; }
  /// The pod as it starts. REQUIRES: it is a member of a job that start() was asked about.
  [[nodiscard]] kube::Pod released(std::size_t job, const kube::Pod& pod) const;

  /// The objects of a job that waits, as if it started with what its templates say.
  [[nodiscard]] kube::Objects as_if_started(std::size_t job) const;

  /// Why the job has not started, in words.
  [[nodiscard]] std::string why_it_waits(std::size_t job) const;

  /// Nothing more happens: who waits where is known, and the Workloads are among the objects, as Kueue would have
  /// written them by now. O(workloads).
  void conclude();
  [[nodiscard]] const queue::kueue::KueueScheduler& scheduler() const { return scheduler_; }
  [[nodiscard]] const Diagnostics& notes() const { return notes_; }

 private:
  void submit(QueuedJob& job, Instant now);
  void carry(const queue::kueue::Decision& decision, Instant now, Orders& orders);
  void give_quota(std::size_t job, const queue::kueue::Decision& decision, Instant now, Orders& orders);
  void evict(std::size_t job, const queue::kueue::Victim& victim, queue::kueue::WorkloadId by, Instant now,
             Orders& orders);
  [[nodiscard]] std::string named(const std::string& text, queue::kueue::WorkloadId preemptor) const;
  void give_quota_back(QueuedJob& job, Instant now);
  void stop_those_without_pods(Instant now, Orders& orders);
  void write_workloads();
  void add_children(const QueuedJob& job, kube::Objects& objects) const;

  void forget(QueuedJob& job, Instant now);
  void note_pods_of(const kube::KueueWorkload& workload);
  [[nodiscard]] Result<std::vector<queue::kueue::PodSetInfo>> infos_of(const QueuedJob& job) const;
  [[nodiscard]] std::size_t bundle_at(PodBundle bundle);

  kube::Objects& objects_;
  const PlanOptions& options_;
  QueuedPods queued_pods_;
  std::shared_ptr<const queue::kueue::WorkloadPriorities> priorities_;
  cluster::QuotaTree tree_;
  queue::kueue::KueueScheduler scheduler_;
  std::vector<QueuedJob> jobs_;
  std::map<workloads::WorkloadReference, std::size_t> by_name_;
  std::map<std::size_t, std::size_t> by_subject_;
  std::map<PodName, std::size_t> by_pod_;                                    // those that Workloads of the input own
  std::map<std::pair<std::string, std::string>, std::size_t> open_bundles_;  // by namespace and Workload
  std::vector<std::size_t> incomplete_;
  std::map<queue::kueue::WorkloadId, std::size_t> by_id_;  // those that the scheduler knows
  JobChildren children_;
  Orders first_;
  Diagnostics notes_;
};

}  // namespace loadline::simulator
