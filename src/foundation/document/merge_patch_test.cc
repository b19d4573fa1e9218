#include "foundation/document/merge_patch.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "foundation/document/testing/reading.h"
#include "foundation/document/writer.h"

namespace loadline::document {
namespace {

TEST(MergePatch, DoesWhatUpstreamsLibraryDoes) {
  struct Case {
    const char* document;
    const char* patch;
    const char* merged;
  };
  const Case cases[] = {
      {R"({"a":1,"b":2})", R"({"a":null,"c":3})", R"({"b":2,"c":3})"},
      {R"({"a":{"b":1,"x":2}})", R"({"a":{"b":null,"c":{"d":null}}})", R"({"a":{"c":{},"x":2}})"},
      // What a patch touches comes out by key, and only that.
      {R"({"z":{"y":1,"x":2},"b":{"k":1,"i":2}})", R"({"b":{"j":{"n":1,"m":2}}})",
       R"({"b":{"i":2,"j":{"m":2,"n":1},"k":1},"z":{"y":1,"x":2}})"},
      // New values lose their nulls, in objects of lists too; null elements stay.
      {R"({})", R"({"z":{"q":null,"l":[null,{"r":null}]}})", R"({"z":{"l":[null,{}]}})"},
      {R"({"l":[{"x":null}]})", R"({"l":[{"y":null}]})", R"({"l":[{}]})"},
      {R"({"n":null})", R"({"n":{"y":null,"e":{"f":null}}})", R"({"n":{"e":{}}})"},
      // What replaces an object keeps them.
      {R"({"a":{"b":1}})", R"({"a":[{"y":null}]})", R"({"a":[{"y":null}]})"},
      {R"({"a":{"b":1}})", R"({"a":5})", R"({"a":5})"},
      {R"({"n":null})", R"({})", R"({"n":null})"},
  };
  for (const Case& test : cases) {
    const PatchResult result = merge_patch(parse(test.document), parse(test.patch));
    ASSERT_TRUE(result) << test.patch;
    EXPECT_EQ(write_json(*result), test.merged) << test.patch;
  }
}

TEST(MergePatch, IsMalformedUnlessItIsAnObject) {
  const auto message = [](const char* patch) { return merge_patch(parse("{}"), parse(patch)).error().message; };
  EXPECT_EQ(message("null"), "Invalid JSON Patch");
  EXPECT_EQ(message("[]"),
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(message("true"),
            "error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}");
  EXPECT_EQ(merge_patch(parse("{}"), parse("3")).error().kind, PatchError::Kind::kMalformed);
}

TEST(MergePatch, IsFoundBetweenTwoVersions) {
  struct Case {
    const char* before;
    const char* after;
    const char* patch;
  };
  const Case cases[] = {
      {R"({"a":1,"b":[1]})", R"({"b":[1],"a":1})", "{}"},
      {R"({"a":{"b":1,"c":2},"d":3})", R"({"a":{"b":1,"c":4},"d":3})", R"({"a":{"c":4}})"},
      {R"({"a":{"b":1},"d":3})", R"({"a":{}})", R"({"a":{"b":null},"d":null})"},
      {R"({"l":[1,2]})", R"({"l":[1]})", R"({"l":[1]})"},
      {R"({"a":{"b":1}})", R"({"a":5,"n":{"m":1}})", R"({"a":5,"n":{"m":1}})"},
      {R"({"a":1})", R"({"a":1,"n":null})", "{}"},
      {R"({"a":1})", R"({"a":null})", R"({"a":null})"},
  };
  for (const Case& test : cases) {
    const Value patch = merge_patch_between(parse(test.before), parse(test.after));
    EXPECT_EQ(write_json(patch), test.patch) << test.after;
    EXPECT_TRUE(merge_patch_between(*merge_patch(parse(test.before), patch), parse(test.after)).object().empty())
        << test.after;
  }
}

}  // namespace
}  // namespace loadline::document
