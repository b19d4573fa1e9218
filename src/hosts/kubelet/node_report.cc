#include "hosts/kubelet/node_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "hosts/kubelet/fake_identity.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {
namespace {

using document::Array;
using document::Object;
using document::Value;
using watching::Observed;

struct Statement {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};

// Source: pkg/kubelet/nodestatus/setters.go, v1.36.
constexpr std::array<Statement, 4> kStatements = {{
    {"MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
    {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
    {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
    {"Ready", "True", "KubeletReady", "kubelet is posting ready status"},
}};

bool is_said(const kube::Node& node, const Statement& statement) {
  const kube::Condition* known = kube::find_condition(node.conditions, statement.type);
  return known != nullptr && known->status == statement.status && known->reason == statement.reason;
}

Value conditions(const kube::Node& node, Instant now) {
  Array list;
  for (const Statement& statement : kStatements) {
    const kube::Condition* known = kube::find_condition(node.conditions, statement.type);
    const bool is_same = known != nullptr && known->status == statement.status && known->last_transition_time;
    list.emplace_back(Object{
        {"type", Value(statement.type), {}},
        {"status", Value(statement.status), {}},
        {"lastHeartbeatTime", Value(format_rfc3339(now)), {}},
        {"lastTransitionTime", Value(format_rfc3339(is_same ? *known->last_transition_time : now)), {}},
        {"reason", Value(statement.reason), {}},
        {"message", Value(statement.message), {}},
    });
  }
  return Value(std::move(list));
}

Value addresses(const kube::Node& node, const std::string& address) {
  const auto one = [](std::string_view type, const std::string& what) {
    return Value(Object{{"address", Value(what), {}}, {"type", Value(type), {}}});
  };
  return Value(Array{one("InternalIP", address), one("Hostname", node.metadata.name)});
}

/// Eight, four, four, four and twelve digits.
std::string uuid_of(std::string_view name, std::string_view what) {
  const std::string digits = digest_of(name, what);
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                     digits.substr(16, 4), digits.substr(20, 12));
}

Value node_info(const kube::Node& node, const std::string& version) {
  const auto label = [&](std::string_view key, std::string_view fallback) {
    const auto found = node.metadata.labels.find(key);
    return found == node.metadata.labels.end() ? std::string(fallback) : found->second;
  };
  const std::string& name = node.metadata.name;
  return Value(Object{
      {"architecture", Value(label("kubernetes.io/arch", "amd64")), {}},
      {"bootID", Value(uuid_of(name, "boot")), {}},
      {"containerRuntimeVersion", Value("containerd://2.2.0"), {}},
      {"kernelVersion", Value("6.12.0-loadline"), {}},
      {"kubeProxyVersion", Value(""), {}},
      {"kubeletVersion", Value(version), {}},
      {"machineID", Value(digest_of(name, "machine").substr(0, 32)), {}},
      {"operatingSystem", Value(label("kubernetes.io/os", "linux")), {}},
      {"osImage", Value("Loadline virtual node"), {}},
      {"systemUUID", Value(uuid_of(name, "system")), {}},
  });
}

Value default_capacity() {
  return Value(Object{{"cpu", Value("8"), {}},
                      {"ephemeral-storage", Value("100Gi"), {}},
                      {"memory", Value("32Gi"), {}},
                      {"pods", Value("110"), {}}});
}

/// What devices change of the amounts: null takes a resource away.
Object device_changes(const Value& amounts, const Devices& devices) {
  Object patch;
  for (const auto& [resource, amount] : devices.amounts) {
    const Value* there = amounts.find(resource);
    if (!amount && there == nullptr) continue;
    const Value wanted = amount ? Value(std::to_string(*amount)) : Value();
    if (there != nullptr && amount && document::same_document(*there, wanted)) continue;
    patch.push_back({resource, wanted, {}});
  }
  return patch;
}

class NodeReporter {
 public:
  NodeReporter(const Observed<kube::Node>& node, const NodeReport& report) : node_(node), report_(report) {}

  Value patch() {
    add_amounts();
    add_conditions();
    if (internal_ip(node_.document).empty()) add("addresses", addresses(node_.view, report_.address));
    if (document::text_at(node_.document, {"status", "nodeInfo", "kubeletVersion"}).empty()) {
      add("nodeInfo", node_info(node_.view, report_.kubelet_version));
      const Value endpoint(Object{{"Port", Value(std::int64_t{10250}), {}}});
      add("daemonEndpoints", Value(Object{{"kubeletEndpoint", endpoint, {}}}));
    }
    if (status_.empty()) return {};
    return Value(Object{{"metadata", Value(Object{{"uid", Value(node_.metadata().uid), {}}}), {}},
                        {"status", Value(std::move(status_)), {}}});
  }

 private:
  void add(const char* field, Value value) { status_.push_back({field, std::move(value), {}}); }

  void add_conditions() {
    const bool all_said = std::all_of(kStatements.begin(), kStatements.end(),
                                      [&](const Statement& one) { return is_said(node_.view, one); });
    if (!all_said || report_.is_heartbeat) add("conditions", conditions(node_.view, report_.now));
  }

  void add_amounts() {
    const Value* declared = document::find_at(node_.document, {"status", "capacity"});
    const Value* allocatable = document::find_at(node_.document, {"status", "allocatable"});
    const auto is_empty = [](const Value* amounts) {
      return amounts == nullptr || !amounts->is_object() || amounts->object().empty();
    };
    Value capacity = !is_empty(declared) ? *declared : !is_empty(allocatable) ? *allocatable : default_capacity();
    add_amounts_of("capacity", declared, capacity, is_empty(declared), {});
    add_amounts_of("allocatable", allocatable, capacity, is_empty(allocatable), report_.extended);
  }

  void add_amounts_of(const char* field, const Value* declared, const Value& fallback, bool is_missing,
                      const Object& extended) {
    const Value base = is_missing ? fallback : *declared;
    Object patch = device_changes(base, report_.devices);
    patch.insert(patch.end(), extended.begin(), extended.end());
    if (is_missing) {
      Value whole = base;
      for (const document::Member& member : patch) {
        whole = member.value.is_null() ? std::move(whole).without(member.key)
                                       : std::move(whole).with(member.key, member.value);
      }
      add(field, std::move(whole));
    } else if (!patch.empty()) {
      add(field, Value(std::move(patch)));
    }
  }

  const Observed<kube::Node>& node_;
  const NodeReport& report_;
  Object status_;
};

}  // namespace

Value node_status_patch(const Observed<kube::Node>& node, const NodeReport& report) {
  return NodeReporter(node, report).patch();
}

Value node_label_patch(const Observed<kube::Node>& node, const Devices& devices) {
  Object labels;
  for (const auto& [key, value] : devices.labels) {
    const auto found = node.metadata().labels.find(key);
    const bool is_there = found != node.metadata().labels.end();
    if (value ? !is_there || found->second != *value : is_there)
      labels.push_back({key, value ? Value(*value) : Value(), {}});
  }
  if (labels.empty()) return {};
  return Value(Object{{"metadata", Value(Object{{"labels", Value(std::move(labels)), {}}}), {}}});
}

}  // namespace loadline::kubelet
