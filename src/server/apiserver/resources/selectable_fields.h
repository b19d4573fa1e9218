#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"

namespace loadline::apiserver {

/// The fields that a resource can be selected by, besides metadata.name and metadata.namespace, as paths below the
/// document's root. Source: the AddFieldLabelConversionFuncs of pkg/apis/*, v1.36; selectableFields of custom ones.
std::vector<std::string> selectable_fields(const schema::Resource& resource);

/// What the field says in a stored document, as text; "" if it is not there.
std::string field_value(const document::Value& document, std::string_view store_name, const std::string& path);

}  // namespace loadline::apiserver
