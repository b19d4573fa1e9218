#include <array>
#include <string>

#include "objects/kube/condition.h"
#include "objects/kube/scalars.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/formatting.h"
#include "server/api/columns/human_duration.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kApiServiceColumns = {
    kName,
    TableColumn{"Service", "string", "", "The service that serves this part of the API."},
    TableColumn{"Available", "string", "", "Whether it answers."},
    kAge,
};

void write_api_service(const Value& object, CellWriter& cells) {
  std::string service = "Local";
  if (const Value* reference = at(object, "spec", "service")) {
    service = std::string(text_at(*reference, "namespace")).append("/").append(text_at(*reference, "name"));
  }
  std::string status = "Unknown";
  if (const Value* available = kube::find_condition(object, "Available")) {
    status = text_at(*available, "status");
    const std::string_view reason = text_at(*available, "reason");
    if (status != "True" && !reason.empty()) status.append(" (").append(reason).append(")");
  }
  cells.text(name_of(object));
  cells.text(service);
  cells.text(status);
  cells.age(object);
}

constexpr std::array kWebhookColumns = {
    kName,
    TableColumn{"Webhooks", "integer", "", "How many webhooks there are."},
    kAge,
};

void write_webhooks(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.integer(static_cast<std::int64_t>(elements_at(object, "webhooks").size()));
  cells.age(object);
}

constexpr std::array kSigningRequestColumns = {
    kName,
    kAge,
    TableColumn{"SignerName", "string", "", "The signer that is asked."},
    TableColumn{"Requestor", "string", "", "The user that asks."},
    TableColumn{"RequestedDuration", "string", "", "For how long the certificate should be valid."},
    TableColumn{"Condition", "string", "", "Whether the request is approved, and the certificate issued."},
};

std::string signing_status(const Value& request) {
  const auto has = [&request](std::string_view type) { return kube::find_condition(request, type) != nullptr; };
  std::string text = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  if (has("Failed")) text += ",Failed";
  if (!text_at(request, "status", "certificate").empty()) text += ",Issued";
  return text;
}

void write_signing_request(const Value& object, CellWriter& cells) {
  const Value* seconds = at(object, "spec", "expirationSeconds");
  cells.text(name_of(object));
  cells.age(object);
  cells.text_or(text_at(object, "spec", "signerName"), "<none>");
  cells.text(text_at(object, "spec", "username"));
  cells.text(seconds == nullptr ? "<none>"
                                : human_duration(Duration::seconds(
                                      static_cast<std::int32_t>(integer_at(object, "spec", "expirationSeconds")))));
  cells.text(signing_status(object));
}

constexpr std::array kFlowSchemaColumns = {
    kName,
    TableColumn{"PriorityLevel", "string", "", "The priority level of its requests."},
    TableColumn{"MatchingPrecedence", "string", "", "Lower numbers are asked first."},
    TableColumn{"DistinguisherMethod", "string", "", "What tells flows apart."},
    kAge,
    TableColumn{"MissingPL", "string", "", "Whether the priority level is missing."},
};

void write_flow_schema(const Value& object, CellWriter& cells) {
  const Value* method = at(object, "spec", "distinguisherMethod");
  const Value* dangling = kube::find_condition(object, "Dangling");
  cells.text(name_of(object));
  cells.text(text_at(object, "spec", "priorityLevelConfiguration", "name"));
  cells.integer(integer_at(object, "spec", "matchingPrecedence"));
  cells.text(method == nullptr ? "<none>" : text_at(*method, "type"));
  cells.age(object);
  cells.text(dangling == nullptr ? "?" : text_at(*dangling, "status"));
}

constexpr std::array kPriorityLevelColumns = {
    kName,
    TableColumn{"Type", "string", "", "Whether requests are limited."},
    TableColumn{"NominalConcurrencyShares", "string", "", "The share of the server's seats."},
    TableColumn{"Queues", "string", "", "How many queues there are."},
    TableColumn{"HandSize", "string", "", "How many queues a flow may use."},
    TableColumn{"QueueLengthLimit", "string", "", "How many requests may wait in a queue."},
    kAge,
};

void write_count(const Value* parent, std::string_view field, CellWriter& cells) {
  if (parent == nullptr) return cells.text("<none>");
  cells.integer(integer_at(*parent, field));
}

void write_priority_level(const Value& object, CellWriter& cells) {
  const Value* limited = at(object, "spec", "limited");
  const Value* queuing = at(object, "spec", "limited", "limitResponse", "queuing");
  cells.text(name_of(object));
  cells.text(text_at(object, "spec", "type"));
  write_count(limited, "nominalConcurrencyShares", cells);
  write_count(queuing, "queues", cells);
  write_count(queuing, "handSize", cells);
  write_count(queuing, "queueLengthLimit", cells);
  cells.age(object);
}

// What metrics-server shows of the kinds of metrics.k8s.io.
constexpr std::array kMetricsColumns = {
    TableColumn{"Name", "string", "name", "The name of the resource."},
    TableColumn{"cpu", "string", "quantity", "The processor time used."},
    TableColumn{"memory", "string", "quantity", "The memory used."},
    TableColumn{"Window", "string", "duration", "The time that was measured."},
};

void write_node_metrics(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(scalar_text(at(object, "usage", "cpu"), "0"));
  cells.text(scalar_text(at(object, "usage", "memory"), "0"));
  cells.text(text_at(object, "window"));
}

std::string sum_of_containers(const Value& metrics, std::string_view resource) {
  kube::Quantity sum;
  bool is_first = true;
  for (const Value& container : elements_at(metrics, "containers")) {
    const auto usage = kube::Quantity::parse(scalar_text(at(container, "usage", resource), "0"));
    if (!usage) continue;
    sum = is_first ? *usage : sum + *usage;
    is_first = false;
  }
  return sum.to_string();
}

void write_pod_metrics(const Value& object, CellWriter& cells) {
  cells.text(name_of(object));
  cells.text(sum_of_containers(object, "cpu"));
  cells.text(sum_of_containers(object, "memory"));
  cells.text(text_at(object, "window"));
}

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kFlowControl = "flowcontrol.apiserver.k8s.io";

constexpr std::array kAdministrationKinds = {
    KindColumns{"apiregistration.k8s.io", "APIService", kApiServiceColumns, write_api_service},
    KindColumns{kAdmission, "MutatingWebhookConfiguration", kWebhookColumns, write_webhooks},
    KindColumns{kAdmission, "ValidatingWebhookConfiguration", kWebhookColumns, write_webhooks},
    KindColumns{"certificates.k8s.io", "CertificateSigningRequest", kSigningRequestColumns, write_signing_request},
    KindColumns{kFlowControl, "FlowSchema", kFlowSchemaColumns, write_flow_schema},
    KindColumns{kFlowControl, "PriorityLevelConfiguration", kPriorityLevelColumns, write_priority_level},
    KindColumns{"metrics.k8s.io", "NodeMetrics", kMetricsColumns, write_node_metrics},
    KindColumns{"metrics.k8s.io", "PodMetrics", kMetricsColumns, write_pod_metrics},
};

}  // namespace

std::span<const KindColumns> administration_columns() { return kAdministrationKinds; }

}  // namespace loadline::api
