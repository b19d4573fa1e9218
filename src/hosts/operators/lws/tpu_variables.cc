#include "hosts/operators/lws/tpu_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "hosts/operators/lws/pod_name.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

constexpr std::size_t kMostHostBytes = std::size_t{1} << 20;  // of the addresses that a pod is given
constexpr std::int64_t kMostGroups = 2147483647;

using document::Array;
using document::Object;
using document::text_at;
using document::Value;

constexpr std::string_view kTpu = "google.com/tpu";
constexpr std::string_view kHostnames = "TPU_WORKER_HOSTNAMES";
constexpr std::string_view kWorkerId = "TPU_WORKER_ID";
constexpr std::string_view kPort = "TPU_PROCESS_PORT";
constexpr std::int64_t kFirstPort = 8476;
constexpr std::string_view kLists[] = {"containers", "initContainers"};

bool is_zero(const Value* quantity) {
  if (quantity == nullptr || quantity->is_null()) return true;
  if (quantity->is_number()) return quantity->number() == 0;
  return !quantity->is_string() || quantity->string().empty() || quantity->string() == "0";
}

bool container_requests_tpus(const Value& container) {
  return !is_zero(document::find_at(container, {"resources", "limits", kTpu})) ||
         !is_zero(document::find_at(container, {"resources", "requests", kTpu}));
}

const Array* items_of(const Value& pod, std::string_view list) {
  const Value* found = document::find_at(pod, {"spec", list});
  return found == nullptr || !found->is_array() ? nullptr : &found->array();
}

/// The containers, then the init containers.
std::vector<const Value*> containers_with_tpus(const Value& pod) {
  std::vector<const Value*> found;
  for (const std::string_view list : kLists) {
    const Array* containers = items_of(pod, list);
    if (containers == nullptr) continue;
    for (const Value& each : *containers) {
      if (container_requests_tpus(each)) found.push_back(&each);
    }
  }
  return found;
}

const Value* variable_of(const Value& container, std::string_view name) {
  const Value* variables = container.find("env");
  if (variables == nullptr || !variables->is_array()) return nullptr;
  for (const Value& each : variables->array()) {
    if (text_at(each, {"name"}) == name) return &each;
  }
  return nullptr;
}

/// Each host of a list, with and without a port of a process on it.
struct Hosts {
  std::vector<std::string> names;
  std::vector<std::string> addresses;

  void add(const std::string& name, const std::string& port) {
    names.push_back(name);
    addresses.push_back(name + ':' + port);
  }
};

/// What one container is told.
struct TpuProcess {
  std::int64_t id = 0;
  std::string port;
};

Value with_process(Value container, const Hosts& hosts, std::string_view leader, const TpuProcess& process) {
  Array variables = document::items_at(container, {"env"});
  const bool has_port = variable_of(container, kPort) != nullptr;
  const auto add = [&](std::string_view name, std::string_view value) {
    variables.emplace_back(Object{{"name", Value(name), {}}, {"value", Value(value), {}}});
  };
  add(kHostnames, fmt::format("{}", fmt::join(hosts.names, ",")));
  add(kWorkerId, std::to_string(process.id));
  add("TPU_NAME", leader);
  add("TPU_PROCESS_ADDRESSES", fmt::format("{}", fmt::join(hosts.addresses, ",")));
  if (!has_port) add(kPort, process.port);
  return std::move(container).with("env", Value(std::move(variables)));
}

/// The pod, with the first containers that ask for TPUs as `change` makes them; it is told which of them it is.
template <class Change>
Value with_first_tpu_containers(Value pod, std::size_t most, Change change) {
  std::size_t place = 0;
  for (const std::string_view list : kLists) {
    const Array* found = items_of(pod, list);
    if (found == nullptr) continue;
    Array containers = *found;
    for (Value& each : containers) {
      if (place == most || !container_requests_tpus(each)) continue;
      each = change(std::move(each), place);
      ++place;
    }
    pod = document::with_at(std::move(pod), {"spec", list}, Value(std::move(containers)));
  }
  return pod;
}

/// One look at a pod that asks for TPUs.
class TpuPod {
 public:
  using Verdict = tl::expected<Value, std::string>;

  TpuPod(Value pod, std::int64_t size) : pod_(std::move(pod)), size_(size) {}

  Verdict with_variables() {
    const std::vector<const Value*> containers = containers_with_tpus(pod_);
    if (containers.empty()) return pod_;
    const Value& first = *containers.front();
    if (variable_of(first, kHostnames) != nullptr || variable_of(first, kWorkerId) != nullptr) return pod_;
    leads_ = label(kube::kLwsWorkerIndex) == "0";
    has_leader_with_tpus_ = text_at(pod_, {"metadata", "annotations", kube::kLwsLeaderRequestsTpus}) == "true";
    subdomain_ = text_at(pod_, {"spec", "subdomain"});
    leader_ = text_at(pod_, {"metadata", "name"});
    if (!leads_) {
      const auto parsed = parse_pod_name(leader_);
      if (!parsed) return tl::unexpected("parsing parent name from pod " + leader_);
      worker_ = parsed->ordinal;
      leader_ = std::string(parsed->parent);
    }
    const std::string_view part = text_at(pod_, {"metadata", "annotations", kube::kLwsSubGroupSize});
    return part.empty() ? in_group(containers) : in_sub_group(first, part);
  }

