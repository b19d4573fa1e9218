#include "hosts/advice/lint/pod_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/kinds.h"
#include "brain/cluster/spellings/membership.h"
#include "foundation/base/text.h"
#include "hosts/advice/lint/wording.h"

namespace loadline::advice::lint {
namespace {

namespace spellings = cluster::spellings;
using cluster::GroupName;
using cluster::GroupSpelling;
using spellings::GroupKey;
using spellings::NamedGroup;

/// A group that an object describes.
struct DescribedGroup {
  GroupKey key;
  const kube::ObjectMeta* metadata = nullptr;
  std::int32_t min_count = 0;  ///< of those that are created first
};

std::vector<DescribedGroup> described_groups(const LintInput& input) {
  std::vector<DescribedGroup> groups;
  SymbolTable symbols;
  spellings::for_each_group_kind([&]<class Kind>() {
    for (const Kind& object : input.objects().of<Kind>()) {
      const cluster::GroupDescription said = spellings::describe(object, symbols);
      std::int32_t first = said.min_count;
      for (const cluster::LaterPart& part : said.rules.later) first -= part.pods * part.copies;
      groups.push_back({{said.name_space, said.group}, &object.metadata, first});
    }
  });
  return groups;
}

/// Where the object of a group says how many of its pods start together.
std::string_view minimum_path(GroupSpelling spelling) {
  if (spelling == GroupSpelling::kKubernetes) return "spec.schedulingPolicy.gang.minCount";
  return spelling == GroupSpelling::kGrove ? "spec.podgroups" : "spec.minMember";
}

/// "PodGroup train"; of groups without an object "pod group train".
std::string text_of(const GroupName& group) {
  return fmt::format("{} {}", spellings::word_for(group.spelling), group.name);
}

std::vector<NamedGroup> groups_of(const JudgedWorkload& workload) {
  return spellings::groups_named_by(workload.pod.metadata, *workload.written);
}

/// Where the workload writes what its pods have in a field: "spec.template.metadata.labels[…]".
std::string path_of(const JudgedWorkload& workload, std::string_view field) {
  constexpr std::string_view kSpec = "spec.";
  constexpr std::string_view kMetadata = "metadata";
  if (field.starts_with(kSpec)) return workload.path(field.substr(kSpec.size()));
  if (workload.template_path.empty()) return std::string(field);
  return workload.template_path + std::string(workload.metadata_field) + std::string(field.substr(kMetadata.size()));
}

/// The pods that name a group.
struct Namers {
  std::int64_t pods = 0;     ///< at most: of controllers, what they want and what they have made
  bool is_countable = true;  ///< not for a DaemonSet: as many as there are nodes
  std::vector<std::pair<const JudgedWorkload*, std::string>> workloads;  ///< and where each names it
  std::optional<std::int32_t> min_count = {};                            ///< that the first of them says
};

std::map<GroupKey, Namers> namers_by_group(const LintInput& input) {
  std::map<GroupKey, Namers> groups;
  const auto note = [&](const kube::ObjectMeta& pod, const GroupName& group) -> Namers& {
    Namers& namers = groups[{pod.namespace_, group}];
    const std::optional<cluster::GroupDescription> said = spellings::described_by(group, pod);
    if (said && !namers.min_count) namers.min_count = said->min_count;
    return namers;
  };
  for (const JudgedWorkload& workload : input.workloads()) {
    const std::vector<NamedGroup> named = groups_of(workload);
    if (named.empty()) continue;
    Namers& namers = note(workload.pod.metadata, named.front().group);
    namers.pods += workload.replicas;
    namers.is_countable &= !workload.daemon;
    namers.workloads.emplace_back(&workload, named.front().field);
  }
  for (const kube::Pod* pod : input.other_pods()) {
    if (const auto group = spellings::group_of(*pod)) ++note(pod->metadata, *group).pods;
  }
  return groups;
}

/// `object`: null for groups that only their pods describe.
void report(const LintInput& input, const GroupKey& key, const kube::ObjectMeta* object, std::int32_t min_count,
            const Namers& namers, Findings& findings) {
  const auto& [name_space, group] = key;
  const std::string_view field = spellings::minimum_field(group.spelling);
  const std::string hint = namers.pods > 0 ? fmt::format("a {} of {}, or more replicas", field, namers.pods) : "";
  const std::string waits = fmt::format(
      "{} must start together, and {} {} it, so none starts", counted(static_cast<std::size_t>(min_count), "pod"),
      namers.pods == 0 ? "none" : std::to_string(namers.pods), namers.pods == 1 || namers.pods == 0 ? "names" : "name");
  if (object != nullptr && input.judges(*object)) {
    const std::string subject = fmt::format("{} {}/{}", spellings::word_for(group.spelling), name_space, group.name);
    findings.add(subject, object->source, std::string(minimum_path(group.spelling)), waits, hint);
    return;
  }
  for (const auto& [workload, named_in] : namers.workloads) {
    if (!workload->judged) continue;
    findings.add(workload->subject(), workload->metadata->source, path_of(*workload, named_in),
                 fmt::format("of {} {}", text_of(group), waits), hint);
  }
}

/// Pods that say themselves how many there are have to say it.
void check_that_pods_describe(const JudgedWorkload& workload, const NamedGroup& named, Findings& findings) {
  if (spellings::described_by(named.group, workload.pod.metadata)) return;
  findings.add(
      workload.subject(), workload.metadata->source, path_of(workload, named.field),
      fmt::format("nothing says how many pods of the pod group {} start together, so they wait", named.group.name),
      fmt::format("give them the {}", spellings::described_in(named.group.spelling)));
}

}  // namespace

void check_pod_groups_exist(const LintInput& input, Findings& findings) {
  std::map<std::pair<std::string, GroupSpelling>, std::vector<std::string>> known;
  for (const DescribedGroup& each : described_groups(input)) {
    known[{each.key.first, each.key.second.spelling}].push_back(each.key.second.name);
  }
  for (const JudgedWorkload& workload : input.workloads()) {
    const std::vector<NamedGroup> named = groups_of(workload);
    if (!workload.judged || named.empty()) continue;
    const auto& [group, field] = named.front();
    if (!spellings::has_objects(group.spelling)) {
      check_that_pods_describe(workload, named.front(), findings);
      continue;
    }
    const std::vector<std::string>& names = known[{workload.name_space(), group.spelling}];
    if (std::ranges::find(names, group.name) != names.end()) continue;
    std::string hint = did_you_mean(group.name, names);
    if (hint.empty() && !input.knows_pod_groups()) continue;
    const std::string_view object = spellings::described_in(group.spelling);
    if (hint.empty()) hint = fmt::format("add a {} {}", object, group.name);
    findings.add(
        workload.subject(), workload.metadata->source, path_of(workload, field),
        fmt::format("there is no {} {} in namespace {}, so its pods wait", object, group.name, workload.name_space()),
        hint);
  }
}

void check_pod_group_members(const LintInput& input, Findings& findings) {
  const bool others_may_come = !input.objects().of<kube::Node>().empty() && !input.knows_pods();
  if (others_may_come || input.scales_elsewhere() || !input.knows_pod_groups()) return;
  const auto groups = namers_by_group(input);
  for (const DescribedGroup& group : described_groups(input)) {
    const auto found = groups.find(group.key);
    const Namers namers = found == groups.end() ? Namers{} : found->second;
    if (!namers.is_countable || namers.pods >= group.min_count) continue;
    if (namers.pods == 0 && !input.knows_pods()) continue;  // its pods may be in another folder
    report(input, group.key, group.metadata, group.min_count, namers, findings);
  }
  for (const auto& [key, namers] : groups) {
    const bool is_short = namers.min_count && namers.is_countable && namers.pods < *namers.min_count;
    if (is_short) report(input, key, nullptr, *namers.min_count, namers, findings);
  }
}

void check_pod_group_names(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    const std::vector<NamedGroup> named = groups_of(workload);
    for (const NamedGroup& other : named) {
      const NamedGroup& first = named.front();
      if (other.group.name == first.group.name) continue;
      const std::string counts = path_of(workload, first.field);
      const SourcePosition at = findings.locate(workload.metadata->source, counts);
      findings.add(
          workload.subject(), workload.metadata->source, path_of(workload, other.field),
          fmt::format("names the {}, but {} names the {}, which counts", text_of(other.group),
                      at.file ? fmt::format("{} ({}:{})", counts, *at.file, at.line) : counts, text_of(first.group)),
          "name one group");
    }
  }
}

}  // namespace loadline::advice::lint
