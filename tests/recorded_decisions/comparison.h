#pragma once

#include <string>
#include <vector>

#include "brain/placement/scheduler.h"
#include "recorded_decisions/divergence.h"
#include "recorded_decisions/recorded_case.h"

namespace loadline::recorded_decisions {

/// The message with what stands in it in any order sorted: dry runs that fail side by side are listed in the order in
/// which their goroutines ended.
std::string with_sorted_errors(const std::string& message);

/// Compares what we decided in one attempt with what was recorded, part by part.
class Comparison {
 public:
  /// REQUIRES: everything referred to outlives this, and names the same cluster.
  Comparison(const RecordedCase& recorded, const RecordedAttempt& attempt, const cluster::Cluster& cluster,
             std::vector<Divergence>& divergences)
      : recorded_(recorded), attempt_(attempt), cluster_(cluster), divergences_(divergences) {}

  /// Everything that a recording tells. REQUIRES: made with Detail::kFull and Search::kEveryNode.
  void compare_in_full(const placement::Decision& decision, const placement::RejectionTable& rejections);

  /// The decision as a host asks for it, which may be found in another way and keep less: its choice or its failure,
  /// against the recording and against the full decision. `preemption_may_stop` says that its search for candidates was
  /// allowed to end early, so that it may have missed the best ones.
  void compare_ordinary(const placement::Decision& ordinary, const placement::Decision& full, bool preemption_may_stop);

  void expect(const std::string& what, const std::string& expected, const std::string& actual);

 private:
  void compare_refusals(const placement::Attempt& attempt, const placement::RejectionTable& rejections);
  void compare_skips(const placement::Attempt& attempt);
  void compare_scores(const placement::Attempt& attempt);
  void compare_row(const RecordedScores& row, const placement::Attempt& attempt, std::size_t position);
  void compare_choice(const std::string& what, cluster::NodeId node);
  void compare_failure(const std::string& prefix, const placement::Decision& decision);
  void compare_preemption(const placement::Preemption& actual);
  void compare_ordinary_preemption(const placement::Preemption& ordinary, const placement::Preemption& full,
                                   bool may_stop);

  [[nodiscard]] cluster::NodeId node(int index) const;
  [[nodiscard]] std::string name(int index) const;
  [[nodiscard]] std::string name(cluster::NodeId node) const;
  [[nodiscard]] std::string names(const std::vector<int>& nodes) const;
  [[nodiscard]] std::string names(const std::vector<cluster::NodeId>& nodes) const;
  [[nodiscard]] std::string describe(const RecordedCandidate& candidate) const;
  [[nodiscard]] std::string describe(const placement::Candidate& candidate) const;

  const RecordedCase& recorded_;
  const RecordedAttempt& attempt_;
  const cluster::Cluster& cluster_;
  std::vector<Divergence>& divergences_;
};

}  // namespace loadline::recorded_decisions
