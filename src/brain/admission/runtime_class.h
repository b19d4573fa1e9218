#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/admission/rejection.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/objects.h"

namespace loadline::admission {

// What RuntimeClass admission is made of: the same for pods that are documents and for pods of a plan.
// Source: plugin/pkg/admission/runtimeclass and pkg/util/tolerations, v1.36.

[[nodiscard]] Rejection no_runtime_class(std::string_view name);

/// Before the pod is completed: what it says itself of its overhead (empty: nothing) must not differ from the class's.
[[nodiscard]] std::optional<Rejection> judge_own_overhead(const kube::ResourceList& own,
                                                          const kube::RuntimeClass& runtime_class);

/// Afterwards: it has exactly the overhead of its class. `runtime_class` is null if the pod names none, `overhead` if
/// it has none.
[[nodiscard]] std::optional<Rejection> judge_overhead(const kube::ResourceList* overhead,
                                                      const kube::RuntimeClass* runtime_class);

/// Adds what the class selects, unless the pod selects something else by the same label.
[[nodiscard]] std::optional<Rejection> add_node_selector(kube::StringMap& selector,
                                                         const kube::RuntimeClassScheduling& scheduling);

/// A toleration as it is written.
struct TolerationText {
  std::string_view key;
  std::string_view op;  ///< empty stands for Equal, and is another text
  std::string_view value;
  std::string_view effect;
  std::optional<std::int64_t> seconds;
  friend bool operator==(const TolerationText&, const TolerationText&) = default;
};

/// Which of the pod's tolerations and, behind them, the class's the pod keeps: not those that another one covers, and
/// of equal ones the first. Their places, in order.
[[nodiscard]] std::vector<std::size_t> merged_tolerations(const std::vector<TolerationText>& all);

/// The RuntimeClasses of a cluster, for pods of a plan.
class RuntimeClasses {
 public:
  explicit RuntimeClasses(const kube::Objects& cluster);

  /// Gives the pod the overhead, node selector and tolerations of the class that it names, or says why not. A class
  /// that is not there is refused if the cluster's classes are known; else the pod stays as it is.
  [[nodiscard]] std::optional<Rejection> complete(kube::PodSpec& spec) const;
  [[nodiscard]] std::optional<Rejection> review(const kube::PodSpec& spec) const;

  [[nodiscard]] bool has(std::string_view name) const { return classes_.contains(name); }
  /// The class that the pod names is not there, and may be in the cluster all the same.
  [[nodiscard]] bool is_unseen(const kube::PodSpec& spec) const;

 private:
  [[nodiscard]] const kube::RuntimeClass* find(const kube::PodSpec& spec) const;

  std::map<std::string, kube::RuntimeClass, std::less<>> classes_;
  bool knows_all_ = false;
};

/// Whether the objects show all RuntimeClasses of their cluster: an API server was asked for them, some of its own are
/// there, or a user wrote the cluster by hand. A dump of a live cluster without any may have been made without asking
/// for them, whatever classes a user's manifests add.
[[nodiscard]] bool knows_runtime_classes(const kube::Objects& cluster);

}  // namespace loadline::admission
