#include "hosts/controllers/revision.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "objects/kube/workload_names.h"

namespace loadline::controllers {
namespace {

constexpr std::size_t kMaxHistory = 2000;

/// Annotations that a ReplicaSet does not take over from its Deployment.
constexpr std::array<std::string_view, 6> kNotCopied = {"kubectl.kubernetes.io/last-applied-configuration",
                                                        kube::kDeploymentRevision,
                                                        kube::kDeploymentRevisionHistory,
                                                        kube::kDesiredReplicas,
                                                        kube::kMaxReplicas,
                                                        "deprecated.deployment.rollback.rollback.to"};

std::optional<std::int64_t> number_in(const kube::StringMap& annotations, std::string_view name) {
  const auto found = annotations.find(name);
  if (found == annotations.end()) return 0;
  const std::string& text = found->second;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool note(kube::StringMap& annotations, std::string_view name, std::string value) {
  const auto found = annotations.find(name);
  if (found != annotations.end() && found->second == value) return false;
  annotations.insert_or_assign(std::string(name), std::move(value));
  return true;
}

/// "1,2,3" with one more behind it, and without so many of the oldest that it is short enough.
void add_to_history(kube::StringMap& annotations, const std::string& revision) {
  std::string& history = annotations[std::string(kube::kDeploymentRevisionHistory)];
  std::string longer = history.empty() ? revision : history + "," + revision;
  while (longer.size() > kMaxHistory) {
    const std::size_t comma = longer.find(',');
    if (comma == std::string::npos) return;
    longer.erase(0, comma + 1);
  }
  history = std::move(longer);
}

}  // namespace

std::int32_t replicas_in(const kube::StringMap& annotations, std::string_view name) {
  if (annotations.find(name) == annotations.end()) return -1;
  const std::int64_t number = number_in(annotations, name).value_or(-1);
  return number < 0 || number > std::numeric_limits<std::int32_t>::max() ? -1 : static_cast<std::int32_t>(number);
}

bool note_replicas(kube::StringMap& annotations, std::int32_t desired, std::int32_t max) {
  const bool is_other = note(annotations, kube::kDesiredReplicas, std::to_string(desired));
  return note(annotations, kube::kMaxReplicas, std::to_string(max)) || is_other;
}

bool note_revision(kube::StringMap& annotations, const kube::StringMap& deployment, std::int64_t revision) {
  const auto before = number_in(annotations, kube::kDeploymentRevision);
  if (!before) return false;  // not a number, so another writer's: its place in the history is unknown
  bool changed = false;
  for (const auto& [name, value] : deployment) {
    if (std::find(kNotCopied.begin(), kNotCopied.end(), name) == kNotCopied.end()) {
      changed = note(annotations, name, value) || changed;
    }
  }
  if (*before >= revision) return changed;
  const auto old = annotations.find(kube::kDeploymentRevision);
  if (old != annotations.end()) add_to_history(annotations, old->second);
  return note(annotations, kube::kDeploymentRevision, std::to_string(revision)) || changed;
}

}  // namespace loadline::controllers
