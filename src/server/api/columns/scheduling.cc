#include <array>
#include <string>

#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kPriorityClassColumns = {
    kName,
    TableColumn{"Value", "integer", "", "The priority that pods of the class get."},
    TableColumn{"Global-Default", "boolean", "", "Whether pods without a class get this one."},
    kAge,
    TableColumn{"PreemptionPolicy", "string", "", "Whether pods of the class preempt others."},
};

void write_priority_class(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.integer(integer_at(object, "value"));
  cells.boolean(boolean_at(object, "globalDefault"));
  cells.age(object);
  cells.text(text_at(object, "preemptionPolicy"));
}

constexpr std::array kDisruptionBudgetColumns = {
    kName,
    TableColumn{"Min Available", "string", "", "How many pods must stay available."},
    TableColumn{"Max Unavailable", "string", "", "How many pods may be unavailable."},
    TableColumn{"Allowed Disruptions", "integer", "", "How many pods may be evicted now."},
    kAge,
};

void write_disruption_budget(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(scalar_text(at(object, "spec", "minAvailable"), "N/A"));
  cells.text(scalar_text(at(object, "spec", "maxUnavailable"), "N/A"));
  cells.integer(integer_at(object, "status", "disruptionsAllowed"));
  cells.age(object);
}

constexpr std::array kPodGroupColumns = {
    kName,
    TableColumn{"Policy", "string", "", "How the group is scheduled: pod by pod, or as a gang."},
    TableColumn{"Workload", "string", "", "The Workload that the group belongs to."},
    TableColumn{"Status", "string", "", "Whether the group is scheduled."},
    kAge,
};

std::string_view pod_group_status(const Value& object) {
  std::string_view word = "Pending";
  std::string_view disruption;
  bool is_disrupted = false;
  // Of several conditions with one type, the last one counts.
  for (const Value& condition : elements_at(object, "status", "conditions")) {
    const std::string_view type = text_at(condition, "type");
    if (type == "PodGroupScheduled") word = is_true(&condition) ? "Scheduled" : "Unschedulable";
    if (type != "DisruptionTarget") continue;
    is_disrupted = true;
    disruption = text_at(condition, "reason");
  }
  return is_disrupted ? disruption : word;
}

void write_pod_group(const Value& object, CellWriter& cells) {
  const Value* reference = at(object, "spec", "podGroupTemplateRef");
  cells.text(name_of(object));
  cells.text(at(object, "spec", "schedulingPolicy", "gang") != nullptr ? "Gang" : "Basic");
  cells.text(reference == nullptr ? "<none>" : text_at(*reference, "workload", "workloadName"));
  cells.text(pod_group_status(object));
  cells.age(object);
}

constexpr std::array kRuntimeClassColumns = {
    kName,
    TableColumn{"Handler", "string", "", "The handler that runs containers of the class."},
    kAge,
};

void write_runtime_class(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(text_at(object, "handler"));
  cells.age(object);
}

constexpr std::array kLeaseColumns = {
    kName,
    TableColumn{"Holder", "string", "", "The holder of the lease."},
    kAge,
};

void write_lease(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(text_at(object, "spec", "holderIdentity"));
  cells.age(object);
}

constexpr std::array kLeaseCandidateColumns = {
    kName,
    TableColumn{"LeaseName", "string", "", "The lease that it would hold."},
    TableColumn{"BinaryVersion", "string", "", "The version of the candidate."},
    TableColumn{"EmulationVersion", "string", "", "The version that the candidate behaves as."},
    kAge,
};

void write_lease_candidate(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(text_at(object, "spec", "leaseName"));
  cells.text(text_at(object, "spec", "binaryVersion"));
  cells.text(text_at(object, "spec", "emulationVersion"));
  cells.age(object);
}

constexpr std::array kSchedulingKinds = {
    KindColumns{"scheduling.k8s.io", "PriorityClass", kPriorityClassColumns, write_priority_class},
    KindColumns{"scheduling.k8s.io", "PodGroup", kPodGroupColumns, write_pod_group},
    KindColumns{"scheduling.k8s.io", "Workload", kNameAndAge, write_name_and_age},
    KindColumns{"policy", "PodDisruptionBudget", kDisruptionBudgetColumns, write_disruption_budget},
    KindColumns{"node.k8s.io", "RuntimeClass", kRuntimeClassColumns, write_runtime_class},
    KindColumns{"coordination.k8s.io", "Lease", kLeaseColumns, write_lease},
    KindColumns{"coordination.k8s.io", "LeaseCandidate", kLeaseCandidateColumns, write_lease_candidate},
};

}  // namespace

std::span<const KindColumns> scheduling_columns() { return kSchedulingKinds; }

}  // namespace loadline::api
