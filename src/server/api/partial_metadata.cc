#include "server/api/partial_metadata.h"

#include "foundation/document/writer.h"

namespace loadline::api {

using document::Value;

namespace {

void begin_partial_metadata(std::string& text, std::string_view version) {
  text += R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)";
  text += version;
  text += R"(","metadata":)";
}

}  // namespace

void append_partial_metadata_of(std::string& text, std::string_view metadata, std::string_view version) {
  begin_partial_metadata(text, version);
  text += metadata.starts_with('{') ? metadata : "{}";
  text += '}';
}

void append_partial_metadata(std::string& text, const Value& object, std::string_view version) {
  begin_partial_metadata(text, version);
  const Value* metadata = object.find("metadata");
  if (metadata != nullptr && metadata->is_object()) {
    document::append_json(text, *metadata);
  } else {
    text += "{}";
  }
  text += '}';
}

void append_list_meta(std::string& text, const ListMeta& list) {
  std::string_view separator = "{";
  const auto begin_member = [&text, &separator](std::string_view name) {
    text.append(separator).append("\"").append(name).append("\":");
    separator = ",";
  };
  if (!list.resource_version.empty()) {
    begin_member("resourceVersion");
    document::append_json(text, list.resource_version);
  }
  if (!list.continue_token.empty()) {
    begin_member("continue");
    document::append_json(text, list.continue_token);
  }
  if (list.remaining_item_count) {
    begin_member("remainingItemCount");
    text += std::to_string(*list.remaining_item_count);
  }
  text += separator == "{" ? "{}" : "}";
}

void append_partial_metadata_list_head(std::string& text, const ListMeta& list, std::string_view version) {
  text += R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/)";
  text += version;
  text += R"(","metadata":)";
  append_list_meta(text, list);
  text += R"(,"items":[)";
}

}  // namespace loadline::api
