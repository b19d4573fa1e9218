#include "objects/kube/maintenance_annotations.h"

#include <fmt/format.h>

#include "objects/kube/expected_run.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {
namespace {

const std::string* find(const ObjectMeta& metadata, std::string_view annotation) {
  const auto found = metadata.annotations.find(annotation);
  return found == metadata.annotations.end() ? nullptr : &found->second;
}

Result<Instant> parse_time(std::string_view text) {
  const std::optional<Instant> time = parse_rfc3339(text);
  if (time) return *time;
  return failure(fmt::format("{} is no time; write it as 2026-01-01T00:00:00Z", quoted(text)));
}

Result<std::optional<Instant>> time_of(const ObjectMeta& metadata, std::string_view annotation) {
  const std::string* text = find(metadata, annotation);
  if (text == nullptr) return std::optional<Instant>();
  const Result<Instant> time = parse_time(*text);
  if (!time) return failure(fmt::format("{}: {}", annotation, time.error().message));
  return std::optional(*time);
}

}  // namespace

Result<Duration> parse_checkpoint_interval(std::string_view text) {
  Result<Duration> span = parse_span(text);
  if (span && *span == Duration{}) return failure(fmt::format("{} is no interval; it must be longer", quoted(text)));
  return span;
}

std::optional<Duration> checkpoint_interval(const Pod& pod) {
  const std::string* text = find(pod.metadata, kCheckpointIntervalAnnotation);
  if (text == nullptr) return std::nullopt;
  const Result<Duration> span = parse_checkpoint_interval(*text);
  return span ? std::optional(*span) : std::nullopt;
}

Result<std::optional<Instant>> drain_by(const Node& node) { return time_of(node.metadata, kDrainByAnnotation); }

Result<std::optional<Instant>> drain_announced(const Node& node) {
  return time_of(node.metadata, kDrainAnnouncedAnnotation);
}

}  // namespace loadline::kube
