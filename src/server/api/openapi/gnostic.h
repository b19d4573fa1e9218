#pragma once

#include <string>

#include "foundation/document/value.h"

namespace loadline::api {

/// An OpenAPI 2.0 document as the protobuf message openapi.v2.Document, which is the only form in which client-go reads
/// such documents. Members that the message has no field for (`nullable`) are left out; extensions ("x-…") are kept as
/// JSON text, which is YAML. O(document). Source: google/gnostic-models, OpenAPIv2.proto.
std::string encode_gnostic(const document::Value& document);

}  // namespace loadline::api
