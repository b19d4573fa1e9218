#include "objects/kube/preemption_annotations.h"

#include "objects/kube/expected_run.h"

namespace loadline::kube {

std::optional<Instant> last_checkpoint(const Pod& pod) {
  const auto annotation = pod.metadata.annotations.find(kLastCheckpointAnnotation);
  if (annotation == pod.metadata.annotations.end()) return std::nullopt;
  return parse_rfc3339(annotation->second);
}

Duration minimum_run(const Pod& pod) {
  const auto annotation = pod.metadata.annotations.find(kMinimumRunTimeAnnotation);
  if (annotation == pod.metadata.annotations.end()) return {};
  return parse_span(annotation->second).value_or(Duration{});
}

}  // namespace loadline::kube
