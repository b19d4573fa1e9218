#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/kueue/topology_assignment.h"
#include "server/apiserver/conversion/conversion.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kBeta1 = "v1beta1";

/// The object with what `change` makes of the object there; as it is if there is none.
template <class Change>
Value with_part(Value object, document::Names names, Change change) {
  const Value* part = document::find_at(object, names);
  if (part == nullptr || !part->is_object()) return object;
  Value changed = change(*part);
  return document::with_at(std::move(object), names, std::move(changed));
}

/// The object with what `change` makes of each element there.
template <class Change>
Value with_each(Value object, document::Names names, Change change) {
  const Value* list = document::find_at(object, names);
  if (list == nullptr || !list->is_array()) return object;
  Array changed;
  for (const Value& each : list->array()) changed.push_back(each.is_object() ? change(each) : each);
  return document::with_at(std::move(object), names, Value(std::move(changed)));
}

/// A member under another name; one that is there under it already stays.
Value renamed(Value object, std::string_view from, std::string_view to) {
  const Value* found = object.find(from);
  if (found == nullptr) return object;
  Value value = *found;
  object = std::move(object).without(from);
  return object.find(to) == nullptr ? std::move(object).with(to, std::move(value)) : object;
}

Value without_members(Value object, document::Names names) {
  for (const std::string_view name : names) object = std::move(object).without(name);
  return object;
}

// ---- ClusterQueues ------------------------------------------------------------------------------------------------

/// v1beta1 calls one thing by two names.
Value fungibility_of_beta2(Value fungibility) {
  constexpr std::string_view kStop = "MayStopSearch";
  if (document::text_at(fungibility, {"whenCanBorrow"}) == "Borrow") {
    fungibility = std::move(fungibility).with("whenCanBorrow", Value(kStop));
  }
  if (document::text_at(fungibility, {"whenCanPreempt"}) == "Preempt") {
    fungibility = std::move(fungibility).with("whenCanPreempt", Value(kStop));
  }
  return fungibility;
}

/// v1beta1 may list checks by name alone.
Value with_check_strategy(Value spec) {
  const Array& names = document::items_at(spec, {"admissionChecks"});
  Array rules;
  for (const Value& name : names) rules.emplace_back(Object{{"name", name, {}}});
  spec = std::move(spec).without("admissionChecks");
  if (rules.empty()) return spec;
  return std::move(spec).with("admissionChecksStrategy",
                              Value(Object{{"admissionChecks", Value(std::move(rules)), {}}}));
}

Value cluster_queue_of_beta2(Value queue) {
  queue = with_part(std::move(queue), {"spec"}, [](const Value& spec) {
    Value changed = with_check_strategy(renamed(spec, "cohort", "cohortName"));
    return with_part(std::move(changed), {"flavorFungibility"}, fungibility_of_beta2);
  });
  return with_part(std::move(queue), {"status"}, [](const Value& status) {
    return document::without_at(status.without("pendingWorkloadsStatus"),
                                {"fairSharing", "admissionFairSharingStatus"});
  });
}

Value cluster_queue_of_beta1(Value queue) {
  return with_part(std::move(queue), {"spec"}, [](const Value& spec) {
    return renamed(spec, "cohortName", "cohort").without("concurrentAdmissionPolicy");
  });
}

// ---- LocalQueues, Cohorts, checks ---------------------------------------------------------------------------------

Value local_queue_of_beta2(Value queue) {
  return with_part(std::move(queue), {"status"}, [](const Value& status) {
    return renamed(status, "flavorUsage", "flavorsUsage").without("flavors");
  });
}

Value local_queue_of_beta1(Value queue) {
  return with_part(std::move(queue), {"status"},
                   [](const Value& status) { return renamed(status, "flavorsUsage", "flavorUsage"); });
}

Value cohort_of_beta2(Value cohort) {
  return document::without_at(std::move(cohort), {"status", "fairSharing", "admissionFairSharingStatus"});
}

Value check_of_beta2(Value check) { return document::without_at(std::move(check), {"spec", "retryDelayMinutes"}); }

// ---- MultiKueue ---------------------------------------------------------------------------------------------------

Value cluster_of_beta2(Value cluster) {
  return with_part(std::move(cluster), {"spec"}, [](const Value& spec) {
    Object source;
    for (const std::string_view name : {"kubeConfig", "clusterProfileRef"}) {
      const Value* found = spec.find(name);
      const bool is_said =
          found != nullptr && (name != "kubeConfig" || !document::text_at(*found, {"location"}).empty());
      if (is_said) source.push_back({std::string(name), *found, {}});
    }
    Value changed = without_members(spec, {"kubeConfig", "clusterProfileRef"});
    return source.empty() ? changed : std::move(changed).with("clusterSource", Value(std::move(source)));
  });
}

Value cluster_of_beta1(Value cluster) {
  return with_part(std::move(cluster), {"spec"}, [](const Value& spec) {
    Value changed = spec.without("clusterSource");
    for (const std::string_view name : {"kubeConfig", "clusterProfileRef"}) {
      const Value* found = document::find_at(spec, {"clusterSource", name});
      if (found != nullptr) changed = std::move(changed).with(name, *found);
    }
    return changed;
  });
}

Value multi_kueue_config_of_beta1(Value config) {
  return document::without_at(std::move(config), {"spec", "quotaManagement"});
}

// ---- Workloads ----------------------------------------------------------------------------------------------------

/// A priority class, as each version names it.
struct ClassNames {
  std::string_view group;
  std::string_view kind;
  std::string_view source;
};
constexpr std::array<ClassNames, 2> kClasses = {{
    {"kueue.x-k8s.io", "WorkloadPriorityClass", "kueue.x-k8s.io/workloadpriorityclass"},
    {"scheduling.k8s.io", "PriorityClass", "scheduling.k8s.io/priorityclass"},
}};

