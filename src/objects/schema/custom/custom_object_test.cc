#include "objects/schema/custom/custom_object.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/schema/catalog.h"
#include "objects/schema/custom/definition_reader.h"
#include "objects/schema/custom/definition_validation.h"
#include "objects/schema/custom/definition_warnings.h"
#include "objects/schema/custom/definitions.h"
#include "objects/schema/custom/structural_schema.h"
#include "objects/schema/testing/published.h"

namespace loadline::schema {
namespace {

using document::Value;

document::Reading reading_of(std::string_view text) { return document::read_json(text, "body"); }
Value json(std::string_view text) { return reading_of(text).documents.at(0); }

std::string shown(const FieldErrors& errors) {
  std::vector<std::string> lines;
  for (const FieldError& error : errors) lines.push_back(error.path + ": " + error.message);
  return joined(lines, "\n");
}

/// A schema at work on one object.
struct Schema {
  explicit Schema(std::string_view text) : rules(read_schema(json(text))) {}

  [[nodiscard]] std::string conformed(std::string_view text) const {
    const document::Reading reading = reading_of(text);
    const Conformed done = conform_custom(reading.documents.at(0), *rules, testing::object_meta(), reading.problems);
    if (!done.error.empty()) return done.error;
    const std::string findings = joined(done.findings, ", ");
    return document::write_json(done.value) + (findings.empty() ? "" : " " + findings);
  }
  [[nodiscard]] std::string errors(std::string_view text, std::string_view old = {}) const {
    const Value value = conform_custom(json(text), *rules, testing::object_meta()).value;
    if (old.empty()) return shown(validate_custom(value, nullptr, *rules));
    const Value before = conform_custom(json(old), *rules, testing::object_meta()).value;
    return shown(validate_custom(value, &before, *rules));
  }

