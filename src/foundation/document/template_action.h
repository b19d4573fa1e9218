#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::document {

/// An action of a template, `{{ .Values.name }}` or `{% if x %}`.
struct TemplateAction {
  std::string text;
  Mark mark;
};

/// The first one in a text that a YAML reader would stumble over: not in quotes, comments or block scalars, where
/// another program may be meant to read it.
std::optional<TemplateAction> find_template_action(std::string_view text);

}  // namespace loadline::document
