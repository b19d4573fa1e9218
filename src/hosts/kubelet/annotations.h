#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/meta.h"
#include "objects/kube/scalars.h"

namespace loadline::kubelet {

// How people tell virtual pods and nodes what to do: docs/virtual-nodes.md has the list with examples.

// ---- of pods. Each may also be said of one container: "loadline.dev/run-time.sidecar" ------------------------------
inline constexpr std::string_view kStartDelay = "loadline.dev/start-delay";    ///< duration
inline constexpr std::string_view kRunTime = "loadline.dev/run-time";          ///< duration, or "forever"
inline constexpr std::string_view kExitCode = "loadline.dev/exit-code";        ///< of a container that ends by itself
inline constexpr std::string_view kFailure = "loadline.dev/failure";           ///< "OOMKilled", "ErrImagePull", …
inline constexpr std::string_view kFailTimes = "loadline.dev/fail-times";      ///< only so many runs fail
inline constexpr std::string_view kFailureRate = "loadline.dev/failure-rate";  ///< share of the runs that fail: "0.2"
inline constexpr std::string_view kReadyDelay = "loadline.dev/ready-delay";    ///< duration, or "never"
inline constexpr std::string_view kStopTime = "loadline.dev/stop-time";        ///< duration
inline constexpr std::string_view kStopExitCode = "loadline.dev/stop-exit-code";
inline constexpr std::string_view kPreStopTime = "loadline.dev/pre-stop-time";  ///< duration of a hook that is no sleep
inline constexpr std::string_view kCpuUsage = "loadline.dev/cpu-usage";         ///< quantity
inline constexpr std::string_view kMemoryUsage = "loadline.dev/memory-usage";   ///< quantity

// ---- of nodes ------------------------------------------------------------------------------------------------------
inline constexpr std::string_view kVirtualNode = "loadline.dev/node";           ///< "virtual": one of ours
inline constexpr std::string_view kUnready = "loadline.dev/unready";            ///< "true": as if its power was cut
inline constexpr std::string_view kFlaky = "loadline.dev/flaky";                ///< "5m/30s": up, down, and so on
inline constexpr std::string_view kSlow = "loadline.dev/slow";                  ///< factor: "3"
inline constexpr std::string_view kInterruption = "loadline.dev/interruption";  ///< notice time of a spot node: "2m"
inline constexpr std::string_view kGpus = "loadline.dev/gpus";                  ///< "8": advertised by a device plugin

// ---- KWOK's --------------------------------------------------------------------------------------------------------
inline constexpr std::string_view kKwokNode = "kwok.x-k8s.io/node";  ///< "fake"

/// Reads the annotations of one object, and collects what cannot be read.
class AnnotationReader {
 public:
  /// `container`: the one whose own annotations go before those of the pod; may be empty. Both outlive this.
  explicit AnnotationReader(const kube::StringMap& annotations, std::string_view container = {})
      : annotations_(annotations), container_(container) {}

  /// Null if it is not there.
  [[nodiscard]] const std::string* text(std::string_view key) const;
  [[nodiscard]] bool is(std::string_view key, std::string_view value) const;
  // Nothing if it is not there, or cannot be read.
  std::optional<Duration> duration(std::string_view key);
  std::optional<std::int32_t> integer(std::string_view key);
  std::optional<double> number(std::string_view key);  ///< not negative
  std::optional<kube::Quantity> quantity(std::string_view key);

  /// Sentences about what could not be read.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  void complain(std::string_view key, std::string_view text, std::string_view expected);

  const kube::StringMap& annotations_;
  std::string_view container_;
  std::vector<std::string> problems_;
};

}  // namespace loadline::kubelet