  std::shared_ptr<const ValueRules> rules;
};

/// The definition of a recording of a real API server, 104-crd.
constexpr std::string_view kWidgets =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":)"
    R"("widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":)"
    R"("widget","kind":"Widget","listKind":"WidgetList","shortNames":["wd"]},"versions":[{"name":"v1","served":true,)"
    R"("storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":)"
    R"(["size"],"properties":{"size":{"type":"integer","minimum":1,"default":7},"mode":{"type":"string","enum":)"
    R"(["A","B"]}},"x-kubernetes-validations":[{"rule":"self.size < 100","message":"too big"}]},"status":{"type":)"
    R"("object","properties":{"n":{"type":"integer"}}}}}},"subresources":{"status":{},"scale":{"specReplicasPath":)"
    R"(".spec.size","statusReplicasPath":".status.n"}},"additionalPrinterColumns":[{"name":"Size","type":"integer",)"
    R"("jsonPath":".spec.size"}]}]}})";

TEST(Definition, BecomesAResource) {
  EXPECT_EQ(shown(validate_definition(json(kWidgets), nullptr)), "");
  EXPECT_TRUE(definition_warnings(json(kWidgets)).empty());
  const auto resources = read_definition(json(kWidgets), testing::object_meta());
  ASSERT_EQ(resources.size(), 1U);
  const Resource& widgets = *resources[0];
  EXPECT_EQ(widgets.group_resource(), "widgets.example.com");
  EXPECT_TRUE(widgets.is_namespaced && widgets.is_custom);
  EXPECT_EQ(widgets.storage_version, "v1");
  EXPECT_EQ(widgets.scale.spec_replicas, ".spec.size");
  EXPECT_EQ(widgets.subresources.size(), 2U);
  EXPECT_EQ(widgets.columns.at(0).json_path, ".spec.size");
  EXPECT_EQ(widgets.type->name, "com.example.v1.Widget");
  EXPECT_EQ(widgets.type->find("metadata")->type, &testing::object_meta());
  const Type* spec = widgets.type->find("spec")->type;
  EXPECT_EQ(spec->find("size")->type->form, Form::kInt64);
  EXPECT_EQ(spec->find("size")->initial, Value(std::int64_t{7}));
  EXPECT_TRUE(spec->find("size")->is_required);
}

// What the same server answered to requests 105 to 108 of the recordings.
TEST(CustomObject, AnswersAsARealServerDid) {
  const auto resources = read_definition(json(kWidgets), testing::object_meta());
  const ValueRules& rules = *resources.at(0)->type->rules;
  const auto errors = [&](std::string_view text) { return shown(validate_custom(json(text), nullptr, rules)); };
  EXPECT_EQ(
      errors(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":)"
             R"({"mode":"C","size":0}})"),
      "spec.mode: Unsupported value: \"C\": supported values: \"A\", \"B\"\n"
      "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1\n"
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct "
      "the existing errors to complete validation");
  EXPECT_EQ(errors(R"({"spec":{"size":100}})"), "spec: Invalid value: too big");
  EXPECT_EQ(errors(R"({"spec":{"size":99}})"), "");
  const Conformed done = conform_custom(
      json(R"({"kind":"Widget","apiVersion":"example.com/v1","spec":{"zzz":1},"metadata":{"name":"w"}})"), rules,
      testing::object_meta());
  EXPECT_EQ(document::write_json(done.value),
            R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":7}})");
  EXPECT_EQ(joined(done.findings, ", "), R"(unknown field "spec.zzz")");
}

TEST(CustomObject, KnowsWhatMayStay) {
  const Schema schema(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{"free":{"type":"object",)"
      R"("x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"object"}}},"map":{"type":"object",)"
      R"("additionalProperties":{"type":"object","properties":{"a":{"type":"string"}}}},"list":{"type":"array","items":)"
      R"({"type":"object","properties":{"a":{"type":"integer","default":1},"n":{"type":"string","nullable":true}}}},)"
      R"("pod":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},)"
      R"("open":{"type":"object","additionalProperties":true},"defaulted":{"type":"object","default":{},"properties":)"
      R"({"x":{"type":"string","default":"y"}}}}}}})");
  EXPECT_EQ(schema.conformed(R"({"spec":{"map":{"k":{"b":1,"a":"x"}},"free":{"z":{"y":null},"known":{"u":1}}}})"),
            R"({"spec":{"defaulted":{"x":"y"},"free":{"known":{},"z":{"y":null}},"map":{"k":{"a":"x"}}}} )"
            R"(unknown field "spec.free.known.u", unknown field "spec.map.k.b")");
  EXPECT_EQ(schema.conformed(R"({"spec":{"list":[{"a":null,"n":null},{"a":3,"b":1}],"defaulted":null}})"),
            R"({"spec":{"defaulted":{"x":"y"},"list":[{"a":1,"n":null},{"a":3}]}} unknown field "spec.list[1].b")");
  EXPECT_EQ(
      schema.conformed(R"({"spec":{"pod":{"kind":"Pod","apiVersion":"v1","metadata":{"nam":"x","labels":{"a":"b"}},)"
                       R"("spec":{"x":1}},"open":{"a":1}},"spec":{},"extra":1})"),
      R"({"spec":{"defaulted":{"x":"y"},"open":{"a":1},"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":)"
      R"({"a":"b"}},"spec":{"x":1}}}} duplicate field "spec", unknown field "extra", )"
      R"(unknown field "spec.pod.metadata.nam")");
  EXPECT_EQ(schema.conformed(R"({"metadata":{"labels":{"a":1}}})"),
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string");
}

TEST(CustomObject, SharesWhatStaysTheSame) {
  const Schema schema(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}})");
  const Value value = json(R"({"apiVersion":"v1","kind":"K","spec":{"a":"b"}})");
  EXPECT_EQ(&conform_custom(value, *schema.rules, testing::object_meta()).value.object(), &value.object());
}

