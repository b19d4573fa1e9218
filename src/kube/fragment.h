#pragma once

#include <string>
#include <string_view>

#include "document/value.h"

namespace loadline::kube {

/// Upstream's words for a document that does not say what it is: `Object 'Kind' is missing in '{…}'`. Long documents
/// are cut.
std::string missing_type_message(const document::Value& document, std::string_view kind);

/// What its author has to add: the lines that make the document the kind that its fields belong to. A document that is
/// only a fragment ("spec:" alone, or a list of tolerations without anything around it) is told where it belongs.
std::string missing_type_hint(const document::Value& document, std::string_view api_version, std::string_view kind);

}  // namespace loadline::kube
