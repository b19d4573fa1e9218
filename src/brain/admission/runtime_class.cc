#include "brain/admission/runtime_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/node.h"
#include "objects/kube/schema.h"

namespace loadline::admission {
namespace {

constexpr std::string_view kOtherOverhead =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

Rejection runtime_rejection(std::string_view class_name, std::string complaint) {
  return {Plugin::kRuntimeClass, {std::string(class_name)}, {std::move(complaint)}};
}

/// Whether `wide` tolerates all that `narrow` does.
bool covers(const TolerationText& wide, const TolerationText& narrow) {
  if (wide == narrow) return true;
  if (wide.key != narrow.key && (!wide.key.empty() || wide.op != "Exists")) return false;
  if (wide.effect != narrow.effect && !wide.effect.empty()) return false;
  if (wide.effect == "NoExecute" && wide.seconds && (!narrow.seconds || *narrow.seconds > *wide.seconds)) return false;
  if (wide.op == "Exists") return true;
  return (wide.op == "Equal" || wide.op.empty()) && narrow.op == "Equal" && narrow.value == wide.value;
}

TolerationText text_of(const kube::Toleration& toleration) {
  return {toleration.key, kube::name_of(toleration.op), toleration.value,
          toleration.effect == kube::TaintEffect::kNone ? "" : kube::name_of(toleration.effect),
          toleration.toleration_seconds};
}

void merge(std::vector<kube::Toleration>& own, const std::vector<kube::Toleration>& more) {
  std::vector<kube::Toleration> all = own;
  all.insert(all.end(), more.begin(), more.end());
  std::vector<TolerationText> texts;
  texts.reserve(all.size());
  for (const kube::Toleration& each : all) texts.push_back(text_of(each));
  own.clear();
  for (const std::size_t place : merged_tolerations(texts)) own.push_back(all[place]);
}

}  // namespace

Rejection no_runtime_class(std::string_view name) {
  return runtime_rejection(name, fmt::format("pod rejected: RuntimeClass \"{}\" not found", name));
}

std::optional<Rejection> judge_own_overhead(const kube::ResourceList& own, const kube::RuntimeClass& runtime_class) {
  if (!runtime_class.overhead || own.empty() || own == runtime_class.overhead->pod_fixed) return std::nullopt;
  return runtime_rejection(runtime_class.metadata.name, std::string(kOtherOverhead));
}

std::optional<Rejection> judge_overhead(const kube::ResourceList* overhead, const kube::RuntimeClass* runtime_class) {
  if (runtime_class == nullptr || !runtime_class->overhead) {
    if (overhead == nullptr) return std::nullopt;
    return runtime_rejection(runtime_class == nullptr ? "" : runtime_class->metadata.name,
                             "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  }
  const kube::ResourceList none;
  if ((overhead == nullptr ? none : *overhead) == runtime_class->overhead->pod_fixed) return std::nullopt;
  return runtime_rejection(runtime_class->metadata.name, std::string(kOtherOverhead));
}

std::optional<Rejection> add_node_selector(kube::StringMap& selector, const kube::RuntimeClassScheduling& scheduling) {
  for (const auto& [key, value] : scheduling.node_selector) {
    const auto [own, is_new] = selector.try_emplace(key, value);
    if (is_new || own->second == value) continue;
    return runtime_rejection(
        "", fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{}] = {}; pod.spec.nodeSelector[{}] = {}", key,
                        value, key, own->second));
  }
  return std::nullopt;
}

std::vector<std::size_t> merged_tolerations(const std::vector<TolerationText>& all) {
  std::vector<std::size_t> kept;
  for (std::size_t place = 0; place < all.size(); ++place) {
    const TolerationText& toleration = all[place];
    const bool is_covered =
        std::ranges::any_of(kept, [&](std::size_t by) { return covers(all[by], toleration); }) ||
        std::any_of(all.begin() + static_cast<std::ptrdiff_t>(place) + 1, all.end(),
                    [&](const TolerationText& by) { return !(by == toleration) && covers(by, toleration); });
    if (!is_covered) kept.push_back(place);
  }
  return kept;
}

// ---- of a plan -----------------------------------------------------------------------------------------------------

RuntimeClasses::RuntimeClasses(const kube::Objects& cluster) : knows_all_(knows_runtime_classes(cluster)) {
  for (const kube::RuntimeClass& each : cluster.of<kube::RuntimeClass>())
    classes_.insert_or_assign(each.metadata.name, each);
}

const kube::RuntimeClass* RuntimeClasses::find(const kube::PodSpec& spec) const {
  const auto found = classes_.find(spec.runtime_class_name);
  return spec.runtime_class_name.empty() || found == classes_.end() ? nullptr : &found->second;
}

bool RuntimeClasses::is_unseen(const kube::PodSpec& spec) const {
  return !knows_all_ && !spec.runtime_class_name.empty() && find(spec) == nullptr;
}

std::optional<Rejection> RuntimeClasses::complete(kube::PodSpec& spec) const {
  if (spec.runtime_class_name.empty() || is_unseen(spec)) return std::nullopt;
  const kube::RuntimeClass* runtime_class = find(spec);
  if (runtime_class == nullptr) return no_runtime_class(spec.runtime_class_name);
  if (auto rejection = judge_own_overhead(spec.overhead, *runtime_class)) return rejection;
  if (runtime_class->overhead) spec.overhead = runtime_class->overhead->pod_fixed;
  if (!runtime_class->scheduling) return std::nullopt;
  if (auto rejection = add_node_selector(spec.node_selector, *runtime_class->scheduling)) return rejection;
  merge(spec.tolerations, runtime_class->scheduling->tolerations);
  return std::nullopt;
}

std::optional<Rejection> RuntimeClasses::review(const kube::PodSpec& spec) const {
  if (is_unseen(spec)) return std::nullopt;
  return judge_overhead(spec.overhead.empty() ? nullptr : &spec.overhead, find(spec));
}

bool knows_runtime_classes(const kube::Objects& cluster) {
  const auto is_dumped = [](const auto& object) { return object.metadata.from_cluster(); };
  return cluster.is_whole_cluster || std::ranges::any_of(cluster.of<kube::RuntimeClass>(), is_dumped) ||
         std::ranges::none_of(cluster.of<kube::Node>(), is_dumped);
}

}  // namespace loadline::admission
