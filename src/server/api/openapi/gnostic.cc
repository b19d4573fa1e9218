#include "server/api/openapi/gnostic.h"

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "foundation/document/writer.h"

namespace loadline::api {
namespace {

using document::Member;
using document::Value;

/// How a member of a JSON object becomes a field of a message.
enum class MessageField : std::uint8_t {
  kText,
  kTexts,    ///< repeated string
  kNumber,   ///< double
  kInteger,  ///< int64
  kBoolean,
  kAny,   ///< message Any
  kAnys,  ///< repeated Any
  kMessage,
  kMessages,    ///< repeated message
  kNamed,       ///< a message of repeated (name, message): the object's members
  kTypeItem,    ///< a message of repeated string
  kItems,       ///< a message of repeated Schema
  kAdditional,  ///< a boolean or a Schema
  kSchemaItem,  ///< a Schema as one of two things
  kResponses,
  kParameters,
};

struct Message;

struct Row {
  std::string_view name;
  std::uint32_t number = 0;
  MessageField shape = MessageField::kText;
  const Message* message = nullptr;  // kMessage, kMessages, kNamed
};

struct Message {
  std::span<const Row> rows;
  std::uint32_t extensions = 0;  ///< number of vendor_extension; 0: none
};

// Schemas hold schemas: their table names itself.
extern const Message kSchema;

constexpr Row kSchemaRows[] = {{"$ref", 1},
                               {"format", 2},
                               {"title", 3},
                               {"description", 4},
                               {"default", 5, MessageField::kAny},
                               {"multipleOf", 6, MessageField::kNumber},
                               {"maximum", 7, MessageField::kNumber},
                               {"exclusiveMaximum", 8, MessageField::kBoolean},
                               {"minimum", 9, MessageField::kNumber},
                               {"exclusiveMinimum", 10, MessageField::kBoolean},
                               {"maxLength", 11, MessageField::kInteger},
                               {"minLength", 12, MessageField::kInteger},
                               {"pattern", 13},
                               {"maxItems", 14, MessageField::kInteger},
                               {"minItems", 15, MessageField::kInteger},
                               {"uniqueItems", 16, MessageField::kBoolean},
                               {"maxProperties", 17, MessageField::kInteger},
                               {"minProperties", 18, MessageField::kInteger},
                               {"required", 19, MessageField::kTexts},
                               {"enum", 20, MessageField::kAnys},
                               {"additionalProperties", 21, MessageField::kAdditional},
                               {"type", 22, MessageField::kTypeItem},
                               {"items", 23, MessageField::kItems},
                               {"allOf", 24, MessageField::kMessages, &kSchema},
                               {"properties", 25, MessageField::kNamed, &kSchema}};
constexpr Message kSchema = {kSchemaRows, 31};

constexpr Row kBodyParameterRows[] = {
    {"name", 2}, {"in", 3}, {"required", 4, MessageField::kBoolean}, {"schema", 5, MessageField::kMessage, &kSchema}};
constexpr Message kBodyParameter = {kBodyParameterRows, 6};
constexpr Row kQueryParameterRows[] = {{"required", 1, MessageField::kBoolean},
                                       {"in", 2},
                                       {"name", 4},
                                       {"type", 6},
                                       {"uniqueItems", 20, MessageField::kBoolean}};
constexpr Message kQueryParameter = {kQueryParameterRows, 23};
constexpr Row kPathParameterRows[] = {{"required", 1, MessageField::kBoolean},
                                      {"in", 2},
                                      {"name", 4},
                                      {"type", 5},
                                      {"uniqueItems", 19, MessageField::kBoolean}};
constexpr Message kPathParameter = {kPathParameterRows, 22};

constexpr Row kResponseRows[] = {{"description", 1}, {"schema", 2, MessageField::kSchemaItem}};
constexpr Message kResponse = {kResponseRows, 5};

constexpr Row kOperationRows[] = {{"tags", 1, MessageField::kTexts},
                                  {"operationId", 5},
                                  {"produces", 6, MessageField::kTexts},
                                  {"consumes", 7, MessageField::kTexts},
                                  {"parameters", 8, MessageField::kParameters},
                                  {"responses", 9, MessageField::kResponses},
                                  {"schemes", 10, MessageField::kTexts}};
constexpr Message kOperation = {kOperationRows, 13};

constexpr Row kPathItemRows[] = {
    {"get", 2, MessageField::kMessage, &kOperation},   {"put", 3, MessageField::kMessage, &kOperation},
    {"post", 4, MessageField::kMessage, &kOperation},  {"delete", 5, MessageField::kMessage, &kOperation},
    {"patch", 8, MessageField::kMessage, &kOperation}, {"parameters", 9, MessageField::kParameters}};
constexpr Message kPathItem = {kPathItemRows, 10};

constexpr Row kInfoRows[] = {{"title", 1}, {"version", 2}};
constexpr Message kInfo = {kInfoRows, 7};

constexpr Row kDocumentRows[] = {{"swagger", 1},
                                 {"info", 2, MessageField::kMessage, &kInfo},
                                 {"paths", 8, MessageField::kNamed, &kPathItem},
                                 {"definitions", 9, MessageField::kNamed, &kSchema}};
constexpr Message kDocument = {kDocumentRows, 16};

void put_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) out += static_cast<char>((number & 0x7FU) | 0x80U);
  out += static_cast<char>(number);
}

