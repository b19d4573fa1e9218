// `plan` and `up` put the same pod in the place of one that is lost, whichever operator made it: of the template as it
// stands, not of what the pod had become.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/replacement.h"
#include "foundation/base/rng.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/watching/observe.h"
#include "objects/kube/codec.h"
#include "objects/kube/workload_names.h"
#include "plan_vs_live/operator_draft.h"

namespace loadline::plan_vs_live {
namespace {

using document::Value;
using ::testing::ContainerEq;

std::uint64_t replaced_number(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

/// So many random workloads of each kind: `LOADLINE_REPLACED_WORKLOADS=1000` for the whole property.
std::uint64_t workloads_a_kind() { return replaced_number("LOADLINE_REPLACED_WORKLOADS", 8); }
std::uint64_t first_seed() { return replaced_number("LOADLINE_REPLACED_FIRST_SEED", 1); }

/// What both must agree on: not what names a running object or a revision, nor characters that are drawn by chance.
std::string made_as(const kube::Pod& pod) {
  static constexpr std::array<std::string_view, 13> kOfTheLiving = {"controller-revision-hash",
                                                                    "controller-uid",
                                                                    "batch.kubernetes.io/controller-uid",
                                                                    kube::kJobSetUid,
                                                                    kube::kLwsRevision,
                                                                    kube::kJobSetJobKey,
                                                                    "scheduling.k8s.io/group-name",
                                                                    "ray.io/kuberay-version",
                                                                    "ray.io/upgrade-strategy-recreate-hash",
                                                                    "ray.io/worker-group-replica-name",
                                                                    kube::kJobSetPriority,
                                                                    kube::kGroveTemplateHash,
                                                                    "scheduling.volcano.sh/group-name"};
  const auto text = [](kube::StringMap map) {
    for (const std::string_view each : kOfTheLiving) map.erase(std::string(each));
    return fmt::format("{}", map);
  };
  const kube::ObjectMeta& metadata = pod.metadata;
  const bool is_named = metadata.generate_name.empty() || metadata.controller()->kind == "StatefulSet";
  std::string result =
      fmt::format("{} of {} {}: {} {}", is_named ? metadata.name : metadata.generate_name, metadata.controller()->kind,
                  metadata.controller()->name, text(metadata.labels), text(metadata.annotations));
  for (const kube::Container& container : pod.spec->containers) {
    result += ' ' + container.name;
    for (const auto& [resource, amount] : container.resources.requests) result += '=' + amount.to_string();
  }
  return result;
}

struct OperatorKind {
  std::string_view name;
  kube::ResourceReference of;
  std::string (OperatorDraft::*draft)();
};

/// Without TFJobs and XGBoostJobs, which fail with the pod that leads them: docs/differences.md.
const std::array<OperatorKind, 11> kKinds = {{
    {"LeaderWorkerSet",
     {"leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "default"},
     &OperatorDraft::leader_worker_set},
    {"JobSet", {"jobset.x-k8s.io", "v1alpha2", "jobsets", "default"}, &OperatorDraft::job_set},
    {"PyTorchJob", {"kubeflow.org", "v1", "pytorchjobs", "default"}, &OperatorDraft::pytorch_job},
    {"PaddleJob", {"kubeflow.org", "v1", "paddlejobs", "default"}, &OperatorDraft::paddle_job},
    {"JAXJob", {"kubeflow.org", "v1", "jaxjobs", "default"}, &OperatorDraft::jax_job},
    {"MPIJob", {"kubeflow.org", "v2beta1", "mpijobs", "default"}, &OperatorDraft::mpi_job},
    {"RayJob", {"ray.io", "v1", "rayjobs", "default"}, &OperatorDraft::ray_job},
    {"CronJob", {"batch", "v1", "cronjobs", "default"}, &OperatorDraft::cron_job},
    {"VolcanoJob", {"batch.volcano.sh", "v1alpha1", "jobs", "default"}, &OperatorDraft::volcano_job},
    {"RayCluster", {"ray.io", "v1", "rayclusters", "default"}, &OperatorDraft::ray_cluster},
    {"PodCliqueSet", {"grove.io", "v1alpha1", "podcliquesets", "default"}, &OperatorDraft::pod_clique_set},
}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Without what makes the loss of one pod the loss of several: docs/differences.md.
std::string draft_of(const OperatorKind& kind, std::uint64_t seed) {
  OperatorDraft draft(seed);
  std::string text = (draft.*kind.draft)();
  replace_all(text, "leaderWorkerTemplate: {", "leaderWorkerTemplate: {restartPolicy: None, ");
  replace_all(text, "numOfHosts: 2", "numOfHosts: 1");
  replace_all(text, "Worker: {replicas: 0", "Worker: {replicas: 1");
  replace_all(text, "exclusive-topology: rack", "note: none");
  return text;
}

/// The workers of a group go with their leader, whatever the restart policy.
bool leads_others(const kube::Pod& pod) {
  const auto index = pod.metadata.labels.find(kube::kLwsWorkerIndex);
  return index != pod.metadata.labels.end() && index->second == "0";
}

class OperatorReplacements : public embedded::testing::ClusterTest {
 protected:
  void begin(const OperatorKind& kind, const std::string& text) {
    std::vector<Value> nodes;
    for (int i = 0; i < 6; ++i) nodes.push_back(embedded::testing::node(fmt::format("n{}", i)));
    start(nodes);
    kind_ = &kind;
    text_ = text;
    apply(kind.of, text);
    loop_.advance(Duration::seconds(60));
  }

  std::vector<kube::Pod> living_pods() {
    std::vector<kube::Pod> pods;
    for (const Value& pod : list(embedded::testing::kPods)) pods.push_back(watching::read_view<kube::Pod>(pod));
    return pods;
  }

  void resize(const kube::Pod& pod) {
    kube::ResourceReference of = embedded::testing::kPods;
    of.name = pod.metadata.name;
    of.subresource = "resize";
    const std::string yaml =
        fmt::format("{{spec: {{containers: [{{name: {}, resources: {{requests: {{cpu: 50m}}}}}}]}}}}",
                    pod.spec->containers[0].name);
    client_->patch(of, {kube::PatchType::kStrategic, embedded::testing::yaml(yaml)},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    loop_.advance(Duration::seconds(5));
  }

  void lose(const kube::Pod& gone) {
    std::set<std::string> before;
    for (const kube::Pod& pod : living_pods()) before.insert(pod.metadata.uid);
    const std::multiset<std::string> planned = plan(gone);
    kube::ResourceReference of = embedded::testing::kPods;
    of.name = gone.metadata.name;
    client_->remove(of, {}, [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    std::multiset<std::string> created;
    for (int step = 0; step < 36 && (created.size() < planned.size() || planned.empty()); ++step) {
      loop_.advance(Duration::seconds(5));
      created = created_since(before);
    }
    ASSERT_THAT(created, ContainerEq(planned)) << "in the place of " << made_as(gone) << "\n" << text_;
  }

  /// Its owner gives it other pods, unless the operator refuses that; what is replaced for it is then over.
  void change_template() {
    std::string changed = text_;
    replace_all(changed, "cpu: 200m", "cpu: 250m");
    replace_all(changed, "cpu: 100m", "cpu: 150m");
    const Value written = embedded::testing::yaml(changed);
    const Value patch = Value().with("spec", *written.find("spec"));
    kube::ResourceReference of = kind_->of;
    of.name = written.find("metadata")->find("name")->string();
    client_->patch(of, {kube::PatchType::kMerge, patch}, [&](const kube::Answer<Value>& answer) {
      if (answer) ++changed_;
    });
    loop_.advance(Duration::seconds(300));
  }

  int changed_ = 0;  // templates

 private:
  std::multiset<std::string> created_since(const std::set<std::string>& before) {
    std::multiset<std::string> created;
    for (const kube::Pod& pod : living_pods()) {
      if (!before.contains(pod.metadata.uid)) created.insert(made_as(pod));
    }
    return created;
  }

  std::multiset<std::string> plan(const kube::Pod& gone) {
    const kube::Objects objects = everything();
    const workloads::Owners owners(objects);
    const workloads::WorkloadReference owner = owners.owner_of(gone);
    std::vector<const kube::Pod*> siblings;
    for (const kube::Pod& pod : objects.of<kube::Pod>()) {
      const bool counts = pod.metadata.uid != gone.metadata.uid && !pod.finished();
      if (counts && owners.owner_of(pod) == owner) siblings.push_back(&pod);
    }
    const kube::Objects nothing_made;
    const auto next = workloads::Replacements(objects, nothing_made, 1).replace(gone, owner, siblings, 0);
    return next ? std::multiset<std::string>{made_as(next->pod)} : std::multiset<std::string>();
  }

  /// What a dump of the cluster holds of workloads.
  kube::Objects everything() {
    const std::vector<kube::ResourceReference> resources = {
        embedded::testing::kPods,
        kind_->of,
        {"batch", "v1", "jobs", "default"},
        {"apps", "v1", "statefulsets", "default"},
        {"ray.io", "v1", "rayclusters", "default"},
        {"grove.io", "v1alpha1", "podcliques", "default"},
        {"grove.io", "v1alpha1", "podcliquescalinggroups", "default"}};
    std::vector<kube::SourceDocument> documents;
    for (const kube::ResourceReference& of : resources) {
      for (const Value& object : list(of)) documents.push_back({object, "dump"});
    }
    return kube::decode(documents).objects;
  }

  const OperatorKind* kind_ = nullptr;
  std::string text_;
};

TEST_F(OperatorReplacements, AreWhatTheOperatorsMake) {
  for (const OperatorKind& kind : kKinds) {
    int lost = 0;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + workloads_a_kind(); ++seed) {
      SCOPED_TRACE(fmt::format("{} of seed {}", kind.name, seed));
      begin(kind, draft_of(kind, seed));
      Rng rng(seed);
      if (rng.below(2) == 0) change_template();
      for (const kube::Pod& pod : living_pods()) {
        if (leads_others(pod) || rng.below(2) == 0) continue;
        if (rng.below(2) == 0) resize(pod);
        for (const kube::Pod& now : living_pods()) {
          if (now.metadata.uid != pod.metadata.uid) continue;
          lose(now);
          ++lost;
        }
        if (HasFatalFailure()) break;
      }
    }
    std::printf("%s: %llu workloads, %d with another template, %d pods lost and replaced alike\n",
                std::string(kind.name).c_str(), static_cast<unsigned long long>(workloads_a_kind()), changed_, lost);
    changed_ = 0;
  }
}

}  // namespace
}  // namespace loadline::plan_vs_live
