#pragma once

#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "server/api/columns/table.h"

namespace loadline::api {

/// The object's metadata alone, as a PartialObjectMetadata of meta.k8s.io in that version (v1 or v1beta1): as JSON at
/// the end of `text`.
void append_partial_metadata(std::string& text, const document::Value& object, std::string_view version = "v1");

/// The same of metadata that are known as JSON; empty: there are none.
void append_partial_metadata_of(std::string& text, std::string_view metadata, std::string_view version = "v1");

/// How a PartialObjectMetadataList begins, as JSON at the end of `text`: the objects come behind it with commas
/// between, then "]}".
void append_partial_metadata_list_head(std::string& text, const ListMeta& list, std::string_view version = "v1");

/// `{"resourceVersion":"7","continue":"…","remainingItemCount":3}`: a list's metadata at the end of `text`.
void append_list_meta(std::string& text, const ListMeta& list);

}  // namespace loadline::api