void put_tag(std::string& out, std::uint32_t number, std::uint32_t wire_type) {
  put_varint(out, (std::uint64_t{number} << 3U) | wire_type);
}

void put_bytes(std::string& out, std::uint32_t number, std::string_view bytes) {
  put_tag(out, number, 2);
  put_varint(out, bytes.size());
  out += bytes;
}

void put_integer(std::string& out, std::uint32_t number, std::int64_t value) {
  put_tag(out, number, 0);
  put_varint(out, static_cast<std::uint64_t>(value));
}

void put_double(std::string& out, std::uint32_t number, double value) {
  put_tag(out, number, 1);
  auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8U) out += static_cast<char>(bits & 0xFFU);
}

/// message Any { string yaml = 2; }
std::string any(const Value& value) {
  std::string out;
  put_bytes(out, 2, document::write_json(value) + "\n");
  return out;
}

/// A message (name = 1, value = 2).
std::string named(std::string_view name, std::string_view value) {
  std::string out;
  put_bytes(out, 1, name);
  put_bytes(out, 2, value);
  return out;
}

std::string encode(const Value& value, const Message& message);

std::string encode_parameter(const Value& value) {
  const Value* in = value.find("in");
  const bool is_body = in != nullptr && in->is_string() && in->string() == "body";
  const bool is_in_path = in != nullptr && in->is_string() && in->string() == "path";
  std::string parameter;
  if (is_body) {
    put_bytes(parameter, 1, encode(value, kBodyParameter));
  } else {
    std::string other;
    put_bytes(other, is_in_path ? 4 : 3, encode(value, is_in_path ? kPathParameter : kQueryParameter));
    put_bytes(parameter, 2, other);
  }
  std::string item;
  put_bytes(item, 1, parameter);
  return item;
}

std::string encode_responses(const Value& value) {
  std::string out;
  for (const Member& member : value.object()) {
    std::string response;
    put_bytes(response, 1, encode(member.value, kResponse));
    put_bytes(out, 1, named(member.key, response));
  }
  return out;
}

std::string encode_named(const Value& value, const Row& row) {
  std::string out;
  const bool is_paths = row.message == &kPathItem;
  for (const Member& member : value.object()) {
    put_bytes(out, is_paths ? 2 : 1, named(member.key, encode(member.value, *row.message)));
  }
  return out;
}

void put_list(std::string& out, const Value& value, const Row& row) {
  for (const Value& element : value.array()) {
    if (row.shape == MessageField::kTexts && element.is_string()) put_bytes(out, row.number, element.string());
    if (row.shape == MessageField::kAnys) put_bytes(out, row.number, any(element));
    if (row.shape == MessageField::kMessages) put_bytes(out, row.number, encode(element, *row.message));
    if (row.shape == MessageField::kParameters) put_bytes(out, row.number, encode_parameter(element));
  }
}

/// A message with one field.
void put_wrapped(std::string& out, std::uint32_t number, std::uint32_t inner, std::string_view bytes) {
  std::string wrapped;
  put_bytes(wrapped, inner, bytes);
  put_bytes(out, number, wrapped);
}

void put_object(std::string& out, const Value& value, const Row& row) {
  switch (row.shape) {
    case MessageField::kMessage:
      return put_bytes(out, row.number, encode(value, *row.message));
    case MessageField::kNamed:
      return put_bytes(out, row.number, encode_named(value, row));
    case MessageField::kResponses:
      return put_bytes(out, row.number, encode_responses(value));
    case MessageField::kItems:
    case MessageField::kSchemaItem:
    case MessageField::kAdditional:
      return put_wrapped(out, row.number, 1, encode(value, kSchema));
    default:
      return;  // not what the row takes
  }
}

/// A field, if the value is what the row takes.
void put_field(std::string& out, const Value& value, const Row& row) {
  if (row.shape == MessageField::kAny) return put_bytes(out, row.number, any(value));
  if (value.is_array()) return put_list(out, value, row);
  if (value.is_object()) return put_object(out, value, row);
  if (value.is_string()) {
    if (row.shape == MessageField::kText) put_bytes(out, row.number, value.string());
    if (row.shape == MessageField::kTypeItem) put_wrapped(out, row.number, 1, value.string());
  } else if (value.is_boolean()) {
    if (row.shape == MessageField::kBoolean) put_integer(out, row.number, value.boolean() ? 1 : 0);
    if (row.shape == MessageField::kAdditional) {
      std::string item;
      put_integer(item, 2, value.boolean() ? 1 : 0);
      put_bytes(out, row.number, item);
    }
  } else if (value.is_number()) {
    if (row.shape == MessageField::kNumber) put_double(out, row.number, value.number());
    if (row.shape == MessageField::kInteger && value.is_integer()) put_integer(out, row.number, value.integer());
  }
}

std::string encode(const Value& value, const Message& message) {
  std::string out;
  if (!value.is_object()) return out;
  for (const Member& member : value.object()) {
    if (member.key.starts_with("x-")) {
      put_bytes(out, message.extensions, named(member.key, any(member.value)));
      continue;
    }
    for (const Row& row : message.rows) {
      if (row.name == member.key) put_field(out, member.value, row);
    }
  }
  return out;
}

}  // namespace

std::string encode_gnostic(const Value& document) { return encode(document, kDocument); }

}  // namespace loadline::api
