#include "objects/schema/go_type.h"

#include <array>
#include <cstddef>

namespace loadline::schema {
namespace {

using document::Value;

struct Embedding {
  std::string_view type;
  std::string_view embedded;
};

/// The structs that k8s.io/api embeds without a name of their own in JSON.
constexpr std::array<Embedding, 14> kEmbeddings{{
    {"ConfigMapEnvSource", "LocalObjectReference"},
    {"ConfigMapKeySelector", "LocalObjectReference"},
    {"ConfigMapProjection", "LocalObjectReference"},
    {"DeviceAllocationConfiguration", "DeviceConfiguration"},
    {"DeviceClaimConfiguration", "DeviceConfiguration"},
    {"DeviceClassConfiguration", "DeviceConfiguration"},
    {"EphemeralContainer", "EphemeralContainerCommon"},
    {"IngressRule", "IngressRuleValue"},
    {"PersistentVolumeSpec", "PersistentVolumeSource"},
    {"Probe", "ProbeHandler"},
    {"SecretEnvSource", "LocalObjectReference"},
    {"SecretKeySelector", "LocalObjectReference"},
    {"SecretProjection", "LocalObjectReference"},
    {"Volume", "VolumeSource"},
}};

std::string object_type(std::string_view name) {
  const std::size_t last = name.rfind('.');
  if (last == std::string_view::npos) return std::string(name);
  const std::size_t package = name.rfind('.', last - 1);
  return std::string(package == std::string_view::npos ? name : name.substr(package + 1));
}

}  // namespace

std::string_view struct_name(const Type& type) {
  const std::string_view name = type.name;
  const std::size_t last = name.rfind('.');
  return last == std::string_view::npos ? name : name.substr(last + 1);
}

std::string_view reflected_kind(Form form) {
  switch (form) {
    case Form::kString:
      return "string";
    case Form::kInt32:
      return "int32";
    case Form::kInt64:
      return "int64";
    case Form::kNumber:
      return "float64";
    case Form::kBoolean:
      return "bool";
    case Form::kMap:
      return "map";
    case Form::kBytes:
    case Form::kList:
      return "slice";
    default:
      return "struct";
  }
}

std::string go_type(const Type& type) {
  switch (type.form) {
    case Form::kAny:
      return "interface {}";
    case Form::kString:
    case Form::kInt32:
    case Form::kInt64:
    case Form::kNumber:
    case Form::kBoolean:
      return std::string(reflected_kind(type.form));
    case Form::kBytes:
      return "[]uint8";
    case Form::kQuantity:
      return "resource.Quantity";
    case Form::kIntOrString:
      return "intstr.IntOrString";
    case Form::kTime:
      return "v1.Time";
    case Form::kMicroTime:
      return "v1.MicroTime";
    case Form::kDuration:
      return "v1.Duration";
    case Form::kRawObject:
      return "runtime.RawExtension";
    case Form::kFieldsV1:
      return "v1.FieldsV1";
    case Form::kObject:
      return object_type(type.name);
    case Form::kMap:
      if (!type.name.empty()) return object_type(type.name);
      // The one map in k8s.io/api with a name of its own.
      if (type.element->form == Form::kQuantity) return "v1.ResourceList";
      return "map[string]" + go_type(*type.element);
    case Form::kList:
      return "[]" + go_type(*type.element);
  }
  return {};
}

Value openapi_zero(const Type& type) {
  switch (type.form) {
    case Form::kObject:
      return Value(document::Object{});
    case Form::kString:
      return Value("");
    case Form::kInt32:
    case Form::kInt64:
    case Form::kNumber:
      return Value(std::int64_t{0});
    case Form::kBoolean:
      return Value(false);
    default:
      return {};
  }
}

std::string_view embedded_struct(const Type& type, const Field& field) {
  if (field.inside == 0) return {};
  const std::string_view name = struct_name(type);
  for (const Embedding& embedding : kEmbeddings) {
    if (embedding.type == name) return embedding.embedded;
  }
  return {};
}

}  // namespace loadline::schema
