#include "brain/placement/fit_error.h"

#include <algorithm>
#include <map>

namespace loadline::placement {
namespace {

using Histogram = std::map<std::string, std::size_t>;

void tally(Histogram& histogram, const RejectionTable& rejections, const RejectionCount& counted) {
  for (const Reason& reason : rejections.at(counted.rejection).reasons) histogram[reason.text()] += counted.nodes;
}

/// "0/3 nodes are available: 1 a, 2 b." with the counted reasons sorted as text.
std::string no_node_available(const Histogram& histogram, std::size_t nodes) {
  std::vector<std::string> parts;
  for (const auto& [text, count] : histogram) parts.push_back(std::to_string(count) + ' ' + text);
  std::sort(parts.begin(), parts.end());
  std::string message = "0/" + std::to_string(nodes) + " nodes are available:";
  for (std::size_t i = 0; i < parts.size(); ++i) message += (i == 0 ? " " : ", ") + parts[i];
  if (!parts.empty()) message += '.';
  return message;
}

}  // namespace

std::vector<ReasonCount> count_reasons(const Attempt& attempt, const RejectionTable& rejections, std::size_t nodes) {
  std::vector<ReasonCount> counts;
  if (attempt.pre_filter) {
    for (const Reason& reason : attempt.pre_filter->reasons) {
      counts.push_back({nodes, attempt.pre_filter->plugin, reason.text()});
    }
    return counts;
  }
  std::map<std::pair<std::string, std::string_view>, std::size_t> histogram;
  for (const RejectionCount& counted : attempt.rejections) {
    const Rejection& rejection = rejections.at(counted.rejection);
    for (const Reason& reason : rejection.reasons) histogram[{reason.text(), rejection.plugin}] += counted.nodes;
  }
  for (const auto& [key, count] : histogram) counts.push_back({count, key.second, key.first});
  std::stable_sort(counts.begin(), counts.end(),
                   [](const ReasonCount& a, const ReasonCount& b) { return a.nodes > b.nodes; });
  return counts;
}

std::string preemption_message(const Preemption& preemption, const RejectionTable& rejections, std::size_t nodes) {
  if (!preemption.attempted || preemption.node.valid()) return {};
  if (!preemption.eligible) return "preemption: " + preemption.why_not;
  if (preemption.refused_by_extenders) return "preemption: no candidate node for preemption";
  Histogram histogram;
  for (const RejectionCount& counted : preemption.rejections) tally(histogram, rejections, counted);
  return "preemption: " + no_node_available(histogram, nodes);
}

std::string fit_error(const Attempt& attempt, const RejectionTable& rejections, std::size_t nodes,
                      const std::string& post_filter) {
  std::string message;
  if (nodes == 0) return "no nodes available to schedule pods";
  if (attempt.pre_filter) {
    message = "0/" + std::to_string(nodes) + " nodes are available: ";
    for (std::size_t i = 0; i < attempt.pre_filter->reasons.size(); ++i) {
      message += (i == 0 ? "" : ", ") + attempt.pre_filter->reasons[i].text();
    }
    message += '.';
  } else {
    Histogram histogram;
    for (const RejectionCount& counted : attempt.rejections) tally(histogram, rejections, counted);
    message = no_node_available(histogram, nodes);
  }
  if (!post_filter.empty()) message += ' ' + post_filter;
  return message;
}

}  // namespace loadline::placement