 private:
  [[nodiscard]] std::string_view label(std::string_view name) const {
    return text_at(pod_, {"metadata", "labels", name});
  }
  [[nodiscard]] std::string leader_host() const { return leader_ + '.' + subdomain_; }
  [[nodiscard]] std::string worker_host(std::int64_t worker) const {
    return fmt::format("{}-{}.{}", leader_, worker, subdomain_);
  }
  static std::string port_of(const Value& container, std::size_t place) {
    const Value* declared = variable_of(container, kPort);
    return declared == nullptr ? std::to_string(kFirstPort + static_cast<std::int64_t>(place))
                               : std::string(text_at(*declared, {"value"}));
  }

  /// Every pod of the group counts as having as many containers with TPUs as this one.
  Verdict in_group(const std::vector<const Value*>& containers) {
    std::vector<std::string> ports;
    for (const Value* each : containers) ports.push_back(port_of(*each, ports.size()));
    if (std::string problem = list_problem(size_, ports.size()); !problem.empty()) {
      return tl::unexpected(std::move(problem));
    }
    Hosts hosts;
    const auto add = [&](const std::string& host) {
      for (const std::string& port : ports) hosts.add(host, port);
    };
    if (leads_ || has_leader_with_tpus_) add(leader_host());
    for (std::int64_t worker = 1; worker < size_; ++worker) add(worker_host(worker));
    const auto count = static_cast<std::int64_t>(ports.size());
    const std::int64_t first_id = (leads_ || has_leader_with_tpus_ ? worker_ : worker_ - 1) * count;
    return with_first_tpu_containers(pod_, ports.size(), [&](Value container, std::size_t place) {
      return with_process(std::move(container), hosts, leader_,
                          {first_id + static_cast<std::int64_t>(place), ports[place]});
    });
  }

  Verdict in_sub_group(const Value& container, std::string_view part) {
    std::int64_t size = 0;
    std::int64_t index = 0;
    for (const auto& [text, number] : {std::pair(part, &size), std::pair(label(kube::kLwsSubGroupIndex), &index)}) {
      const auto read = std::from_chars(text.data(), text.data() + text.size(), *number);
      if (read.ec != std::errc() || size < 1)
        return tl::unexpected(fmt::format("strconv.Atoi: parsing \"{}\": invalid syntax", text));
    }
    if (std::string problem = list_problem(size, 1); !problem.empty()) return tl::unexpected(std::move(problem));
    if (index < 0 || index > kMostGroups) return tl::unexpected(fmt::format("there is no sub-group {}", index));
    const std::string port = port_of(container, 0);
    std::int64_t begin = size * index + 1;
    std::int64_t end = size * (index + 1);
    Hosts hosts;
    if (leads_ || (has_leader_with_tpus_ && index == 0)) {
      hosts.add(leader_host(), port);
      --end;
    } else if (has_leader_with_tpus_) {
      // The leader is one of the first sub-group, so all others begin a worker earlier.
      --begin;
      --end;
    }
    for (std::int64_t worker = begin; worker <= end; ++worker) hosts.add(worker_host(worker), port);
    // A leader has no annotation that counts it: Go's remainder of -1 is what it gets then.
    const std::int64_t id = (has_leader_with_tpus_ ? worker_ : worker_ - 1) % size;
    return with_first_tpu_containers(
        pod_, 1, [&](Value each, std::size_t) { return with_process(std::move(each), hosts, leader_, {id, port}); });
  }

  /// Every pod is told of all pods of its group: of too many, it would be larger than an object may be.
  [[nodiscard]] std::string list_problem(std::int64_t pods, std::size_t ports) const {
    const std::size_t each = leader_.size() + subdomain_.size() + 24;  // an index, a port, punctuation
    if (pods < static_cast<std::int64_t>(kMostHostBytes / (each * std::max<std::size_t>(ports, 1)))) return {};
    return fmt::format("the list of {} hosts would be larger than an object may be ({} bytes)", pods, kMostHostBytes);
  }

  Value pod_;
  std::int64_t size_;
  bool leads_ = false;
  bool has_leader_with_tpus_ = false;
  std::int64_t worker_ = 0;
  std::string leader_;
  std::string subdomain_;
};

}  // namespace

bool requests_tpus(const Value& pod) { return !containers_with_tpus(pod).empty(); }

tl::expected<Value, std::string> with_tpu_variables(Value pod, std::int64_t size) {
  return TpuPod(std::move(pod), size).with_variables();
}

}  // namespace loadline::operators