TEST(ValueRules, SayWhatIsWrongInUpstreamsWords) {
  const Schema schema(
      R"({"type":"object","required":["must"],"properties":{"must":{"type":"string"},"i":{"type":"integer","format":)"
      R"("int32","minimum":1,"maximum":9,"exclusiveMaximum":true,"multipleOf":2},"n":{"type":"number","minimum":0.5},)"
      R"("s":{"type":"string","minLength":2,"maxLength":3,"pattern":"^a"},"l":{"type":"array","minItems":1,"maxItems":2,)"
      R"("items":{"type":"string"}},"m":{"type":"object","maxProperties":1,"additionalProperties":{"type":"integer"}},)"
      R"("x":{"x-kubernetes-int-or-string":true},"nullable":{"type":"string","nullable":true,"enum":["a"]},"ip":{"type":)"
      R"("string","format":"ipv4"},"either":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},)"
      R"("oneOf":[{"required":["a"]},{"required":["b"]}]},"any":{"type":"string","anyOf":[{"pattern":"^a"},{"minLength":)"
      R"(5}]},"not":{"type":"string","not":{"enum":["no"]}},"all":{"type":"integer","allOf":[{"minimum":1},{"maximum":)"
      R"(3}]}}})");
  const auto errors = [&](std::string_view members) {
    return schema.errors(R"({"must":"")" + std::string(members.empty() ? "" : ",") + std::string(members) + "}");
  };
  EXPECT_EQ(schema.errors("{}"), "must: Required value");
  EXPECT_EQ(errors(R"("i":"x")"), R"(i: Invalid value: "string": i in body must be of type integer: "string")");
  EXPECT_EQ(errors(R"("i":true)"), R"(i: Invalid value: "": i in body must be of type int32: "")");
  EXPECT_EQ(errors(R"("s":5)"), R"(s: Invalid value: "integer": s in body must be of type string: "integer")");
  EXPECT_EQ(errors(R"("i":0)"), "i: Invalid value: 0: i in body should be greater than or equal to 1");
  EXPECT_EQ(errors(R"("i":9)"),
            "i: Invalid value: 9: i in body should be a multiple of 2\n"
            "i: Invalid value: 9: i in body should be less than 9");
  EXPECT_EQ(errors(R"("i":4.0,"x":"a","n":1)"), "");
  EXPECT_EQ(errors(R"("x":true)"),
            R"(x: Invalid value: "boolean": x in body must be of type integer,string: "boolean")");
  EXPECT_EQ(errors(R"("n":0.25)"), "n: Invalid value: 0.25: n in body should be greater than or equal to 0.5");
  EXPECT_EQ(errors(R"("s":"a")"), R"(s: Invalid value: "a": s in body should be at least 2 chars long)");
  EXPECT_EQ(errors(R"("s":"aaaa")"), "s: Too long: may not be more than 3 bytes");
  EXPECT_EQ(errors(R"("s":"bb")"), R"(s: Invalid value: "bb": s in body should match '^a')");
  EXPECT_EQ(errors(R"("l":[])"), "l: Invalid value: 0: l in body should have at least 1 items");
  EXPECT_EQ(errors(R"("l":["a","b",1])"),
            "l[2]: Invalid value: \"integer\": l[2] in body must be of type string: \"integer\"\n"
            "l: Too many: 3: must have at most 2 items");
  EXPECT_EQ(errors(R"("m":{"a":1,"b":"c"})"),
            "m: Too many: 2: must have at most 1 item\n"
            "m.b: Invalid value: \"string\": m.b in body must be of type integer: \"string\"");
  EXPECT_EQ(errors(R"("nullable":null)"), R"(nullable: Unsupported value: null: supported values: "a")");
  EXPECT_EQ(errors(R"("ip":"1.2.3")"), R"(ip: Invalid value: "1.2.3": ip in body must be of type ipv4: "1.2.3")");
  EXPECT_EQ(
      errors(R"("either":{"a":"","b":""})"),
      R"(<nil>: Invalid value: "": "either" must validate one and only one schema (oneOf). Found 2 valid alternatives)");
  EXPECT_EQ(errors(R"("either":{})"),
            "<nil>: Invalid value: \"\": \"either\" must validate one and only one schema (oneOf). Found none valid\n"
            "either.a: Required value");
  EXPECT_EQ(errors(R"("any":"b")"),
            "<nil>: Invalid value: \"\": \"any\" must validate at least one schema (anyOf)\n"
            "any: Invalid value: \"b\": any in body should match '^a'");
  EXPECT_EQ(errors(R"("not":"no")"), R"(<nil>: Invalid value: "": "not" must not validate the schema (not))");
  EXPECT_EQ(errors(R"("all":4)"),
            "all: Invalid value: 4: all in body should be less than or equal to 3\n"
            "<nil>: Invalid value: \"\": \"all\" must validate all the schemas (allOf)");
}

