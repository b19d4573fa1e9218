#include "server/apiserver/admission/default_tolerations.h"

#include <algorithm>
#include <vector>

#include "brain/admission/default_tolerations.h"
#include "foundation/document/at.h"
#include "server/apiserver/admission/spec_edit.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;

kube::TaintEffect effect_of(const Value& toleration) {
  const std::string_view effect = document::text_at(toleration, {"effect"});
  if (effect.empty()) return kube::TaintEffect::kNone;
  // All that matters is whether it is this one.
  return effect == "NoExecute" ? kube::TaintEffect::kNoExecute : kube::TaintEffect::kNoSchedule;
}

Value document_of(const kube::Toleration& toleration) {
  return Value(document::Object{{"key", Value(toleration.key), {}},
                                {"operator", Value("Exists"), {}},
                                {"effect", Value("NoExecute"), {}},
                                {"tolerationSeconds", Value(toleration.toleration_seconds.value_or(0)), {}}});
}

}  // namespace

DefaultTolerationSeconds::DefaultTolerationSeconds() {
  std::vector<kube::Toleration> tolerations;
  admission::add_default_tolerations(tolerations);
  for (const kube::Toleration& toleration : tolerations) defaults_.push_back(document_of(toleration));
}

Answer<Value> DefaultTolerationSeconds::complete(const AdmissionRequest& request, Value object) {
  if (request.call.served->store_name != "pods" || !request.call.subresource.empty()) return object;
  const Value* written = document::find_at(object, {"spec", "tolerations"});
  Array all;
  if (written != nullptr && written->is_array()) all = written->array();
  std::vector<kube::Toleration> tolerations;
  for (const Value& toleration : all) {
    tolerations.push_back(
        {std::string(document::text_at(toleration, {"key"})), {}, {}, effect_of(toleration), std::nullopt});
  }
  admission::add_default_tolerations(tolerations);
  if (tolerations.size() == all.size()) return object;
  for (std::size_t added = all.size(); added < tolerations.size(); ++added) {
    const auto shared = std::ranges::find_if(
        defaults_, [&](const Value& known) { return document::text_at(known, {"key"}) == tolerations[added].key; });
    all.push_back(*shared);
  }
  return with_spec(std::move(object), {{"tolerations", Value(std::move(all))}});
}

}  // namespace loadline::apiserver
