#pragma once

#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/decision/why.h"

namespace loadline::decision {

/// Kubernetes' own words where it has some; empty: there is nothing to tell. REQUIRES: the pods, nodes and groups that
/// it tells of are in the cluster, as they are when a turn ends.
std::string text(const cluster::Cluster& cluster, const Why& why);

/// What the nodes say, counted: see placement::count_reasons(). Empty: no node was asked.
std::vector<placement::ReasonCount> count_reasons(const cluster::Cluster& cluster, const Why& why);

/// The words of a Why, which are made anew only where it is another than the last one: many pods wait for one reason.
class WhyWords {
 public:
  struct Words {
    std::string text;
    std::vector<placement::ReasonCount> reasons;
  };

  explicit WhyWords(const cluster::Cluster& cluster) : cluster_(cluster) {}
  /// Valid until the next call.
  const Words& of(const Why& why);

 private:
  const cluster::Cluster& cluster_;
  std::shared_ptr<const placement::FitError> last_;  // the whole of the last one, if it is about nodes alone
  Words words_;
};

}  // namespace loadline::decision
