#include "hosts/advice/lint/lint_input.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "brain/admission/limit_range.h"
#include "brain/admission/priority.h"
#include "brain/workloads/expansion.h"
#include "brain/workloads/kinds.h"
#include "brain/workloads/pod_set.h"
#include "objects/kube/defaults.h"
#include "objects/kube/gpu_resource.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/scheduling/workload.h"

namespace loadline::advice::lint {
namespace {

/// Beyond this many replicas the question how many fit at once is not asked.
constexpr std::int64_t kMostReplicas = 20'000;

/// A group of kinds that Kubernetes itself defines: none of those that are skipped makes pods.
bool is_builtin_group(std::string_view api_version) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  return group.find('.') == std::string_view::npos || group.ends_with(".k8s.io");
}

template <class Kind>
bool any_live(const std::vector<Kind>& objects) {
  return std::ranges::any_of(objects, [](const Kind& object) { return object.metadata.from_cluster(); });
}

bool in_namespaces(std::string_view name_space, const std::vector<std::string>& namespaces) {
  return namespaces.empty() || std::ranges::find(namespaces, name_space) != namespaces.end();
}

/// The pods that a rolling update may add to the replicas.
std::int64_t surge_of(const kube::Deployment& deployment) { return deployment.recreate ? 0 : 1; }

}  // namespace

// ---- workloads -----------------------------------------------------------------------------------------------------

std::string JudgedWorkload::subject() const { return kind + " " + name_space() + "/" + metadata->name; }

std::string JudgedWorkload::path(std::string_view field) const {
  std::string spec = template_path.empty() ? "spec" : template_path + std::string(spec_field);
  return std::move(spec) + (field.empty() ? "" : ".") + std::string(field);
}

std::string JudgedWorkload::labels_path() const {
  return template_path.empty() ? "metadata.labels" : template_path + std::string(metadata_field) + ".labels";
}

bool term_matches(const kube::PodAffinityTerm& term, std::string_view own_namespace, std::string_view name_space,
                  const kube::StringMap& labels) {
  if (!term.label_selector || !kube::matches(*term.label_selector, labels)) return false;
  if (term.namespace_selector) return true;
  return term.namespaces.empty() ? own_namespace == name_space : in_namespaces(name_space, term.namespaces);
}

std::vector<std::string> gpus_asked(const kube::PodSpec& spec) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : kube::pod_requests(spec, nullptr, {})) {
    if (kube::is_gpu_resource(name) && amount.sign() > 0) names.push_back(name);
  }
  return names;
}

bool has_gpus(const kube::Node& node) {
  return std::ranges::any_of(node.allocatable, [](const auto& entry) {
    return kube::is_gpu_resource(entry.first) && entry.second.sign() > 0;
  });
}

// ---- collecting them -----------------------------------------------------------------------------------------------

Result<LintInput> LintInput::make(const kube::Objects& objects, const kube::SchedulerConfiguration& configuration,
                                  bool has_configuration, Judged judged) {
  Result<std::unique_ptr<EmptyCluster>> empty = EmptyCluster::make(objects, configuration);
  if (!empty) return tl::unexpected(empty.error());
  LintInput input;
  input.objects_ = &objects;
  input.configuration_ = &configuration;
  input.has_configuration_ = has_configuration;
  input.judged_ = std::move(judged);
  input.empty_ = std::move(*empty);
  input.collect();
  const admission::RuntimeClasses runtimes(objects);
  for (JudgedWorkload& workload : input.workloads_) {
    input.complete(workload, runtimes);
    input.judge_fit(workload);
  }
  return input;
}

void LintInput::add(JudgedWorkload workload, const kube::ObjectMeta& metadata,
                    const kube::PodTemplateSpec& pod_template) {
  workload.metadata = &metadata;
  workload.judged = judges(metadata);
  workload.pod.metadata.name = metadata.name.empty() ? "pod" : metadata.name;
  workload.pod.metadata.namespace_ = metadata.namespace_;
  workload.pod.metadata.labels = pod_template.metadata.labels;
  workload.pod.metadata.annotations = pod_template.metadata.annotations;
  workload.pod.spec = pod_template.spec;
  workloads_.push_back(std::move(workload));
}

template <class Kind>
void LintInput::add_controller(const Kind& object) {
  for (const workloads::PodSet& set : workloads::pod_sets(object)) {
    JudgedWorkload workload;
    workload.kind = workloads::kind_name<Kind>();
    workload.template_path = set.path;
    workload.spec_field = set.spec_field;
    workload.metadata_field = set.metadata_field;
    workload.replicas = set.count;
    workload.daemon = set.is_per_node;
    if constexpr (requires { object.selector->match_labels; }) workload.selector = &object.selector;
    if constexpr (std::is_same_v<Kind, kube::Deployment>) workload.deployment = &object;
    add(std::move(workload), object.metadata, *set.pod_template);
  }
}

void LintInput::collect() {
  workloads::for_each_kind([&]<class Kind>() {
    for (const Kind& object : objects_->of<Kind>()) {
      if (object.metadata.controller() == nullptr) add_controller(object);
    }
  });
  add_pods();
}

