#include "objects/kube/custom_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(UnreadKinds, AreChecked) {
  const Decoding decoding = decode_text(R"(apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r}
rules:
- apiGroups: [""]
  resource: [pods]
  verbs: get
)");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre(R"(6:3 error rules[0].resource: unknown field "rules[0].resource")",
                          R"(7:10 error rules[0].verbs: expected a list, got string "get")"));
  EXPECT_EQ(decoding.diagnostics.at(0).hint, R"(did you mean "resources"?)");
  EXPECT_EQ(decoding.objects.skipped.size(), 1U);
}

TEST(UnreadKinds, MisspelledOnesAreReported) {
  const Decoding decoding = decode_text("{apiVersion: networking.k8s.io/v1, kind: Ingres, metadata: {name: i}}");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre(R"(1:42 error kind: no matches for kind "Ingres" in version "networking.k8s.io/v1")"));
}

constexpr std::string_view kWidgets = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            x-kubernetes-validations:
            - rule: self.size < 10
              message: too large
            properties:
              size: {type: integer}
              colour: {type: string, enum: [red, green]}
---
)";

TEST(CustomKinds, AreCheckedByTheDefinitionOfTheInput) {
  const auto problems = [](const std::string& spec) {
    const std::string object = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: " + spec + "}";
    return lines_of(decode_text(std::string(kWidgets) + object).diagnostics);
  };
  EXPECT_THAT(problems("{size: 3, colour: red}"), IsEmpty());
  EXPECT_THAT(problems("{size: 30}"), ElementsAre(HasSubstr("spec: Invalid value: too large")));
  EXPECT_THAT(problems("{colour: blue, size: 1}"),
              ElementsAre(HasSubstr(R"(spec.colour: Unsupported value: "blue": supported values: "red", "green")")));
  EXPECT_THAT(problems("{}"), ElementsAre(HasSubstr("spec.size: Required value")));
  EXPECT_THAT(problems("{size: 1, color: red}"), ElementsAre(HasSubstr(R"(unknown field "spec.color")")));
  EXPECT_THAT(problems("{size: big}"), ElementsAre(HasSubstr(R"(expected a whole number, got string "big")")));
}

TEST(CustomKinds, AreHeldAgainstRulesOfTheWholeObject) {
  const auto problems = [](const std::string& rest) {
    std::string definition(kWidgets);
    constexpr std::string_view kProperties = "        type: object\n        properties:";
    definition.replace(definition.find(kProperties), kProperties.size(),
                       "        type: object\n        x-kubernetes-validations: [{rule: \"self.metadata.name != 'w'\", "
                       "message: not this one}]\n        properties:");
    return lines_of(decode_text(definition + "{apiVersion: example.com/v1, kind: Widget, " + rest + "}").diagnostics);
  };
  EXPECT_THAT(problems("metadata: {name: v}, spec: {size: 1}"), IsEmpty());
  EXPECT_THAT(problems("metadata: {name: w}, spec: {size: 1}"),
              ElementsAre(HasSubstr("error Invalid value: not this one")));
}

TEST(CustomKinds, KeepUnknownFieldsWhereTheDefinitionSaysSo) {
  const auto problems = [](const std::string& schema) {
    std::string definition(kWidgets);
    const std::string_view colour = "colour: {type: string, enum: [red, green]}";
    definition.replace(definition.find(colour), colour.size(), "more: " + schema);
    return lines_of(decode_text(definition + "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, "
                                             "spec: {size: 1, more: {known: a, other: b}}}")
                        .diagnostics);
  };
  const std::string known = "type: object, properties: {known: {type: string}}";
  EXPECT_THAT(problems("{" + known + ", x-kubernetes-preserve-unknown-fields: true}"), IsEmpty());
  EXPECT_THAT(problems("{type: object, additionalProperties: {type: string}}"), IsEmpty());
  EXPECT_THAT(problems("{" + known + "}"), ElementsAre(HasSubstr(R"(unknown field "spec.more.other")")));
}

TEST(CustomKinds, AreCheckedByBuiltInDefinitionsWithWarnings) {
  const Decoding decoding = decode_text(R"(apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: q}
spec:
  queueingStrategy: Sometimes
  resourceGroup: []
)");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre(HasSubstr("1:13 warning apiVersion: checked by the definition of sigs.k8s.io/kueue@v"),
                          HasSubstr("warning spec.queueingStrategy: Unsupported value"),
                          HasSubstr(R"(warning spec.resourceGroup: unknown field "spec.resourceGroup")")));
  EXPECT_THAT(lines_of(decode_text("{apiVersion: kueue.x-k8s.io/v9, kind: ClusterQueue, spec: 1}").diagnostics),
              IsEmpty());
}

TEST(CustomKinds, OfAClusterAreTakenAsTheyAre) {
  const std::string object =
      "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, uid: u}, spec: {size: big}}";
  EXPECT_THAT(lines_of(decode_text(std::string(kWidgets) + object).diagnostics), IsEmpty());
}

TEST(CustomKinds, ADefinitionThatIsWrongDescribesNothing) {
  const Decoding decoding = decode_text(R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: x}
spec: {group: example.com, names: {kind: Widget}, versions: [{name: v1, served: 1}]}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {}}
)");
  EXPECT_THAT(lines_of(decoding.diagnostics),
              ElementsAre(HasSubstr("spec.versions[0].served: expected true or false")));
}

}  // namespace
}  // namespace loadline::kube
