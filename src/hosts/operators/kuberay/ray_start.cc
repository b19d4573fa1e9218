#include "hosts/operators/kuberay/ray_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/scalars.h"
#include "objects/schema/quantity.h"

namespace loadline::operators {
namespace {

using document::Object;
using document::Value;
using schema::Quantity;

constexpr std::string_view kDefaultMetricsPort = "8080";
constexpr std::string_view kDefaultAgentPort = "52365";

/// What Ray calls accelerators that are no GPUs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kAccelerators = {{
    {"aws.amazon.com/neuroncore", "neuron_cores"},
    {"google.com/tpu", "TPU"},
}};

/// An amount as JSON or YAML has it: "500m", 2.
std::optional<Quantity> amount(const Value* written) {
  if (written == nullptr) return std::nullopt;
  if (written->is_integer()) return Quantity::of(written->integer());
  if (!written->is_string()) return std::nullopt;
  const auto parsed = Quantity::parse(written->string());
  return parsed ? std::optional(*parsed) : std::nullopt;
}

/// Ray takes amounts of its own resources as numbers.
Value as_number(const Quantity& quantity) {
  return quantity.is_whole() ? Value(quantity.value()) : Value(quantity.approximate());
}

std::string quoted(const Object& resources) { return fmt::format("'{}'", document::write_json(Value(resources))); }

void insert_by_name(Object& resources, std::string_view name, Value value) {
  const auto place = std::ranges::lower_bound(resources, name, {}, &document::Member::key);
  resources.insert(place, {std::string(name), std::move(value), {}});
}

/// Resources of the group stand for parameters. What is no amount is left out.
void add_resources(RayStartParams& params, const Value& resources) {
  if (!resources.is_object()) return;
  Object others;
  for (const auto& [name, written, mark] : resources.object()) {
    const std::optional<Quantity> quantity = amount(&written);
    if (!quantity) continue;
    const std::string plain = kube::lower_case(name);
    if (plain == "cpu") {
      params["num-cpus"] = std::to_string(quantity->value());
    } else if (plain == "memory") {
      params["memory"] = std::to_string(quantity->value());
    } else if (is_ray_gpu(plain)) {
      params["num-gpus"] = std::to_string(quantity->value());
    } else {
      insert_by_name(others, name, as_number(*quantity));
    }
  }
  if (!others.empty()) params["resources"] = quoted(others);
}

void add_labels(RayStartParams& params, const Value& labels) {
  if (!labels.is_object() || labels.object().empty()) return;
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& [name, value, mark] : labels.object()) {
    if (value.is_string()) sorted.emplace(name, value.string());
  }
  std::string all;
  for (const auto& [name, value] : sorted) all += fmt::format("{}{}={}", all.empty() ? "" : ",", name, value);
  params["labels"] = std::move(all);
}

/// Ray's own resources, as the parameters have them; nothing: they are not to be read.
std::optional<Object> own_resources(const RayStartParams& params) {
  const auto written = params.find("resources");
  if (written == params.end()) return Object();
  constexpr std::string_view kQuotes = "'\"` ";
  std::string_view text = written->second;
  text.remove_prefix(std::min(text.find_first_not_of(kQuotes), text.size()));
  text = text.substr(0, text.find_last_not_of(kQuotes) + 1);
  const document::Reading reading = document::read_json(text, "resources");
  if (!reading.problems.empty() || reading.documents.size() != 1 || !reading.documents.front().is_object()) {
    return std::nullopt;
  }
  Object resources;
  for (const auto& [name, value, mark] : reading.documents.front().object()) {
    if (!value.is_number()) return std::nullopt;
    insert_by_name(resources, name, value);
  }
  return resources;
}

bool has(const Object& object, std::string_view name) {
  return std::ranges::find(object, name, &document::Member::key) != object.end();
}

