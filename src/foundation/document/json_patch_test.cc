#include "foundation/document/json_patch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "foundation/document/reader.h"
#include "foundation/document/testing/reading.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

const char* const kDocument = R"({"l":[1,2],"n":null,"e":{},"s":"a","f":1.5})";

std::string apply(const std::string& patch) {
  const PatchResult result = json_patch(parse(kDocument), parse(patch));
  return result ? write_json(*result) : result.error().message;
}

struct PatchCase {
  const char* patch;
  const char* outcome;  ///< the new document, or the message
};

TEST(JsonPatch, DoesWhatUpstreamsLibraryDoes) {
  const PatchCase cases[] = {
      {R"([])", R"({"l":[1,2],"n":null,"e":{},"s":"a","f":1.5})"},
      {R"(null)", R"({"l":[1,2],"n":null,"e":{},"s":"a","f":1.5})"},
      {R"([{"op":"add","path":"/a"}])", R"({"l":[1,2],"n":null,"e":{},"s":"a","f":1.5,"a":null})"},
      {R"([{"op":"add","path":"/a~1b~0c","value":1}])", R"({"l":[1,2],"n":null,"e":{},"s":"a","f":1.5,"a/b~c":1})"},
      {R"([{"op":"add","path":"/l/+1","value":3}])", R"({"l":[1,3,2],"n":null,"e":{},"s":"a","f":1.5})"},
      {R"([{"op":"add","path":"/l/01","value":3}])", R"({"l":[1,3,2],"n":null,"e":{},"s":"a","f":1.5})"},
      {R"([{"op":"add","path":"/l/-","value":3}])", R"({"l":[1,2,3],"n":null,"e":{},"s":"a","f":1.5})"},
      {R"([{"op":"add","path":"/l/-3","value":9}])", R"({"l":[9,1,2],"n":null,"e":{},"s":"a","f":1.5})"},
      {R"([{"op":"replace","path":"/l/-1","value":3}])", R"({"l":[1,3],"n":null,"e":{},"s":"a","f":1.5})"},
      // Upstream's library adds what "replace" does not find in an object.
      {R"([{"op":"replace","path":"/x","value":3}])", R"({"l":[1,2],"n":null,"e":{},"s":"a","f":1.5,"x":3})"},
      {R"([{"op":"replace","path":"","value":[1]},{"op":"add","path":"/-","value":2}])", R"([1,2])"},
      {R"([{"op":"move","from":"/l/0","path":"/l/-"}])", R"({"l":[2,1],"n":null,"e":{},"s":"a","f":1.5})"},
      {R"([{"op":"move","from":"/l","path":"/e/l"}])", R"({"n":null,"e":{"l":[1,2]},"s":"a","f":1.5})"},
      {R"([{"op":"copy","from":"/zz","path":"/l/-"}])", R"({"l":[1,2,null],"n":null,"e":{},"s":"a","f":1.5})"},
      {R"([{"op":"copy","from":"/l","path":"/e/l"},{"op":"remove","path":"/l/0"}])",
       R"({"l":[2],"n":null,"e":{"l":[1,2]},"s":"a","f":1.5})"},
      {R"([{"op":"test","path":"/nope","value":null}])", kDocument},
      {R"([{"op":"test","path":"/n"}])", kDocument},
      {R"([{"op":"test","path":"","value":{"f":1.5,"s":"a","e":{},"n":null,"l":[1,2]}}])", kDocument},
      {R"([{"op":"add","path":"/l/-","value":{"a":[]}},{"op":"add","path":"/l/2/a/-","value":5},)"
       R"({"op":"test","path":"/l/2","value":{"a":[5]}},{"op":"remove","path":"/l/2"}])",
       kDocument},
  };
  for (const PatchCase& test : cases) EXPECT_EQ(apply(test.patch), test.outcome) << test.patch;
}

