#include "hosts/kubelet/machine.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "foundation/document/at.h"
#include "hosts/kubelet/annotations.h"
#include "objects/kube/scalars.h"

namespace loadline::kubelet {
namespace {

struct Rhythm {
  Duration up;
  Duration down;
};

/// "5m/30s", at least a second each; nothing: it is not that.
std::optional<Rhythm> read_rhythm(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const Result<Duration> up = kube::parse_duration(text.substr(0, slash));
  const Result<Duration> down = kube::parse_duration(text.substr(slash + 1));
  constexpr Duration kShortest = Duration::seconds(1);
  constexpr Duration kLongest = Duration::seconds(1'000'000'000);
  if (!up || !down || std::min(*up, *down) < kShortest || std::max(*up, *down) > kLongest) return std::nullopt;
  return Rhythm{*up, *down};
}

void apply_rhythm(const Rhythm& rhythm, Instant begin, Instant now, Machine& machine) {
  const std::int64_t period = rhythm.up.nanoseconds + rhythm.down.nanoseconds;
  const std::int64_t passed = std::max<std::int64_t>((now - begin).nanoseconds, 0);
  const Instant period_began = begin + Duration{passed / period * period};
  const Instant goes_down = period_began + rhythm.up;
  machine.is_up = now < goes_down;
  machine.since = machine.is_up ? period_began : goes_down;
  machine.next_change = machine.is_up ? goes_down : period_began + Duration{period};
}

}  // namespace

bool is_virtual(const kube::Node& node, Claim claim) {
  const AnnotationReader annotations(node.metadata.annotations);
  if (annotations.is(kVirtualNode, "virtual") || annotations.is(kKwokNode, "fake")) return true;
  return claim == Claim::kAll && !annotations.is(kVirtualNode, "real");
}

Machine machine_of(const kube::Node& node, Instant now) {
  Machine machine;
  machine.since = node.metadata.creation_timestamp.value_or(now);
  if (node.metadata.annotations.empty()) return machine;
  AnnotationReader annotations(node.metadata.annotations);
  if (const std::string* flaky = annotations.text(kFlaky)) {
    if (const auto rhythm = read_rhythm(*flaky)) apply_rhythm(*rhythm, machine.since, now, machine);
  }
  if (annotations.is(kUnready, "true")) {
    machine.is_up = false;
    machine.since = now;
    machine.next_change.reset();
  }
  machine.slowness = std::clamp(annotations.number(kSlow).value_or(1), 0.001, 1000.0);
  return machine;
}

std::string internal_ip(const document::Value& node) {
  const document::Value* addresses = document::find_at(node, {"status", "addresses"});
  if (addresses == nullptr || !addresses->is_array()) return {};
  for (const document::Value& address : addresses->array()) {
    if (document::text_at(address, {"type"}) == "InternalIP")
      return std::string(document::text_at(address, {"address"}));
  }
  return {};
}

}  // namespace loadline::kubelet