/// GPUs, and the first of the other accelerators.
void add_accelerators(RayStartParams& params, const Value& limits) {
  if (!limits.is_object() || limits.object().empty()) return;
  std::optional<Object> resources = own_resources(params);
  if (!resources) return;
  bool is_settled =
      std::ranges::any_of(kAccelerators, [&](const auto& known) { return has(*resources, known.second); });
  std::map<std::string_view, Quantity> sorted;
  for (const auto& [name, written, mark] : limits.object()) {
    if (const auto quantity = amount(&written); quantity && !quantity->is_zero()) sorted.emplace(name, *quantity);
  }
  for (const auto& [name, quantity] : sorted) {
    if (is_ray_gpu(name)) params.try_emplace("num-gpus", std::to_string(quantity.value()));
    const auto known = std::ranges::find(kAccelerators, name, &std::pair<std::string_view, std::string_view>::first);
    if (is_settled || known == kAccelerators.end()) continue;
    insert_by_name(*resources, known->second, as_number(quantity));
    params["resources"] = quoted(*resources);
    is_settled = true;
  }
}

std::string as_flags(const RayStartParams& params) {
  std::string flags;
  for (const auto& [name, value] : params) {
    const std::string plain = kube::lower_case(value);
    const bool is_switch = (plain == "true" || plain == "false") && name != "log-color" && name != "include-dashboard";
    if (!is_switch) {
      flags += fmt::format(" --{}={} ", name, value);
    } else if (plain == "true") {
      flags += fmt::format(" --{} ", name);
    }
  }
  return flags;
}

}  // namespace

bool is_ray_gpu(std::string_view resource) {
  if (resource.ends_with("gpu")) return true;
  // A slice of a GPU: nvidia.com/mig-1g.5gb.
  constexpr std::string_view kSlice = "nvidia.com/mig-";
  const std::size_t at = resource.find(kSlice);
  if (at == std::string_view::npos) return false;
  std::string_view rest = resource.substr(at + kSlice.size());
  const auto take_number = [&] {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    rest.remove_prefix(digits);
    return digits > 0;
  };
  if (!take_number() || !rest.starts_with("g.")) return false;
  rest.remove_prefix(2);
  return take_number() && rest == "gb";
}

RayStartParams ray_start_params(const RayNode& node) {
  RayStartParams params;
  if (const Value* written = node.group.find("rayStartParams"); written != nullptr && written->is_object()) {
    for (const auto& [name, value, mark] : written->object()) {
      if (value.is_string()) params[name] = value.string();
    }
  }
  add_resources(params, document::value_at(node.group, {"resources"}));
  add_labels(params, document::value_at(node.group, {"labels"}));
  if (node.is_head) {
    params.try_emplace("dashboard-host", "0.0.0.0");
  } else {
    params.try_emplace("address", fmt::format("{}:{}", node.head_address, node.head_port));
  }
  params.try_emplace("metrics-export-port", kDefaultMetricsPort);
  params["block"] = "true";
  params.try_emplace("dashboard-agent-listen-port", kDefaultAgentPort);
  if (node.is_head && node.has_autoscaler) params["no-monitor"] = "true";
  return params;
}

std::string ray_start_command(bool is_head, RayStartParams params, const Value& container) {
  const Value* limits = document::find_at(container, {"resources", "limits"});
  const Value* requests = document::find_at(container, {"resources", "requests"});
  const auto amount_of = [](const Value* list, std::string_view name) -> std::optional<Quantity> {
    if (list == nullptr) return std::nullopt;
    const std::optional<Quantity> quantity = amount(list->find(name));
    return quantity && !quantity->is_zero() ? quantity : std::nullopt;
  };
  std::optional<Quantity> cpu = amount_of(limits, "cpu");
  if (!cpu) cpu = amount_of(requests, "cpu");
  if (cpu) params.try_emplace("num-cpus", std::to_string(cpu->value()));
  if (const auto memory = amount_of(limits, "memory")) params.try_emplace("memory", std::to_string(memory->value()));
  if (limits != nullptr) add_accelerators(params, *limits);
  return fmt::format("ray start {}{}", is_head ? "--head " : "", as_flags(params));
}

}  // namespace loadline::operators
