#include "server/apiserver/admission/default_ingress_class.h"

#include <optional>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/admission/spec_edit.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::find_at;
using document::text_at;
using document::Value;

constexpr std::string_view kClassAnnotation = "kubernetes.io/ingress.class";
constexpr std::string_view kDefaultClass = "ingressclass.kubernetes.io/is-default-class";

/// A class that is marked as default.
struct Candidate {
  std::optional<Instant> created;
  std::string name;

  [[nodiscard]] bool outranks(const Candidate& other) const {
    return created != other.created ? created > other.created : name < other.name;
  }
};

/// Its name; nothing if none is marked. Ingresses are rare and classes few, so the classes are read for each ingress.
std::optional<std::string> default_class(const store::Store& store) {
  store::StoreResult<store::Listing> listing = store.list("ingressclasses.networking.k8s.io", {});
  if (!listing) return std::nullopt;  // the latest state can always be listed
  std::optional<Candidate> best;
  for (const store::ObjectPtr* stored = listing->next(); stored != nullptr; stored = listing->next()) {
    const Value document = (*stored)->document();
    if (text_at(document, {"metadata", "annotations", kDefaultClass}) != "true") continue;
    Candidate candidate{parse_rfc3339(text_at(document, {"metadata", "creationTimestamp"})),
                        std::string(name_of(document))};
    if (!best || candidate.outranks(*best)) best = std::move(candidate);
  }
  if (!best) return std::nullopt;
  return std::move(best->name);
}

}  // namespace

Answer<Value> DefaultIngressClass::complete(const AdmissionRequest& request, Value object) {
  const bool creates = request.operation == AdmissionRequest::Operation::kCreate && request.call.subresource.empty();
  if (!creates || request.call.served->store_name != "ingresses.networking.k8s.io") return object;
  const Value* named = find_at(object, {"spec", "ingressClassName"});
  if (named != nullptr && !named->is_null()) return object;
  if (find_at(object, {"metadata", "annotations", kClassAnnotation}) != nullptr) return object;
  std::optional<std::string> name = default_class(store_);
  if (!name) return object;
  return with_spec(std::move(object), {{"ingressClassName", Value(std::move(*name))}});
}

}  // namespace loadline::apiserver
