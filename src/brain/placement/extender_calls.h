#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/extender.h"
#include "brain/placement/reason.h"
#include "foundation/base/result.h"

namespace loadline::placement {

class Profile;
class RejectionTable;
struct Candidate;
struct ScoreColumn;

/// Something that an extender did and that the plan's reader should be told.
struct ExtenderTrouble {
  enum class Kind : std::uint8_t {
    kFailedAttempt,
    kLeftOut,  ///< it failed, and the decision was made without it
    kScoreOutOfRange,
  };
  std::string_view extender;  ///< its URL; lives as long as the scheduler
  std::string message;
  Kind kind = Kind::kFailedAttempt;
};

/// One cycle's requests to the extenders that are interested in its pod, in the order of Profile::extenders().
class ExtenderCalls {
 public:
  ExtenderCalls(const cluster::Cluster& cluster, const Profile& profile, RejectionTable& rejections, cluster::PodId pod)
      : cluster_(cluster), profile_(profile), rejections_(rejections), pod_(pod) {}

  using Refused = std::vector<std::pair<cluster::NodeId, RejectionId>>;

  /// Leaves in `feasible` the nodes that every extender passes, in their order, and adds the nodes that were refused
  /// with a reason to `refused`. Errors: an extender failed that may not.
  Result<void> filter(std::vector<cluster::NodeId>& feasible, Refused& refused);
  /// Adds every extender's weighted scores to `totals`, and a column each to `columns` if there is one to add to. An
  /// extender that fails gives none.
  void prioritize(const std::vector<cluster::NodeId>& nodes, std::vector<std::int64_t>& totals,
                  std::vector<ScoreColumn>* columns);
  /// The candidates that every extender passes, with the victims they want. Errors: as filter().
  Result<std::vector<Candidate>> process_preemption(std::vector<Candidate> candidates);

  /// Some extender has a say about the pod.
  [[nodiscard]] bool any_interested() const;
  /// An extender was asked something.
  [[nodiscard]] bool asked() const { return asked_; }
  /// Some node was refused in the last filter().
  [[nodiscard]] bool refused_some() const { return refused_some_; }
  /// In the last filter(), nodes came back whole. v1.36 goes on with what came back, and so scores them as if no pod
  /// ran and no image were on them.
  [[nodiscard]] bool nodes_look_empty() const { return nodes_look_empty_; }
  [[nodiscard]] const std::vector<ExtenderTrouble>& troubles() const { return troubles_; }

 private:
  template <class Call>
  void each_interested(Call&& call);
  bool overlook(const Extender& extender, const std::string& message);
  [[nodiscard]] std::vector<const kube::Node*> shown(const std::vector<cluster::NodeId>& nodes) const;
  void note_rejections(const ExtenderFilterAnswer& answer, Refused& refused);
  [[nodiscard]] std::vector<ShownCandidate> shown(const std::vector<Candidate>& candidates) const;
  Result<std::vector<Candidate>> candidates_of(const Extender& extender,
                                               const std::map<std::string, ExtenderVictims>& answer);
  Result<cluster::PodId> victim(const Extender& extender, const std::string& uid, cluster::NodeId node) const;

  const cluster::Cluster& cluster_;
  const Profile& profile_;
  RejectionTable& rejections_;
  cluster::PodId pod_;
  bool asked_ = false;
  bool refused_some_ = false;
  bool nodes_look_empty_ = false;
  std::vector<ExtenderTrouble> troubles_;
};

}  // namespace loadline::placement
