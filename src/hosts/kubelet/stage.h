#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "hosts/kubelet/go_template.h"
#include "hosts/kubelet/jq_path.h"
#include "hosts/watching/action.h"

namespace loadline::kubelet {

/// What a Stage does to an object, step by step.
struct StageStep {
  enum class Kind : std::uint8_t { kPatch, kEvent, kFinalizers, kDelete };
  Kind kind = Kind::kPatch;
  GoTemplate patch;         ///< of YAML
  std::string root;         ///< where the result belongs: "status"; empty: it is the whole
  std::string subresource;  ///< "status"; empty: the object itself
  kube::PatchType patch_type = kube::PatchType::kStrategic;
  watching::Event::Type event_type = watching::Event::Type::kNormal;
  std::string reason;
  std::string message;
  std::vector<std::string> added;  ///< finalizers
  std::vector<std::string> removed;
  bool removes_all = false;
};

/// A Stage of KWOK (kwok.x-k8s.io/v1alpha1) that is about pods: which ones, when, and what happens to them. Understood
/// are matchLabels, matchAnnotations, matchExpressions in jq (JqPath), weights, delays with jitter, and as what follows
/// statusTemplate, patches (strategic and merge), steps, event, finalizers, delete. Not CEL, `apply`, JSON patches.
/// Source: sigs.k8s.io/kwok v0.8, pkg/utils/lifecycle.
class Stage {
 public:
  /// Nothing: it is about another kind, or selects nothing. Errors say what is not understood.
  static Result<std::optional<Stage>> compile(const document::Value& stage);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<StageStep>& steps() const { return steps_; }
  [[nodiscard]] bool matches(const document::Value& object) const;
  /// Among several that match, one is taken by chance in proportion.
  [[nodiscard]] std::int64_t weight(const document::Value& object) const;
  /// How long after the object began to match. `chance` between 0 and 1 decides about the jitter.
  [[nodiscard]] Duration delay(const document::Value& object, Instant now, double chance) const;

 private:
  struct Requirement {
    enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist };
    JqPath key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
  };
  struct Span {
    std::optional<Duration> fixed;
    std::optional<JqPath> from;  ///< goes first, where it leads to a duration or a time
  };
  class Compiler;
  static std::optional<Duration> evaluate(const Span& span, const document::Value& object, Instant now);

  std::string name_;
  std::vector<std::pair<std::string, std::string>> labels_;
  std::vector<std::pair<std::string, std::string>> annotations_;
  std::vector<Requirement> requirements_;
  std::int64_t weight_ = 0;
  std::optional<JqPath> weight_from_;
  Span delay_;
  Span jitter_;
  std::vector<StageStep> steps_;
};

}  // namespace loadline::kubelet
