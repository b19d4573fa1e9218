#include "app/report/edit_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/report/amount.h"
#include "app/report/group_obstacle_text.h"
#include "app/report/words.h"
#include "foundation/base/text.h"
#include "foundation/document/yaml_scalar.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/resource_names.h"
#include "objects/kube/scalars.h"

namespace loadline::report {
namespace {

using namespace advice;  // every edit by its name
using document::scalar_text;

std::string key_value(std::string_view key, std::string_view value) {
  return value.empty() ? std::string(key) : fmt::format("{}={}", key, value);
}

struct Text {
  EditText operator()(const Tolerate& edit) const {
    const kube::Toleration& wanted = edit.toleration;
    const std::string_view effect = kube::name_of(wanted.effect);
    std::vector<std::string> patch = {"tolerations:", "- key: " + wanted.key};
    if (wanted.op == kube::TolerationOperator::kExists) {
      patch.push_back("  operator: Exists");
    } else {
      patch.push_back("  value: " + scalar_text(wanted.value));
    }
    patch.push_back(fmt::format("  effect: {}", effect));
    return {fmt::format("Tolerate the taint {}:{}", key_value(wanted.key, wanted.value), effect), "", std::move(patch)};
  }

  EditText operator()(const SelectLabel& edit) const {
    if (!edit.to) return {fmt::format("Drop {}: {} from the nodeSelector", edit.key, scalar_text(edit.from)), "", {}};
    const std::string was = edit.from.empty() ? ": others then do not count for the spread"
                                              : fmt::format(" instead of {}={}", edit.key, edit.from);
    return {fmt::format("Select nodes with {}={}{}", edit.key, *edit.to, was),
            "",
            {"nodeSelector:", fmt::format("  {}: {}", edit.key, scalar_text(*edit.to))}};
  }

  EditText operator()(const AcceptLabel& edit) const {
    if (edit.value.empty()) {
      return {fmt::format("Drop the required node affinity on {}, or only prefer it", edit.key), "", {}};
    }
    return {
        fmt::format("Accept nodes with {}={} as well, in the required node affinity", edit.key, edit.value), "", {}};
  }

  EditText operator()(const RequestLess& edit) const {
    EditText text;
    text.headline = fmt::format("Ask for {} {} instead of {}", exact_amount(edit.resource, edit.to), edit.resource,
                                exact_amount(edit.resource, edit.from));
    return text;
  }

  EditText operator()(const RelaxSpread& edit) const {
    if (!edit.max_skew) {
      return {
          fmt::format("Spread over {} only where that is possible", edit.topology_key),
          "",
          {"topologySpreadConstraints:", "- topologyKey: " + edit.topology_key, "  whenUnsatisfiable: ScheduleAnyway"}};
    }
    return {fmt::format("Allow a skew of {} over {}", *edit.max_skew, edit.topology_key),
            "",
            {"topologySpreadConstraints:", "- topologyKey: " + edit.topology_key,
             fmt::format("  maxSkew: {}", *edit.max_skew)}};
  }

  EditText operator()(const PreferPodAffinity& edit) const {
    const std::string_view field = edit.anti ? "podAntiAffinity" : "podAffinity";
    return {fmt::format("Prefer the {} on {} instead of requiring it", field, edit.topology_key),
            "",
            {"affinity:", fmt::format("  {}:", field), "    preferredDuringSchedulingIgnoredDuringExecution:",
             "    - weight: 100", "      podAffinityTerm: {the required term}"}};
  }

  EditText operator()(const DropHostPort& edit) const {
    return {fmt::format("Do without hostPort {}; a Service reaches the pod as well", edit.port), "", {}};
  }

  EditText operator()(const UsePriorityClass& edit) const {
    return {fmt::format("Use the priority class {} ({})", edit.name, edit.value),
            "",
            {"priorityClassName: " + scalar_text(edit.name)}};
  }

  EditText operator()(const UseScheduler& edit) const {
    return {fmt::format("Let the scheduler {} place it", edit.name), "", {"schedulerName: " + scalar_text(edit.name)}};
  }

