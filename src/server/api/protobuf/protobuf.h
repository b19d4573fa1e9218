#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "objects/schema/type.h"

namespace loadline::api {

/// What every body of application/vnd.kubernetes.protobuf is wrapped in: runtime.Unknown. Views live as long as the
/// body.
struct ProtobufEnvelope {
  std::string api_version;
  std::string kind;
  std::string_view message;  ///< the object, as its kind's message
};

/// Reads the envelope. Errors are upstream's: `provided data does not appear to be a protobuf message, expected prefix
/// [107 56 115 0]`, `unexpected EOF`.
[[nodiscard]] Result<ProtobufEnvelope> read_protobuf_envelope(std::string_view body);

/// The message as the document that conform() would make of the same object's JSON; `api_version` and `kind`, which are
/// not in the message, are put in front unless empty. Fields that the type does not know are skipped, as protobuf asks.
/// At most 100 levels of messages. O(size); a message that comes in pieces is put together first.
/// Errors: `unexpected EOF`, `proto: wrong wireType = 0 for field name`.
[[nodiscard]] Result<document::Value> decode_protobuf(std::string_view message, const schema::Type& type,
                                                      std::string_view api_version, std::string_view kind);

}  // namespace loadline::api
