#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/registry.h"

namespace loadline::kube {

/// Upstream's words for a document that does not say what it is: `Object 'Kind' is missing in '{…}'`. Long documents
/// are cut.
std::string missing_type_message(const document::Value& document, std::string_view kind);

/// What a document without a kind seems to be, by its fields.
struct Guess {
  const KindInfo* kind = nullptr;  ///< null: no kind has such fields
  bool is_spec = false;            ///< the fields are those of the kind's spec: a fragment without anything around it
};
Guess guess_kind(const document::Value& document, std::string_view api_version);

/// What its author has to add: the lines that make the document the kind that it seems to be.
std::string missing_type_hint(const document::Value& document, const Guess& guess, std::string_view kind);

}  // namespace loadline::kube
