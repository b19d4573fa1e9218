#include <set>
#include <string>
#include <utility>

#include "foundation/base/text.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/field_report.h"
#include "objects/kube/kueue/node_terms_webhook.h"
#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/kueue/webhooks.h"
#include "objects/kube/meta_validation.h"

namespace loadline::kube {
namespace {

/// As Go prints the taint of an API object.
std::string to_json(const Taint& taint) {
  std::string json = "{\"key\":" + quoted(taint.key);
  if (!taint.value.empty()) json += ",\"value\":" + quoted(taint.value);
  json += ",\"effect\":" + quoted(name_of(taint.effect));
  if (taint.time_added) json += ",\"timeAdded\":" + quoted(format_rfc3339(*taint.time_added));
  return json + "}";
}

void check_taints(FieldReport& report, const Path& at, const std::vector<Taint>& taints) {
  std::set<std::pair<TaintEffect, std::string>> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const Taint& taint = taints[i];
    const Path place = Path::element(at, i);
    validate_label_key(report, Path(place, "key"), taint.key);
    const NameProblems problems = label_value_problems(taint.value);
    if (!problems.empty()) report.invalid(Path(place, "value"), taint.value, joined(problems, ";"));
    if (!seen.emplace(taint.effect, taint.key).second) {
      report.duplicate_json(place, to_json(taint), "taints must be unique by key and effect pair");
    }
  }
}

}  // namespace

void check_toleration_keys(FieldReport& report, const Path& at, const std::vector<Toleration>& tolerations) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (tolerations[i].key.empty()) continue;
    const Path place = Path::element(at, i);
    validate_label_key(report, Path(place, "key"), tolerations[i].key);
  }
}

FieldErrors webhook_refusals(const ResourceFlavor& flavor) {
  FieldReport report;
  const Path root(nullptr);
  const Path spec(root, "spec");
  validate_labels(report, Path(spec, "nodeLabels"), flavor.node_labels);
  check_taints(report, Path(spec, "nodeTaints"), flavor.node_taints);
  check_toleration_keys(report, Path(spec, "tolerations"), flavor.tolerations);
  return report.take();
}

}  // namespace loadline::kube
