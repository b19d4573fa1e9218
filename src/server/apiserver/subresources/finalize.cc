#include "foundation/document/at.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/handlers.h"

namespace loadline::apiserver {

using document::Value;

/// Changes a namespace's spec.finalizers: the last step of the controller that emptied it. Source:
/// pkg/registry/core/namespace.
Answer<Written> finalize_namespace(const ServerContext& context, Call& call, const RequestInfo& info,
                                   const Body& body) {
  const Answer<WriteOptions> options = read_write_options(info.query, Write::kUpdate);
  if (!options) return refuse(options.error());
  const Answer<Value> given =
      context.bodies.decode(body, {call.resource().kind, call.resource().type}, options->validation, call.warnings);
  if (!given) return refuse(given.error());
  const auto finalized = [&](const Value& old) -> Answer<Value> {
    Value changed = old;
    if (const std::string_view version = resource_version_of(*given); !version.empty()) {
      changed = with_metadata(changed, "resourceVersion", Value(version));
    }
    const Value* finalizers = document::find_at(*given, {"spec", "finalizers"});
    if (finalizers == nullptr) return document::without_at(changed, {"spec", "finalizers"});
    return document::with_at(changed, {"spec", "finalizers"}, *finalizers);
  };
  return context.writer.change(call, finalized, Writer::Target::kOther, *options);
}

}  // namespace loadline::apiserver
