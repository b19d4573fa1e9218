#include <array>
#include <string>

#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

std::string ratio(std::int64_t part, std::int64_t whole) { return std::to_string(part) + "/" + std::to_string(whole); }

constexpr std::array kDeploymentColumns = {
    kName,
    TableColumn{"Ready", "string", "", "How many of the wanted pods are ready."},
    TableColumn{"Up-to-date", "string", "", "How many pods have the current template."},
    TableColumn{"Available", "string", "", "How many pods have been ready for long enough."},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

void write_deployment(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(ratio(integer_at(object, "status", "readyReplicas"), integer_at(object, "spec", "replicas")));
  cells.integer(integer_at(object, "status", "updatedReplicas"));
  cells.integer(integer_at(object, "status", "availableReplicas"));
  cells.age(object);
  write_containers(at(object, "spec", "template"), cells);
  cells.text(selector_text(at(object, "spec", "selector"), "<invalid>"));
}

constexpr std::array kReplicaSetColumns = {
    kName,
    TableColumn{"Desired", "integer", "", "How many pods are wanted."},
    TableColumn{"Current", "integer", "", "How many pods there are."},
    TableColumn{"Ready", "integer", "", "How many pods are ready."},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

void write_replicas(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.integer(integer_at(object, "spec", "replicas"));
  cells.integer(integer_at(object, "status", "replicas"));
  cells.integer(integer_at(object, "status", "readyReplicas"));
  cells.age(object);
  write_containers(at(object, "spec", "template"), cells);
}

void write_replica_set(const Value& object, CellWriter& cells) {
  write_replicas(object, cells);
  cells.text(formatted_selector(at(object, "spec", "selector")));
}

void write_replication_controller(const Value& object, CellWriter& cells) {
  write_replicas(object, cells);
  cells.text(formatted_labels(members_at(object, "spec", "selector")));
}

constexpr std::array kStatefulSetColumns = {
    kName, TableColumn{"Ready", "string", "", "How many of the wanted pods are ready."}, kAge, kContainers, kImages,
};

void write_stateful_set(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(ratio(integer_at(object, "status", "readyReplicas"), integer_at(object, "spec", "replicas")));
  cells.age(object);
  write_containers(at(object, "spec", "template"), cells);
}

constexpr std::array kDaemonSetColumns = {
    kName,
    TableColumn{"Desired", "integer", "", "How many nodes should run a pod of it."},
    TableColumn{"Current", "integer", "", "How many of these nodes do."},
    TableColumn{"Ready", "integer", "", "On how many nodes the pod is ready."},
    TableColumn{"Up-to-date", "integer", "", "On how many nodes the pod has the current template."},
    TableColumn{"Available", "integer", "", "On how many nodes the pod has been ready for long enough."},
    TableColumn{"Node Selector", "string", "", "The labels that a node must have."},
    kAge,
    kContainers,
    kImages,
    kSelector,
};

void write_daemon_set(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.integer(integer_at(object, "status", "desiredNumberScheduled"));
  cells.integer(integer_at(object, "status", "currentNumberScheduled"));
  cells.integer(integer_at(object, "status", "numberReady"));
  cells.integer(integer_at(object, "status", "updatedNumberScheduled"));
  cells.integer(integer_at(object, "status", "numberAvailable"));
  cells.text(formatted_labels(members_at(object, "spec", "template", "spec", "nodeSelector")));
  cells.age(object);
  write_containers(at(object, "spec", "template"), cells);
  cells.text(formatted_selector(at(object, "spec", "selector")));
}

constexpr std::array kControllerRevisionColumns = {
    kName,
    TableColumn{"Controller", "string", "", "The object whose revision it is."},
    TableColumn{"Revision", "string", "", "The number of the revision."},
    kAge,
};

/// "deployment.apps/web": kind, group and name of the owner that controls the object.
std::string controller(const Value& object) {
  for (const Value& owner : elements_at(object, "metadata", "ownerReferences")) {
    if (!boolean_at(owner, "controller")) continue;
    const std::string_view version = text_at(owner, "apiVersion");
    const std::size_t slash = version.find('/');
    std::string kind(text_at(owner, "kind"));
    if (slash != std::string_view::npos) kind.append(".").append(version.substr(0, slash));
    const std::string_view name = text_at(owner, "name");
    return kind.empty() ? std::string(name) : lower(kind).append("/").append(name);
  }
  return "<none>";
}

void write_controller_revision(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(controller(object));
  cells.integer(integer_at(object, "revision"));
  cells.age(object);
}

constexpr std::array kWorkloadKinds = {
    KindColumns{"apps", "Deployment", kDeploymentColumns, write_deployment},
    KindColumns{"apps", "ReplicaSet", kReplicaSetColumns, write_replica_set},
    KindColumns{"apps", "StatefulSet", kStatefulSetColumns, write_stateful_set},
    KindColumns{"apps", "DaemonSet", kDaemonSetColumns, write_daemon_set},
    KindColumns{"apps", "ControllerRevision", kControllerRevisionColumns, write_controller_revision},
    KindColumns{"", "ReplicationController", kReplicaSetColumns, write_replication_controller},
};

}  // namespace

std::span<const KindColumns> workload_columns() { return kWorkloadKinds; }

}  // namespace loadline::api
