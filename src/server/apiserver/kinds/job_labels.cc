#include "server/apiserver/kinds/job_labels.h"

#include "foundation/document/at.h"
#include "objects/kube/workload_names.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

Value with_missing(const Value& object, document::Names names, std::string_view text) {
  return document::find_at(object, names) == nullptr ? document::with_at(object, names, Value(text)) : object;
}

}  // namespace

Value with_generated_selector(const Value& job) {
  const Value manual = value_at(job, {"spec", "manualSelector"});
  if (manual.is_boolean() && manual.boolean()) return job;
  const std::string name(name_of(job));
  const std::string uid(uid_of(job));
  Value made = job;
  for (const std::string_view label : {kube::kLegacyJobName, kube::kJobName}) {
    made = with_missing(made, {"spec", "template", "metadata", "labels", label}, name);
  }
  for (const std::string_view label : {kube::kLegacyControllerUid, kube::kControllerUid}) {
    made = with_missing(made, {"spec", "template", "metadata", "labels", label}, uid);
  }
  made = with_missing(made, {"spec", "selector", "matchLabels", kube::kControllerUid}, uid);
  if (!is_empty(value_at(made, {"metadata", "labels"}))) return made;
  return document::with_at(made, {"metadata", "labels"}, value_at(made, {"spec", "template", "metadata", "labels"}));
}

}  // namespace loadline::apiserver
