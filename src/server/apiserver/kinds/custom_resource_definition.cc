#include <algorithm>
#include <utility>

#include "foundation/document/at.h"
#include "objects/schema/custom/definition_validation.h"
#include "objects/schema/custom/definition_warnings.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/resources/custom_definition_status.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;

constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/// status.storedVersions with the version that is stored from now on.
Value with_stored_version(Value object) {
  const Value* versions = document::find_at(object, {"spec", "versions"});
  if (versions == nullptr || !versions->is_array()) return object;
  const auto is_stored = [](const Value& version) {
    const Value* storage = version.find("storage");
    return storage != nullptr && storage->is_boolean() && storage->boolean();
  };
  const auto stored = std::find_if(versions->array().begin(), versions->array().end(), is_stored);
  if (stored == versions->array().end()) return object;
  const Value name(document::text_at(*stored, {"name"}));
  const Value* known = document::find_at(object, {"status", "storedVersions"});
  Array names = known != nullptr && known->is_array() ? known->array() : Array();
  if (std::find(names.begin(), names.end(), name) != names.end()) return object;
  names.push_back(name);
  return document::with_at(object, {"status", "storedVersions"}, Value(std::move(names)));
}

/// Definitions remember which versions objects may be kept in, and go only after all their objects.
/// Source: apiextensions-apiserver's pkg/registry/customresourcedefinition, v0.36.
class CustomResourceDefinitionStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  Value prepare_for_create(Value object, StrategyContext& context) const override {
    return with_stored_version(Strategy::prepare_for_create(std::move(object), context));
  }

  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    return with_stored_version(Strategy::prepare_for_update(std::move(object), old, context));
  }

  kube::FieldErrors validate(const Value& object, StrategyContext& context) const override {
    return checked(object, nullptr, context);
  }

  kube::FieldErrors validate_update(const Value& object, const Value& old, StrategyContext& context) const override {
    return checked(object, &old, context);
  }

  // The first deletion only says that it is wanted.
  bool is_held(const Value& object) const override { return !is_being_deleted(object); }

  Value marked_as_deleted(Value object, Instant now) const override {
    object = with_metadata(object, "deletionTimestamp", Value(format_rfc3339(now)));
    std::vector<std::string_view> finalizers = finalizers_of(object);
    if (std::find(finalizers.begin(), finalizers.end(), kCleanupFinalizer) == finalizers.end()) {
      finalizers.push_back(kCleanupFinalizer);
    }
    return with_terminating(with_finalizers(object, finalizers), true, "InstanceDeletionPending",
                            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
                            now);
  }

 private:
  static kube::FieldErrors checked(const Value& object, const Value* old, StrategyContext& context) {
    kube::FieldErrors errors = metadata_errors(object, context.resource);
    const kube::FieldErrors rules = schema::validate_definition(object, old);
    errors.insert(errors.end(), rules.begin(), rules.end());
    if (items_at(object, {"status", "storedVersions"}).empty()) {
      errors.push_back(invalid_field("status.storedVersions", Value(), "must have at least one stored version"));
    }
    if (errors.empty()) warn(object, old, context);
    return errors;
  }

  /// Of what is new only.
  static void warn(const Value& object, const Value* old, StrategyContext& context) {
    std::vector<std::string> known;
    if (old != nullptr) known = schema::definition_warnings(*old);
    for (std::string& warning : schema::definition_warnings(object)) {
      if (std::find(known.begin(), known.end(), warning) == known.end()) context.warnings.push_back(std::move(warning));
    }
    const auto calls_webhook = [](const Value& definition) {
      return document::text_at(definition, {"spec", "conversion", "strategy"}) == "Webhook";
    };
    if (calls_webhook(object) && (old == nullptr || !calls_webhook(*old))) {
      context.warnings.emplace_back(
          "spec.conversion: conversion webhooks are not called: between versions only apiVersion changes");
    }
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_custom_resource_definition_strategy(Traits traits) {
  return std::make_unique<CustomResourceDefinitionStrategy>(traits);
}

}  // namespace loadline::apiserver
