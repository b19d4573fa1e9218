// Any JSON document with a schema and two objects: the definition is judged, and if it is fine, both objects are made
// what the schema wants and held against it. What conform_custom() has made stays as it is.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "foundation/document/reader.h"
#include "objects/schema/catalog.h"
#include "objects/schema/custom/custom_object.h"
#include "objects/schema/custom/definition_reader.h"
#include "objects/schema/custom/definition_validation.h"
#include "objects/schema/custom/definition_warnings.h"
#include "objects/schema/custom/schema_validation.h"
#include "objects/schema/custom/structural_schema.h"

namespace {

using loadline::document::Value;

const loadline::schema::Type& object_meta() {
  static const auto& catalog = *new loadline::schema::Catalog(loadline::schema::Catalog::published());
  return *catalog.find_type(std::string_view("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));
}

void apply(const Value& schema, const Value& object, const Value* old) {
  const auto rules = loadline::schema::read_schema(schema);
  const loadline::schema::Conformed done = loadline::schema::conform_custom(object, *rules, object_meta());
  if (!done.error.empty()) return;
  const loadline::schema::Conformed again = loadline::schema::conform_custom(done.value, *rules, object_meta());
  if (!(again.value == done.value)) __builtin_trap();
  (void)loadline::schema::validate_custom(done.value, old, *rules);
}

}  // namespace

/// {"definition": {...}, "schema": {...}, "object": {...}, "old": {...}}
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const loadline::document::Reading reading = loadline::document::read_json(text, "fuzz");
  if (reading.documents.empty()) return 0;
  const Value& input = reading.documents.front();
  if (const Value* definition = input.find("definition"); definition != nullptr) {
    if (loadline::schema::validate_definition(*definition, nullptr).empty()) {
      (void)loadline::schema::read_definition(*definition, object_meta());
    }
    (void)loadline::schema::definition_warnings(*definition);
  }
  const Value* schema = input.find("schema");
  const Value* object = input.find("object");
  if (schema == nullptr || object == nullptr) return 0;
  if (loadline::schema::validate_schema(*schema, "schema").empty()) apply(*schema, *object, input.find("old"));
  return 0;
}
