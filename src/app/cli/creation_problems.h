#pragma once

#include <cstdint>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "objects/kube/codec.h"

namespace loadline::cli {

/// Which documents are held against what an API server asks of new objects.
enum class CreationRules : std::uint8_t {
  kNone,
  kUnread,  ///< of kinds that no decision reads: decoding knows their fields, and none of their rules
  kAll,
};

/// What an API server would refuse to create of these documents, with places as kube::decode gives them. What a cluster
/// has judged already is left out, and what `told`, the diagnostics of decoding, says of the same field. `custom_kinds`
/// are those of the documents. Costs milliseconds if there is a document to be asked about, and nothing if there is
/// none.
Diagnostics creation_problems(const std::vector<kube::SourceDocument>& documents, kube::CustomKinds& custom_kinds,
                              CreationRules rules, const Diagnostics& told);

}  // namespace loadline::cli
