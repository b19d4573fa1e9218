#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/training_job.h"
#include "foundation/document/value.h"
#include "hosts/controllers/controller.h"
#include "hosts/operators/training_operator/training_status.h"
#include "objects/kube/core/service.h"

namespace loadline::operators {

/// What is the same of all kinds of training jobs.
struct TrainingObject {
  const watching::KindName& kind;
  const document::Value& written;
  watching::ObjectKey key;
  document::Value reference;  ///< for events
  workloads::TrainingView view;
};

/// One look at a training job: what is the same of all kinds. A job that is over is cleaned up and expires; one that is
/// suspended has no pods; one that failed too often or took too long is given up. What else it needs is its kind's.
/// Source: ReconcileJobs in pkg/controller.v1/common/job.go, training-operator v1.9.3.
class TrainingSync {
 public:
  TrainingSync(const TrainingObject& job, const controllers::Context& context);
  TrainingSync(const TrainingSync&) = delete;
  TrainingSync& operator=(const TrainingSync&) = delete;
  virtual ~TrainingSync() = default;

  watching::Reconciliation run();

 protected:
  using PodObject = watching::Observed<kube::Pod>;
  using ServiceObject = watching::Observed<kube::Service>;

  /// Nothing is done before something else has happened, which will lead to another look.
  [[nodiscard]] virtual bool must_wait() const { return false; }
  /// Before all else.
  virtual void prepare() {}
  /// Makes what the roles lack, removes what they have too many of, counts their pods, and judges what follows for the
  /// job. False: something is in the way, and the status stays as it is.
  virtual bool look_at_roles() = 0;
  [[nodiscard]] virtual std::string_view clean_pod_policy() const { return view_.spec.run_policy.clean_pod_policy; }

  void remove_pod(const PodObject& pod);
  void remove_service(const ServiceObject& service);
  [[nodiscard]] watching::Action said_creation(const watching::KindName& kind, document::Value object,
                                               std::string_view kind_word, std::string_view word) const;
  [[nodiscard]] document::Value owner() const;
  [[nodiscard]] watching::Event event(watching::Event::Type type, std::string_view reason, std::string message) const;

  const TrainingObject& job_;
  const workloads::TrainingView& view_;
  const controllers::Context& context_;
  TrainingStatus draft_;
  std::vector<const PodObject*> pods_;          // the job's
  std::vector<const ServiceObject*> services_;  // likewise
  std::vector<watching::Action> others_;        // what is done last
  watching::Reconciliation result_;

 private:
  void clean_up();
  void remove_pods_and_services();
  void expire();
  void suspend();
  bool go_on();
  [[nodiscard]] std::string limit_exceeded() const;
  [[nodiscard]] bool has_new_failure_and_no_retry() const;
  [[nodiscard]] std::int64_t restarts() const;
  void give_up(const std::string& why);
  [[nodiscard]] watching::Action said_removal(const watching::KindName& kind, const watching::ObjectKey& key,
                                              const std::string& uid, std::string_view kind_word,
                                              std::string_view word) const;
  void write_status();
};

/// Whether an object says by its label that it is of that role.
[[nodiscard]] bool is_of_role(const kube::ObjectMeta& metadata, const workloads::TrainingRole& role);

/// The pod may run, or does.
[[nodiscard]] bool is_active(const watching::Observed<kube::Pod>& pod);

}  // namespace loadline::operators
