#include "hosts/advice/lint/priorities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/advice/lint/wording.h"
#include "hosts/simulator/group_notes.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::advice::lint {
namespace {

std::string subject_of(const kube::PriorityClass& each) { return "PriorityClass " + each.metadata.name; }

/// By its name a class for what must go first.
bool promises_importance(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kWords = {"critical", "high", "prod", "urgent", "important"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

std::vector<std::string> class_names(const LintInput& input) {
  std::vector<std::string> names = {"system-cluster-critical", "system-node-critical"};
  for (const kube::PriorityClass& each : input.objects().of<kube::PriorityClass>()) names.push_back(each.metadata.name);
  return names;
}

void check_classes_of_groups(const LintInput& input, const std::vector<std::string>& names, Findings& findings) {
  for (const simulator::GroupOfNoClass& group : simulator::groups_of_no_class(input.objects())) {
    if (!input.judges(*group.object)) continue;
    const std::string hint = did_you_mean(group.name_of_class, names);
    if (hint.empty() && !input.knows_classes()) continue;  // the cluster may have it
    findings.add(group.subject, group.object->source, std::string(simulator::kPathOfClass), group.message(), hint);
  }
}

}  // namespace

void check_classes_exist(const LintInput& input, Findings& findings) {
  const std::vector<std::string> names = class_names(input);
  check_classes_of_groups(input, names, findings);
  for (const JudgedWorkload& workload : input.workloads()) {
    const std::string& name = workload.written->priority_class_name;
    if (!workload.judged || name.empty() || input.has_class(name)) continue;
    const std::string hint = did_you_mean(name, names);
    if (hint.empty() && !input.knows_classes()) continue;  // the cluster may have it
    findings.add(workload.subject(), workload.metadata->source, workload.path("priorityClassName"),
                 fmt::format("there is no PriorityClass {}, so its pods are refused", name), hint);
  }
}

void check_single_default(const LintInput& input, Findings& findings) {
  std::vector<const kube::PriorityClass*> marked;
  for (const kube::PriorityClass& each : input.objects().of<kube::PriorityClass>()) {
    if (each.global_default) marked.push_back(&each);
  }
  if (marked.size() < 2) return;
  const auto counts = std::ranges::min_element(marked, {}, [](const kube::PriorityClass* each) { return each->value; });
  std::vector<const kube::PriorityClass*> judged;
  std::ranges::copy_if(marked, std::back_inserter(judged),
                       [&](const kube::PriorityClass* each) { return input.judges(each->metadata); });
  if (judged.empty()) return;
  const kube::PriorityClass& last = *judged.back();
  std::vector<std::string> others;
  for (const kube::PriorityClass* each : marked) {
    if (each != &last) others.push_back(each->metadata.name);
  }
  findings.add(subject_of(last), last.metadata.source, "globalDefault",
               fmt::format("{} marked globalDefault too; the one of the lowest value counts, {}",
                           listed(others) + (others.size() == 1 ? " is" : " are"), (*counts)->metadata.name));
}

void check_default_rank(const LintInput& input, Findings& findings) {
  for (const kube::PriorityClass& chosen : input.objects().of<kube::PriorityClass>()) {
    if (!chosen.global_default || !input.judges(chosen.metadata)) continue;
    for (const kube::PriorityClass& other : input.objects().of<kube::PriorityClass>()) {
      if (&other == &chosen || other.value >= chosen.value || !promises_importance(other.metadata.name)) continue;
      findings.add(subject_of(chosen), chosen.metadata.source, "value",
                   fmt::format("is the default and higher than {}, {}: pods that name no class outrank those of {}",
                               other.metadata.name, other.value, other.metadata.name));
    }
  }
}

}  // namespace loadline::advice::lint
