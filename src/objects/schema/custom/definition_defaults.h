#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/value.h"

namespace loadline::schema {

/// What spec.names of a CustomResourceDefinition holds where its author left it out: fields, and their values.
/// Source: apiextensions-apiserver's SetDefaults_CustomResourceDefinitionSpec, v0.36.
[[nodiscard]] std::array<std::pair<std::string_view, std::string>, 2> default_names(std::string_view kind);

/// The definition with these names and without conversion between its versions, unless it says otherwise.
[[nodiscard]] document::Value with_defaults(const document::Value& definition);

}  // namespace loadline::schema
