#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/catalog.h"
#include "objects/schema/custom/custom_object.h"
#include "objects/schema/custom/definition_validation.h"
#include "objects/schema/custom/structural_schema.h"
#include "objects/schema/testing/published.h"

// What the API server's own code for custom resources makes of objects, expressions and definitions: the file is
// written by conformance/custom_cases.
namespace loadline::schema {
namespace {

using document::Value;

const Value& custom_cases() {
  static const auto& all = *[] {
    std::ifstream file(std::string(LOADLINE_SOURCE_DIR) + "/src/objects/schema/testdata/custom_objects.json");
    std::ostringstream text;
    text << file.rdbuf();
    return new Value(document::read_json(text.str(), "custom_objects.json").documents.at(0));
  }();
  return all;
}

/// One a line, sorted: upstream has them in no order.
std::string lines(const Value* texts) {
  std::vector<std::string> all;
  if (texts != nullptr && texts->is_array()) {
    for (const Value& text : texts->array()) all.push_back(text.string());
  }
  std::sort(all.begin(), all.end());
  return joined(all, "\n");
}

std::string lines(const FieldErrors& errors) {
  std::vector<std::string> all;
  for (const FieldError& error : errors) all.push_back(error.path + ": " + error.message);
  std::sort(all.begin(), all.end());
  return joined(all, "\n");
}

std::string without_blocked(std::string text) {
  constexpr std::string_view kBlocked =
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the "
      "existing errors to complete validation\n";
  const std::size_t at = text.find(kBlocked);
  if (at != std::string::npos) text.erase(at, kBlocked.size());
  return text;
}

TEST(CustomCases, ObjectsBecomeWhatUpstreamMakesOfThem) {
  EXPECT_GT(custom_cases().find("objects")->array().size(), 150U);
  for (const Value& one : custom_cases().find("objects")->array()) {
    const Value& object = *one.find("object");
    const Value* old = one.find("old");
    SCOPED_TRACE((old == nullptr ? "" : document::write_json(*old) + " => ") + document::write_json(object));
    const auto rules = read_schema(*one.find("schema"));
    const Conformed done = conform_custom(object, *rules, testing::object_meta());
    EXPECT_EQ(document::write_json(done.value), document::write_json(with_sorted_members(*one.find("became"))));
    std::vector<std::string> unknown;
    if (const Value* paths = one.find("unknown")) {
      for (const Value& path : paths->array()) unknown.push_back("unknown field \"" + path.string() + '"');
    }
    EXPECT_EQ(joined(done.findings, "\n"), joined(unknown, "\n"));
    const Value before = old == nullptr ? Value() : conform_custom(*old, *rules, testing::object_meta()).value;
    const auto errors = validate_custom(done.value, old == nullptr ? nullptr : &before, *rules);
    EXPECT_EQ(without_blocked(lines(errors)), lines(one.find("errors")));
  }
}

TEST(CustomCases, ExpressionsSayWhatUpstreamSays) {
  const Value& object = *custom_cases().find("ruleObject");
  const Value& schema = *custom_cases().find("ruleSchema");
  EXPECT_GT(custom_cases().find("rules")->array().size(), 130U);
  for (const Value& one : custom_cases().find("rules")->array()) {
    const std::string& rule = one.find("rule")->string();
    SCOPED_TRACE(rule);
    const Value& properties = *schema.find("properties");
    const Value rules_list(document::Array{Value(document::Object{{"rule", Value(rule), {}}})});
    const Value spec = properties.find("spec")->with("x-kubernetes-validations", rules_list);
    const auto rules = read_schema(schema.with("properties", properties.with("spec", spec)));
    const Value value = conform_custom(object, *rules, testing::object_meta()).value;
    EXPECT_EQ(lines(validate_custom(value, nullptr, *rules)), lines(one.find("errors")));
  }
}

TEST(CustomCases, DefinitionsAreRefusedInUpstreamsWords) {
  EXPECT_GT(custom_cases().find("definitions")->array().size(), 40U);
  for (const Value& one : custom_cases().find("definitions")->array()) {
    const Value& definition = *one.find("definition");
    SCOPED_TRACE(document::write_json(definition));
    EXPECT_EQ(lines(validate_definition(definition, nullptr)), lines(one.find("errors")));
  }
}

}  // namespace
}  // namespace loadline::schema
