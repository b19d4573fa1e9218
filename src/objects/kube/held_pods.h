#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::kube {

/// Pods that an object of a kind nobody here knows seems to make: somewhere in it is a pod template, and beside the
/// template a number that could be how many there are.
struct HeldPods {
  const document::Value* pod_template = nullptr;
  std::string path;        ///< "spec.workers[0].template"
  std::int64_t count = 1;  ///< as a field beside it says (replicas, parallelism, …); 1: none does
};

/// What the object holds, in its order. What lies in a pod template is not looked at. O(size).
[[nodiscard]] std::vector<HeldPods> held_pods(const document::Value& object);

/// The pods of one of them, as documents that the object controls: `<object>-<number>`, with the number of the template
/// before it where there are several. At most kMostGuessedPods.
[[nodiscard]] std::vector<document::Value> guessed_pods(const document::Value& object,
                                                        const std::vector<HeldPods>& held, std::size_t which);
inline constexpr std::int64_t kMostGuessedPods = 10'000;
/// Of all objects of an input.
inline constexpr std::int64_t kMostGuessedInAll = 100'000;

/// Whether objects of the kind make pods, which Loadline does not make yet: a TrainJob, a SparkApplication.
[[nodiscard]] bool is_kind_for_later(std::string_view api_version, std::string_view kind);

}  // namespace loadline::kube
