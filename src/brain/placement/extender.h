#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/switches.h"
#include "foundation/base/result.h"
#include "objects/kube/config/extender.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::placement {

/// The name that upstream gives, in place of a plugin's, for a node that an extender refused.
inline constexpr std::string_view kExtenderName = "Extender";

/// What an extender made of the nodes it was shown.
struct ExtenderFilterAnswer {
  using Rejections = std::map<std::string, std::string, std::less<>>;  ///< why, by node

  std::vector<std::string> nodes;      ///< that will do
  Rejections failed;                   ///< evictions could help
  Rejections failed_and_unresolvable;  ///< they could not; goes before `failed`
  bool whole_nodes = false;            ///< it handed back nodes rather than names
};

struct ExtenderScore {
  std::string node;
  std::int64_t score = 0;  ///< meant to be 0..10, and taken as it is
};

/// The victims of preemption on a node.
struct ShownCandidate {
  const kube::Node* node = nullptr;
  std::vector<const kube::Pod*> victims;
  std::int64_t budget_violations = 0;
};

struct ExtenderVictims {
  std::vector<std::string> uids;
  std::int64_t budget_violations = 0;
};

/// An HTTP service, or what stands for one, that is asked about nodes after the plugins have been. It may answer
/// differently every time, so none of its answers is kept. Errors: it could not be asked, or said so.
/// Source: kube-scheduler v1.36, extender.go.
class Extender {
 public:
  virtual ~Extender() = default;

  /// How it was configured; lives as long as the extender.
  [[nodiscard]] virtual const kube::Extender& settings() const = 0;

  // REQUIRES of each: the verb is configured.
  [[nodiscard]] virtual Result<ExtenderFilterAnswer> filter(const kube::Pod& pod,
                                                            std::span<const kube::Node* const> nodes) const = 0;
  [[nodiscard]] virtual Result<std::vector<ExtenderScore>> prioritize(
      const kube::Pod& pod, std::span<const kube::Node* const> nodes) const = 0;
  /// The candidates that will do, with victims by uid (see uid_of), by name of node.
  [[nodiscard]] virtual Result<std::map<std::string, ExtenderVictims>> process_preemption(
      const kube::Pod& pod, std::span<const ShownCandidate> candidates) const = 0;

  /// What the policy says, before the first call and whenever it changes.
  virtual void heed(const Switches&) {}
};

/// Makes extenders of their configuration.
class ExtenderSource {
 public:
  virtual ~ExtenderSource() = default;
  /// Errors: it cannot work with these settings.
  [[nodiscard]] virtual Result<std::unique_ptr<Extender>> make(const kube::Extender& settings) const = 0;
};

/// Whether the extender has a say in where pods of the spec go: it makes a call of the scheduling cycle, and manages no
/// resources in particular or one that a container asks for.
[[nodiscard]] bool interested(const kube::Extender& extender, const kube::PodSpec& pod);

/// The pod's uid. A pod that no API server has seen has none: then one made of its namespace and name, in the form of a
/// UUID, so that an extender can tell pods apart.
[[nodiscard]] std::string uid_of(const kube::Pod& pod);

}  // namespace loadline::placement
