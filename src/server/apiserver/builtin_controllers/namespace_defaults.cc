#include "server/apiserver/builtin_controllers/namespace_defaults.h"

#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

constexpr std::size_t kNamespacesPerTask = 20;
constexpr std::string_view kAccount = "default";
constexpr std::string_view kAuthority = "kube-root-ca.crt";
constexpr std::string_view kCertificate = "ca.crt";
constexpr std::string_view kDescription = "kubernetes.io/description";
constexpr std::string_view kWords =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters.";

Value blank(std::string_view kind, std::string_view name, const std::string& name_space) {
  return Value(
      Object{{"kind", Value(kind), {}},
             {"apiVersion", Value("v1"), {}},
             {"metadata", Value(Object{{"name", Value(name), {}}, {"namespace", Value(name_space), {}}}), {}}});
}

}  // namespace

NamespaceDefaults::NamespaceDefaults(const ServerContext& context, std::string authority_pem)
    : authority_pem_(std::move(authority_pem)),
      accounts_(context, "system:serviceaccount:kube-system:service-account-controller", "kube-controller-manager"),
      publisher_(context, "system:serviceaccount:kube-system:root-ca-cert-publisher", "kube-controller-manager"),
      queue_(context, kNamespacesPerTask, [this](const std::string& name_space) { create_defaults(name_space); }) {}

void NamespaceDefaults::on_object(const store::ObjectPtr& object, bool gone) {
  if (object->resource() == "namespaces" && !gone) return queue_.add(std::string(object->name()));
  const bool is_account = object->resource() == "serviceaccounts" && object->name() == kAccount && gone;
  const bool is_authority = object->resource() == "configmaps" && object->name() == kAuthority;
  if (is_account || is_authority) queue_.add(std::string(object->name_space()));
}

void NamespaceDefaults::create_defaults(const std::string& name_space) {
  const Value owner = accounts_.get({"namespaces", "", name_space});
  if (owner.is_null() || is_being_deleted(owner)) return;
  const store::Key account{"serviceaccounts", name_space, std::string(kAccount)};
  if (accounts_.get(account).is_null() && !accounts_.create(account, blank("ServiceAccount", kAccount, name_space))) {
    queue_.add_later(name_space);
  }
  publish_authority(name_space);
}

void NamespaceDefaults::publish_authority(const std::string& name_space) {
  const store::Key key{"configmaps", name_space, std::string(kAuthority)};
  const Value data(Object{{std::string(kCertificate), Value(authority_pem_), {}}});
  const auto filled = [&](const Value& map) {
    return document::with_at(map.with("data", data), {"metadata", "annotations", kDescription}, Value(kWords));
  };
  const Value known = publisher_.get(key);
  if (known.is_null()) {
    if (!publisher_.create(key, filled(blank("ConfigMap", kAuthority, name_space)))) queue_.add_later(name_space);
    return;
  }
  const Value* kept = known.find("data");
  if (kept != nullptr && *kept == data &&
      document::text_at(known, {"metadata", "annotations", kDescription}) == kWords) {
    return;
  }
  const auto restored = [&](const Value& old) -> Answer<Value> { return filled(old); };
  if (!publisher_.change(key, restored)) queue_.add_later(name_space);
}

}  // namespace loadline::apiserver
