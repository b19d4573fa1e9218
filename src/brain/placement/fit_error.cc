#include "brain/placement/fit_error.h"

#include <algorithm>
#include <map>
#include <utility>

#include "brain/placement/scheduler.h"

namespace loadline::placement {
namespace {

using Histogram = std::map<std::string, std::size_t>;

Histogram histogram_of(const std::vector<RejectionCount>& rejections, const RejectionTable& by_id) {
  Histogram histogram;
  for (const RejectionCount& counted : rejections) {
    for (const Reason& reason : by_id.at(counted.rejection).reasons) histogram[reason.text()] += counted.nodes;
  }
  return histogram;
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

std::string text_of(const NoHelp& answer, const FitError& error) {
  switch (answer.kind) {
    case NoHelp::Kind::kSaid:
      return answer.text;
    case NoHelp::Kind::kFailed:
      return "preemption: " + answer.text;
    case NoHelp::Kind::kIneligible:
      return "preemption: " + std::string(text(answer.ineligible));
    case NoHelp::Kind::kTriedInPart:
      return "preemption: not eligible due to placement-based pod group scheduling limitation";
    case NoHelp::Kind::kNoCandidate:
      return "preemption: no candidate node for preemption";
    case NoHelp::Kind::kNoVictimsAnywhere:
      break;
  }
  return "preemption: " + no_node_available(histogram_of(answer.rejections, *error.by_id), error.nodes);
}

/// What the plugins at PostFilter say, but for those that say nothing.
std::string post_filter_text(const FitError& error) {
  std::string message;
  for (const NoHelp& answer : error.post_filters) {
    const std::string said = text_of(answer, error);
    if (!message.empty() && !said.empty()) message += ", ";
    message += said;
  }
  return message;
}

}  // namespace

std::string_view text(Ineligible why) {
  return why == Ineligible::kNever ? "not eligible due to preemptionPolicy=Never."
                                   : "not eligible due to a terminating pod on the nominated node.";
}

std::string text(const FitError& error) {
  if (!error.error.empty()) return error.error;
  if (error.nodes == 0) return "no nodes available to schedule pods";
  std::string message;
  if (error.pre_filter) {
    message = "0/" + std::to_string(error.nodes) + " nodes are available: ";
    for (std::size_t i = 0; i < error.pre_filter->reasons.size(); ++i) {
      message += (i == 0 ? "" : ", ") + error.pre_filter->reasons[i].text();
    }
    message += '.';
  } else {
    message = no_node_available(histogram_of(error.rejections, *error.by_id), error.nodes);
  }
  const std::string post_filter = post_filter_text(error);
  if (!post_filter.empty()) message += ' ' + post_filter;
  return message;
}

std::string text(const Decision& decision) {
  return decision.fit_error == nullptr ? std::string() : text(*decision.fit_error);
}

std::vector<std::string_view> plugins_of(const FitError& error) {
  if (error.pre_filter) return {error.pre_filter->plugin};
  std::vector<std::string_view> plugins;
  for (const RejectionCount& counted : error.rejections) {
    const std::string_view plugin = error.by_id->at(counted.rejection).plugin;
    if (std::ranges::find(plugins, plugin) == plugins.end()) plugins.push_back(plugin);
  }
  return plugins;
}

std::vector<ReasonCount> count_reasons(const FitError& error, std::size_t nodes) {
  std::vector<ReasonCount> counts;
  if (error.pre_filter) {
    for (const Reason& reason : error.pre_filter->reasons) {
      counts.push_back({nodes, error.pre_filter->plugin, reason.text()});
    }
    return counts;
  }
  std::map<std::pair<std::string, std::string_view>, std::size_t> histogram;
  for (const RejectionCount& counted : error.rejections) {
    const Rejection& rejection = error.by_id->at(counted.rejection);
    for (const Reason& reason : rejection.reasons) histogram[{reason.text(), rejection.plugin}] += counted.nodes;
  }
  for (const auto& [key, count] : histogram) counts.push_back({count, key.second, key.first});
  std::stable_sort(counts.begin(), counts.end(),
                   [](const ReasonCount& a, const ReasonCount& b) { return a.nodes > b.nodes; });
  return counts;
}

}  // namespace loadline::placement