TEST(ValueRules, WhatHasNotChangedIsNotComplainedOf) {
  const Schema schema(
      R"({"type":"object","properties":{"a":{"type":"string","minLength":3},"list":{"type":"array",)"
      R"("x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],)"
      R"("properties":{"k":{"type":"string"},"v":{"type":"integer","maximum":5}}}}}})");
  EXPECT_EQ(
      schema.errors(R"({"a":"x","list":[{"k":"2","v":7},{"k":"1","v":9}]})", R"({"a":"x","list":[{"k":"1","v":9}]})"),
      "list[0].v: Invalid value: 7: list[0].v in body should be less than or equal to 5");
  EXPECT_EQ(schema.errors(R"({"a":"y"})", R"({"a":"x"})"),
            "a: Invalid value: \"y\": a in body should be at least 3 chars long");
}

TEST(CustomObject, ListsThatAreSetsAndMapsHoldNothingTwice) {
  const Schema schema(
      R"({"type":"object","properties":{"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},)"
      R"("map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],"items":{"type":)"
      R"("object","properties":{"a":{"type":"string"},"b":{"type":"integer","default":1}}}}}})");
  EXPECT_EQ(schema.errors(R"({"set":["a","b","a","a"],"map":[{"a":"x"},{"a":"y"},{"a":"x","b":1}]})"),
            "map[2]: Duplicate value: {\"a\":\"x\",\"b\":1}\nset[2]: Duplicate value: \"a\"");
}

TEST(CustomObject, EmbeddedObjectsSayWhatTheyAre) {
  const Schema schema(R"({"type":"object","properties":{"o":{"type":"object","x-kubernetes-embedded-resource":true,)"
                      R"("x-kubernetes-preserve-unknown-fields":true}}})");
  EXPECT_EQ(schema.errors(R"({"o":{"kind":"","metadata":{}}})"),
            "o.apiVersion: Required value\no.kind: Invalid value: \"\": must not be empty");
}

TEST(CustomObject, ExpressionsComplainAsUpstream) {
  const Schema schema(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"integer",)"
      R"("x-kubernetes-validations":[{"rule":"self > 0"}]},"b":{"type":"string"},"list":{"type":"array","items":{"type":)"
      R"("string"}}},"x-kubernetes-validations":[{"rule":"!has(self.b) || self.b != 'bad'","messageExpression":)"
      R"("'b is ' + self.b","fieldPath":".b","reason":"FieldValueForbidden"},{"rule":"self.a >= oldSelf.a","message":)"
      R"(" may not shrink "},{"rule":"self.list[0] == 'x'","message":"first"},{"rule":"oldSelf.orValue(self).a < 100",)"
      R"("optionalOldSelf":true}]}}})");
  EXPECT_EQ(schema.errors(R"({"spec":{"a":0,"b":"bad","list":["x"]}})"),
            "spec.b: Forbidden: b is bad\nspec.a: Invalid value: 0: failed rule: self > 0");
  EXPECT_EQ(schema.errors(R"({"spec":{"a":1,"list":[]}})"),
            "spec: Invalid value: \"object\": index out of bounds: 0 evaluating rule: first");
  EXPECT_EQ(schema.errors(R"({"spec":{"a":1,"list":["x"]}})", R"({"spec":{"a":2,"list":["x"]}})"),
            "spec: Invalid value: may not shrink");
  EXPECT_EQ(schema.errors(R"({"spec":{"a":200,"list":["x"]}})", R"({"spec":{"a":100,"list":["x"]}})"),
            "spec: Invalid value: failed rule: oldSelf.orValue(self).a < 100");
  EXPECT_EQ(schema.errors(R"({"spec":{"a":0,"list":["x"]},"z":1})", R"({"spec":{"a":0,"list":["x"]}})"), "");
}

