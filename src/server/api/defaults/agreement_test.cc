// Decisions read typed objects, which have defaults of their own; clients read documents. Both must say the same.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/codec.h"
#include "objects/kube/encoder.h"
#include "objects/kube/registry.h"
#include "objects/schema/conform.h"
#include "server/api/defaults/defaults.h"

namespace loadline::api {

using schema::Catalog;
using schema::conform;
namespace {

using document::Value;

template <class T>
void append_all(std::string& text, const std::vector<T>& objects, const kube::Schema* schema) {
  for (const T& object : objects) text += document::write_json(kube::encode_object(*schema, &object)) + "\n";
}

/// The typed objects of a document, as documents again: exactly what decisions read.
std::string typed(const Value& value, const kube::Schema* schema) {
  const kube::Objects objects = kube::decode({{value, "test"}}).objects;
  std::string text;
  const auto append = [&text, schema](const auto&... kinds) { (append_all(text, kinds, schema), ...); };
  append(objects.namespaces, objects.nodes, objects.pods, objects.priority_classes, objects.runtime_classes,
         objects.resource_quotas, objects.limit_ranges, objects.pod_disruption_budgets, objects.deployments,
         objects.replica_sets, objects.stateful_sets, objects.daemon_sets, objects.jobs, objects.cron_jobs,
         objects.services, objects.replication_controllers, objects.persistent_volumes,
         objects.persistent_volume_claims, objects.storage_classes, objects.csi_nodes, objects.csi_drivers,
         objects.csi_storage_capacities, objects.volume_attachments);
  return text;
}

TEST(Defaults, AgreeWithThoseOfTypedObjects) {
  const Catalog catalog = Catalog::published();
  const Defaults defaults(catalog);
  std::ifstream file(LOADLINE_SOURCE_DIR "/src/server/api/defaults/testdata/defaulted.json");
  std::size_t compared = 0;
  for (std::string line; std::getline(file, line);) {
    const Value in = *document::read_json(line, "test").documents.at(0).find("in");
    const std::string version = in.find("apiVersion")->string();
    const kube::KindInfo* info = kube::find_kind(version, in.find("kind")->string());
    if (info == nullptr || info->schema == nullptr) continue;
    const std::size_t slash = version.find('/');
    const auto resource =
        catalog.find_kind({slash == std::string::npos ? "" : version.substr(0, slash),
                           version.substr(slash == std::string::npos ? 0 : slash + 1), in.find("kind")->string()});
    ASSERT_NE(resource, nullptr) << line;
    // Both start at what Go's encoder writes: it says `disruptionsAllowed: 0` of a budget that the disruption
    // controller has not counted yet, where the typed face of a manifest knows that nothing was said.
    const Value conformed = conform(in, *resource->type).value;
    const Value filled = defaults.set(conformed, *resource, Instant{});
    const std::string before = typed(conformed, info->schema);
    if (before.empty()) continue;  // refused by validation, which the typed face does at once
    EXPECT_EQ(before, typed(filled, info->schema)) << document::write_json(in);
    ++compared;
  }
  EXPECT_GT(compared, 20U);
}

}  // namespace
}  // namespace loadline::api
