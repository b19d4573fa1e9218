#include "objects/kube/meta.h"

#include <algorithm>

namespace loadline::kube {
namespace {

bool matches(const LabelSelectorRequirement& requirement, const StringMap& labels) {
  const auto label = labels.find(requirement.key);
  const bool present = label != labels.end();
  const auto listed = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), label->second) != requirement.values.end();
  };
  switch (requirement.op) {
    case LabelSelectorOperator::kIn:
      return present && listed();
    case LabelSelectorOperator::kNotIn:
      return !present || !listed();
    case LabelSelectorOperator::kExists:
      return present;
    case LabelSelectorOperator::kDoesNotExist:
      return !present;
  }
  return false;
}

}  // namespace

const OwnerReference* ObjectMeta::controller() const {
  const auto found = std::find_if(owner_references.begin(), owner_references.end(),
                                  [](const OwnerReference& owner) { return owner.controller; });
  return found == owner_references.end() ? nullptr : &*found;
}

bool matches(const LabelSelector& selector, const StringMap& labels) {
  return std::all_of(selector.match_labels.begin(), selector.match_labels.end(),
                     [&](const auto& wanted) {
                       const auto label = labels.find(wanted.first);
                       return label != labels.end() && label->second == wanted.second;
                     }) &&
         std::all_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                     [&](const LabelSelectorRequirement& requirement) { return matches(requirement, labels); });
}

}  // namespace loadline::kube
