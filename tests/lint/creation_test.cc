// What lint says of an object, and what an API server says that is to create it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "api_robustness/mutation.h"
#include "app/cli/input_files.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/custom_kinds.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/kueue/webhooks.h"
#include "objects/kube/registry.h"
#include "objects/kube/view.h"
#include "objects/schema/published.h"
#include "server/apiserver/testing/test_server.h"

namespace loadline {
namespace {

using document::text_at;
using document::Value;
using document::write_json;

constexpr const char* kUnreadObjects = "tests/lint/silent/kinds-that-no-decision-reads.yaml";
constexpr const char* kReadObjects = "tests/api_robustness/objects.yaml";
constexpr std::uint64_t kObjects = 1000;
constexpr std::uint64_t kMostMutations = 2;

std::vector<Value> objects_of(const char* path) {
  std::ifstream file(path);
  document::Reading reading = document::read_yaml(std::string{std::istreambuf_iterator<char>(file), {}}, path);
  if (!reading.problems.empty()) throw std::runtime_error(reading.problems.front().message);
  return reading.documents;
}

bool is_definition(const Value& object) { return text_at(object, {"kind"}) == "CustomResourceDefinition"; }

/// An API server and lint, asked about the same objects.
class BothJudges {
 public:
  explicit BothJudges(const std::vector<Value>& objects)
      : definitions_(definitions_among(objects)), custom_kinds_(definitions_) {
    for (const kube::SourceDocument& each : definitions_) server_.post(path_of(each.value), write_json(each.value));
    server_.loop().run_until_idle();
  }

  /// What the server says: "201", "422 Invalid: …"; and of what it would create, Kueue's webhooks, which it does not
  /// serve.
  std::string servers_verdict(const Value& object) {
    std::string verdict =
        server_.post(path_of(object) + "?dryRun=All&fieldValidation=Strict", write_json(object)).verdict();
    if (!verdict.starts_with("201")) return verdict;
    const std::string_view kind = text_at(object, {"kind"});
    if (kind == "ClusterQueue") return webhooks_verdict<kube::ClusterQueue>(object);
    if (kind == "ResourceFlavor") return webhooks_verdict<kube::ResourceFlavor>(object);
    return verdict;
  }

  /// What lint refuses, a line for each complaint. Definitions that are built in make it warn only.
  [[nodiscard]] std::string lints_verdict(const Value& object) const {
    std::vector<kube::SourceDocument> documents;
    if (!is_definition(object)) documents = definitions_;
    documents.push_back({document::read_json(write_json(object), kFile).documents.at(0), kFile});
    cli::InputReading reading;
    reading.creation = cli::CreationRules::kAll;
    std::string said;
    const bool is_custom =
        schema::find_published(text_at(object, {"apiVersion"}), text_at(object, {"kind"})) == nullptr;
    for (const Diagnostic& each : cli::decode_input(documents, reading).diagnostics) {
      if (each.severity == Severity::kError || is_custom) said += each.to_string() + "\n";
    }
    return said;
  }

 private:
  static constexpr const char* kFile = "object.json";

  template <class Kind>
  static std::string webhooks_verdict(const Value& object) {
    const Kind view = kube::view<Kind>(object, *kube::kind_of<Kind>().schema).object;
    const auto refusals = kube::webhook_refusals(view);
    return refusals.empty() ? "201" : "denied: " + refusals.front().message;
  }

  static std::vector<kube::SourceDocument> definitions_among(const std::vector<Value>& objects) {
    std::vector<kube::SourceDocument> definitions;
    for (const Value& object : objects) {
      if (is_definition(object)) definitions.push_back({object, "definition.yaml"});
    }
    return definitions;
  }

  std::string path_of(const Value& object) {
    const std::string version(text_at(object, {"apiVersion"}));
    const std::string_view kind = text_at(object, {"kind"});
    const schema::Resource* resource = schema::find_published(version, kind);
    if (resource == nullptr) resource = custom_kinds_.find(version, kind)->resource.get();
    std::string_view name_space = text_at(object, {"metadata", "namespace"});
    if (name_space.empty()) name_space = "default";
    return fmt::format("{}/{}/{}{}", version.find('/') == std::string::npos ? "/api" : "/apis", version,
                       resource->is_namespaced ? fmt::format("namespaces/{}/", name_space) : "", resource->plural);
  }

  apiserver::TestServer server_;
  std::vector<kube::SourceDocument> definitions_;
  kube::CustomKinds custom_kinds_;
};

/// One of the objects, with a few changes that no author would make, most of which no server accepts.
Value distorted(const std::vector<Value>& objects, Rng& random) {
  Value object = objects.at(random.below(objects.size()));
  for (std::uint64_t count = random.below(kMostMutations + 1); count > 0; --count) {
    object = api_robustness::mutated(object, random);
  }
  return object;
}

/// What lint has nothing against can be created, and nothing else can.
void compare(const char* file) {
  const std::vector<Value> objects = objects_of(file);
  BothJudges judges(objects);
  const char* seed = std::getenv("LINT_SEED");
  Rng random(seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10));
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (std::uint64_t round = 0; round < kObjects; ++round) {
    const Value object = distorted(objects, random);
    if (text_at(object, {"kind"}).empty() || text_at(object, {"apiVersion"}).empty()) continue;
    const std::string server = judges.servers_verdict(object);
    const std::string lint = judges.lints_verdict(object);
    // Of a namespace that is not there, or what else only a cluster knows, lint has no idea.
    if (server.starts_with("404") || server.starts_with("403")) continue;
    // Servers name a LimitRange that has no name; kubectl asks for one.
    if (text_at(object, {"kind"}) == "LimitRange" && text_at(object, {"metadata", "name"}).empty()) continue;
    // An object whose name is taken has passed all rules.
    const bool is_accepted = server.starts_with("201") || server.starts_with("409");
    ++(is_accepted ? accepted : refused);
    EXPECT_EQ(is_accepted, lint.empty()) << write_json(object) << "\nserver: " << server << "\nlint: " << lint;
  }
  EXPECT_GT(accepted, kObjects / 10);
  EXPECT_GT(refused, kObjects / 10);
}

TEST(LintOfUnreadKinds, RefusesWhatCannotBeCreatedAndNothingElse) { compare(kUnreadObjects); }

TEST(LintOfReadKinds, RefusesWhatCannotBeCreatedAndNothingElse) { compare(kReadObjects); }

}  // namespace
}  // namespace loadline
