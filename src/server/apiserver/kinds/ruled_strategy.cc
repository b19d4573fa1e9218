#include "server/apiserver/kinds/ruled_strategy.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/scalars.h"
#include "objects/schema/conform.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {

using document::Value;
using kube::FieldErrors;

Value RuledStrategy::prepare_for_create(Value object, StrategyContext& context) const {
  if (rules_.warn_once != nullptr) rules_.warn_once(object, context);
  if (rules_.warn != nullptr) rules_.warn(object, context);
  return Strategy::prepare_for_create(std::move(object), context);
}

Value RuledStrategy::prepare_for_update(Value object, const Value& old, StrategyContext& context) const {
  if (rules_.warn != nullptr) rules_.warn(object, context);
  return Strategy::prepare_for_update(std::move(object), old, context);
}

FieldErrors RuledStrategy::validate(const Value& object, StrategyContext& context) const {
  FieldErrors errors = rules_.typed == nullptr ? metadata_errors(object, context.resource) : rules_.typed(object);
  if (rules_.object != nullptr) rules_.object(CheckedField(errors, object));
  return errors;
}

FieldErrors RuledStrategy::validate_update(const Value& object, const Value& old, StrategyContext& context) const {
  FieldErrors errors = validate(object, context);
  if (rules_.change != nullptr) rules_.change(CheckedField(errors, object), CheckedField(errors, old));
  return errors;
}

FieldErrors RuledStrategy::validate_status_update(const Value& object, const Value& old,
                                                  StrategyContext& context) const {
  FieldErrors errors = metadata_errors(object, context.resource, &old);
  if (rules_.status != nullptr) rules_.status(CheckedField(errors, object), CheckedField(errors, old));
  return errors;
}

Value StatusOnlyStrategy::prepare_for_status_update(const Value& object, const Value& old,
                                                    StrategyContext& context) const {
  const Value* managed = document::find_at(object, {"metadata", "managedFields"});
  const Value* version = document::find_at(object, {"metadata", "resourceVersion"});
  const Value managed_fields = managed == nullptr ? Value() : *managed;
  const Value resource_version = version == nullptr ? Value() : *version;
  Value changed = Strategy::prepare_for_status_update(object, old, context);
  const Value* metadata = old.find("metadata");
  if (metadata == nullptr) return changed;
  changed = with_metadata(changed.with("metadata", *metadata), "managedFields", managed_fields);
  return with_metadata(changed, "resourceVersion", resource_version);
}

Value in_wire_order(Value object, const StrategyContext& context) {
  if (context.resource.type == nullptr) return object;
  schema::Conformed conformed = schema::conform(object, *context.resource.type);
  return conformed.error.empty() ? std::move(conformed.value) : object;
}

void warn_of_name(const Value& object, StrategyContext& context) {
  const kube::NameProblems problems = kube::dns_label_problems(name_of(object));
  if (problems.empty()) return;
  std::string list;
  for (const std::string& problem : problems) list.append(list.empty() ? "" : " ").append(problem);
  context.warnings.push_back(
      fmt::format("metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a "
                  "DNS label is recommended: [{}]",
                  list));
}

}  // namespace loadline::apiserver