  EditText operator()(const DropGate& edit) const {
    return {fmt::format("Remove the scheduling gate {}", edit.name), "", {}};
  }

  EditText operator()(const UseClaim& edit) const {
    return {fmt::format("Mount the claim {}: there is no {}", edit.to, edit.from),
            "",
            {"volumes:", "- persistentVolumeClaim:", "    claimName: " + scalar_text(edit.to)}};
  }

  EditText operator()(const RenameRequest& edit) const {
    return {fmt::format("Ask for {}: no node offers {}", edit.to, edit.from), "", {}};
  }

  EditText operator()(const LabelNode& edit) const {
    return {fmt::format("Label the node {} {}", edit.node, key_value(edit.key, edit.value)),
            fmt::format("kubectl label node {} {}={}", edit.node, edit.key, edit.value),
            {}};
  }

  EditText operator()(const Uncordon& edit) const {
    return {fmt::format("Uncordon the node {}", edit.node), fmt::format("kubectl uncordon {}", edit.node), {}};
  }

  EditText operator()(const RemoveTaint& edit) const {
    return {fmt::format("Bring the node {} back: it is {}", edit.node, trouble_text(edit.taint.key)), "", {}};
  }

  EditText operator()(const AddNodes& edit) const {
    const std::string what = node_template_text(edit.nodes);
    if (edit.nodes.count == 1) return {fmt::format("Add a node {}", what), "", {}};
    return {fmt::format("Add {} nodes {}", edit.nodes.count, what), "", {}};
  }

  EditText operator()(const Scale& edit) const {
    const simulator::WorkloadName& workload = edit.workload;
    if (workload.kind == "Pod") {
      return {"Delete " + workload_text(workload),
              fmt::format("kubectl delete pod {} -n {}", workload.name, workload.name_space),
              {}};
    }
    if (workload.kind == "Job") {
      if (edit.to == 0) {
        return {"Pause " + workload_text(workload),
                fmt::format("kubectl patch job {} -n {} -p '{{\"spec\":{{\"suspend\":true}}}}'", workload.name,
                            workload.name_space),
                {}};
      }
      return {fmt::format("Run {} of {} at a time instead of {}", counted(static_cast<std::size_t>(edit.to), "pod"),
                          workload_text(workload), edit.from),
              fmt::format("kubectl patch job {} -n {} -p '{{\"spec\":{{\"parallelism\":{}}}}}'", workload.name,
                          workload.name_space, edit.to),
              {}};
    }
    return {fmt::format("Scale {} from {} to {}", workload_text(workload), edit.from,
                        counted(static_cast<std::size_t>(edit.to), "replica")),
            fmt::format("kubectl scale {} {} -n {} --replicas={}", kube::lower_case(workload.kind), workload.name,
                        workload.name_space, edit.to),
            {}};
  }

  EditText operator()(const LimitLess& edit) const {
    return {
        fmt::format("Limit {} to {} instead of {}", edit.resource, edit.to.to_string(), edit.from.to_string()), "", {}};
  }

  EditText operator()(const AddRuntimeClass& edit) const {
    return {fmt::format("Add the RuntimeClass {} to the cluster", edit.name),
            "",
            {"apiVersion: node.k8s.io/v1", "kind: RuntimeClass", "metadata:", "  name: " + scalar_text(edit.name),
             "handler: " + scalar_text(kube::handler_for(edit.name))}};
  }

  EditText operator()(const DefaultStorageClass& edit) const {
    constexpr std::string_view kMark = "storageclass.kubernetes.io/is-default-class";
    if (!edit.is_new) {
      return {fmt::format("Make {} the default StorageClass", edit.name),
              fmt::format("kubectl patch storageclass {} -p '{{\"metadata\":{{\"annotations\":{{\"{}\":\"true\"}}}}}}'",
                          edit.name, kMark),
              {}};
    }
    return {"Give the cluster a default StorageClass",
            "",
            {"apiVersion: storage.k8s.io/v1", "kind: StorageClass", "metadata:", "  name: " + scalar_text(edit.name),
             fmt::format("  annotations: {{{}: \"true\"}}", kMark), "provisioner: the name of your storage driver",
             "volumeBindingMode: WaitForFirstConsumer"}};
  }

