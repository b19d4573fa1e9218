#include "app/cli/namespace_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>
#include <vector>

#include "brain/workloads/kinds.h"
#include "foundation/base/closest.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/pod.h"

namespace loadline::cli {
namespace {

constexpr std::size_t kMostListed = 8;

void collect(const kube::Objects& objects, std::set<std::string_view>& spaces) {
  for (const kube::Namespace& each : objects.of<kube::Namespace>()) spaces.insert(each.metadata.name);
  for (const kube::Pod& pod : objects.of<kube::Pod>()) spaces.insert(pod.metadata.namespace_);
  workloads::for_each_kind([&]<class Kind>() {
    for (const Kind& object : objects.of<Kind>()) spaces.insert(object.metadata.namespace_);
  });
  spaces.erase("");
}

}  // namespace

std::string unknown_namespace(const std::string& chosen, const kube::Objects& objects, const kube::Objects& added) {
  std::set<std::string_view> spaces;
  collect(objects, spaces);
  collect(added, spaces);
  if (chosen.empty() || spaces.contains(chosen)) return "";
  const std::vector<std::string_view> names(spaces.begin(), spaces.end());
  const std::string_view nearest = closest(chosen, names);
  std::string hint;
  if (!nearest.empty()) {
    hint = fmt::format("; did you mean {}?", nearest);
  } else if (!names.empty() && names.size() <= kMostListed) {
    hint = fmt::format("; there are {}", fmt::join(names, ", "));
  }
  return fmt::format("there is no namespace \"{}\" in the input{}", chosen, hint);
}

}  // namespace loadline::cli
