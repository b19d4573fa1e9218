#include "hosts/extension/object_frames.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace loadline::extension {

using cluster::NodeId;
using cluster::PodId;

namespace {

using Amounts = std::vector<std::pair<std::string_view, std::int64_t>>;

void write_count(FrameWriter& frame, std::size_t count) { frame.add(static_cast<std::uint32_t>(count)); }

void write_pairs(FrameWriter& frame, const kube::StringMap& pairs) {
  write_count(frame, pairs.size());
  for (const auto& [key, value] : pairs) {
    frame.add(std::string_view(key));
    frame.add(std::string_view(value));
  }
}

void write_pairs(FrameWriter& frame, const cluster::LabelSet& labels, const SymbolTable& symbols) {
  kube::StringMap sorted;
  for (const auto& [key, value] : labels.pairs()) sorted.emplace(symbols.text(key), symbols.text(value));
  write_pairs(frame, sorted);
}

void write_texts(FrameWriter& frame, const std::vector<std::string>& texts) {
  write_count(frame, texts.size());
  for (const std::string& text : texts) frame.add(std::string_view(text));
}

void write_amounts(FrameWriter& frame, Amounts amounts) {
  std::erase_if(amounts, [](const auto& amount) { return amount.second == 0; });
  std::sort(amounts.begin(), amounts.end());
  write_count(frame, amounts.size());
  for (const auto& [resource, amount] : amounts) {
    frame.add(resource);
    frame.add(amount);
  }
}

std::vector<std::string> claims_of(const kube::PodSpec& spec, std::string_view pod) {
  std::vector<std::string> claims;
  for (const kube::Volume& volume : spec.volumes) {
    if (volume.persistent_volume_claim) claims.push_back(volume.persistent_volume_claim->claim_name);
    if (volume.ephemeral_claim) claims.push_back(std::string(pod) + '-' + volume.name);
  }
  return claims;
}

std::vector<std::string> images_of(const kube::PodSpec& spec) {
  std::vector<std::string> images;
  for (const auto* containers : {&spec.init_containers, &spec.containers}) {
    for (const kube::Container& container : *containers) {
      if (!container.image.empty()) images.push_back(container.image);
    }
  }
  return images;
}

void write_facts(FrameWriter& frame, const cluster::Cluster& cluster, NodeId node) {
  const kube::Node& object = cluster.node_object(node);
  frame.add(cluster.node_name(node));
  write_pairs(frame, object.metadata.labels);
  write_pairs(frame, object.metadata.annotations);
  Amounts allocatable = {{"pods", cluster.allowed_pods(node)}};
  for (std::size_t i = 0; i < cluster.resources().size(); ++i) {
    const cluster::ResourceId resource{i};
    allocatable.emplace_back(cluster.resources().name(resource), cluster.allocatable(node, resource));
  }
  write_amounts(frame, std::move(allocatable));
}

void write_usage(FrameWriter& frame, const cluster::Cluster& cluster, NodeId node) {
  Amounts requested = {{"pods", static_cast<std::int64_t>(cluster.pods_on(node).size())}};
  for (std::size_t i = 0; i < cluster.resources().size(); ++i) {
    const cluster::ResourceId resource{i};
    requested.emplace_back(cluster.resources().name(resource), cluster.requested(node, resource));
  }
  write_amounts(frame, std::move(requested));
}

}  // namespace

void write_pod(FrameWriter& frame, const cluster::Cluster& cluster, PodId pod, const placement::PodObjects* objects) {
  const cluster::PodRecord& record = cluster.pod(pod);
  const cluster::PodShape& shape = cluster.shape_of(pod);
  const std::string_view name = cluster.pod_name(pod);
  const kube::Pod* object = objects == nullptr ? nullptr : &objects->at(pod);
  const kube::PodSpec& spec = object == nullptr ? *shape.spec : *object->spec;
  frame.add(cluster.symbols().text(record.name_space));
  frame.add(name);
  frame.add(record.priority);
  write_pairs(frame, shape.labels, cluster.symbols());
  write_pairs(frame, object == nullptr ? kube::StringMap{} : object->metadata.annotations);
  write_pairs(frame, spec.node_selector);
  Amounts requests;
  for (const auto& [resource, amount] : shape.usage) {
    requests.emplace_back(cluster.resources().name(resource), amount);
  }
  write_amounts(frame, std::move(requests));
  write_texts(frame, claims_of(spec, name));
  write_texts(frame, images_of(spec));
}

bool NodeFrames::write(FrameWriter& frame, const cluster::Cluster& cluster, NodeId node,
                       const placement::PodObjects* objects) {
  if (known_.size() < cluster.node_slots()) known_.resize(cluster.node_slots());
  Known& known = known_[node.index()];
  const std::vector<PodId>& pods = cluster.pods_on(node);
  const bool facts_changed = known.facts_version != cluster.facts_version(node);
  const auto is_known = [&](const PodState& state, PodId pod) {
    const cluster::PodRecord& record = cluster.pod(pod);
    return state == PodState{record.uid, record.revision};
  };
  const auto kept = static_cast<std::size_t>(
      std::mismatch(known.pods.begin(), known.pods.end(), pods.begin(), pods.end(), is_known).second - pods.begin());
  if (!facts_changed && kept == pods.size() && kept == known.pods.size()) return false;

  frame.add(++known.version);
  frame.add(facts_changed);
  if (facts_changed) {
    FrameWriter facts;
    write_facts(facts, cluster, node);
    frame.add_bytes(facts.bytes());
  }
  FrameWriter usage;
  write_usage(usage, cluster, node);
  frame.add_bytes(usage.bytes());
  write_count(frame, kept);
  write_count(frame, pods.size() - kept);
  known.pods.resize(kept);
  for (std::size_t i = kept; i < pods.size(); ++i) {
    FrameWriter pod;
    write_pod(pod, cluster, pods[i], objects);
    frame.add_bytes(pod.bytes());
    known.pods.push_back({cluster.pod(pods[i]).uid, cluster.pod(pods[i]).revision});
  }
  known.facts_version = cluster.facts_version(node);
  return true;
}

}  // namespace loadline::extension