TEST(CustomObject, ExpressionsHaveABudget) {
  const Schema schema(
      R"x({"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"},"x-kubernetes-validations":)x"
      R"x([{"rule":"self.all(a, self.all(b, self.all(c, a + b + c > 0)))"}]}}})x");
  std::string list = R"({"l":[1)";
  for (int i = 0; i < 200; ++i) list += ",1";
  EXPECT_EQ(
      schema.errors(list + "]}"),
      "l: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation rules "
      "will be run due to call cost exceeds limit for rule: self.all(a, self.all(b, self.all(c, a + b + c > 0)))");
}

TEST(Definition, WhatIsNotEvaluatedIsNamed) {
  const auto warnings = definition_warnings(
      json(R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string",)"
           R"("format":"colour","x-kubernetes-validations":[{"rule":"ip(self).family() == 4"}]}}}}}]}})"));
  EXPECT_EQ(joined(warnings, "\n"),
            "spec.versions[0].schema.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule: "
            "\"ip(self).family() == 4\" is not evaluated: function 'family' is not supported\n"
            "unrecognized format \"colour\"");
}

// Every kind that needs no installing: its definition is fine, and all its expressions are evaluated. Of one an API
// server would not take the group, which is why it has to be built in.
TEST(Definition, BuiltInOnesAreUnderstood) {
  BuiltInDefinitions definitions;
  EXPECT_GT(definitions.entries().size(), 20U);
  for (const BuiltInDefinitions::Entry& entry : definitions.entries()) {
    SCOPED_TRACE(entry.name);
    const Value definition = definitions.definition(entry.name);
    const char* const complaint =
        entry.name == "deschedulerpolicies.descheduler"
            ? "spec.group: Invalid value: \"descheduler\": should be a domain with at least one dot"
            : "";
    EXPECT_EQ(shown(validate_definition(definition, nullptr)), complaint);
    EXPECT_EQ(joined(definition_warnings(definition), "\n"), "");
    EXPECT_FALSE(read_definition(definition, testing::object_meta()).empty());
  }
}

/// `{"type":"object","properties":{<properties>}}`.
std::string object_schema(const std::string& properties) {
  return R"({"type":"object","properties":{)" + properties + "}}";
}

// What a schema says to people does not count, whatever else it says does.
TEST(Schema, KeepsEqualPartsOnce) {
  const std::string template_schema = object_schema(
      R"("image":{"type":"string","pattern":"^[a-z]+$"},"args":{"type":"array","items":{"type":"string"}})");
  const auto with = [&](const std::string& more) {
    return template_schema.substr(0, template_schema.size() - 1) + "," + more + "}";
  };
  const auto rules = read_schema(json(
      object_schema(R"("a":)" + template_schema + R"(,"b":)" + with(R"("description":"another")") + R"(,"c":)" +
                    with(R"("default":{"image":"x"})") + R"(,"d":)" + with(R"("nullable":true)") + R"(,"e":)" +
                    object_schema(R"("image":{"type":"string","pattern":"^[a-z]*$"},"args":{"type":"array","items":)"
                                  R"({"type":"string"}})"))));
  const ValueRules* a = rules->find("a");
  EXPECT_EQ(a, rules->find("b"));
  EXPECT_NE(a, rules->find("c"));
  EXPECT_NE(a, rules->find("d"));
  EXPECT_NE(a, rules->find("e"));
  EXPECT_EQ(a->find("args"), rules->find("e")->find("args"));
  EXPECT_TRUE(rules->find("d")->is_nullable);
  EXPECT_TRUE(rules->find("c")->initial);
}

