#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "objects/schema/custom/custom_object.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::array<std::string_view, 3> kStandardFinalizers = {"orphan", "foregroundDeletion", "kubernetes"};

/// Do they say something else, metadata apart?
bool differ(const Value& object, const Value& old) {
  const auto has_other = [](const Value& a, const Value& b) {
    return std::any_of(a.object().begin(), a.object().end(), [&](const document::Member& member) {
      if (member.key == "metadata" || member.key == "kind" || member.key == "apiVersion") return false;
      const Value* other = b.find(member.key);
      return other == nullptr || *other != member.value;
    });
  };
  return has_other(object, old) || has_other(old, object);
}

/// What Go calls the type of a JSON value.
std::string_view go_type(const Value& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_array()) return "[]interface {}";
  if (value.is_object()) return "map[string]interface {}";
  return value.is_integer() ? "int64" : "float64";
}

/// The number or text that a path of the scale subresource (".spec.replicas") leads to; null if there is none.
const Value* at_path(const Value& object, std::string_view path) {
  const Value* found = &object;
  for (const std::string_view name : split(path.substr(path.starts_with('.') ? 1 : 0), ".")) {
    found = found->is_object() ? found->find(name) : nullptr;
    if (found == nullptr) return nullptr;
  }
  return found;
}

void check_replicas(kube::FieldErrors& errors, const Value& object, const std::string& path) {
  const Value* replicas = path.empty() ? nullptr : at_path(object, path);
  if (replicas == nullptr) return;
  const auto invalid = [&](std::int64_t value, const std::string& why) {
    errors.push_back({path, fmt::format("Invalid value: {}: {}", value, why), {}});
  };
  if (!replicas->is_integer()) {
    const std::string shown = replicas->is_string() ? replicas->string() : document::write_json(*replicas);
    return invalid(0, fmt::format("{} accessor error: {} is of the type {}, expected int64", path, shown,
                                  replicas->is_null() ? "<nil>" : go_type(*replicas)));
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (replicas->integer() < 0) return invalid(replicas->integer(), "should be a non-negative integer");
  if (replicas->integer() > kMost) {
    invalid(replicas->integer(), fmt::format("should be less than or equal to {}", kMost));
  }
}

void check_selector(kube::FieldErrors& errors, const Value& object, const std::string& path) {
  const Value* selector = path.empty() ? nullptr : at_path(object, path);
  if (selector == nullptr || selector->is_string()) return;
  errors.push_back({path,
                    fmt::format("Invalid value: \"\": {} accessor error: {} is of the type {}, expected string", path,
                                document::write_json(*selector), go_type(*selector)),
                    {}});
}

/// Custom resources are held against the schema of their version.
/// Source: apiextensions-apiserver's pkg/registry/customresource, v0.36.
class CustomResourceStrategy final : public Strategy {
 public:
  CustomResourceStrategy(Traits traits, const schema::Resource& resource) : Strategy(traits), resource_(resource) {}

  Value prepare_for_create(Value object, StrategyContext& context) const override {
    warn_of_finalizers(object, nullptr, context);
    if (has_status()) object = object.without("status");
    return with_metadata(object, "generation", Value(std::int64_t{1}));
  }

  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    warn_of_finalizers(object, &old, context);
    if (has_status()) {
      const Value* status = old.find("status");
      object = status == nullptr ? object.without("status") : object.with("status", *status);
    }
    if (!differ(object, old)) return object;
    return with_metadata(object, "generation", Value(generation_of(old) + 1));
  }

  kube::FieldErrors validate(const Value& object, StrategyContext& /*context*/) const override {
    return checked(object, nullptr, true);
  }

  kube::FieldErrors validate_update(const Value& object, const Value& old,
                                    StrategyContext& /*context*/) const override {
    return checked(object, &old, true);
  }

  kube::FieldErrors validate_status_update(const Value& object, const Value& old,
                                           StrategyContext& /*context*/) const override {
    return checked(object, &old, false);
  }

 private:
  [[nodiscard]] bool has_status() const { return resource_.find_subresource("status") != nullptr; }

  kube::FieldErrors checked(const Value& object, const Value* old, bool with_specification) const {
    kube::FieldErrors errors = metadata_errors(object, resource_, old);
    if (resource_.type != nullptr && resource_.type->rules != nullptr) {
      const kube::FieldErrors broken = schema::validate_custom(object, old, *resource_.type->rules);
      errors.insert(errors.end(), broken.begin(), broken.end());
    }
    if (with_specification) check_replicas(errors, object, resource_.scale.spec_replicas);
    check_replicas(errors, object, resource_.scale.status_replicas);
    check_selector(errors, object, resource_.scale.label_selector);
    return errors;
  }

  static void warn_of_finalizers(const Value& object, const Value* old, StrategyContext& context) {
    std::vector<std::string_view> added = finalizers_of(object);
    if (old != nullptr) {
      const std::vector<std::string_view> before = finalizers_of(*old);
      std::erase_if(
          added, [&](std::string_view name) { return std::find(before.begin(), before.end(), name) != before.end(); });
    }
    std::sort(added.begin(), added.end());
    for (const std::string_view name : added) warn_of_finalizer(name, context);
  }

  static void warn_of_finalizer(std::string_view name, StrategyContext& context) {
    const auto warn = [&](std::string_view why) {
      context.warnings.push_back(fmt::format("metadata.finalizers: {}: {}", kube::quoted(name), why));
    };
    for (const std::string& problem : kube::qualified_name_problems(name)) warn(problem);
    const bool is_standard =
        std::find(kStandardFinalizers.begin(), kStandardFinalizers.end(), name) != kStandardFinalizers.end();
    if (is_standard || name.find('/') != std::string_view::npos) return;
    warn(name.find('.') != std::string_view::npos
             ? "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other "
               "finalizer writers"
             : "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers");
  }

  const schema::Resource& resource_;
};

}  // namespace

std::unique_ptr<const Strategy> make_custom_strategy(Traits traits, const schema::Resource& resource) {
  return std::make_unique<CustomResourceStrategy>(traits, resource);
}

}  // namespace loadline::apiserver
