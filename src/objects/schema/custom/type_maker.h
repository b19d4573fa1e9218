#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "objects/schema/custom/value_rules.h"
#include "objects/schema/type.h"

namespace loadline::schema {

/// Makes types of schemas, one of each: they are equal if their rules are the same object. Each keeps its rules alive.
class TypeMaker {
 public:
  /// `object_meta`, the type of metadata, lives for ever.
  explicit TypeMaker(const Type& object_meta) : object_meta_(object_meta) {}

  /// The type of whole objects, of that name; it lives as long as types(). O(what is new in the rules).
  const Type* make_root(const ValueRules::Child& rules, std::string name);

  /// All that were made.
  [[nodiscard]] std::shared_ptr<const TypeSet> types() const { return types_; }

 private:
  const Type* type_of(const ValueRules::Child& rules);
  void fill(Type& type, const ValueRules::Child& rules);
  void fill_object(Type& type, const ValueRules& rules);
  void fill_map(Type& type, const ValueRules& rules);
  void fill_list(Type& type, const ValueRules& rules);
  /// apiVersion, kind and metadata, which every object has whatever its schema says of them.
  void add_meta_fields(Type& type);
  const Type* scalar(Form form);

  const Type& object_meta_;
  std::shared_ptr<TypeSet> types_ = std::make_shared<TypeSet>();
  std::unordered_map<const ValueRules*, const Type*> known_;
  std::map<Form, const Type*> scalars_;
};

}  // namespace loadline::schema
