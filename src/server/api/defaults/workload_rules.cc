#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "server/api/defaults/rules.h"

namespace loadline::api {
namespace {

using document::Value;

/// The labels of the pods that the object makes, if its template has any.
std::optional<Value> labels_of_pods(const Draft& object) {
  const Value* value = object.find("spec");
  for (const std::string_view name : {"template", "metadata", "labels"}) {
    value = value == nullptr ? nullptr : value->find(name);
  }
  if (value == nullptr || !value->is_object() || value->object().empty()) return std::nullopt;
  return *value;
}

/// Objects without labels of their own take those of their pods.
void take_labels_of_pods(Draft& object) {
  auto labels = labels_of_pods(object);
  if (!labels) return;
  object.edit("metadata", [&labels](Draft& metadata) {
    if (metadata.count("labels") == 0) metadata.set("labels", std::move(*labels));
  });
}

void fill_replication_controller(Draft& controller, Instant) {
  auto labels = labels_of_pods(controller);
  controller.edit("spec", [&labels](Draft& spec) {
    spec.set_missing("replicas", number(1));
    if (labels && spec.count("selector") == 0) spec.set("selector", *labels);
  });
  take_labels_of_pods(controller);
}

void fill_rolling_update(Draft& strategy, const Value& max_unavailable, const Value& max_surge) {
  strategy.set_missing("type", Value("RollingUpdate"));
  if (strategy.text("type") != "RollingUpdate") return;
  strategy.edit("rollingUpdate", [&](Draft& rolling) {
    rolling.set_missing("maxUnavailable", max_unavailable);
    rolling.set_missing("maxSurge", max_surge);
  });
}

void fill_deployment(Draft& deployment, Instant) {
  deployment.edit("spec", [](Draft& spec) {
    spec.set_missing("replicas", number(1));
    spec.edit("strategy", [](Draft& strategy) { fill_rolling_update(strategy, Value("25%"), Value("25%")); });
    spec.set_missing("revisionHistoryLimit", number(10));
    spec.set_missing("progressDeadlineSeconds", number(600));
  });
}

void fill_daemon_set(Draft& daemon_set, Instant) {
  daemon_set.edit("spec", [](Draft& spec) {
    spec.edit("updateStrategy", [](Draft& strategy) { fill_rolling_update(strategy, number(1), number(0)); });
    spec.set_missing("revisionHistoryLimit", number(10));
  });
}

void fill_stateful_update_strategy(Draft& strategy) {
  const bool is_new = strategy.text("type").empty();
  if (is_new) strategy.set("type", Value("RollingUpdate"));
  if (strategy.text("type") != "RollingUpdate") return;
  // An object that names the type and no parameters gets no parameters.
  if (!is_new && strategy.find("rollingUpdate") == nullptr) return;
  strategy.edit("rollingUpdate", [](Draft& rolling) { rolling.set_missing("partition", number(0)); });
}

void fill_stateful_set(Draft& stateful_set, Instant) {
  stateful_set.edit("spec", [](Draft& spec) {
    spec.edit_elements("volumeClaimTemplates", [](Draft& claim) {
      if (claim.text("kind") != "PersistentVolumeClaim") claim.set("kind", Value("PersistentVolumeClaim"));
      if (claim.text("apiVersion") != "v1") claim.set("apiVersion", Value("v1"));
    });
    spec.set_missing("podManagementPolicy", Value("OrderedReady"));
    spec.edit("updateStrategy", fill_stateful_update_strategy);
    spec.edit("persistentVolumeClaimRetentionPolicy", [](Draft& policy) {
      policy.set_missing("whenDeleted", Value("Retain"));
      policy.set_missing("whenScaled", Value("Retain"));
    });
    spec.set_missing("replicas", number(1));
    spec.set_missing("revisionHistoryLimit", number(10));
  });
}

void fill_replica_set(Draft& replica_set, Instant) {
  replica_set.edit("spec", [](Draft& spec) { spec.set_missing("replicas", number(1)); });
}

void fill_job(Draft& job, Instant) {
  job.edit("spec", [](Draft& spec) {
    if (spec.find("completions") == nullptr && spec.find("parallelism") == nullptr) spec.set("completions", number(1));
    spec.set_missing("parallelism", number(1));
    const bool counts_per_index = spec.find("backoffLimitPerIndex") != nullptr;
    spec.set_missing("backoffLimit", number(counts_per_index ? std::numeric_limits<std::int32_t>::max() : 6));
    spec.set_missing("completionMode", Value("NonIndexed"));
    spec.set_missing("suspend", Value(false));
    const bool has_policy = spec.find("podFailurePolicy") != nullptr;
    spec.set_missing("podReplacementPolicy", Value(has_policy ? "Failed" : "TerminatingOrFailed"));
    spec.set_missing("manualSelector", Value(false));
  });
  take_labels_of_pods(job);
}

constexpr std::array kWorkloadRules = {
    DefaultRule{"io.k8s.api.core.v1.ReplicationController", fill_replication_controller},
    DefaultRule{"io.k8s.api.apps.v1.Deployment", fill_deployment},
    DefaultRule{"io.k8s.api.apps.v1.DaemonSet", fill_daemon_set},
    DefaultRule{"io.k8s.api.apps.v1.StatefulSet", fill_stateful_set},
    DefaultRule{"io.k8s.api.apps.v1.ReplicaSet", fill_replica_set},
    DefaultRule{"io.k8s.api.batch.v1.Job", fill_job},
};

}  // namespace

std::span<const DefaultRule> workload_rules() { return kWorkloadRules; }

}  // namespace loadline::api
