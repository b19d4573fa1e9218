#include "hosts/simulator/workload_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "brain/workloads/kind_names.h"
#include "brain/workloads/kinds.h"
#include "foundation/base/closest.h"
#include "objects/kube/core/pod.h"

namespace loadline::simulator {
namespace {

using workloads::WorkloadReference;

template <class Kind>
void collect(const std::vector<Kind>& objects, const std::string& kind, std::vector<WorkloadReference>& found) {
  for (const Kind& item : objects) found.push_back({kind, item.metadata.namespace_, item.metadata.name});
}

std::vector<WorkloadReference> all_of(const std::string& kind, const kube::Objects& objects) {
  std::vector<WorkloadReference> all;
  if (kind == "Pod") collect(objects.of<kube::Pod>(), kind, all);
  workloads::for_kind(kind, [&]<class Kind>() { collect(objects.of<Kind>(), kind, all); });
  return all;
}

/// A name may have dots in it: the whole text is tried before its last part is taken for a namespace.
std::vector<WorkloadReference> named(std::string_view name, const std::vector<WorkloadReference>& all) {
  std::vector<WorkloadReference> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const WorkloadReference& item) { return item.name == name; });
  const std::size_t dot = name.rfind('.');
  if (!found.empty() || dot == std::string_view::npos) return found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const WorkloadReference& item) {
    return item.name == name.substr(0, dot) && item.namespace_ == name.substr(dot + 1);
  });
  return found;
}

}  // namespace

Result<WorkloadReference> choose_workload(std::string_view text, const kube::Objects& objects) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash + 1 == text.size()) {
    return failure(fmt::format("\"{}\" names no workload; write KIND/NAME, as deployment/web", text));
  }
  const Result<std::string> kind = workloads::kind_of_word(text.substr(0, slash));
  if (!kind) return tl::unexpected(kind.error());
  const std::string_view name = text.substr(slash + 1);
  const std::vector<WorkloadReference> all = all_of(*kind, objects);
  const std::vector<WorkloadReference> found = named(name, all);
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    return failure(fmt::format("{} \"{}\" is in {} namespaces; write {}.{} or {}.{}", *kind, name, found.size(), text,
                               found[0].namespace_, text, found[1].namespace_));
  }
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const WorkloadReference& item : all) names.push_back(item.name);
  const std::string_view nearest = closest(name.substr(0, name.find('.')), names);
  return failure(fmt::format("there is no {} \"{}\"{}", *kind, name,
                             nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

}  // namespace loadline::simulator
