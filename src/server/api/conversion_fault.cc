#include "server/api/conversion_fault.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "foundation/base/base64.h"
#include "foundation/document/same_document.h"
#include "objects/schema/conform.h"
#include "objects/schema/go_type.h"
#include "server/api/go_text.h"

namespace loadline::api {

using schema::conform;
using schema::Field;
using schema::Form;
using schema::go_type;
using schema::reflected_kind;
using schema::Type;
namespace {

using document::Member;
using document::Value;

/// What reflection calls the kind of a decoded JSON value.
std::string_view go_kind(const Value& value) {
  if (value.is_object()) return "map";
  return value.is_array() ? "slice" : go_type_name(value);
}

std::string unrecognized(const Type& type) { return fmt::format("unrecognized type: {}", reflected_kind(type.form)); }

/// Go can convert any integer to a string, which is why the converter says of that one that it will not.
std::string fault_of_string(const Value& value, const Type& type) {
  if (value.is_string()) return {};
  if (value.is_integer()) return fmt::format("cannot convert int64 to {}", go_type(type));
  return unrecognized(type);
}

std::string fault_of_integer(const Value& value, const Type& type) {
  if (!value.is_number()) return unrecognized(type);
  if (value.is_integer() || value.number() == std::trunc(value.number())) return {};
  return fmt::format("cannot convert float64 to {}", go_type(type));
}

std::string fault_of_bytes(const Value& value) {
  if (value.is_array()) return {};
  if (!value.is_string()) return fmt::format("cannot restore slice from {}", go_kind(value));
  if (decode_base64(value.string())) return {};
  return fmt::format("error decoding from json: illegal base64 data at input byte {}", base64_fault(value.string()));
}

std::string fault_of_object(const Value& value, const Type& type, const Value* sound) {
  if (!value.is_object()) return fmt::format("cannot restore struct from: {}", go_kind(value));
  for (const Field& field : type.fields) {
    const Value* member = value.find(field.name);
    if (member == nullptr) continue;
    const Value* before = sound == nullptr ? nullptr : sound->find(field.name);
    if (std::string fault = find_conversion_fault(*member, *field.type, before); !fault.empty()) return fault;
  }
  return {};
}

std::string fault_of_map(const Value& value, const Type& type, const Value* sound) {
  if (!value.is_object()) return fmt::format("cannot restore map from {}", go_kind(value));
  for (std::size_t i = 0; i < value.object().size(); ++i) {
    const Member& member = value.object()[i];
    const Value* before = document::earlier_member(sound, member.key, i);
    if (std::string fault = find_conversion_fault(member.value, *type.element, before); !fault.empty()) return fault;
  }
  return {};
}

std::string fault_of_list(const Value& value, const Type& type, const Value* sound) {
  if (!value.is_array()) return fmt::format("cannot restore slice from {}", go_kind(value));
  for (std::size_t i = 0; i < value.array().size(); ++i) {
    const Value* before = document::earlier_element(sound, i);
    if (std::string fault = find_conversion_fault(value.array()[i], *type.element, before); !fault.empty()) {
      return fault;
    }
  }
  return {};
}

}  // namespace

std::string find_conversion_fault(const Value& value, const Type& type, const Value* sound) {
  if (value.is_null() || (sound != nullptr && document::are_shared(value, *sound))) return {};
  switch (type.form) {
    case Form::kString:
      return fault_of_string(value, type);
    case Form::kBoolean:
      return value.is_boolean() ? std::string() : unrecognized(type);
    case Form::kInt32:
    case Form::kInt64:
      return fault_of_integer(value, type);
    case Form::kNumber:
      return value.is_number() ? std::string() : unrecognized(type);
    case Form::kBytes:
      return fault_of_bytes(value);
    case Form::kObject:
      return fault_of_object(value, type, sound);
    case Form::kMap:
      return fault_of_map(value, type, sound);
    case Form::kList:
      return fault_of_list(value, type, sound);
    case Form::kQuantity:
    case Form::kIntOrString:
    case Form::kTime:
    case Form::kMicroTime:
    case Form::kDuration:
      return conform(value, type).error;  // these have decoders of their own
    case Form::kAny:
    case Form::kRawObject:
    case Form::kFieldsV1:
      return {};
  }
  return {};
}

}  // namespace loadline::api
