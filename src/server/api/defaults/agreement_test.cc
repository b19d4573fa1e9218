// Decisions read typed objects, which have defaults of their own; clients read documents. Both must say the same.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/codec.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/encoder.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/registry.h"
#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/storage/storage.h"
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
  append(objects.of<kube::Namespace>(), objects.of<kube::Node>(), objects.of<kube::Pod>(),
         objects.of<kube::PriorityClass>(), objects.of<kube::RuntimeClass>(), objects.of<kube::ResourceQuota>(),
         objects.of<kube::LimitRange>(), objects.of<kube::PodDisruptionBudget>(), objects.of<kube::Deployment>(),
         objects.of<kube::ReplicaSet>(), objects.of<kube::StatefulSet>(), objects.of<kube::DaemonSet>(),
         objects.of<kube::Job>(), objects.of<kube::CronJob>(), objects.of<kube::Service>(),
         objects.of<kube::ReplicationController>(), objects.of<kube::PersistentVolume>(),
         objects.of<kube::PersistentVolumeClaim>(), objects.of<kube::StorageClass>(), objects.of<kube::CsiNode>(),
         objects.of<kube::CsiDriver>(), objects.of<kube::CsiStorageCapacity>(), objects.of<kube::VolumeAttachment>());
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
