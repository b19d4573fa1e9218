// Any bytes, read as a protobuf body of any published kind: an object or an error, and an object reads back as itself.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "objects/schema/catalog.h"
#include "objects/schema/conform.h"
#include "server/api/protobuf/protobuf.h"

namespace {

using loadline::schema::Catalog;
using loadline::schema::Type;

const Catalog& catalog() {
  static const auto& published = *new Catalog(Catalog::published());
  return published;
}

void decode(std::string_view message, const Type& type) {
  const auto value = loadline::api::decode_protobuf(message, type, "", "");
  if (!value) {
    if (value.error().message.empty()) __builtin_trap();
    return;
  }
  const loadline::schema::Conformed again = loadline::schema::conform(*value, type);
  if (!again.error.empty() || !again.findings.empty() || !(again.value == *value)) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  if (const auto envelope = loadline::api::read_protobuf_envelope(body)) {
    const Type* type = catalog().find_type(std::string_view("io.k8s.api.core.v1." + envelope->kind));
    if (type != nullptr) decode(envelope->message, *type);
  }
  // Without an envelope, the first byte picks the kind.
  constexpr const char* kNames[] = {"io.k8s.api.core.v1.Pod", "io.k8s.api.apps.v1.Deployment",
                                    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
                                    "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"};
  if (size == 0) return 0;
  const char* name = kNames[data[0] % std::size(kNames)];
  if (const Type* type = catalog().find_type(std::string_view(name))) decode(body.substr(1), *type);
  return 0;
}
