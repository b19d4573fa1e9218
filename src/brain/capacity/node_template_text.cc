#include "brain/capacity/node_template_text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "brain/capacity/instance_types.h"
#include "foundation/base/closest.h"
#include "foundation/base/text.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/scalars.h"

namespace loadline::capacity {
namespace {

constexpr std::size_t kMostNodes = 200'000;
constexpr std::int64_t kMostGpusOfNode = 1024;

struct Amount {
  std::string_view key;
  std::string_view resource;
};

constexpr Amount kAmounts[] = {
    {"cpu", "cpu"}, {"memory", "memory"}, {"storage", "ephemeral-storage"}, {"pods", "pods"}};

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

// ---- of a shape ----------------------------------------------------------------------------------------------------

Result<void> read_amount(std::string_view resource, std::string_view text, NodeShape& shape) {
  const Result<kube::Quantity> amount = kube::Quantity::parse(text);
  if (!amount || amount->sign() <= 0) return failure(fmt::format("{:?} is no amount of {}", text, resource));
  shape.capacity[std::string(resource)] = *amount;
  return {};
}

Result<void> read_label(std::string_view text, NodeShape& shape) {
  const std::size_t equals = text.find('=');
  const std::string_view key = text.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  if (!kube::is_qualified_name(key) || !kube::label_value_problems(value).empty()) {
    return failure(fmt::format("{:?} is no label: write label=KEY=VALUE", text));
  }
  shape.labels[std::string(key)] = value;
  return {};
}

Result<void> read_taint(std::string_view text, NodeShape& shape) {
  const std::size_t colon = text.rfind(':');
  const std::string_view effect = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  kube::Taint taint;
  if (effect == "NoSchedule") {
    taint.effect = kube::TaintEffect::kNoSchedule;
  } else if (effect == "PreferNoSchedule") {
    taint.effect = kube::TaintEffect::kPreferNoSchedule;
  } else if (effect == "NoExecute") {
    taint.effect = kube::TaintEffect::kNoExecute;
  } else {
    return failure(
        fmt::format("{:?} is no taint: write taint=KEY[=VALUE]:NoSchedule (or PreferNoSchedule, NoExecute)", text));
  }
  const std::string_view rest = text.substr(0, colon);
  const std::size_t equals = rest.find('=');
  taint.key = rest.substr(0, equals);
  if (equals != std::string_view::npos) taint.value = rest.substr(equals + 1);
  if (!kube::is_qualified_name(taint.key) || !kube::label_value_problems(taint.value).empty()) {
    return failure(fmt::format("{:?} is no taint: its key or value is not valid", text));
  }
  shape.taints.push_back(std::move(taint));
  return {};
}

Result<void> read_label_value(std::string_view text, std::string& value) {
  if (!kube::label_value_problems(text).empty()) return failure(fmt::format("{:?} is no label value", text));
  value = text;
  return {};
}

Result<void> read_capacity_type(std::string_view text, NodeShape& shape) {
  if (text != "spot" && text != "on-demand") {
    return failure(fmt::format("capacity-type is spot or on-demand, not {:?}", text));
  }
  shape.capacity_type = text;
  return {};
}

Result<void> read_device_plugin(std::string_view text, NodeShape& shape) {
  if (text != "required") return failure(fmt::format("device-plugin can only be \"required\", not {:?}", text));
  shape.needs_device_plugin = true;
  return {};
}

// ---- of all nodes --------------------------------------------------------------------------------------------------

Result<void> read_name(std::string_view text, std::string& name) {
  if (!kube::dns_subdomain_problems(text).empty() || text.size() > 200) {
    return failure(fmt::format("{:?} cannot begin the names of nodes", text));
  }
  name = text;
  return {};
}

/// What a description says, before it is known whether it goes together.
struct Reading {
  std::string name;
  std::optional<std::string> like;
  NodeShape shape;
  std::string_view key_of_shape;  ///< one that speaks of the shape
};

Result<void> read_setting(std::string_view key, std::string_view value, Reading& reading) {
  if (key == "name") return read_name(value, reading.name);
  if (key == "like") {
    reading.like = value;
    return {};
  }
  NodeShape& shape = reading.shape;
  reading.key_of_shape = key;
  for (const Amount& amount : kAmounts) {
    if (key == amount.key) return read_amount(amount.resource, value, shape);
  }
  if (key == "gpu") return parse_gpu(value, shape);
  if (key == "device-plugin") return read_device_plugin(value, shape);
  if (key == "instance-type") return read_label_value(value, shape.instance_type);
  if (key == "capacity-type") return read_capacity_type(value, shape);
  if (key == "arch") return read_label_value(value, shape.arch);
  if (key == "label") return read_label(value, shape);
  if (key == "taint") return read_taint(value, shape);
  return failure(
      fmt::format("{:?} says nothing about nodes; name, like, cpu, memory, storage, pods, gpu, device-plugin, "
                  "instance-type, capacity-type, arch, label and taint do",
                  key));
}

/// A type whose size is not known says nothing of the nodes, unless their size is said, too.
Result<void> check_instance_type(const NodeShape& shape) {
  const bool says_its_size = shape.gpu != nullptr || !shape.capacity.empty();
  if (shape.instance_type.empty() || says_its_size || find_instance_type(shape.instance_type) != nullptr) return {};
  std::vector<std::string_view> names;
  for (const InstanceType& type : instance_types()) names.push_back(type.name);
  const std::string_view meant = closest(shape.instance_type, names);
  return failure(fmt::format("the size of instance type {:?} is not known here{}; say cpu, memory and gpu, too",
                             shape.instance_type, meant.empty() ? "" : fmt::format(" (did you mean {:?}?)", meant)));
}

Result<NodeTemplate> made_of(Reading reading, std::size_t count) {
  if (auto known = check_instance_type(reading.shape); !known) return tl::unexpected(std::move(known.error()));
  if (!reading.like) return NodeTemplate{count, std::move(reading.name), std::move(reading.shape)};
  if (!reading.key_of_shape.empty()) {
    return failure(fmt::format("like={} says what the nodes look like, so {} cannot go with it; only name can",
                               *reading.like, reading.key_of_shape));
  }
  return NodeTemplate{count, std::move(reading.name), LikeNode{std::move(*reading.like)}};
}

std::string taint_text(const kube::Taint& taint) {
  const std::string value = taint.value.empty() ? "" : "=" + taint.value;
  return fmt::format("{}{}:{}", taint.key, value, kube::name_of(taint.effect));
}

void add_shape(const NodeShape& shape, std::vector<std::string>& settings) {
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) settings.push_back(fmt::format("{}={}", key, value));
  };
  if (shape.gpu != nullptr) add("gpu", fmt::format("{}:{}", shape.gpu->name, shape.gpus));
  for (const Amount& amount : kAmounts) {
    const auto found = shape.capacity.find(amount.resource);
    if (found != shape.capacity.end()) add(amount.key, found->second.to_string());
  }
  if (shape.needs_device_plugin) add("device-plugin", "required");
  add("instance-type", shape.instance_type);
  add("capacity-type", shape.capacity_type);
  if (shape.arch != NodeShape().arch) settings.push_back("arch=" + shape.arch);
  for (const auto& [key, value] : shape.labels) add("label", fmt::format("{}={}", key, value));
  for (const kube::Taint& taint : shape.taints) add("taint", taint_text(taint));
}

}  // namespace