/// Ten thousand operations on one long list, and on one large object: each used to move, or look at, all of it.
TEST(JsonPatch, CostsWhatItChanges) {
  constexpr int kLong = 300'000;
  Array list;
  Object object;
  for (int i = 0; i < kLong; ++i) {
    list.emplace_back(std::int64_t{i});
    if (i % 3 == 0) object.push_back({"member-" + std::to_string(i), Value(std::int64_t{i}), {}});
  }
  std::string patch = "[";
  for (int i = 0; i < 5'000; ++i) {
    patch += i == 0 ? "" : ",";
    patch += R"({"op":"move","from":"/list/0","path":"/list/150000"},)";
    patch += R"({"op":"replace","path":"/object/member-)" + std::to_string(299'997 - 3 * i) + R"(","value":0})";
  }
  const Value document = Value(Object{{"list", Value(list), {}}, {"object", Value(object), {}}});
  const PatchResult result = json_patch(document, parse(patch + "]"));
  ASSERT_TRUE(result) << result.error().message;
  std::rotate(list.begin(), list.begin() + 5'000, list.begin() + 150'001);
  for (std::size_t i = object.size() - 5'000; i < object.size(); ++i) object[i].value = Value(std::int64_t{0});
  EXPECT_EQ(*result, Value(Object{{"list", Value(list), {}}, {"object", Value(object), {}}}));
}

TEST(JsonPatch, AnObjectOfManyMembersKeepsTheirOrder) {
  Object object;
  for (int i = 0; i < 100; ++i) object.push_back({std::to_string(i), Value(std::int64_t{i}), {}});
  std::string patch = "[";
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == 0) continue;
    patch += patch.size() > 1 ? "," : "";
    patch += R"({"op":"remove","path":"/)" + std::to_string(i) + R"("})";
  }
  patch += R"(,{"op":"add","path":"/5","value":"back"},{"op":"replace","path":"/50","value":"here"}])";
  const PatchResult result = json_patch(Value(object), parse(patch));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(write_json(*result),
            R"({"0":0,"10":10,"20":20,"30":30,"40":40,"50":"here","60":60,"70":70,"80":80,"90":90,"5":"back"})");
}

TEST(JsonPatch, SaysWhyItDoesNotApplyInUpstreamsWords) {
  const PatchCase cases[] = {
      {R"([null])", "Unexpected kind: unknown"},
      {R"([{"path":"/a"}])", "Unexpected kind: unknown"},
      {R"([{"op":"grow","path":"/a"}])", "Unexpected kind: grow"},
      {R"([{"op":"add","path":null}])", "add operation failed to decode path: missing value"},
      {R"([{"op":"add","path":"x"}])", R"(add operation does not apply: doc is missing path: "x": missing value)"},
      {R"([{"op":"add","path":"","value":3}])",
       R"(add operation does not apply: doc is missing path: "": missing value)"},
      {R"([{"op":"add","path":"/n/a","value":1}])",
       R"(add operation does not apply: doc is missing path: "/n/a": missing value)"},
      {R"([{"op":"add","path":"/l/0/a","value":1}])",
       R"(add operation does not apply: doc is missing path: "/l/0/a": missing value)"},
      {R"([{"op":"add","path":"/l/x","value":3}])",
       R"(error in add for path: '/l/x': value was not a proper array index: 'x': )"
       R"(strconv.Atoi: parsing "x": invalid syntax)"},
      {R"([{"op":"add","path":"/l/99999999999999999999","value":3}])",
       R"(error in add for path: '/l/99999999999999999999': value was not a proper array index: )"
       R"('99999999999999999999': strconv.Atoi: parsing "99999999999999999999": value out of range)"},
      {R"([{"op":"add","path":"/l/-4","value":9}])",
       "error in add for path: '/l/-4': Unable to access invalid index: -4: invalid index referenced"},
      {R"([{"op":"remove","path":"/nope"}])",
       "error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value"},
      {R"([{"op":"remove","path":"/l/9"}])",
       "error in remove for path: '/l/9': Unable to access invalid index: 9: invalid index referenced"},
      {R"([{"op":"remove","path":"/l/-"}])",
       R"(error in remove for path: '/l/-': strconv.Atoi: parsing "-": invalid syntax)"},
      {R"([{"op":"replace","path":"/l/x","value":3}])",
       "replace operation does not apply: doc is missing key: /l/x: missing value"},
      {R"([{"op":"replace","path":"/nope/x","value":3}])",
       "replace operation does not apply: doc is missing path: /nope/x: missing value"},
      {R"([{"op":"replace","path":""}])", "replace operation value must be object or array"},
      {R"([{"op":"move","path":"/a"}])",
       "move operation failed to decode from: operation, missing from field: missing value"},
      {R"([{"op":"move","from":"/zz","path":"/l/-"}])",
       "error in move for path: 'zz': Unable to remove nonexistent key: zz: missing value"},
      {R"([{"op":"move","from":"/e","path":"/e/x"}])",
       "move operation does not apply: doc is missing destination path: /e/x: missing value"},
      {R"([{"op":"test","path":"/l/9","value":3}])",
       "error in test for path: '/l/9': Unable to access invalid index: 9: invalid index referenced"},
      {R"([{"op":"test","path":"/e","value":[]}])", "testing value /e failed: test failed"},
      {R"([{"op":"test","path":"/f","value":1}])", "testing value /f failed: test failed"},
      {R"([{"op":"test","path":"/l"}])", "testing value /l failed: test failed"},
  };
  for (const PatchCase& test : cases) {
    const PatchResult result = json_patch(parse(kDocument), parse(test.patch));
    ASSERT_FALSE(result) << test.patch;
    EXPECT_EQ(result.error().kind, PatchError::Kind::kDoesNotApply) << test.patch;
    EXPECT_EQ(result.error().message, test.outcome) << test.patch;
  }
}

