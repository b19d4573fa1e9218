#include "hosts/trace/described_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace loadline::trace {
namespace {

constexpr auto kEffects = std::to_array<std::string_view>({"", ":NoSchedule", ":PreferNoSchedule", ":NoExecute"});

bool has_separator(std::string_view text) { return text.find_first_of(";:=") != std::string_view::npos; }

bool is_sayable(const kube::Toleration& toleration) {
  const bool is_simple =
      toleration.op == kube::TolerationOperator::kExists || toleration.op == kube::TolerationOperator::kEqual;
  return is_simple && !toleration.toleration_seconds && !toleration.key.empty() && !has_separator(toleration.key) &&
         !has_separator(toleration.value);
}

}  // namespace

Result<std::string_view> DescribedPods::of(const Work& work) {
  if (work.pods.size() != 1) return failure(fmt::format("work {}: its pods are not all alike", work.name));
  const std::shared_ptr<const kube::Pod>& pod = work.pods.front().pod;
  if (const auto known = known_.find(pod.get()); known != known_.end()) return known->second.text;
  const auto row = row_of(*pod);
  if (!row) return failure(fmt::format("work {}: its pods say more than a row can", work.name));
  if (const auto why = unsaid(*row)) return failure(fmt::format("work {}: {}", work.name, *why));
  auto text = describe_(*row);
  if (!text) return failure(fmt::format("work {}: {}", work.name, text.error().message));
  return known_.emplace(pod.get(), Known{pod, *std::move(text)}).first->second.text;
}

std::string selector_text(const PodOfOneContainer& row) {
  std::string text;
  for (const auto& [key, value] : row.node_selector)
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", key, value);
  return text;
}

std::string tolerations_text(const PodOfOneContainer& row) {
  std::string text;
  for (const kube::Toleration& each : row.tolerations) {
    if (!text.empty()) text += ';';
    text += each.key;
    if (each.op == kube::TolerationOperator::kEqual) text += '=' + each.value;
    text += kEffects[static_cast<std::size_t>(each.effect)];
  }
  return text;
}

std::string priority_text(const PodOfOneContainer& row) {
  return row.priority ? fmt::format("{}", *row.priority) : row.priority_class;
}

std::optional<std::string> unsaid(const PodOfOneContainer& row) {
  if (!row.affinity_values.empty()) return "no row says a node affinity";
  if (row.restart_policy != kube::RestartPolicy::kNever) return "pods of rows are never restarted";
  if (row.priority && !row.priority_class.empty()) return "no row says both a priority and its class";
  if (!std::ranges::all_of(row.tolerations, is_sayable)) return "no row says such tolerations";
  return std::nullopt;
}

}  // namespace loadline::trace
