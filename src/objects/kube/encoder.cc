#include "objects/kube/encoder.h"

namespace loadline::kube {

using document::Object;
using document::Value;

namespace {

/// What Go's omitempty leaves out.
bool is_empty(const Value& value) {
  if (value.is_boolean()) return !value.boolean();
  if (value.is_integer()) return value.integer() == 0;
  if (value.is_string()) return value.string().empty();
  if (value.is_array()) return value.array().empty();
  if (value.is_object()) return value.object().empty();
  return value.is_null();
}

}  // namespace

Value encode_object(const Schema& schema, const void* owner) {
  Object object;
  for (const Field& row : schema.fields()) {
    if (!row.is_part && row.encode == nullptr) continue;
    Value value = row.is_part ? encode_object(*row.type.schema, owner) : row.encode(owner, row.type);
    const bool kept = row.is_required || row.is_pointer ? !value.is_null() : !is_empty(value);
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
