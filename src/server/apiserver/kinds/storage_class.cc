#include "objects/kube/scalars.h"
#include "objects/kube/storage/storage_schema.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

constexpr std::size_t kMostParameters = 512;
constexpr std::size_t kMostParameterBytes = 256 * 1024;

kube::FieldErrors typed_storage_class_errors(const document::Value& object) {
  return typed_errors<kube::StorageClass>(object, kube::kStorageClassSchema);
}

void check_parameters(const CheckedField& parameters) {
  if (parameters.size() > kMostParameters) {
    parameters.too_long(kMostParameters);
    return;
  }
  std::size_t bytes = 0;
  const document::Value map = parameters.value();
  if (!map.is_object()) return;
  for (const document::Member& parameter : map.object()) {
    if (parameter.key.empty()) parameters.invalid(document::Value(""), "field can not be empty.");
    bytes += parameter.key.size() + (parameter.value.is_string() ? parameter.value.string().size() : 0);
  }
  if (bytes > kMostParameterBytes) parameters.too_long(kMostParameterBytes);
}

void check_storage_class(const CheckedField& object) {
  check_parameters(object.at("parameters"));
  const CheckedField reclaim = object.at("reclaimPolicy");
  if (!reclaim.text().empty()) reclaim.one_of({"Delete", "Retain"});
  const CheckedField mode = object.at("volumeBindingMode");
  if (!mode.is_set()) mode.required();
}

void check_storage_class_change(const CheckedField& object, const CheckedField& old) {
  for (const std::string_view name : {"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"}) {
    object.at(name).unchanged_from(old.at(name));
  }
}

void check_attributes_class(const CheckedField& object) {
  const CheckedField driver = object.at("driverName");
  if (driver.text().empty()) {
    driver.required();
  } else {
    const std::string lower = kube::lower_case(driver.text());
    for (const std::string& problem : kube::qualified_name_problems(lower)) {
      driver.invalid(document::Value(lower), problem);
    }
  }
  check_parameters(object.at("parameters"));
  if (object.at("parameters").size() == 0) {
    object.at("parameters").required("must contain at least one key/value pair");
  }
}

void check_attributes_class_change(const CheckedField& object, const CheckedField& old) {
  if (!object.at("driverName").is_same_as(old.at("driverName"))) {
    object.at("driverName").forbidden("updates to driverName are forbidden.");
  }
  if (!object.at("parameters").is_same_as(old.at("parameters"))) {
    object.at("parameters").forbidden("updates to parameters are forbidden.");
  }
}

}  // namespace

// Source: pkg/registry/storage/{storageclass,volumeattributesclass} and pkg/apis/storage/validation, v1.36.
std::unique_ptr<const Strategy> make_storage_class_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(
      traits, Rules{typed_storage_class_errors, check_storage_class, check_storage_class_change, nullptr});
}

std::unique_ptr<const Strategy> make_volume_attributes_class_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(
      traits, Rules{nullptr, check_attributes_class, check_attributes_class_change, nullptr});
}

}  // namespace loadline::apiserver
