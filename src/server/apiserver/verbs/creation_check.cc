#include "server/apiserver/verbs/creation_check.h"

#include <string>
#include <utility>

#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/subresource.h"
#include "server/apiserver/verbs/new_object.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::uint64_t kSeed = 1;  // of uids and the ends of generated names, which no rule looks at

}  // namespace

CreationCheck::CreationCheck(Instant now)
    : catalog_(schema::Catalog::published()),
      bodies_(catalog_),
      served_(catalog_),
      loop_(now),
      store_(store::Store::open(loop_, {}).value()),
      rng_(kSeed) {}

kube::FieldErrors CreationCheck::errors_of(const Value& document, const schema::Resource& resource) {
  if (!resource.allows("create") || find_subresource_handler(resource, {}) != nullptr) return {};
  Call call;
  call.served = served_.find(resource.kind.group, resource.kind.version, resource.plural);
  if (call.served == nullptr) return {};
  if (resource.is_namespaced) call.name_space = namespace_of(document).empty() ? "default" : namespace_of(document);

  Answer<Value> object = read_new(bodies_, call, Body(document, {}), FieldValidation::kIgnore, loop_.now());
  if (!object) return {{{}, object.error().message, {}}};
  object = in_its_place(call, std::move(*object));
  if (!object) return {{"metadata.resourceVersion", object.error().message, {}}};  // it is in the right namespace
  Value created = with_system_fields(std::move(*object), loop_.now(), rng_);
  if (wants_generated_name(created)) created = with_generated_name(created, rng_);
  StrategyContext context{*call.served->stored, *store_, loop_.now(), rng_, call.user, call.warnings};
  return judge_new(*call.served, std::move(created), context).errors;
}

}  // namespace loadline::apiserver
