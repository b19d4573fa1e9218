#include "server/apiserver/verbs/new_object.h"

#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/generated_name.h"
#include "server/apiserver/conversion/conversion.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {

using document::Value;

namespace {

/// The namespace of the path goes into the object; one of its own must be the same.
Answer<Value> in_namespace_of(const Call& call, Value object) {
  const std::string_view expected = call.resource().is_namespaced ? std::string_view(call.name_space) : "";
  const std::string_view own = namespace_of(object);
  if (own.empty() && !expected.empty()) return with_metadata(std::move(object), "namespace", Value(expected));
  if (own == expected) return object;
  if (expected.empty()) return with_metadata(std::move(object), "namespace", Value());
  return refuse(bad_request("the namespace of the provided object does not match the namespace sent on the request"));
}

}  // namespace

Answer<Value> read_new(const Bodies& bodies, Call& call, const Body& body, FieldValidation validation, Instant now) {
  const Expected expected{call.resource().kind, call.resource().type};
  const Answer<Value> object = bodies.decode(body, expected, validation, call.warnings);
  if (!object) return refuse(object.error());
  return convert(bodies.with_defaults(*object, call.resource(), now), call.served->stored->kind);
}

Answer<Value> in_its_place(const Call& call, Value object) {
  const std::string_view version = resource_version_of(object);
  if (!version.empty() && version != "0") {
    return refuse(plain_error("resourceVersion should not be set on objects to be created"));
  }
  return in_namespace_of(call, std::move(object));
}

Value with_system_fields(Value object, Instant now, Rng& rng) {
  object = with_metadata(std::move(object), "creationTimestamp", Value(format_rfc3339(now)));
  object = with_metadata(std::move(object), "uid", Value(make_uid(rng)));
  for (const std::string_view member : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    object = with_metadata(std::move(object), member, Value());
  }
  return object;
}

bool wants_generated_name(const Value& object) {
  return name_of(object).empty() && !document::text_at(object, {"metadata", "generateName"}).empty();
}

Value with_generated_name(const Value& object, Rng& rng) {
  const std::string base(document::text_at(object, {"metadata", "generateName"}));
  return with_metadata(object, "name", Value(kube::generate_name(base, rng)));
}

JudgedObject judge_new(const ServedResource& served, Value object, StrategyContext& context) {
  JudgedObject judged;
  judged.object = served.strategy->prepare_for_create(std::move(object), context);
  judged.errors = served.strategy->validate(judged.object, context);
  return judged;
}

}  // namespace loadline::apiserver
