#include <fmt/format.h>

#include <optional>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "objects/kube/meta_schema.h"
#include "objects/kube/selector_text.h"
#include "objects/kube/view.h"
#include "server/api/json_path/json_path.h"
#include "server/apiserver/bodies/patching.h"
#include "server/apiserver/conversion/conversion.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/handlers.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

const schema::GroupVersionKind& scale_kind() {
  static const auto* const kind = new schema::GroupVersionKind{"autoscaling", "v1", "Scale"};
  return *kind;
}

/// Where a resource keeps what a Scale says. Paths are ".spec.replicas".
struct Places {
  std::string spec_replicas = ".spec.replicas";
  std::string status_replicas = ".status.replicas";
  std::string selector;  ///< of a text; empty: `.spec.selector` is a selector
};

Places places_of(const schema::Resource& resource) {
  if (!resource.is_custom) return {};
  return {resource.scale.spec_replicas, resource.scale.status_replicas, resource.scale.label_selector};
}

const Value* at_path(const Value& object, std::string_view path) {
  const Value* found = &object;
  for (const std::string_view name : words(path, ".")) {
    found = found->find(name);
    if (found == nullptr) return nullptr;
  }
  return found;
}

Value with_path(const Value& object, std::span<const std::string_view> names, Value changed) {
  if (names.empty()) return changed;
  const Value* inner = object.find(names.front());
  return object.with(names.front(),
                     with_path(inner == nullptr ? Value() : *inner, names.subspan(1), std::move(changed)));
}

std::int64_t count_at(const Value& object, std::string_view path) {
  const Value* count = at_path(object, path);
  return count != nullptr && count->is_integer() ? count->integer() : 0;
}

/// The selector of the pods, as text.
std::string selector_of(const Value& object, const schema::Resource& resource, const Places& places) {
  if (resource.is_custom) {
    const Value* text = places.selector.empty() ? nullptr : at_path(object, places.selector);
    return text != nullptr && text->is_string() ? text->string() : std::string();
  }
  const Value* selector = document::find_at(object, {"spec", "selector"});
  if (selector == nullptr || !selector->is_object()) return {};
  // A ReplicationController's selector is a plain map.
  const Value wrapped = selector->find("matchLabels") != nullptr || selector->find("matchExpressions") != nullptr
                            ? *selector
                            : Value(Object()).with("matchLabels", *selector);
  return kube::to_text(kube::view<kube::LabelSelector>(wrapped, kube::kLabelSelectorSchema).object);
}

Value scale_of(const Value& object, const schema::Resource& resource) {
  const Places places = places_of(resource);
  Object metadata;
  for (const std::string_view member : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Value* value = document::find_at(object, {"metadata", member})) {
      metadata.push_back({std::string(member), *value, {}});
    }
  }
  Object status{{"replicas", Value(count_at(object, places.status_replicas)), {}}};
  if (std::string selector = selector_of(object, resource, places); !selector.empty()) {
    status.push_back({"selector", Value(std::move(selector)), {}});
  }
  Object spec;
  if (const std::int64_t replicas = count_at(object, places.spec_replicas); replicas != 0) {
    spec.push_back({"replicas", Value(replicas), {}});
  }
  return Value(Object{{"kind", Value("Scale"), {}},
                      {"apiVersion", Value("autoscaling/v1"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"spec", Value(std::move(spec)), {}},
                      {"status", Value(std::move(status)), {}}});
}

/// The object as the scale wants it.
Answer<Value> scaled(const Call& call, const Value& object, const Value& scale) {
  if (const std::string_view name = name_of(scale); !name.empty() && name != call.name) {
    return refuse(bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, call.name)));
  }
  const std::int64_t replicas = count_at(scale, ".spec.replicas");
  if (replicas < 0) {
    return refuse(invalid(
        scale_kind(), call.name,
        {{"spec.replicas", fmt::format("Invalid value: {}: must be greater than or equal to 0", replicas), {}}}));
  }
  const std::string path = places_of(call.resource()).spec_replicas;
  const std::vector<std::string_view> names = words(path, ".");
  Value changed = with_path(object, names, Value(replicas));
  const std::string_view version = resource_version_of(scale);
  return version.empty() ? changed : with_metadata(changed, "resourceVersion", Value(version));
}

/// The scale that the request asks for, given the one that is.
Answer<Value> requested_scale(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body,
                              const Value& current, FieldValidation validation) {
  const schema::Type* type = context.catalog.find_type(scale_kind());
  if (info.verb == "update") {
    return context.bodies.decode(body, {scale_kind(), type}, validation, call.warnings);
  }
  const Answer<PatchType> of = patch_type(body, call.resource());
  if (!of) return refuse(of.error());
  const Answer<Patch> patch = Patch::read(body, *of == PatchType::kApply ? PatchType::kMerge : *of);
  if (!patch) return refuse(patch.error());
  return patch->apply(context.bodies, current, Patch::Source::kMade, type, validation, call.warnings);
}

}  // namespace

/// The number of replicas of anything that has one, as a Scale. Source: pkg/registry/apps/deployment/storage
/// (ScaleREST) and apiextensions-apiserver's for custom resources, v1.36.
Answer<Written> scale(const ServerContext& context, Call& call, const RequestInfo& info, const Body& body) {
  const schema::GroupVersionKind& kind = call.resource().kind;
  if (info.verb == "get") {
    const store::ObjectPtr object = context.store.get(call.key(call.name));
    if (object == nullptr) return refuse(not_found(call.group_resource(), call.name));
    return Written{scale_of(convert(object->document(), kind), call.resource()), nullptr, 200, true};
  }
  const Answer<WriteOptions> options =
      read_write_options(info.query, info.verb == "update" ? Write::kUpdate : Write::kPatch);
  if (!options) return refuse(options.error());
  const auto changed = [&](const Value& old) -> Answer<Value> {
    const Value object = convert(old, kind);
    const Answer<Value> wanted =
        requested_scale(context, call, info, body, scale_of(object, call.resource()), options->validation);
    if (!wanted) return refuse(wanted.error());
    Answer<Value> result = scaled(call, object, *wanted);
    if (!result) return result;
    return convert(*result, call.served->stored->kind);
  };
  const Answer<Written> written = context.writer.change(call, changed, Writer::Target::kObject, *options);
  if (!written) return refuse(written.error());
  return Written{scale_of(convert(written->object, kind), call.resource()), nullptr, 200, true};
}

}  // namespace loadline::apiserver
