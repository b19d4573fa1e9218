// The two faces of a kind agree: the tables in kube/, which decisions read, and the published types.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/kube/registry.h"
#include "objects/kube/schema.h"
#include "objects/schema/catalog.h"

namespace loadline::api {

using schema::Catalog;
using schema::Field;
using schema::Form;
using schema::GroupVersionKind;
using schema::Type;
namespace {

using ::testing::IsEmpty;

/// The form of one value of that shape.
Form form_of(kube::FieldType shape) {
  switch (shape) {
    case kube::FieldType::kString:
    case kube::FieldType::kEnumeration:
      return Form::kString;
    case kube::FieldType::kInt32:
      return Form::kInt32;
    case kube::FieldType::kInt64:
      return Form::kInt64;
    case kube::FieldType::kNumber:
      return Form::kNumber;
    case kube::FieldType::kBoolean:
      return Form::kBoolean;
    case kube::FieldType::kQuantity:
      return Form::kQuantity;
    case kube::FieldType::kIntOrString:
      return Form::kIntOrString;
    case kube::FieldType::kTime:
      return Form::kTime;
    case kube::FieldType::kMicroTime:
      return Form::kMicroTime;
    case kube::FieldType::kDuration:
      return Form::kDuration;
    case kube::FieldType::kBytes:
      return Form::kBytes;
    case kube::FieldType::kObject:
      return Form::kObject;
    case kube::FieldType::kAny:
      break;
  }
  return Form::kAny;
}

/// Walks a table and a type together, and collects where they differ.
class Comparison {
 public:
  void compare(const std::string& where, const kube::Schema& table, const Type& type) {
    if (!seen_.emplace(&table, &type).second) return;
    for (const kube::Field& row : table.fields) {
      const Field* field = type.find(row.name);
      if (field == nullptr) {
        differ(where, row.name, "is in the table only");
      } else {
        compare_field(where, row, *field);
      }
    }
    for (const Field& field : type.fields) {
      if (table.find(field.name) == nullptr) differ(where, field.name, "is published only");
    }
  }

  [[nodiscard]] const std::vector<std::string>& differences() const { return differences_; }
  /// How many tables were compared with a type.
  [[nodiscard]] std::size_t compared() const { return seen_.size(); }

 private:
  void compare_field(const std::string& where, const kube::Field& row, const Field& field) {
    const Type* type = field.type;
    const kube::Multiplicity multiplicity = type->form == Form::kList  ? kube::Multiplicity::kList
                                            : type->form == Form::kMap ? kube::Multiplicity::kMap
                                                                       : kube::Multiplicity::kOne;
    if (row.type.shape != kube::FieldType::kAny) {
      if (row.type.multiplicity != multiplicity) return differ(where, row.name, "is one, a list or a map");
      if (multiplicity != kube::Multiplicity::kOne) type = type->element;
      if (form_of(row.type.shape) != type->form) differ(where, row.name, "has another form");
    }
    // A zero that is not written would be read as the default, which is another number.
    const bool is_number = type->form == Form::kInt32 || type->form == Form::kInt64;
    if (row.encode != nullptr && is_number && field.is_pointer && !row.is_pointer)
      differ(where, row.name, "is a pointer");
    if (row.is_required != field.is_required) {
      differ(where, row.name, field.is_required ? "is required" : "is not required");
    }
    if (row.type.schema != nullptr && type->form == Form::kObject) {
      compare(where + "." + std::string(row.name), *row.type.schema, *type);
    }
  }

  void differ(const std::string& where, std::string_view field, std::string_view how) {
    differences_.push_back(where + "." + std::string(field) + " " + std::string(how));
  }

  std::set<std::pair<const kube::Schema*, const Type*>> seen_;
  std::vector<std::string> differences_;
};

TEST(Agreement, OfTheTablesThatDecisionsReadWithThePublishedTypes) {
  const Catalog catalog = Catalog::published();
  Comparison comparison;
  for (const kube::KindInfo& info : kube::known_kinds()) {
    const std::size_t slash = info.api_version.find('/');
    const bool has_group = slash != std::string_view::npos;
    const GroupVersionKind kind{std::string(info.api_version.substr(0, has_group ? slash : 0)),
                                std::string(has_group ? info.api_version.substr(slash + 1) : info.api_version),
                                std::string(info.kind)};
    const auto resource = catalog.find_kind(kind);
    ASSERT_NE(resource, nullptr) << info.kind;
    EXPECT_EQ(resource->plural, info.plural);
    EXPECT_EQ(resource->is_namespaced, info.scope == kube::Scope::kNamespaced) << info.kind;
    comparison.compare(std::string(info.kind), *info.schema, *resource->type);
  }
  EXPECT_THAT(comparison.differences(), IsEmpty());
  EXPECT_GT(comparison.compared(), 200U);
}

}  // namespace
}  // namespace loadline::api
