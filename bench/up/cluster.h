#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "bench/subjects/subject.h"
#include "bench/up/kubelets.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// A whole cluster with so many nodes: `loadline up`, or etcd, kube-apiserver, kube-controller-manager and
/// kube-scheduler with our Kubelets. The real ones' limits of requests are switched off, and of the controllers only
/// those of Deployments and ReplicaSets run: nothing waits, and nothing else is done.
class Cluster {
 public:
  static Result<std::unique_ptr<Cluster>> start(Variant variant, Programs programs, const std::filesystem::path& folder,
                                                std::size_t nodes);

  [[nodiscard]] Subject& subject() { return *subject_; }
  [[nodiscard]] Session& session() { return subject_->session(); }
  [[nodiscard]] Variant variant() const { return subject_->variant(); }
  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  /// From the start of the first process until all nodes are there, and controllers and scheduler work.
  [[nodiscard]] double ready_milliseconds() const { return ready_ms_; }

 private:
  Cluster() = default;
  Result<void> start_companions();

  std::unique_ptr<Subject> subject_;
  std::unique_ptr<Kubelets> kubelets_;  // of the real one
  std::size_t nodes_ = 0;
  double ready_ms_ = 0;
};

}  // namespace loadline::bench
