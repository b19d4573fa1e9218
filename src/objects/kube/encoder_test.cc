#include "objects/kube/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/codec.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using document::Value;
using testing::IsEmpty;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Every document of every manifest in the repository's examples and scenarios.
const std::vector<Value>& all_documents() {
  static const std::vector<Value>* documents = [] {
    auto* found = new std::vector<Value>();
    for (const char* folder : {"examples", "tests/scenarios/cases"}) {
      const std::filesystem::path root = std::filesystem::path(LOADLINE_SOURCE_DIR) / folder;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".yaml") continue;
        document::Reading reading = document::read(text_of(entry.path()), entry.path().string());
        found->insert(found->end(), reading.documents.begin(), reading.documents.end());
      }
    }
    return found;
  }();
  return *documents;
}

/// What there is to write in all of them: nodes, pods, and the pods that workloads' templates describe.
Objects all_objects() {
  std::vector<SourceDocument> documents;
  for (const Value& value : all_documents()) documents.push_back({value, "f"});
  Objects objects = decode(documents).objects;
  const auto add_template = [&](const PodTemplateSpec& pod_template) {
    objects.of<Pod>().push_back({pod_template.metadata, pod_template.spec, {}});
  };
  for (const Deployment& deployment : objects.of<Deployment>()) add_template(deployment.template_);
  for (const Job& job : objects.of<Job>()) add_template(job.spec.template_);
  return objects;
}

template <class T>
T decode_again(const Schema& schema, const Value& value) {
  Diagnostics diagnostics;
  Decoder decoder(diagnostics, nullptr, "", Severity::kError);
  T back{};
  decode_object(decoder, value, Path(&schema), schema, &back);
  EXPECT_THAT(lines_of(diagnostics), IsEmpty()) << document::write_json(value);
  return back;
}

/// Equal, for every row that is read is written, see EveryRowThatIsReadIsWritten.
template <class T>
void expect_same_after_encoding(const Schema& schema, const T& object) {
  const Value value = encode_object(schema, &object);
  const T back = decode_again<T>(schema, value);
  EXPECT_EQ(document::write_json(encode_object(schema, &back)), document::write_json(value));
}

TEST(Encoder, DecodingWhatWasEncodedGivesTheSameForEveryManifest) {
  const Objects objects = all_objects();
  ASSERT_GT(objects.of<Pod>().size(), 100U);
  ASSERT_GT(objects.of<Node>().size(), 50U);
  for (const Pod& pod : objects.of<Pod>()) expect_same_after_encoding(kPodSchema, pod);
  for (const Node& node : objects.of<Node>()) expect_same_after_encoding(kNodeSchema, node);
}

TEST(Encoder, EveryRowThatIsReadIsWritten) {
  std::set<const Schema*> seen;
  std::vector<const Schema*> open = {&kPodSchema, &kNodeSchema};
  while (!open.empty()) {
    const Schema* schema = open.back();
    open.pop_back();
    if (!seen.insert(schema).second) continue;
    for (const Field& row : schema->fields()) {
      if (row.decode == nullptr && !row.is_part) continue;
      EXPECT_TRUE(row.is_part || row.encode != nullptr) << schema->name << "." << row.name;
      if (row.type.schema != nullptr) open.push_back(row.type.schema);
    }
  }
  EXPECT_GT(seen.size(), 30U);
}

bool same_scalar(const Value& a, const Value& b, const Type& type) {
  if (type.shape != FieldType::kQuantity) return a == b;
  const auto text = [](const Value& value) {
    return value.is_string() ? value.string() : document::format_number(value.number());
  };
  return *Quantity::parse(text(a)) == *Quantity::parse(text(b));
}