Result<void> parse_gpu(std::string_view text, NodeShape& shape) {
  const std::size_t colon = text.find(':');
  const std::string model = kube::lower_case(text.substr(0, colon));
  shape.gpu = find_gpu_model(model);
  if (shape.gpu == nullptr) return failure(fmt::format("{:?} is no GPU known here: {}", model, gpu_model_names()));
  const auto count = colon == std::string_view::npos ? std::optional<std::int64_t>(1)
                                                     : read_number<std::int64_t>(text.substr(colon + 1));
  if (!count || *count < 1 || *count > kMostGpusOfNode) {
    return failure(fmt::format("{:?}: a node has 1 to {} GPUs; write MODEL[:COUNT]", text, kMostGpusOfNode));
  }
  shape.gpus = *count;
  return {};
}

Result<NodeTemplate> parse_node_template(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto count = read_number<std::size_t>(text.substr(0, colon));
  if (!count || *count > kMostNodes) {
    return failure(fmt::format("{:?}: begin with a number of nodes, at most {}", text, kMostNodes));
  }
  if (colon == std::string_view::npos) return NodeTemplate{*count, {}, NodeShape()};
  Reading reading;
  for (const std::string_view setting : split(text.substr(colon + 1), ",")) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos) return failure(fmt::format("{:?} is not KEY=VALUE", setting));
    if (auto read = read_setting(setting.substr(0, equals), setting.substr(equals + 1), reading); !read) {
      return tl::unexpected(std::move(read.error()));
    }
  }
  return made_of(std::move(reading), *count);
}

std::string settings_text(const NodeTemplate& nodes) {
  std::vector<std::string> settings;
  if (!nodes.name.empty()) settings.push_back("name=" + nodes.name);
  if (const std::string* like = nodes.like()) settings.push_back("like=" + *like);
  if (const NodeShape* shape = nodes.shape()) add_shape(*shape, settings);
  return joined(settings, ",");
}

}  // namespace loadline::capacity