  EditText operator()(const RaiseQueueQuota& edit) const {
    const bool is_nominal = edit.limit == RaiseQueueQuota::Limit::kNominal;
    const std::string to = edit.to.to_string();
    return {
        fmt::format("Raise the {} of {} in flavor {} of the ClusterQueue {} from {} to {}",
                    is_nominal ? "nominal quota" : "borrowing limit", edit.resource, edit.flavor, edit.queue,
                    edit.from.to_string(), to),
        fmt::format("kubectl patch clusterqueue {} --type=json -p '[{{\"op\":\"replace\",\"path\":\"/spec/"
                    "resourceGroups/{}/flavors/{}/resources/{}/{}\",\"value\":\"{}\"}}]'",
                    edit.queue, edit.at[0], edit.at[1], edit.at[2], is_nominal ? "nominalQuota" : "borrowingLimit", to),
        {}};
  }

  EditText operator()(const ResumeQueue& edit) const {
    const bool is_cluster_queue = edit.name_space.empty();
    return {fmt::format("Let the {} {} admit again: it is stopped", is_cluster_queue ? "ClusterQueue" : "LocalQueue",
                        edit.name),
            fmt::format("kubectl patch {} {}{} --type=merge -p '{{\"spec\":{{\"stopPolicy\":\"None\"}}}}'",
                        is_cluster_queue ? "clusterqueue" : "localqueue", edit.name,
                        is_cluster_queue ? "" : " -n " + edit.name_space),
            {}};
  }

  EditText operator()(const JoinCohort& edit) const {
    return {
        fmt::format("Put the ClusterQueue {} into the cohort {}, of which it then may borrow", edit.queue, edit.cohort),
        fmt::format("kubectl patch clusterqueue {} --type=merge -p '{{\"spec\":{{\"cohortName\":\"{}\"}}}}'",
                    edit.queue, edit.cohort),
        {}};
  }

  EditText operator()(const UseQueue& edit) const {
    return {fmt::format("Have it wait in the LocalQueue {} instead of {}", edit.to, edit.from),
            "",
            {"metadata:", "  labels:", fmt::format("    {}: {}", kube::kQueueName, scalar_text(edit.to))}};
  }

  EditText operator()(const UseWorkloadPriority& edit) const {
    return {fmt::format("Give it the WorkloadPriorityClass {} ({})", edit.name, edit.value),
            "",
            {"metadata:", "  labels:",
             fmt::format("    {}: {}", kube::kWorkloadPriorityClassLabel, scalar_text(edit.name))}};
  }

  EditText operator()(const RaiseQuota& edit) const {
    return {fmt::format("Raise {} of the ResourceQuota {} from {} to {}", edit.resource, edit.quota,
                        edit.from.to_string(), edit.to.to_string()),
            fmt::format("kubectl patch resourcequota {} -n {} -p '{{\"spec\":{{\"hard\":{{\"{}\":\"{}\"}}}}}}'",
                        edit.quota, edit.name_space, edit.resource, edit.to.to_string()),
            {}};
  }
};

}  // namespace

EditText edit_text(const Edit& edit) { return std::visit(Text{}, edit); }

std::string_view edit_name(const Edit& edit) {
  // Programs read these: PreferPodAffinity keeps the name that it had.
  constexpr std::string_view kNames[] = {"Tolerate",        "SelectLabel",        "AcceptLabel",  "RequestLess",
                                         "RelaxSpread",     "PreferCompany",      "DropHostPort", "UsePriorityClass",
                                         "UseScheduler",    "DropGate",           "UseClaim",     "RenameRequest",
                                         "LabelNode",       "Uncordon",           "RemoveTaint",  "AddNodes",
                                         "Scale",           "RaiseQuota",         "LimitLess",    "DefaultStorageClass",
                                         "AddRuntimeClass", "RaiseQueueQuota",    "ResumeQueue",  "JoinCohort",
                                         "UseQueue",        "UseWorkloadPriority"};
  static_assert(std::size(kNames) == std::variant_size_v<Edit>);
  return kNames[edit.index()];
}

}  // namespace loadline::report
