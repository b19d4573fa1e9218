#include "hosts/operators/grove/grove_kinds.h"

#include <charconv>

#include "objects/kube/workload_names.h"

namespace loadline::operators {

std::string_view label_of(const kube::ObjectMeta& metadata, std::string_view name) {
  const auto found = metadata.labels.find(name);
  return found == metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

bool is_of_grove(const kube::ObjectMeta& metadata) { return label_of(metadata, kube::kManagedBy) == "grove-operator"; }

std::optional<std::int64_t> index_of(const kube::ObjectMeta& metadata, std::string_view label) {
  const std::string_view text = label_of(metadata, label);
  std::int64_t index = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() || index < 0) return std::nullopt;
  return index;
}

watching::ObjectPtr<kube::PodCliqueSet> set_of(const watching::Caches& caches, const kube::ObjectMeta& metadata) {
  const auto set = caches.of<kube::PodCliqueSet>().find(metadata.namespace_, label_of(metadata, kube::kPartOf));
  return set == nullptr || set->is_being_deleted() ? nullptr : set;
}

bool concerns_cliques(const watching::Change<kube::PodCliqueSet>& change) {
  if (change.before == nullptr || change.after == nullptr) return true;
  const kube::CliqueStatus& before = change.before->view.status;
  const kube::CliqueStatus& after = change.after->view.status;
  if (change.before->metadata().generation != change.after->metadata().generation) return true;
  if (before.set_hash != after.set_hash || before.update.has_value() != after.update.has_value()) return true;
  return after.update && after.update->updating != before.update->updating;
}

}  // namespace loadline::operators
