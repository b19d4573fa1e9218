#include "hosts/embedded/default_storage.h"

#include <utility>

#include "foundation/document/at.h"

namespace loadline::embedded {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kProvided = "loadline.dev/storage-provided";

Value standard_class() {
  const Value annotations(Object{{"storageclass.kubernetes.io/is-default-class", Value("true"), {}}});
  return Value(Object{
      {"apiVersion", Value("storage.k8s.io/v1"), {}},
      {"kind", Value("StorageClass"), {}},
      {"metadata", Value(Object{{"name", Value("standard"), {}}, {"annotations", annotations, {}}}), {}},
      {"provisioner", Value("loadline.dev/virtual"), {}},
      {"reclaimPolicy", Value("Delete"), {}},
      {"volumeBindingMode", Value("WaitForFirstConsumer"), {}},
      {"allowVolumeExpansion", Value(true), {}},
  });
}

kube::ResourceReference kube_system() { return {"", "v1", "namespaces", "", "kube-system"}; }

void remember(kube::Client& client, std::function<void(Result<void>)> done) {
  const Value annotations(Object{{std::string(kProvided), Value("true"), {}}});
  Value patch(Object{{"metadata", Value(Object{{"annotations", annotations, {}}}), {}}});
  client.patch(kube_system(), {kube::PatchType::kMerge, std::move(patch)},
               [done = std::move(done)](const kube::Answer<Value>& answer) {
                 done(answer ? Result<void>{} : failure(answer.error().message));
               });
}

}  // namespace

void provide_default_storage(kube::Client& client, std::function<void(Result<void>)> done) {
  client.get(kube_system(), [&client, done = std::move(done)](const kube::Answer<Value>& there) {
    if (!there) return done(failure(there.error().message));
    if (document::find_at(*there, {"metadata", "annotations", kProvided}) != nullptr) return done({});
    client.create({"storage.k8s.io", "v1", "storageclasses"}, standard_class(),
                  [&client, done](const kube::Answer<Value>& made) {
                    if (!made && made.error().reason != "AlreadyExists") return done(failure(made.error().message));
                    remember(client, done);
                  });
  });
}

}  // namespace loadline::embedded
