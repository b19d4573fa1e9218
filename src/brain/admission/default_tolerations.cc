#include "brain/admission/default_tolerations.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace loadline::admission {
namespace {

constexpr std::array<std::string_view, 2> kTaints = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};
constexpr std::int64_t kSeconds = 300;

bool speaks_of(const kube::Toleration& toleration, std::string_view taint) {
  return (toleration.key == taint || toleration.key.empty()) &&
         (toleration.effect == kube::TaintEffect::kNoExecute || toleration.effect == kube::TaintEffect::kNone);
}

}  // namespace

void add_default_tolerations(std::vector<kube::Toleration>& tolerations) {
  for (const std::string_view taint : kTaints) {
    if (std::any_of(tolerations.begin(), tolerations.end(),
                    [&](const kube::Toleration& toleration) { return speaks_of(toleration, taint); })) {
      continue;
    }
    tolerations.push_back(
        {std::string(taint), kube::TolerationOperator::kExists, "", kube::TaintEffect::kNoExecute, kSeconds});
  }
}

}  // namespace loadline::admission
