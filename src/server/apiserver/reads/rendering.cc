#include "server/apiserver/reads/rendering.h"

#include <fmt/format.h>

#include "foundation/document/outline.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/conform.h"
#include "server/api/partial_metadata.h"
#include "server/apiserver/conversion/conversion.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

/// The metadata in the text of an object, which is not read any further.
std::string_view metadata_text(std::string_view object) {
  static constexpr std::string_view kNothing[] = {"nothing"};
  return document::read_outline(object, {.kept = kNothing, .cut = "metadata"}).cut;
}

/// As Go's json.MarshalIndent with two spaces, as `?pretty=true` is answered.
void append_indented(std::string& out, const Value& value, std::size_t depth) {
  const auto line = [&](std::size_t levels) { out += '\n' + std::string(levels * 2, ' '); };
  if (value.is_object() && !value.object().empty()) {
    out += '{';
    for (const document::Member& member : value.object()) {
      if (&member != &value.object().front()) out += ',';
      line(depth + 1);
      out += document::write_json(Value(member.key)) + ": ";
      append_indented(out, member.value, depth + 1);
    }
    line(depth);
    out += '}';
  } else if (value.is_array() && !value.array().empty()) {
    out += '[';
    for (const Value& element : value.array()) {
      if (&element != &value.array().front()) out += ',';
      line(depth + 1);
      append_indented(out, element, depth + 1);
    }
    line(depth);
    out += ']';
  } else {
    out += document::write_json(value);
  }
}

}  // namespace

std::string indented_json(const Value& value) {
  std::string text;
  append_indented(text, value, 0);
  return text;
}

std::string_view Rendering::content_type() const {
  return representation_.format == Format::kYaml ? "application/yaml" : "application/json";
}

bool Rendering::shows_what_is_kept() const { return served_->is_stored_version() && !served_->resource->is_custom; }

Value Rendering::converted(const Value& stored) const {
  return shows_what_is_kept() ? stored : convert(stored, served_->resource->kind);
}

api::TableOptions Rendering::table_options(bool has_definitions) const {
  return {representation_.version, include_, has_definitions};
}

std::string Rendering::formatted(std::string json) const {
  if (representation_.format == Format::kJson) return json;
  const std::vector<Value> documents = document::read_json(json, {}).documents;
  if (documents.empty()) return json;
  if (representation_.format == Format::kYaml) return document::write_yaml(documents.front());
  return indented_json(documents.front());
}

std::string Rendering::object(const store::Object& stored) const {
  if (representation_ == Representation{} && served_->serves_text_of(stored)) return std::string(stored.text()) + '\n';
  return object(stored.document());
}

std::string Rendering::object(const Value& stored) const {
  std::string text;
  const Value shown = converted(stored);
  switch (representation_.transform) {
    case Transform::kNone:
      return other(shown);
    case Transform::kTable:
      api::append_table(text, *served_->columns, table_options(true), now_, shown);
      break;
    case Transform::kPartialMetadata:
      api::append_partial_metadata(text, shown, representation_.version);
      break;
  }
  return formatted(std::move(text) + '\n');
}

std::string Rendering::other(const Value& document) const {
  if (representation_.format == Format::kYaml) return document::write_yaml(document);
  if (representation_.format == Format::kJson) return document::write_json(document) + '\n';
  return indented_json(document);
}

std::string Rendering::frame(std::string_view type, const store::Object& stored, bool is_first) const {
  if (representation_.transform == Transform::kNone && served_->serves_text_of(stored)) {
    return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, stored.text());
  }
  // The text need not be parsed for the little that is shown of it.
  if (representation_.transform == Transform::kPartialMetadata && shows_what_is_kept()) {
    std::string text = fmt::format("{{\"type\":\"{}\",\"object\":", type);
    api::append_partial_metadata_of(text, metadata_text(stored.text()), representation_.version);
    return text += "}\n";
  }
  return frame(type, stored.document(), is_first);
}