/// Whether documents are read by both in the same way.
void expect_same(const Type& one, const Type& other, const std::string& path) {
  SCOPED_TRACE(path);
  ASSERT_EQ(one.form, other.form);
  EXPECT_EQ(one.name, other.name);
  EXPECT_EQ(one.list, other.list);
  EXPECT_EQ(one.keys, other.keys);
  EXPECT_EQ(one.is_atomic, other.is_atomic);
  EXPECT_EQ(one.is_nullable, other.is_nullable);
  EXPECT_EQ(one.preserves_unknown, other.preserves_unknown);
  EXPECT_EQ(one.is_embedded_object, other.is_embedded_object);
  if (&one == &testing::object_meta()) return;
  if (one.element != nullptr) expect_same(*one.element, *other.element, path + "[]");
  ASSERT_EQ(one.fields.size(), other.fields.size());
  for (std::size_t i = 0; i < one.fields.size(); ++i) {
    EXPECT_EQ(one.fields[i].name, other.fields[i].name);
    EXPECT_EQ(one.fields[i].is_required, other.fields[i].is_required);
    EXPECT_EQ(one.fields[i].initial, other.fields[i].initial);
    expect_same(*one.fields[i].type, *other.fields[i].type, path + '.' + one.fields[i].name);
  }
}

// A server that had served each of them once kept 63 MiB of pod templates.
TEST(Definition, BuiltInOnesShareWhatTheyHaveInCommon) {
  BuiltInDefinitions definitions;
  DefinitionReader reader(testing::object_meta());
  std::size_t distinct = 0;
  std::size_t alone = 0;
  for (const BuiltInDefinitions::Entry& entry : definitions.entries()) {
    const Value definition = definitions.definition(entry.name);
    const auto shared = reader.read(definition);
    distinct = shared.front()->types->types().size();
    const auto own = read_definition(definition, testing::object_meta());
    alone += own.front()->types->types().size();
    ASSERT_EQ(shared.size(), own.size());
    for (std::size_t i = 0; i < own.size(); ++i) expect_same(*shared[i]->type, *own[i]->type, own[i]->type->name);
  }
  EXPECT_LT(distinct, 3'000U);
  EXPECT_LT(distinct, alone / 3);
}

/// Each element used to be compared with all that are allowed, and each mistake with all others.
TEST(ManyMistakes, CostWhatTheySayAndAThousandAreTold) {
  std::string words;
  std::string good;
  std::string bad;
  for (int i = 0; i < 5'000; ++i) words += (i == 0 ? "\"w" : ",\"w") + std::to_string(i) + "\"";
  for (int i = 0; i < 50'000; ++i) {
    good += i == 0 ? "\"w4999\"" : ",\"w4999\"";
    bad += i == 0 ? "\"other\"" : ",\"other\"";
  }
  const Schema schema(R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"string","enum":[)" +
                      words + "]}}}}");
  EXPECT_EQ(schema.errors("{\"l\":[" + good + "]}"), "");
  const std::string told = schema.errors("{\"l\":[" + bad + "]}");
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 999);
  EXPECT_LT(told.size(), 4'000'000U);
  EXPECT_NE(told.find("Too many mistakes"), std::string::npos);
}

}  // namespace
}  // namespace loadline::schema