TEST(JsonPatch, IsMalformedWhereGosDecoderSaysSo) {
  const PatchCase cases[] = {
      {R"({})", "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"},
      {R"([1])", "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"},
      {R"([{"op":1}])",
       "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"},
  };
  for (const PatchCase& test : cases) {
    const PatchResult result = json_patch(parse(kDocument), parse(test.patch));
    ASSERT_FALSE(result) << test.patch;
    EXPECT_EQ(result.error(), (PatchError{PatchError::Kind::kMalformed, test.outcome}));
  }
}

TEST(JsonPatch, TellsFieldsThatStrictDecodingDoesNotKnow) {
  const auto patch = JsonPatch::decode(parse(R"([{"op":"test","path":"/n"},{"Op":"add","foo":1}])"));
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->strict_errors(), (std::vector<std::string>{R"(json patch unknown field "[1].Op")",
                                                              R"(json patch unknown field "[1].foo")"}));
}

TEST(JsonPatch, HasLimits) {
  const Value operation = parse(R"({"op":"test","path":"/n"})");
  const PatchResult many = json_patch(parse(kDocument), Value(Array(10'001, operation)));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error(), (PatchError{PatchError::Kind::kTooLarge,
                                      "The allowed maximum operations in a JSON patch is 10000, got 10001"}));
  EXPECT_TRUE(json_patch(parse(kDocument), Value(Array(10'000, operation))));

  const Value large = Value(Object{{"s", Value(std::string(1024UL * 1024, 'x')), {}}});
  const Value copy = parse(R"({"op":"copy","from":"/s","path":"/t"})");
  const PatchResult copied = json_patch(large, Value(Array(3, copy)));
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().message,
            "Unable to complete the copy, the accumulated size increase of copy is 3145734, exceeding the limit "
            "3145728");
  EXPECT_TRUE(json_patch(large, Value(Array(2, copy))));
}

// Each operation copies the document into its innermost object, so that the depth doubles.
TEST(JsonPatch, DoesNotNestWithoutLimit) {
  std::string inner;
  Array operations;
  for (int i = 0; i < 12; ++i) {
    operations.push_back(
        Value(Object{{"op", Value("copy"), {}}, {"from", Value("/a"), {}}, {"path", Value("/a" + inner + "/a"), {}}}));
    inner += inner + "/a";
  }
  const PatchResult result = json_patch(parse(R"({"a":{}})"), Value(operations));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "the patched document is nested too deeply");
  operations.resize(8);
  EXPECT_TRUE(json_patch(parse(R"({"a":{}})"), Value(operations)));
}

}  // namespace
}  // namespace loadline::document
