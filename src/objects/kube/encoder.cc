#include "objects/kube/encoder.h"

#include "objects/schema/defaults/missing_fields.h"

namespace loadline::kube {

using document::Object;
using document::Value;

Value encode_object(const Schema& schema, const void* owner) {
  Object object;
  for (const Field& row : schema.fields()) {
    if (!row.is_part && row.encode == nullptr) continue;
    Value value = row.is_part ? encode_object(*row.type.schema, owner) : row.encode(owner, row.type);
    const bool kept = row.is_required || row.is_pointer ? !value.is_null() : !schema::is_empty(value);
    if (kept) object.push_back({std::string(row.name), std::move(value), {}});
  }
  return Value(std::move(object));
}

Value encode_scalar(const std::string& value) { return Value(value); }
Value encode_scalar(bool value) { return Value(value); }
Value encode_scalar(std::int64_t value) { return Value(value); }
Value encode_scalar(double value) { return Value(value); }
Value encode_scalar(const Quantity& value) { return Value(value.to_string()); }
Value encode_scalar(const IntOrString& value) {
  return value.integer ? Value(std::int64_t{*value.integer}) : Value(value.text);
}
Value encode_scalar(Instant value) { return Value(format_rfc3339(value)); }

}  // namespace loadline::kube