/// Checks that what `source` says, and a row reads, stands in `written` too.
void expect_covered(const Value& source, const Value& written, const Type& type, const std::string& at) {
  if (type.multiplicity == Multiplicity::kList) {
    ASSERT_TRUE(written.is_array()) << at;
    ASSERT_EQ(source.array().size(), written.array().size()) << at;
    for (std::size_t i = 0; i < source.array().size(); ++i) {
      expect_covered(source.array()[i], written.array()[i], type.element(), at + "[" + std::to_string(i) + "]");
    }
  } else if (type.multiplicity == Multiplicity::kMap) {
    for (const document::Member& member : source.object()) {
      const Value* found = written.find(member.key);
      ASSERT_NE(found, nullptr) << at << "[" << member.key << "]";
      expect_covered(member.value, *found, type.element(), at + "[" + member.key + "]");
    }
  } else if (type.shape == FieldType::kObject) {
    for (const document::Member& member : source.object()) {
      const Field* row = type.schema->find(member.key);
      if (row == nullptr || (row->encode == nullptr && !row->is_part) || member.value.is_null()) continue;
      const Value* found = written.find(member.key);
      const bool empty = (member.value.is_object() && member.value.object().empty()) ||
                         (member.value.is_array() && member.value.array().empty()) ||
                         (member.value.is_string() && member.value.string().empty()) || member.value == Value(false) ||
                         member.value == Value(std::int64_t{0});
      if (found == nullptr && (empty || row->is_part)) continue;
      ASSERT_NE(found, nullptr) << at << "." << member.key;
      expect_covered(member.value, *found, row->type, at + "." + member.key);
    }
  } else {
    EXPECT_TRUE(same_scalar(source, written, type))
        << at << ": " << document::write_json(source) << " became " << document::write_json(written);
  }
}

TEST(Encoder, WritesZeroReplicas) {
  Deployment deployment;
  deployment.replicas = 0;
  const Value* replicas = nullptr;
  const Value document = encode_object(kDeploymentSchema, &deployment);
  if (const Value* spec = document.find("spec")) replicas = spec->find("replicas");
  ASSERT_NE(replicas, nullptr);  // absent, it would stand for one
  EXPECT_EQ(*replicas, Value(std::int64_t{0}));
}

TEST(Encoder, WritesWhatTheManifestSays) {
  std::size_t compared = 0;
  for (const Value& document : all_documents()) {
    const Value* kind = document.find("kind");
    if (kind == nullptr || !kind->is_string()) continue;
    const Objects objects = decode({{document, "f"}}).objects;
    if (kind->string() == "Pod" && objects.of<Pod>().size() == 1) {
      expect_covered(document, encode_object(kPodSchema, objects.of<Pod>().data()), object(kPodSchema), "Pod");
      ++compared;
    }
    if (kind->string() == "Node" && objects.of<Node>().size() == 1) {
      expect_covered(document, encode_object(kNodeSchema, objects.of<Node>().data()), object(kNodeSchema), "Node");
      ++compared;
    }
  }
  EXPECT_GT(compared, 100U);
}

TEST(Encoder, WritesAPodAsKubernetesDoes) {
  const Decoding decoding = decode_text(R"(apiVersion: v1
kind: Pod
metadata: {name: a, labels: {app: web}, uid: u-1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  schedulingGates: [{name: g}]
  affinity: {podAffinity: {}}
  tolerations: [{operator: Exists, tolerationSeconds: 0}]
  containers:
  - {name: c, image: "i:1", resources: {limits: {cpu: 1500m, memory: 1024Mi}}, ports: [{containerPort: 80}]}
  volumes: [{name: v, emptyDir: {}}, {name: w, configMap: {name: cm}}]
)");
  ASSERT_EQ(decoding.objects.of<Pod>().size(), 1U) << lines_of(decoding.diagnostics).size();
  const Value pod = encode_object(kPodSchema, decoding.objects.of<Pod>().data());
  EXPECT_EQ(document::write_json(*pod.find("metadata")),
            R"({"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"web"},"name":"a","namespace":"default",)"
            R"("uid":"u-1"})");
  const Value& spec = *pod.find("spec");
  EXPECT_EQ(document::write_json(*spec.find("schedulingGates")), R"([{"name":"g"}])");
  EXPECT_EQ(document::write_json(*spec.find("affinity")), R"({"podAffinity":{}})");
  EXPECT_EQ(document::write_json(spec.find("tolerations")->array().at(0)),
            R"({"operator":"Exists","tolerationSeconds":0})");
  EXPECT_EQ(document::write_json(*spec.find("containers")),
            R"([{"image":"i:1","name":"c","ports":[{"containerPort":80,"protocol":"TCP"}],)"
            R"("resources":{"limits":{"cpu":"1500m","memory":"1Gi"},"requests":{"cpu":"1500m","memory":"1Gi"}}}])");
  // The volume's source is not kept, for no decision reads it.
  EXPECT_EQ(document::write_json(*spec.find("volumes")), R"([{"emptyDir":{},"name":"v"},{"name":"w"}])");
}

}  // namespace
}  // namespace loadline::kube
