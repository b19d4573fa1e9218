#include "objects/kube/core/taint_validation.h"

#include <set>
#include <utility>

#include "foundation/base/text.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/meta_validation.h"

namespace loadline::kube {
namespace {

std::string to_json(const Taint& taint) {
  return "{\"Key\":" + quoted(taint.key) + ",\"Value\":" + quoted(taint.value) +
         ",\"Effect\":" + quoted(name_of(taint.effect)) +
         ",\"TimeAdded\":" + (taint.time_added ? quoted(format_rfc3339(*taint.time_added)) : std::string("null")) + "}";
}

void validate_operator(FieldReport& report, const Path& at, const Toleration& toleration) {
  switch (toleration.op) {
    case TolerationOperator::kEqual: {
      const NameProblems problems = label_value_problems(toleration.value);
      if (!problems.empty()) report.invalid(at, toleration.value, joined(problems, ";"));
      break;
    }
    case TolerationOperator::kExists:
      if (!toleration.value.empty()) {
        report.invalid(at, toleration.value, "value must be empty when `operator` is 'Exists'",
                       "drop the value, or write operator: Equal");
      }
      break;
    case TolerationOperator::kGt:
    case TolerationOperator::kLt:
      report.unsupported(at, name_of(toleration.op), {"Equal", "Exists", "Lt", "Gt"},
                         "Gt and Lt need a feature gate that is off in Kubernetes 1.36");
      break;
  }
}

}  // namespace

void validate_tolerations(FieldReport& report, const Path& at, const std::vector<Toleration>& tolerations) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const Toleration& toleration = tolerations[i];
    const Path place = Path::element(at, i);
    const Path op(place, "operator");
    if (!toleration.key.empty()) validate_label_key(report, Path(place, "key"), toleration.key);
    if (toleration.key.empty() && toleration.op != TolerationOperator::kExists) {
      report.invalid(op, name_of(toleration.op),
                     "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (toleration.toleration_seconds && toleration.effect != TaintEffect::kNoExecute) {
      report.invalid(Path(place, "effect"), name_of(toleration.effect),
                     "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    validate_operator(report, op, toleration);
  }
}

void validate_taints(FieldReport& report, const Path& at, const std::vector<Taint>& taints) {
  std::set<std::pair<TaintEffect, std::string>> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const Taint& taint = taints[i];
    const Path place = Path::element(at, i);
    validate_label_key(report, Path(place, "key"), taint.key);
    const NameProblems problems = label_value_problems(taint.value);
    if (!problems.empty()) report.invalid(Path(place, "value"), taint.value, joined(problems, ";"));
    if (taint.effect == TaintEffect::kNone) report.required(Path(place, "effect"));
    if (!seen.emplace(taint.effect, taint.key).second) {
      report.duplicate_json(place, to_json(taint), "taints must be unique by key and effect pair");
    }
  }
}

}  // namespace loadline::kube
