#pragma once

#include <memory>
#include <string>

#include "foundation/document/value.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

/// The other face of a document: the fields that decisions read, and what could not be read.
template <class Kind>
struct View {
  Kind object;
  FieldErrors errors;  ///< values that decoding refuses: words outside an enumeration, quantities out of range
};

/// Decodes one object of a known kind. No rules are checked, nor applied where they fill in more than decoding does: an
/// API server did that, or does it next. Unknown fields are ignored. O(size of the document).
template <class Kind>
View<Kind> view(const document::Value& document, const Schema& schema) {
  View<Kind> result;
  Diagnostics problems;
  Decoder decoder(problems, std::make_shared<const std::string>(), {}, Severity::kError);
  decode_object(decoder, document, Path(&schema), schema, &result.object);
  for (Diagnostic& problem : problems) {
    if (problem.severity == Severity::kError && !problem.message.starts_with("unknown field")) {
      result.errors.push_back({std::move(problem.path), std::move(problem.message), std::move(problem.hint)});
    }
  }
  return result;
}

}  // namespace loadline::kube
