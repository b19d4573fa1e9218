#include "server/api/protobuf/protobuf.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "foundation/base/base64.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/catalog.h"
#include "objects/schema/testing/types.h"

namespace loadline::api {

using schema::Catalog;
using schema::Form;
using schema::Type;
namespace {

using document::Value;
using schema::testing::Types;

const Catalog& catalog() {
  static const auto& published = *new Catalog(Catalog::published());
  return published;
}

/// Written by conformance/protobuf_cases.
document::Array protobuf_cases() {
  std::ifstream file(std::string(LOADLINE_SOURCE_DIR) + "/src/server/api/testdata/protobuf.json");
  std::ostringstream text;
  text << file.rdbuf();
  const document::Reading reading = document::read_json(text.str(), "protobuf.json");
  return reading.documents.at(0).array();
}

const Type* type_of(const std::string& kind) {
  const std::size_t space = kind.find(' ');
  const std::size_t slash = kind.find('/');
  const bool has_group = slash != std::string::npos;
  const std::string group = has_group ? kind.substr(0, slash) : "";
  const std::size_t begin = has_group ? slash + 1 : 0;
  return catalog().find_type({group, kind.substr(begin, space - begin), kind.substr(space + 1)});
}

TEST(Protobuf, EveryKindReadsAsGoReadsIt) {
  const document::Array all = protobuf_cases();
  EXPECT_GT(all.size(), 150U);
  for (const Value& one : all) {
    const std::string& kind = one.find("kind")->string();
    SCOPED_TRACE(kind);
    const std::string body = *decode_base64(one.find("body")->string());
    const auto envelope = read_protobuf_envelope(body);
    ASSERT_TRUE(envelope) << envelope.error().message;
    EXPECT_EQ(envelope->api_version + " " + envelope->kind, kind);
    const Type* type = type_of(kind);
    ASSERT_NE(type, nullptr);
    const auto decoded = decode_protobuf(envelope->message, *type, envelope->api_version, envelope->kind);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(document::write_json(*decoded), document::write_json(*one.find("json")));
  }
}

// A message that is cut anywhere, or has any byte changed, gives an object or an error, and nothing else.
TEST(Protobuf, MalformedMessagesGiveErrors) {
  const document::Array all = protobuf_cases();
  std::size_t errors = 0;
  for (std::size_t i = 0; i < all.size(); i += 9) {
    const std::string body = *decode_base64(all[i].find("body")->string());
    const auto envelope = read_protobuf_envelope(body);
    const Type* type = type_of(all[i].find("kind")->string());
    ASSERT_TRUE(envelope && type != nullptr);
    std::string message(envelope->message);
    for (std::size_t at = 0; at < message.size(); at += 3) {
      const auto cut = decode_protobuf(std::string_view(message).substr(0, at), *type, "", "");
      const char kept = message[at];
      message[at] = static_cast<char>(kept ^ 0x5A);
      const auto changed = decode_protobuf(message, *type, "", "");
      message[at] = kept;
      for (const auto& result : {cut, changed}) {
        if (result) continue;
        ++errors;
        EXPECT_FALSE(result.error().message.empty());
      }
    }
  }
  EXPECT_GT(errors, 100U);
}

std::string envelope_error(std::string_view body) {
  const auto envelope = read_protobuf_envelope(body);
  return envelope ? "" : envelope.error().message;
}

TEST(Protobuf, EnvelopesThatAreNone) {
  using namespace std::string_view_literals;
  EXPECT_EQ(envelope_error(""), "empty data");
  EXPECT_EQ(envelope_error("{}"),
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  EXPECT_EQ(envelope_error("k8s\0"sv), "empty body");
  EXPECT_EQ(envelope_error("k8s\0\x12\x05"
                           "abc"sv),
            "unexpected EOF");
  EXPECT_EQ(envelope_error("k8s\0\x08\x01"sv), "proto: wrong wireType = 0 for field 1");
  EXPECT_EQ(envelope_error("k8s\0\x0c"sv), "proto: wiretype end group for non-group");
  EXPECT_EQ(envelope_error("k8s\0\x00\x00"sv), "proto: illegal tag 0 (wire type 0)");
  EXPECT_EQ(envelope_error("k8s\0\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv),
            "proto: negative length found during unmarshaling");
}

class MessageTest : public ::testing::Test {
 protected:
  MessageTest() {
    const Type* string = types_.scalar(Form::kString);
    const Type* inner = types_.object("x.v1.Inner", {Types::optional("a", string, 1), Types::optional("b", string, 2)});
    Type* self = types_.object("x.v1.Outer", {Types::pointer("inner", inner, 1),
                                              Types::optional("numbers", types_.list(types_.scalar(Form::kInt64)), 2),
                                              Types::optional("map", types_.map(string), 3)});
    self->fields.push_back(Types::pointer("self", self, 4));
    outer_ = self;
  }
  std::string read(std::string_view message) const {
    const auto value = decode_protobuf(message, *outer_, "", "");
    return value ? document::write_json(*value) : value.error().message;
  }

  Types types_;
  const Type* outer_ = nullptr;
};

TEST_F(MessageTest, PiecesOfOneMessageArePutTogether) {
  EXPECT_EQ(read("\x0a\x03\x0a\x01x\x0a\x03\x12\x01y\x0a\x03\x0a\x01z"), R"({"inner":{"a":"z","b":"y"}})");
}

TEST_F(MessageTest, ListsOfNumbersMayBePacked) {
  EXPECT_EQ(read("\x10\x05\x12\x02\x06\x07\x10\x08"), R"({"numbers":[5,6,7,8]})");
  EXPECT_EQ(read("\x12\x01\x86"), "unexpected EOF");
}

TEST_F(MessageTest, TheLastOfEqualKeysWins) {
  EXPECT_EQ(read("\x1a\x06\x0a\x01k\x12\x01v\x1a\x06\x0a\x01k\x12\x01w\x1a\x03\x0a\x01"
                 "a"),
            R"({"map":{"a":"","k":"w"}})");
}

TEST_F(MessageTest, UnknownFieldsAreSkipped) {
  EXPECT_EQ(read("\x30\x05\x3a\x01x\x45"
                 "abcd\x49"
                 "12345678"),
            "{}");
}

TEST_F(MessageTest, NestingIsBounded) {
  std::string message;
  for (int i = 0; i < 99 && message.size() < 100; ++i) {
    message = std::string("\x22") + static_cast<char>(message.size()) + message;
  }
  EXPECT_TRUE(read(message).starts_with("{"));
  std::string deep;
  for (int i = 0; i < 200; ++i) {
    std::string length;
    for (std::size_t size = deep.size();; size >>= 7) {
      const bool last = size < 0x80;
      length += static_cast<char>((size & 0x7FU) | (last ? 0U : 0x80U));
      if (last) break;
    }
    deep = "\x22" + length + deep;
  }
  EXPECT_EQ(read(deep), "proto: message is nested too deeply");
}

}  // namespace
}  // namespace loadline::api
