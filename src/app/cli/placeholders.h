#pragma once

#include <string>
#include <string_view>

#include "foundation/base/diagnostic.h"

namespace loadline::cli {

/// The first placeholder in a text, as people leave them for envsubst, sed, a template or a reader: `${NAME}`,
/// `$(NAME)`, `$NAME`, `{{ .name }}`, `<name>`. Empty if there is none.
std::string_view find_placeholder(std::string_view text);

/// The same diagnostics, but the errors about values that are placeholders make one a file, at the first of them. Of a
/// file that is a template nothing else is said.
Diagnostics with_placeholders_told_once(Diagnostics diagnostics, std::string_view pipe_into);

/// Says that a file is a template, and how to render it.
Diagnostic template_problem(SourcePosition at, std::string_view action, std::string_view pipe_into);

}  // namespace loadline::cli
