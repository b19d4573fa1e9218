#include "brain/cluster/shapes/shape_key.h"

#include <cstdint>
#include <type_traits>

namespace loadline::cluster {
namespace {

/// Appends values to a key so that no two different sequences give the same bytes: texts and lists are preceded by
/// their length.
class KeyWriter {
 public:
  explicit KeyWriter(std::string& key) : key_(key) {}

  template <class Number>
    requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>)
  void add(Number number) {
    const auto wide = static_cast<std::int64_t>(number);
    key_.append(reinterpret_cast<const char*>(&wide), sizeof wide);
  }
  void add(const std::string& text) {
    add(text.size());
    key_.append(text);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class T>
  void add(const std::vector<T>& list) {
    add(list.size());
    for (const T& item : list) add(item);
  }
  template <class K, class V>
  void add(const std::map<K, V, std::less<>>& map) {
    add(map.size());
    for (const auto& [key, value] : map) {
      add(key);
      add(value);
    }
  }
  template <class... Values>
    requires(sizeof...(Values) > 1)
  void add(const Values&... values) {
    (add(values), ...);
  }

  void add(const kube::StringMap& map) { add(map.members()); }
  void add(const kube::Quantity& quantity) { add(quantity.to_string()); }
  void add(const kube::LabelSelectorRequirement& r) { add(r.key, r.op, r.values); }
  void add(const kube::LabelSelector& s) { add(s.match_labels, s.match_expressions); }
  void add(const kube::NodeSelectorRequirement& r) { add(r.key, r.op, r.values); }
  void add(const kube::NodeSelectorTerm& t) { add(t.match_expressions, t.match_fields); }
  void add(const kube::NodeSelector& s) { add(s.terms); }
  void add(const kube::PreferredSchedulingTerm& t) { add(t.weight, t.preference); }
  void add(const kube::NodeAffinity& a) { add(a.required, a.preferred); }
  void add(const kube::PodAffinityTerm& t) {
    add(t.label_selector, t.namespaces, t.namespace_selector, t.topology_key);
    add(t.match_label_keys, t.mismatch_label_keys);
  }
  void add(const kube::WeightedPodAffinityTerm& t) { add(t.weight, t.term); }
  void add(const kube::PodAffinity& a) { add(a.required, a.preferred); }
  void add(const kube::Affinity& a) { add(a.node, a.pod, a.pod_anti); }
  void add(const kube::Toleration& t) { add(t.key, t.op, t.value, t.effect, t.toleration_seconds); }
  void add(const kube::TopologySpreadConstraint& c) {
    add(c.max_skew, c.topology_key, c.when_unsatisfiable, c.label_selector, c.min_domains);
    add(c.node_affinity_policy, c.node_taints_policy, c.match_label_keys);
  }
  void add(const kube::ResourceClaimUse& c) { add(c.name, c.request); }
  void add(const kube::ResourceRequirements& r) { add(r.requests, r.limits, r.claims); }
  void add(const kube::ContainerPort& p) {
    if (p.host_port != 0) add(p.host_port, p.host_ip, p.protocol);
  }
  void add(const kube::Container& c) { add(c.image, c.resources, c.ports, c.restart_policy); }
  void add(const kube::ContainerStatus& c) { add(c.name, c.allocated_resources, c.resources); }
  void add(const kube::PersistentVolumeClaimVolumeSource& v) { add(v.claim_name, v.read_only); }
  void add(const kube::PersistentVolumeClaimSpec& s) {
    add(s.access_modes, s.selector, s.requests, s.volume_name, s.storage_class_name, s.volume_mode);
    add(s.volume_attributes_class_name);
  }
  void add(const kube::PersistentVolumeClaimTemplate& t) { add(t.metadata.labels, t.spec); }
  void add(const kube::DiskVolumeSource& v) { add(v.id, v.read_only); }
  void add(const kube::AzureDiskVolumeSource& v) { add(v.disk_name, v.disk_uri, v.kind, v.read_only); }
  void add(const kube::IscsiVolumeSource& v) { add(v.target_portal, v.iqn, v.lun, v.read_only); }
  void add(const kube::RbdVolumeSource& v) { add(v.monitors, v.image, v.pool, v.read_only); }
  void add(const kube::CsiVolumeSource& v) { add(v.driver); }
  void add(const kube::Volume& v) {
    // Only such a claim is named after the volume. Else pods of one template would be told apart, whose volumes of
    // tokens have random names ("kube-api-access-x7k2p").
    add(v.ephemeral_claim ? v.name : std::string());
    add(v.persistent_volume_claim, v.ephemeral_claim, v.gce_persistent_disk, v.aws_elastic_block_store);
    add(v.azure_disk, v.cinder, v.iscsi, v.rbd, v.csi, v.image_reference);
    add(v.portworx_volume, v.azure_file, v.vsphere_volume);
  }
  void add(const kube::PodResourceClaim& c) { add(c.name, c.resource_claim_name, c.resource_claim_template_name); }

 private:
  std::string& key_;
};

}  // namespace

void append_spec_key(std::string& to, const kube::PodSpec& spec, NodeNamePart node_name) {
  KeyWriter key(to);
  key.add(node_name == NodeNamePart::kIncluded ? spec.node_name : std::string());
  key.add(spec.node_selector, spec.affinity, spec.tolerations, spec.topology_spread_constraints);
  key.add(spec.scheduler_name, spec.init_containers, spec.containers, spec.resources, spec.overhead);
  key.add(spec.volumes, spec.resource_claims);
}

std::string spec_key(const kube::PodSpec& spec) {
  std::string key;
  append_spec_key(key, spec, NodeNamePart::kIncluded);
  return key;
}

std::string node_rules_key(const kube::PodSpec& spec) {
  std::string rules;
  KeyWriter key(rules);
  key.add(spec.node_selector);
  key.add(spec.affinity ? spec.affinity->node : std::nullopt);
  return rules;
}

void append_pod_key(std::string& to, const kube::Pod& pod) {
  KeyWriter key(to);
  key.add(pod.metadata.namespace_, pod.metadata.labels);
  const kube::OwnerReference* controller = pod.metadata.controller();
  key.add(controller != nullptr);
  if (controller != nullptr) key.add(controller->api_version, controller->kind, controller->name);
  key.add(pod.status.container_statuses, pod.status.init_container_statuses, pod.status.resources);
  key.add(pod.status.allocated_resources);
  // A generic ephemeral volume's claim is named after its pod, so such pods are never alike.
  for (const kube::Volume& volume : pod.spec->volumes) {
    if (volume.ephemeral_claim) key.add(pod.metadata.name);
  }
}

}  // namespace loadline::cluster
