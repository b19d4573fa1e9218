#include "app/cli/explain_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "brain/cluster/spellings/membership.h"
#include "brain/workloads/kind_names.h"
#include "foundation/base/closest.h"
#include "objects/kube/scalars.h"

namespace loadline::cli {
namespace {

using simulator::PodOutcome;
using simulator::SimulatedPods;

bool waits(const simulator::SimulatedPod& subject) {
  switch (subject.outcome) {
    case PodOutcome::kPending:
    case PodOutcome::kGated:
    case PodOutcome::kRejected:
    case PodOutcome::kIgnored:
    case PodOutcome::kFailed:
    case PodOutcome::kNotCreated:
    case PodOutcome::kQueued:
      return true;
    default:
      return false;
  }
}

bool lost(const simulator::SimulatedPod& subject) {
  return subject.workload.kind == "Pod" &&
         (subject.outcome == PodOutcome::kPreempted || subject.outcome == PodOutcome::kEvicted);
}

/// What the pod waits for: of pods in a group that wait for a node, the group.
std::string reason_of(const simulator::SimulatedPod& subject) {
  if (subject.outcome != PodOutcome::kPending) return subject.message;
  const std::optional<cluster::GroupName> group = cluster::spellings::group_of(subject.pod);
  return group ? group->name : subject.message;
}

/// One subject for each workload and reason of those in the list.
std::vector<std::size_t> one_of_each(const SimulatedPods& pods, const std::vector<std::size_t>& list,
                                     std::size_t most) {
  std::set<std::tuple<workloads::WorkloadReference, PodOutcome, std::string>> seen;
  std::vector<std::size_t> chosen;
  for (const std::size_t index : list) {
    const simulator::SimulatedPod& subject = pods[index];
    if (chosen.size() == most) break;
    if (seen.emplace(subject.workload, subject.outcome, reason_of(subject)).second) chosen.push_back(index);
  }
  return chosen;
}

std::string namespace_of(const simulator::SimulatedPod& subject) { return subject.pod.metadata.namespace_; }

class Choice {
 public:
  Choice(const SimulatedPods& pods, const ExplainTarget& target) : pods_(pods), target_(target) {}

  Result<std::vector<std::size_t>> run(std::size_t most) {
    if (target_.name.empty()) {
      return one_of_each(pods_, all([](const simulator::SimulatedPod& each) { return waits(each) || lost(each); }),
                         most);
    }
    std::vector<std::size_t> found;
    if (target_.kind.empty() || target_.kind == "Pod") {
      found = all([&](const simulator::SimulatedPod& each) { return each.pod.metadata.name == target_.name; });
      // One that left, and one that came back under its name: the latter counts.
      if (found.size() > 1 && in_one_namespace(found)) found = {found.back()};
    }
    if (found.empty()) {
      found = all([&](const simulator::SimulatedPod& each) {
        return each.workload.name == target_.name && (target_.kind.empty() || each.workload.kind == target_.kind);
      });
    }
    if (found.empty()) return failure(nothing_found());
    if (!in_one_namespace(found)) return failure(ambiguous(found));
    std::vector<std::size_t> waiting;
    for (const std::size_t index : found) {
      if (waits(pods_[index])) waiting.push_back(index);
    }
    if (waiting.empty()) {
      // Of pods that were replaced, their replacements tell how the workload is.
      const auto there = std::ranges::find_if(found, [&](std::size_t index) { return !pods_[index].left(); });
      return std::vector{there == found.end() ? found.front() : *there};
    }
    return one_of_each(pods_, waiting, most);
  }

 private:
  template <class Predicate>
  std::vector<std::size_t> all(Predicate&& wanted) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const bool here = target_.name_space.empty() || namespace_of(pods_[i]) == target_.name_space;
      if (here && wanted(pods_[i])) found.push_back(i);
    }
    return found;
  }

  [[nodiscard]] bool in_one_namespace(const std::vector<std::size_t>& found) const {
    return std::ranges::all_of(
        found, [&](std::size_t index) { return namespace_of(pods_[index]) == namespace_of(pods_[found.front()]); });
  }

  [[nodiscard]] std::string ambiguous(const std::vector<std::size_t>& found) const {
    std::set<std::string> spaces;
    for (const std::size_t index : found) spaces.insert(namespace_of(pods_[index]));
    return fmt::format("\"{}\" is in several namespaces: {}; choose one with -n", target_.name,
                       fmt::join(spaces, ", "));
  }

  [[nodiscard]] std::string nothing_found() const {
    const std::string_view kind = target_.kind.empty() ? "pod or workload" : std::string_view(target_.kind);
    if (const std::string nearest = nearest_namespace(); !nearest.empty()) return nearest;
    const std::string where = target_.name_space.empty() ? "" : " in namespace " + target_.name_space;
    return fmt::format("no {} \"{}\"{}{}", kind, target_.name, where, suggestion());
  }

  /// What is wrong with the namespace; empty if it has pods.
  [[nodiscard]] std::string nearest_namespace() const {
    std::set<std::string> spaces;
    for (const simulator::SimulatedPod& subject : pods_.list()) spaces.insert(namespace_of(subject));
    if (target_.name_space.empty() || spaces.contains(target_.name_space)) return "";
    const std::vector<std::string_view> candidates(spaces.begin(), spaces.end());
    const std::string_view nearest = closest(target_.name_space, candidates);
    return fmt::format("no pod is in namespace \"{}\"{}", target_.name_space,
                       nearest.empty() ? fmt::format("; there are {}", fmt::join(spaces, ", "))
                                       : fmt::format("; did you mean {}?", nearest));
  }

  /// The nearest name of the kind, or else a workload of nearly that name.
  [[nodiscard]] std::string suggestion() const {
    std::set<std::string> names;
    std::map<std::string, std::string> workloads;  // kinds by name
    for (const std::size_t index : all([](const simulator::SimulatedPod&) { return true; })) {
      const simulator::SimulatedPod& subject = pods_[index];
      if (target_.kind.empty() || target_.kind == "Pod") names.insert(subject.pod.metadata.name);
      if (target_.kind.empty() || target_.kind == subject.workload.kind) names.insert(subject.workload.name);
      workloads.emplace(subject.workload.name, subject.workload.kind);
    }
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    if (const std::string_view nearest = closest(target_.name, candidates); !nearest.empty()) {
      return fmt::format("; did you mean {}?", nearest);
    }
    std::vector<std::string_view> others;
    others.reserve(workloads.size());
    for (const auto& [name, kind] : workloads) others.push_back(name);
    const std::string_view nearest = closest(target_.name, others);
    if (nearest.empty()) return "";
    return fmt::format("; did you mean {}/{}?", kube::lower_case(workloads.find(std::string(nearest))->second),
                       nearest);
  }

  const SimulatedPods& pods_;
  const ExplainTarget& target_;
};

}  // namespace

Result<ExplainTarget> parse_explain_target(std::string_view text, std::string name_space) {
  ExplainTarget target{"", std::string(text), std::move(name_space)};
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return target;
  Result<std::string> kind = workloads::kind_of_word(text.substr(0, slash));
  if (!kind) return tl::unexpected(kind.error());
  target.kind = *std::move(kind);
  target.name = text.substr(slash + 1);
  if (target.name.empty()) return failure(fmt::format("\"{}\" names nothing; write it like pod/web-0", text));
  return target;
}

Result<std::vector<std::size_t>> choose_pods(const SimulatedPods& pods, const ExplainTarget& target, std::size_t most) {
  return Choice(pods, target).run(most);
}

}  // namespace loadline::cli
