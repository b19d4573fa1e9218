#include "bench/placement/workload.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "foundation/document/reader.h"
#include "objects/kube/codec.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::bench {
namespace {

using document::Value;

Result<Value> read_document(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return failure(fmt::format("cannot read {}", file.string()));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  document::Reading reading = document::read(text, file.string());
  if (has_errors(reading.problems)) return failure(reading.problems.front().to_string());
  if (reading.documents.size() != 1) return failure(fmt::format("{} is not one document", file.string()));
  return std::move(reading.documents.front());
}

/// Walks over a workload's file, remembering the first thing that is wrong with it.
class WorkloadReader {
 public:
  explicit WorkloadReader(std::filesystem::path file)
      : file_(std::move(file)), templates_(file_.parent_path().parent_path() / "templates") {}

  Result<Workload> read() {
    const Result<Value> root = read_document(file_);
    if (!root) return tl::unexpected(root.error());
    Workload workload;
    expect_keys(*root, {"name", "size", "objects", "nodes", "init", "measure", "interleave", "round", "churn"});
    workload.name = text(*root, "name");
    workload.size = text(*root, "size");
    if (const Value* interleave = root->find("interleave")) {
      workload.interleave = interleave->is_boolean() && interleave->boolean();
    }
    for (const Value& name : list(*root, "objects")) read_template(name, workload.objects);
    for (const Value& group : list(*root, "nodes")) workload.nodes.push_back(node_group(group));
    for (const Value& group : list(*root, "init")) workload.init.push_back(pod_group(group));
    for (const Value& group : list(*root, "measure")) workload.measure.push_back(pod_group(group));
    if (root->find("round") != nullptr) workload.round = count(*root, "round");
    if (const Value* churn = root->find("churn")) workload.churn = pod_template(*churn);
    if (workload.churn && workload.round == 0) fail("churn comes with rounds: round must be a positive integer");
    if (!error_.empty()) return failure(fmt::format("{}: {}", file_.string(), error_));
    return workload;
  }

 private:
  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  void expect_keys(const Value& value, const std::set<std::string, std::less<>>& known) {
    if (!value.is_object()) return fail("expected an object");
    for (const document::Member& member : value.object()) {
      if (!known.contains(member.key)) fail(fmt::format("unknown field {}", member.key));
    }
  }

  std::string text(const Value& value, std::string_view key) {
    const Value* found = value.find(key);
    if (found != nullptr && found->is_string()) return found->string();
    fail(fmt::format("{} must be a text", key));
    return {};
  }

  std::size_t count(const Value& value, std::string_view key) {
    const Value* found = value.find(key);
    if (found != nullptr && found->is_integer() && found->integer() > 0) {
      return static_cast<std::size_t>(found->integer());
    }
    fail(fmt::format("{} must be a positive integer", key));
    return 1;
  }

  document::Array list(const Value& value, std::string_view key) {
    const Value* found = value.find(key);
    if (found == nullptr) return {};
    if (found->is_array()) return found->array();
    fail(fmt::format("{} must be a list", key));
    return {};
  }

  void read_template(const Value& name, kube::Objects& objects) {
    if (!name.is_string()) return fail("a template is named by a text");
    const std::filesystem::path path = templates_ / (name.string() + ".yaml");
    const Result<Value> document = read_document(path);
    if (!document) return fail(document.error().message);
    kube::Decoding decoding = kube::decode({{*document, path.string()}});
    if (has_errors(decoding.diagnostics)) return fail(decoding.diagnostics.front().to_string());
    for (auto& node : decoding.objects.of<kube::Node>()) objects.of<kube::Node>().push_back(std::move(node));
    for (auto& pod : decoding.objects.of<kube::Pod>()) objects.of<kube::Pod>().push_back(std::move(pod));
    for (auto& entry : decoding.objects.of<kube::PriorityClass>())
      objects.of<kube::PriorityClass>().push_back(std::move(entry));
  }

  kube::Objects read_template(const Value& name) {
    kube::Objects objects;
    read_template(name, objects);
    return objects;
  }

  /// What names the group's template; null if nothing does.
  static Value template_name(const Value& group) {
    const Value* name = group.find("template");
    return name != nullptr ? *name : Value();
  }

  NodeGroup node_group(const Value& value) {
    expect_keys(value, {"count", "template", "labels"});
    NodeGroup group;
    group.count = count(value, "count");
    const kube::Objects objects = read_template(template_name(value));
    if (objects.of<kube::Node>().size() == 1) {
      group.node = objects.of<kube::Node>().front();
    } else {
      fail("the template of a node group must be a Node");
    }
    if (const Value* labels = value.find("labels"); labels != nullptr && labels->is_object()) {
      for (const document::Member& label : labels->object()) {
        for (const Value& entry : list(*labels, label.key)) group.labels[label.key].push_back(entry.string());
      }
    }
    return group;
  }

  kube::Pod pod_template(const Value& name) {
    const kube::Objects objects = read_template(name);
    if (objects.of<kube::Pod>().size() == 1) return objects.of<kube::Pod>().front();
    fail("the template of pods must be a Pod");
    return {};
  }

  PodGroup pod_group(const Value& value) {
    expect_keys(value, {"count", "template", "namespace"});
    PodGroup group{count(value, "count"), pod_template(template_name(value))};
    if (value.find("namespace") != nullptr) group.pod.metadata.namespace_ = text(value, "namespace");
    return group;
  }

  std::filesystem::path file_;
  std::filesystem::path templates_;
  std::string error_;
};

}  // namespace

std::size_t Workload::node_count() const {
  std::size_t count = 0;
  for (const NodeGroup& group : nodes) count += group.count;
  return count;
}

std::size_t Workload::measured_count() const {
  std::size_t count = 0;
  for (const PodGroup& group : measure) count += group.count;
  return count;
}

Result<Workload> read_workload(const std::filesystem::path& file) { return WorkloadReader(file).read(); }

}  // namespace loadline::bench
