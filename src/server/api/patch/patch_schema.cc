#include "server/api/patch/patch_schema.h"

#include <algorithm>
#include <cctype>

#include "objects/schema/go_type.h"

namespace loadline::api {

using schema::Field;
using schema::Form;
using schema::reflected_kind;
using schema::Type;
namespace {

using document::PatchError;
using document::refuse;

std::string reflected_name(const Type& type) {
  switch (type.form) {
    case Form::kAny:
      return "JSON";
    case Form::kQuantity:
      return "Quantity";
    case Form::kIntOrString:
      return "IntOrString";
    case Form::kTime:
      return "Time";
    case Form::kMicroTime:
      return "MicroTime";
    case Form::kDuration:
      return "Duration";
    case Form::kRawObject:
      return "RawExtension";
    case Form::kFieldsV1:
      return "FieldsV1";
    default:
      return type.name.substr(type.name.rfind('.') + 1);
  }
}

bool equal_fold(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// As Go's JSON decoder finds fields: the exact name, else the first that differs only in case.
const Field* find_field(const Type& type, std::string_view name) {
  if (const Field* field = type.find(name)) return field;
  const auto field = std::ranges::find_if(type.fields, [name](const Field& f) { return equal_fold(f.name, name); });
  return field == type.fields.end() ? nullptr : &*field;
}

}  // namespace

std::string_view PatchSchema::kind() const { return is_pointer ? "ptr" : reflected_kind(type->form); }

tl::expected<PatchSchema::Found, PatchError> PatchSchema::find(std::string_view name) const {
  const std::string_view kind = reflected_kind(type->form);
  if (kind != "struct") {
    return refuse(PatchError::Kind::kCannotProcess,
                  "merging an object in json but data type is not struct, instead is: " + std::string(kind));
  }
  const Field* field = find_field(*type, name);
  if (field == nullptr) {
    return refuse(PatchError::Kind::kCannotProcess, "unable to find api field in struct " + reflected_name(*type) +
                                                        " for the json field \"" + std::string(name) + "\"");
  }
  return Found{{field->type, field->is_pointer}, field};
}

tl::expected<PatchSchema::Found, PatchError> PatchSchema::find_list(std::string_view name) const {
  auto found = find(name);
  if (!found) return found;
  const Type& list = *found->schema.type;
  if (list.form == Form::kList) {
    if (reflected_kind(list.element->form) == "slice") {
      return refuse(PatchError::Kind::kCannotProcess, "unexpected slice of slice");
    }
    return Found{{list.element, false}, found->field};
  }
  if (found->schema.is_pointer) return Found{{&list, false}, found->field};
  return refuse(PatchError::Kind::kCannotProcess, "expected slice or array type, but got: " + std::string(kind()));
}

}  // namespace loadline::api