const std::vector<kube::ObjectMeta>& LintInput::made_pods() const {
  constexpr std::uint64_t kSeed = 1;  // of names, which no rule looks at
  if (made_pods_) return *made_pods_;
  std::vector<kube::ObjectMeta>& made = made_pods_.emplace();
  for (workloads::CreatedPod& created : workloads::expand(*objects_, {}, kSeed).pods) {
    made.push_back(std::move(created.pod.metadata));
  }
  return made;
}

void LintInput::add_pods() {
  for (const kube::Pod& pod : objects_->of<kube::Pod>()) {
    if (pod.finished()) continue;
    if (pod.metadata.controller() != nullptr || pod.metadata.from_cluster()) {
      other_pods_.push_back(&pod);  // a controller's, or one that exists already: advice would come too late
      continue;
    }
    JudgedWorkload workload;
    workload.kind = "Pod";
    add(std::move(workload), pod.metadata, {pod.metadata, pod.spec});
  }
}

// ---- as they would be created --------------------------------------------------------------------------------------

void LintInput::complete(JudgedWorkload& workload, const admission::RuntimeClasses& runtimes) {
  kube::set_defaults(workload.pod);
  workload.written = workload.pod.spec;
  auto spec = std::make_shared<kube::PodSpec>(*workload.pod.spec);
  for (const kube::LimitRange& range : objects_->of<kube::LimitRange>()) {
    if (range.metadata.namespace_ != workload.name_space()) continue;
    workload.changed_by_limits |= !admission::apply_defaults(range, *spec).empty();
  }
  workload.priority_rejection = admission::PriorityClasses(objects_->of<kube::PriorityClass>()).resolve(*spec);
  auto completed = std::make_shared<kube::PodSpec>(*spec);
  workload.runtime_rejection = runtimes.complete(*completed);
  if (!workload.runtime_rejection) {
    spec = std::move(completed);
    workload.runtime_rejection = runtimes.review(*spec);
  }
  workload.pod.spec = std::move(spec);
  kube::prepare_for_create(workload.pod);
}

void LintInput::judge_fit(JudgedWorkload& workload) {
  if (!workload.judged || nodes().empty() || !workload.written->node_name.empty()) return;
  Fit& fit = workload.fit.emplace();
  fit.takers = empty_->takers(workload.pod);
  fit.selected = empty_->selected(workload.pod);
  if (fit.takers.empty()) {
    fit.large = empty_->large_enough(workload.pod);
    fit.demanded = empty_->demanded(workload.pod);
    return;
  }
  if (workload.daemon || workload.replicas > kMostReplicas) return;
  const std::int64_t surge = workload.deployment == nullptr ? 0 : surge_of(*workload.deployment);
  fit.asked = workload.replicas == 0 ? 0 : static_cast<std::size_t>(workload.replicas + surge);
  fit.room = empty_->room_for(workload.pod, fit.asked, fit.takers);
}

// ---- what the input says of itself ---------------------------------------------------------------------------------

bool LintInput::knows_pods() const {
  const kube::Objects& input = *objects_;
  if (input.of<kube::Node>().empty()) return false;
  if (any_live(input.of<kube::Node>()) && !any_live(input.of<kube::Pod>())) return false;
  return std::ranges::all_of(input.skipped,
                             [](const kube::SkippedKind& skipped) { return is_builtin_group(skipped.api_version); });
}

bool LintInput::scales_elsewhere() const {
  return std::ranges::any_of(objects_->skipped, [](const kube::SkippedKind& skipped) {
    return skipped.kind == "HorizontalPodAutoscaler" || skipped.kind == "ScaledObject";
  });
}

template <class Class>
bool LintInput::knows_all_of(const std::vector<Class>& classes) const {
  if (objects_->is_whole_cluster) return true;
  const auto of_cluster = [&](const Class& each) { return !judges(each.metadata); };
  if (std::ranges::any_of(classes, of_cluster)) return true;
  return !objects_->of<kube::Node>().empty() && (!any_live(objects_->of<kube::Node>()) || any_live(classes));
}

bool LintInput::knows_classes() const { return knows_all_of(objects_->of<kube::PriorityClass>()); }

bool LintInput::knows_runtime_classes() const { return knows_all_of(objects_->of<kube::RuntimeClass>()); }

bool LintInput::knows_storage_classes() const { return knows_all_of(objects_->of<kube::StorageClass>()); }

bool LintInput::knows_pod_groups() const {
  const kube::Objects& input = *objects_;
  const bool may_be_made =
      !input.of<kube::Workload>().empty() || std::ranges::any_of(input.skipped, [](const kube::SkippedKind& skipped) {
        return !is_builtin_group(skipped.api_version);
      });
  if (may_be_made) return false;
  return !any_live(input.of<kube::Node>()) || input.is_whole_cluster || any_live(input.of<kube::PodGroup>());
}

bool LintInput::has_class(std::string_view name) const {
  return name == "system-cluster-critical" || name == "system-node-critical" ||
         std::ranges::any_of(objects_->of<kube::PriorityClass>(),
                             [&](const kube::PriorityClass& each) { return each.metadata.name == name; });
}

}  // namespace loadline::advice::lint
