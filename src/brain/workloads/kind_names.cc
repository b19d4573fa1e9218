#include "brain/workloads/kind_names.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "brain/workloads/kinds.h"
#include "foundation/base/closest.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/custom_kinds.h"
#include "objects/kube/scalars.h"
#include "objects/schema/published.h"

namespace loadline::workloads {
namespace {

using Words = std::map<std::string, std::string, std::less<>>;  // kinds by the words for them

std::vector<std::string> short_names(const kube::KindInfo& info, kube::CustomKinds& definitions) {
  if (!info.is_custom) return schema::find_published(info.api_version, info.kind)->short_names;
  const kube::CustomKind* defined = definitions.find(info.api_version, info.kind);
  return defined == nullptr ? std::vector<std::string>() : defined->resource->short_names;
}

Words read_words() {
  kube::CustomKinds definitions({});
  Words words;
  const auto add = [&](const kube::KindInfo& info, std::string_view name) {
    const std::string kind(name);
    words.try_emplace(kube::lower_case(kind), kind);
    if (name == info.kind) words.try_emplace(std::string(info.plural), kind);
    for (const std::string& word : short_names(info, definitions)) words.try_emplace(word, kind);
  };
  add(kube::kind_of<kube::Pod>(), "Pod");
  for_each_kind([&]<class Kind>() { add(kube::kind_of<Kind>(), kind_name<Kind>()); });
  return words;
}

}  // namespace

Result<std::string> kind_of_word(std::string_view word) {
  static const auto& words = *new Words(read_words());
  const std::string whole = kube::lower_case(word);
  if (whole.ends_with(".batch.volcano.sh")) return std::string(kVolcanoJob);
  const std::string small = whole.substr(0, whole.find('.'));
  if (const auto found = words.find(small); found != words.end()) return found->second;
  std::vector<std::string_view> known;
  known.reserve(words.size());
  for (const auto& [each, kind] : words) known.push_back(each);
  const std::string_view nearest = closest(small, known);
  return failure(fmt::format("there is no kind of workload \"{}\"{}", word,
                             nearest.empty() ? "; name a pod or a workload, as pod/web-0 or deployment/web"
                                             : fmt::format("; did you mean \"{}\"?", nearest)));
}

}  // namespace loadline::workloads