Value spec_of_beta2(Value spec) {
  const std::string name(document::text_at(spec, {"priorityClassName"}));
  const std::string source(document::text_at(spec, {"priorityClassSource"}));
  spec = without_members(std::move(spec), {"priorityClassName", "priorityClassSource"});
  for (const ClassNames& each : kClasses) {
    if (each.source != source) continue;
    spec = std::move(spec).with(
        "priorityClassRef",
        Value(Object{{"group", Value(each.group), {}}, {"kind", Value(each.kind), {}}, {"name", Value(name), {}}}));
  }
  return spec;
}

Value spec_of_beta1(Value spec) {
  const std::string group(document::text_at(spec, {"priorityClassRef", "group"}));
  const std::string kind(document::text_at(spec, {"priorityClassRef", "kind"}));
  const std::string name(document::text_at(spec, {"priorityClassRef", "name"}));
  spec = without_members(std::move(spec), {"priorityClassRef", "preemptionGates"});
  for (const ClassNames& each : kClasses) {
    if (each.group != group || each.kind != kind) continue;
    spec = std::move(spec).with("priorityClassName", Value(name)).with("priorityClassSource", Value(each.source));
  }
  return with_each(std::move(spec), {"podSets"}, [](const Value& set) {
    return document::without_at(set, {"topologyRequest", "podsetSliceRequiredTopologyConstraints"});
  });
}

Value texts(const std::vector<std::string>& values) {
  Array made;
  for (const std::string& each : values) made.emplace_back(each);
  return Value(std::move(made));
}

/// One slice of all domains; upstream may pack it smaller.
Value slices_of(const kube::TopologyAssignment& assignment) {
  if (assignment.domains.empty()) return Value(Array());
  Array levels;
  for (std::size_t level = 0; level < assignment.levels.size(); ++level) {
    Array roots;
    for (const auto& domain : assignment.domains) {
      roots.emplace_back(level < domain.values.size() ? domain.values[level] : std::string());
    }
    levels.emplace_back(Object{{"individual", Value(Object{{"roots", Value(std::move(roots)), {}}}), {}}});
  }
  Array counts;
  for (const auto& domain : assignment.domains) counts.emplace_back(std::int64_t{domain.count});
  return Value(Array{Value(Object{
      {"domainCount", Value(static_cast<std::int64_t>(assignment.domains.size())), {}},
      {"valuesPerLevel", Value(std::move(levels)), {}},
      {"podCounts", Value(Object{{"individual", Value(std::move(counts)), {}}}), {}},
  })});
}

Value domains_of(const kube::TopologyAssignment& assignment) {
  Array made;
  for (const auto& domain : assignment.domains) {
    made.emplace_back(Object{{"values", texts(domain.values), {}}, {"count", Value(std::int64_t{domain.count}), {}}});
  }
  return Value(std::move(made));
}

template <class Change>
Value with_topologies(Value status, Change change) {
  return with_each(std::move(status), {"admission", "podSetAssignments"},
                   [&](const Value& assignment) { return with_part(assignment, {"topologyAssignment"}, change); });
}

Value status_of_beta2(Value status) {
  status = renamed(std::move(status), "accumulatedPastExexcutionTimeSeconds", "accumulatedPastExecutionTimeSeconds");
  return with_topologies(std::move(status), [](const Value& topology) {
    if (topology.find("domains") == nullptr) return topology;
    return topology.without("domains").with("slices", slices_of(kube::read_topology_assignment(topology)));
  });
}

Value status_of_beta1(Value status) {
  status = renamed(std::move(status), "accumulatedPastExecutionTimeSeconds", "accumulatedPastExexcutionTimeSeconds");
  return with_topologies(status.without("preemptionGates"), [](const Value& topology) {
    if (topology.find("slices") == nullptr) return topology;
    return topology.without("slices").with("domains", domains_of(kube::read_topology_assignment(topology)));
  });
}

Value workload_of_beta2(Value workload) {
  return with_part(with_part(std::move(workload), {"spec"}, spec_of_beta2), {"status"}, status_of_beta2);
}

Value workload_of_beta1(Value workload) {
  return with_part(with_part(std::move(workload), {"spec"}, spec_of_beta1), {"status"}, status_of_beta1);
}

Value as_it_is(Value object) { return object; }

struct Converter {
  std::string_view kind;
  Value (*to_beta2)(Value object);
  Value (*to_beta1)(Value object);
};
constexpr std::array<Converter, 7> kConverters = {{
    {"ClusterQueue", cluster_queue_of_beta2, cluster_queue_of_beta1},
    {"LocalQueue", local_queue_of_beta2, local_queue_of_beta1},
    {"Workload", workload_of_beta2, workload_of_beta1},
    {"Cohort", cohort_of_beta2, as_it_is},
    {"AdmissionCheck", check_of_beta2, as_it_is},
    {"MultiKueueCluster", cluster_of_beta2, cluster_of_beta1},
    {"MultiKueueConfig", as_it_is, multi_kueue_config_of_beta1},
}};

}  // namespace

bool is_of_kueue(const schema::GroupVersionKind& kind) { return kind.group == "kueue.x-k8s.io"; }

Value convert_kueue(const Value& object, const schema::GroupVersionKind& to) {
  for (const Converter& each : kConverters) {
    if (each.kind == to.kind) return to.version == kBeta1 ? each.to_beta1(object) : each.to_beta2(object);
  }
  return object;
}

}  // namespace loadline::apiserver
