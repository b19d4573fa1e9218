#include <string_view>
#include <type_traits>

#include "brain/queue/kueue/pod_shapes.h"

namespace loadline::queue::kueue {
namespace {

/// Every part says how long it is, so that no two sequences of parts run into the same bytes.
class KeyBytes {
 public:
  [[nodiscard]] std::string take() { return std::move(bytes_); }

  void add(std::string_view text) {
    add_number(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
  }
  template <class Number>
    requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void add(Number number) {
    add_number(static_cast<std::int64_t>(number));
  }
  void add(const kube::Quantity& amount) { add(amount.to_string()); }
  template <class Value>
  void add(const std::optional<Value>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class Value>
  void add(const std::vector<Value>& values) {
    add(values.size());
    for (const Value& value : values) add(value);
  }
  void add(const kube::StringMap& map) {
    add(map.size());
    for (const auto& [key, value] : map) {
      add(std::string_view(key));
      add(std::string_view(value));
    }
  }
  void add(const kube::ResourceList& amounts) {
    add(amounts.size());
    for (const auto& [name, amount] : amounts) {
      add(std::string_view(name));
      add(amount);
    }
  }
  void add(const std::string& text) { add(std::string_view(text)); }

  void add(const kube::NodeSelectorRequirement& it) { add_all(it.key, it.op, it.values); }
  void add(const kube::NodeSelectorTerm& it) { add_all(it.match_expressions, it.match_fields); }
  void add(const kube::NodeSelector& it) { add(it.terms); }
  void add(const kube::PreferredSchedulingTerm& it) { add_all(it.weight, it.preference); }
  void add(const kube::NodeAffinity& it) { add_all(it.required, it.preferred); }
  void add(const kube::LabelSelectorRequirement& it) { add_all(it.key, it.op, it.values); }
  void add(const kube::LabelSelector& it) { add_all(it.match_labels, it.match_expressions); }
  void add(const kube::PodAffinityTerm& it) {
    add_all(it.label_selector, it.namespaces, it.namespace_selector, it.topology_key, it.match_label_keys,
            it.mismatch_label_keys);
  }
  void add(const kube::WeightedPodAffinityTerm& it) { add_all(it.weight, it.term); }
  void add(const kube::PodAffinity& it) { add_all(it.required, it.preferred); }
  void add(const kube::Affinity& it) { add_all(it.node, it.pod, it.pod_anti); }
  void add(const kube::Toleration& it) { add_all(it.key, it.op, it.value, it.effect, it.toleration_seconds); }
  void add(const kube::TopologySpreadConstraint& it) {
    add_all(it.max_skew, it.topology_key, it.when_unsatisfiable, it.label_selector, it.min_domains,
            it.node_affinity_policy, it.node_taints_policy, it.match_label_keys);
  }
  void add(const kube::ContainerPort& it) {
    add_all(it.name, it.container_port, it.host_port, it.host_ip, it.protocol);
  }
  void add(const kube::Container& it) { add_all(it.resources.requests, it.ports); }
  void add(const kube::PodResourceClaim& it) {
    add_all(it.name, it.resource_claim_name, it.resource_claim_template_name);
  }

  template <class... Values>
  void add_all(const Values&... values) {
    (add(values), ...);
  }

 private:
  void add_number(std::int64_t number) {
    auto rest = static_cast<std::uint64_t>(number);
    for (; rest >= 0x80; rest >>= 7) bytes_ += static_cast<char>(rest | 0x80);
    bytes_ += static_cast<char>(rest);
  }

  std::string bytes_;
};

}  // namespace

std::string shape_key(const kube::PodSpec& spec) {
  KeyBytes key;
  key.add_all(spec.init_containers, spec.containers, spec.node_selector, spec.affinity, spec.tolerations,
              spec.runtime_class_name, spec.priority, spec.topology_spread_constraints, spec.overhead,
              spec.resource_claims, spec.resources.has_value());
  if (spec.resources) key.add(spec.resources->requests);
  return key.take();
}

}  // namespace loadline::queue::kueue
