#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/schema/type.h"

namespace loadline::schema::testing {

/// Types made by hand, for tests that look at one shape at a time.
class Types {
 public:
  const Type* scalar(Form form) {
    Type& type = set_.add();
    type.form = form;
    return &type;
  }
  const Type* list(const Type* element) {
    Type& type = set_.add();
    type.form = Form::kList;
    type.element = element;
    return &type;
  }
  const Type* map(const Type* element) {
    Type& type = set_.add();
    type.form = Form::kMap;
    type.element = element;
    return &type;
  }
  Type* object(std::string name, std::vector<Field> fields) {
    Type& type = set_.add();
    type.form = Form::kObject;
    type.name = std::move(name);
    type.fields = std::move(fields);
    return &type;
  }

  /// A field with omitempty; `tag` 0: not in protobuf.
  static Field optional(std::string name, const Type* type, std::uint32_t tag = 0) {
    Field field;
    field.name = std::move(name);
    field.type = type;
    field.omits_empty = true;
    field.tag = tag;
    return field;
  }
  static Field pointer(std::string name, const Type* type, std::uint32_t tag = 0) {
    Field field = optional(std::move(name), type, tag);
    field.is_pointer = true;
    return field;
  }
  static Field always(std::string name, const Type* type, std::uint32_t tag = 0) {
    Field field = optional(std::move(name), type, tag);
    field.omits_empty = false;
    return field;
  }

 private:
  TypeSet set_;
};

}  // namespace loadline::schema::testing
