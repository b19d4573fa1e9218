#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "foundation/document/writer.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/codec.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/service.h"
#include "objects/kube/encoder.h"
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/testing/decoding.h"

// Lists that are decoded item by item, beside the same ones decoded whole.

namespace loadline::kube {
namespace {

using document::Value;

template <class Kind>
std::string described_objects(const std::vector<Kind>& objects, const Schema& schema) {
  std::string text;
  for (const Kind& object : objects) {
    const SourcePosition& at = object.metadata.source;
    text += *at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + " ";
    text += document::write_json(encode_object(schema, &object)) + "\n";
  }
  return text;
}

/// All that two decodings of one text can differ in, as text.
std::string described_decoding(const Decoding& decoding) {
  const Objects& objects = decoding.objects;
  std::string text = described_objects(objects.of<Node>(), kNodeSchema) +
                     described_objects(objects.of<Pod>(), kPodSchema) +
                     described_objects(objects.of<Deployment>(), kDeploymentSchema);
  for (const SkippedKind& each : objects.skipped) {
    text += each.api_version + " " + each.kind + " " + std::to_string(each.count) + " at line " +
            std::to_string(each.first.line) + "\n";
  }
  text += std::to_string(objects.of<ConfigMap>().size()) + " ConfigMaps, " +
          std::to_string(objects.of<SchedulerConfiguration>().size()) + " configurations\n";
  for (const Diagnostic& each : decoding.diagnostics) text += each.to_string() + "\n";
  return text;
}

std::optional<Decoding> item_by_item(const std::string& text) {
  return decode_item_by_item({{Value(), "f", text}}, RetiredVersions::kRefused);
}

std::string list_of(std::string_view items) {
  return R"({"apiVersion": "v1", "items": [)" + std::string(items) + R"(], "kind": "List"})";
}

constexpr std::string_view kNodeItem =
    R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "u"},
        "status": {"allocatable": {"cpu": "4", "pods": "oops"}, "capacty": {}}})";
constexpr std::string_view kPodItem =
    R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "Main"}]}})";

/// True if the text was decoded item by item, and with the same result as whole.
testing::AssertionResult is_decoded_alike(const std::string& text) {
  const std::optional<Decoding> decoding = item_by_item(text);
  if (!decoding) return testing::AssertionFailure() << "must be read whole";
  const std::string whole = described_decoding(decode_text(text));
  const std::string described = described_decoding(*decoding);
  if (described == whole) return testing::AssertionSuccess();
  return testing::AssertionFailure() << described << "instead of\n" << whole;
}

TEST(ItemByItemTest, ObjectsAndDiagnosticsAreThoseOfTheWholeList) {
  const std::string node(kNodeItem);
  const std::string pod(kPodItem);
  const std::string texts[] = {
      list_of(node),
      list_of(""),
      list_of(node + ",\n" + pod + R"(, {"apiVersion": "v1"}, {"kind": "Pod"}, {"apiVersion": "v1", "kind": "Pood"})"),
      list_of(R"({"apiVersion": "v1", "kind": "Secret"}, {"apiVersion": "v1", "kind": "Secret"})"),
      list_of(R"({"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}})"),
      R"({"kind": "List", "apiVersion": "v1", "items": [{"metadata": {"name": "says not what it is"}}]})",
      R"({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [{"metadata": {"name": "p"}, "spec": {}}]})",
      R"({"kind": "DeploymentList", "apiVersion": "apps/v1", "items": [{"metadata": {"generateName": "d-"}}]})",
  };
  for (const std::string& text : texts) EXPECT_TRUE(is_decoded_alike(text)) << text;
}

TEST(ItemByItemTest, ListsThatMustBeReadWholeAreTold) {
  const std::string pod(kPodItem);
  const std::string texts[] = {
      R"({"apiVersion": "v1", "items": [{"metadata": {"name": "p"}}], "kind": "PodList"})",
      R"({"apiVersion": "v1", "items": [], "kind": "Pod"})",
      R"({"items": [)" + pod + R"(], "kind": "List"})",
      R"({"apiVersion": 1, "items": [], "kind": "List"})",
      list_of(R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}, )"
              R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})"),
      list_of(R"({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"})"),
      list_of(R"({"apiVersion": "v1", "kind": "List", "items": []})"),
      list_of(pod + ", 7"),
      list_of(pod) + "x",
      list_of(pod).substr(0, 100),
  };
  for (const std::string& text : texts) EXPECT_FALSE(item_by_item(text).has_value()) << text;
}

TEST(ItemByItemTest, AnObjectThatADocumentRepeatsMustBeReadWhole) {
  const std::string text = list_of(kNodeItem);
  const Value node = document::read(kNodeItem, "g").documents.at(0);
  EXPECT_FALSE(decode_item_by_item({{Value(), "f", text}, {node, "g"}}, RetiredVersions::kRefused).has_value());
  EXPECT_FALSE(decode_item_by_item({{node, "g"}, {Value(), "f", text}}, RetiredVersions::kRefused).has_value());
}

/// The documents of a file, as `kubectl get -o json` would print them.
std::string as_list(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  document::Array items;
  for (const Value& each : document::read(text, "f").documents) {
    if (each.is_object()) items.push_back(each);
  }
  const Value list(document::Object{
      {"apiVersion", Value("v1"), {}}, {"items", Value(std::move(items)), {}}, {"kind", Value("List"), {}}});
  return document::write_json(list, document::JsonStyle::kIndented);
}

TEST(ItemByItemTest, ManifestsOfTheRepositoryAreDecodedAlike) {
  std::size_t alike = 0;
  for (const char* folder : {"/examples", "/tests/lint", "/tests/scenarios"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LOADLINE_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".yaml") continue;
      const std::string text = as_list(entry.path());
      if (!item_by_item(text)) continue;
      EXPECT_TRUE(is_decoded_alike(text)) << entry.path();
      ++alike;
    }
  }
  EXPECT_GT(alike, 100U);
}

}  // namespace
}  // namespace loadline::kube