std::string Rendering::frame(std::string_view type, const Value& stored, bool is_first) const {
  std::string text = fmt::format("{{\"type\":\"{}\",\"object\":", type);
  const Value shown = converted(stored);
  switch (representation_.transform) {
    case Transform::kNone:
      text += document::write_json(shown);
      break;
    case Transform::kTable:
      api::append_table(text, *served_->columns, table_options(is_first), now_, shown);
      break;
    case Transform::kPartialMetadata:
      api::append_partial_metadata(text, shown, representation_.version);
      break;
  }
  text += "}\n";
  return text;
}

std::string Rendering::bookmark(store::Revision revision, bool ends_initial_events, bool is_first) const {
  // A typed server's empty object has its zero values, a custom one has nothing.
  const schema::Resource& stored = *served_->stored;
  Value object = stored.is_custom || stored.type == nullptr ? Value(Object()) : schema::zero_value(*stored.type);
  object = object.with("kind", Value(stored.kind.kind)).with("apiVersion", Value(stored.kind.api_version()));
  Object metadata{{"resourceVersion", Value(std::to_string(revision)), {}}};
  if (ends_initial_events) {
    metadata.push_back({"annotations", Value(Object{{std::string(kInitialEventsEnd), Value("true"), {}}}), {}});
  }
  return frame("BOOKMARK", object.with("metadata", Value(std::move(metadata))), is_first);
}

std::size_t Rendering::encoding_number(std::size_t type, bool is_first) const {
  std::size_t number = served_->number;
  number = number * 4 + type;
  number = number * 4 + static_cast<std::size_t>(representation_.transform);
  number = number * 4 + static_cast<std::size_t>(include_);
  return number * 4 + (representation_.version == "v1" ? 0U : 2U) + (is_first ? 1U : 0U);
}

void ListWriter::begin(const api::ListMeta& meta) {
  if (is_table()) return table_.begin(meta);
  if (rendering_.representation().transform == Transform::kPartialMetadata) {
    return api::append_partial_metadata_list_head(text_, meta, rendering_.representation().version);
  }
  const schema::Resource& resource = *rendering_.served().resource;
  text_ += fmt::format("{{\"kind\":\"{}\",\"apiVersion\":\"{}\",\"metadata\":", resource.list_kind,
                       resource.kind.api_version());
  api::append_list_meta(text_, meta);
  if (resource.is_custom && meta.continue_token.empty()) {
    // Upstream's lists of custom objects are maps, from which nothing is left out.
    text_.back() = ',';
    text_ += "\"continue\":\"\"}";
  }
  text_ += ",\"items\":[";
}

void ListWriter::add(const store::Object& stored) {
  const bool is_as_kept = rendering_.shows_what_is_kept();  // then its text need not be parsed for a few columns
  if (is_table()) {
    return is_as_kept ? table_.add_text(stored.text()) : table_.add(rendering_.converted(stored.document()));
  }
  if (!is_first_) text_ += ',';
  is_first_ = false;
  if (rendering_.representation().transform == Transform::kPartialMetadata) {
    const std::string_view version = rendering_.representation().version;
    if (is_as_kept) return api::append_partial_metadata_of(text_, metadata_text(stored.text()), version);
    return api::append_partial_metadata(text_, rendering_.converted(stored.document()),
                                        rendering_.representation().version);
  }
  add_whole(stored);
}

void ListWriter::add_whole(const store::Object& stored) {
  const ServedResource& served = rendering_.served();
  // Items of a built-in kind leave out what the list says already.
  const bool leaves_out = !served.resource->is_custom;
  if (!served.serves_text_of(stored)) {
    const Value shown = rendering_.converted(stored.document());
    text_ += document::write_json(leaves_out ? shown.without("kind").without("apiVersion") : shown);
    return;
  }
  std::string_view item = stored.text();
  if (leaves_out && item.starts_with(served.head)) {
    text_ += '{';
    item.remove_prefix(served.head.size());
  }
  text_ += item;
}

void ListWriter::end() {
  if (is_table()) {
    table_.end();
  } else if (is_first_ && rendering_.representation().transform == Transform::kPartialMetadata) {
    text_.back() = 'n';  // Go's slice, to which nothing was added
    text_ += "ull}";
  } else {
    text_ += "]}";
  }
  text_ += '\n';
}

}  // namespace loadline::apiserver
