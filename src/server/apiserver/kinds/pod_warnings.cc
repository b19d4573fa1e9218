#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/pod_rules.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Member;
using document::Value;
using Warnings = std::vector<std::string>;

struct Deprecation {
  std::string_view name;
  std::string_view advice;
};

constexpr std::array kNodeLabels = {
    Deprecation{"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    Deprecation{"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    Deprecation{"failure-domain.beta.kubernetes.io/region",
                "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    Deprecation{"failure-domain.beta.kubernetes.io/zone",
                "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    Deprecation{"beta.kubernetes.io/instance-type",
                "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    Deprecation{"app.kubernetes.io/created-by", "deprecated since v1.9"},
    Deprecation{"scheduler.alpha.kubernetes.io/preferAvoidPods",
                "deprecated since v1.22; use Taints and Tolerations instead"},
    Deprecation{"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
};

constexpr std::array kAnnotations = {
    Deprecation{"scheduler.alpha.kubernetes.io/critical-pod",
                "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    Deprecation{"security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"},
    Deprecation{"security.alpha.kubernetes.io/unsafe-sysctls",
                "non-functional in v1.11+; use the \"sysctls\" field instead"},
};

constexpr std::array kVolumePlugins = {
    Deprecation{"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
    Deprecation{"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
    Deprecation{"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    Deprecation{"flocker", "deprecated in v1.22, non-functional in v1.25+"},
    Deprecation{"storageos", "deprecated in v1.22, non-functional in v1.25+"},
    Deprecation{"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
    Deprecation{"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    Deprecation{"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    Deprecation{"rbd", "deprecated in v1.28, non-functional in v1.31+"},
};

std::string_view advice_on_node_label(std::string_view name) {
  const auto found = std::find_if(kNodeLabels.begin(), kNodeLabels.end(),
                                  [&](const Deprecation& deprecation) { return deprecation.name == name; });
  return found == kNodeLabels.end() ? std::string_view() : found->advice;
}

/// Where a container stands. Warnings are rare, so its text is made for those only.
struct ContainerPlace {
  std::string_view list;
  std::size_t index = 0;

  /// spec.initContainers[0]
  [[nodiscard]] std::string path() const { return fmt::format("spec.{}[{}]", list, index); }
};

/// All containers, each with its place.
template <class Visit>
void visit_containers(const Value& pod, const Visit& visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const Array& containers = items_at(pod, {"spec", list});
    for (std::size_t i = 0; i < containers.size(); ++i) visit(containers[i], ContainerPlace{list, i});
  }
}

// ---- where it may run ----------------------------------------------------------------------------------------------

void warn_of_term(Warnings& warnings, const Value& term, bool with_values, const std::string& path) {
  const Array& expressions = items_at(term, {"matchExpressions"});
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::string_view key = document::text_at(expressions[i], {"key"});
    const std::string place = fmt::format("{}.matchExpressions[{}]", path, i);
    if (const std::string_view advice = advice_on_node_label(key); !advice.empty()) {
      warnings.push_back(fmt::format("{}.key: {} is {}", place, key, advice));
    }
    if (!with_values) continue;
    const Array& values = items_at(expressions[i], {"values"});
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (!values[j].is_string()) continue;
      for (const std::string& problem : kube::label_value_problems(values[j].string())) {
        warnings.push_back(fmt::format("{}.values[{}]: {} is invalid, {}", place, j, values[j].string(), problem));
      }
    }
  }
}

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void warn_of_placement(Warnings& warnings, const Value& pod) {
  const Value selector = value_at(pod, {"spec", "nodeSelector"});
  if (selector.is_object()) {
    for (const Member& member : selector.object()) {
      const std::string_view advice = advice_on_node_label(member.key);
      if (!advice.empty()) warnings.push_back(fmt::format("spec.nodeSelector[{}]: {}", member.key, advice));
    }
  }
  const Array& terms = items_at(pod, {"spec", "affinity", "nodeAffinity", kRequired, "nodeSelectorTerms"});
  for (std::size_t i = 0; i < terms.size(); ++i) {
    warn_of_term(warnings, terms[i], false,
                 fmt::format("spec.affinity.nodeAffinity.{}.nodeSelectorTerms[{}]", kRequired, i));
  }
  const Array& preferred = items_at(pod, {"spec", "affinity", "nodeAffinity", kPreferred});
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    warn_of_term(warnings, value_at(preferred[i], {"preference"}), true,
                 fmt::format("spec.affinity.nodeAffinity.{}[{}].preference", kPreferred, i));
  }
  const Array& constraints = items_at(pod, {"spec", "topologySpreadConstraints"});
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const std::string path = fmt::format("spec.topologySpreadConstraints[{}]", i);
    const std::string_view key = document::text_at(constraints[i], {"topologyKey"});
    if (const std::string_view advice = advice_on_node_label(key); !advice.empty()) {
      warnings.push_back(fmt::format("{}.topologyKey: {} is {}", path, key, advice));
    }
    if (value_at(constraints[i], {"labelSelector"}).is_null()) {
      warnings.push_back(path + ".labelSelector: a null labelSelector results in matching no pod");
    }
  }
}

void warn_of_pod_affinity(Warnings& warnings, const Value& pod, std::string_view kind) {
  for (const bool is_required : {true, false}) {
    const std::string_view list = is_required ? kRequired : kPreferred;
    const Array& terms = items_at(pod, {"spec", "affinity", kind, list});
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Value selector = is_required ? value_at(terms[i], {"labelSelector"})
                                         : value_at(terms[i], {"podAffinityTerm", "labelSelector"});
      if (!selector.is_null()) continue;
      warnings.push_back(fmt::format("spec.affinity.{}.{}[{}].{}: a null labelSelector results in matching no pod",
                                     kind, list, i, is_required ? "labelSelector" : "podAffinityTerm.labelSelector"));
    }
  }
}

// ---- what came before ----------------------------------------------------------------------------------------------

void warn_of_old_ways(Warnings& warnings, const Value& pod) {
  for (const Deprecation& annotation : kAnnotations) {
    if (document::find_at(pod, {"metadata", "annotations", annotation.name}) == nullptr) continue;
    warnings.push_back(fmt::format("metadata.annotations[{}]: {}", annotation.name, annotation.advice));
  }
  const Array& volumes = items_at(pod, {"spec", "volumes"});
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    for (const Deprecation& plugin : kVolumePlugins) {
      if (volumes[i].find(plugin.name) == nullptr) continue;
      const std::string_view name = plugin.name == "storageos" ? "storageOS" : plugin.name;
      warnings.push_back(fmt::format("spec.volumes[{}].{}: {}", i, name, plugin.advice));
    }
  }
}

void warn_of_repeated(Warnings& warnings, const Value& pod, std::string_view list, std::string_view member) {
  const Array& items = items_at(pod, {"spec", list});
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view name = document::text_at(items[i], {member});
    if (seen.insert(name).second) continue;
    warnings.push_back(fmt::format("spec.{}[{}].{}: duplicate {} {}", list, i, member, member, kube::quoted(name)));
  }
}

void warn_of_pull_secrets(Warnings& warnings, const Value& pod) {
  warn_of_repeated(warnings, pod, "imagePullSecrets", "name");
  const Array& secrets = items_at(pod, {"spec", "imagePullSecrets"});
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    if (!document::text_at(secrets[i], {"name"}).empty()) continue;
    warnings.push_back(fmt::format("spec.imagePullSecrets[{}].name: invalid empty name \"\"", i));
  }
}

// ---- containers ----------------------------------------------------------------------------------------------------

void warn_of_fraction(Warnings& warnings, const Value& amounts, const std::string& path) {
  for (const std::string_view name : {"memory", "ephemeral-storage"}) {
    const Result<kube::Quantity> amount = kube::Quantity::parse(document::text_at(amounts, {name}));
    if (!amount || amount->milli_value() % 1000 == 0) continue;
    warnings.push_back(fmt::format("{}[{}]: fractional byte value {} is invalid, must be an integer", path, name,
                                   kube::quoted(amount->to_string())));
  }
}

void warn_of_fractions(Warnings& warnings, const Value& container, ContainerPlace place) {
  for (const std::string_view name : {"memory", "ephemeral-storage"}) {
    for (const std::string_view kind : {"limits", "requests"}) {
      const std::string_view text = document::text_at(container, {"resources", kind, name});
      // Nothing but a fraction or milli-units can be one.
      if (text.find_first_of(".munEe-") == std::string_view::npos) continue;
      const Result<kube::Quantity> amount = kube::Quantity::parse(text);
      if (!amount || amount->milli_value() % 1000 == 0) continue;
      warnings.push_back(fmt::format("{}.resources.{}[{}]: fractional byte value {} is invalid, must be an integer",
                                     place.path(), kind, name, kube::quoted(amount->to_string())));
    }
  }
}

void warn_of_hidden_variables(Warnings& warnings, const Value& container, ContainerPlace place) {
  const Array& variables = items_at(container, {"env"});
  if (variables.size() < 2) return;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string_view name = document::text_at(variables[i], {"name"});
    if (seen.insert(name).second) continue;
    const std::string reference = fmt::format("$({})", name);
    const std::string_view value = document::text_at(variables[i], {"value"});
    const bool builds_on_it = value_at(variables[i], {"valueFrom"}).is_null() && value != reference &&
                              value.find(reference) != std::string_view::npos;
    if (builds_on_it) continue;
    warnings.push_back(fmt::format("{}.env[{}]: hides previous definition of {}, which may be dropped when using apply",
                                   place.path(), i, kube::quoted(name)));
  }
}

struct KnownPort {
  ContainerPlace container;
  std::size_t index = 0;
  std::string_view host_ip;
  std::int64_t host_port = 0;

  [[nodiscard]] std::string path() const { return fmt::format("{}.ports[{}]", container.path(), index); }
};

/// With how many of the same number each port is compared: a pod of ten thousand would have fifty million clashes, and
/// an answer tells of some dozens.
constexpr std::size_t kSamePorts = 50;

/// What two definitions of the same port are to each other; empty if they do not disturb each other.
std::string_view clash(const KnownPort& port, const KnownPort& other) {
  if (port.host_ip == other.host_ip && port.host_port == other.host_port) return "duplicate";
  if (port.host_port == 0 || other.host_port == 0) return "overlapping";
  if (port.host_port == other.host_port && port.host_ip.empty() != other.host_ip.empty()) {
    return "dangerously ambiguous";
  }
  return {};
}

void warn_of_ports(Warnings& warnings, const Value& pod) {
  std::map<std::pair<std::int64_t, std::string_view>, std::vector<KnownPort>> known;  // by number and protocol
  std::map<std::string_view, KnownPort> names;
  Warnings about_names;
  visit_containers(pod, [&](const Value& container, ContainerPlace container_place) {
    const Array& ports = items_at(container, {"ports"});
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const KnownPort port{container_place, i, document::text_at(ports[i], {"hostIP"}),
                           integer_at(ports[i], {"hostPort"}).value_or(0)};
      std::vector<KnownPort>& same =
          known[{integer_at(ports[i], {"containerPort"}).value_or(0), document::text_at(ports[i], {"protocol"})}];
      for (const KnownPort& other : std::span(same).first(std::min(same.size(), kSamePorts))) {
        const std::string_view kind = clash(port, other);
        if (kind.empty()) continue;
        warnings.push_back(fmt::format("{}: {} port definition with {}", port.path(), kind, other.path()));
      }
      const std::string_view name = document::text_at(ports[i], {"name"});
      if (const auto [place, is_new] = names.try_emplace(name, port); !name.empty() && !is_new) {
        about_names.push_back(
            fmt::format("{}: duplicate port name {} with {}, services and probes that select ports "
                        "by name will use {}",
                        port.path(), kube::quoted(name), place->second.path(), place->second.path()));
      }
      same.push_back(port);
    }
  });
  warnings.insert(warnings.end(), about_names.begin(), about_names.end());
}

}  // namespace

Warnings pod_warnings(const Value& pod) {
  Warnings warnings;
  const std::string_view pod_name = document::text_at(pod, {"metadata", "name"});
  if (const kube::NameProblems problems = kube::dns_label_problems(pod_name); !problems.empty()) {
    std::string list;
    for (const std::string& problem : problems) list.append(list.empty() ? "" : " ").append(problem);
    warnings.push_back(
        fmt::format("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS "
                    "label is recommended: [{}]",
                    list));
  }
  warn_of_placement(warnings, pod);
  warn_of_old_ways(warnings, pod);
  warn_of_repeated(warnings, pod, "hostAliases", "ip");
  warn_of_pull_secrets(warnings, pod);
  warn_of_fraction(warnings, value_at(pod, {"spec", "overhead"}), "spec.overhead");
  visit_containers(pod, [&](const Value& container, ContainerPlace place) {
    warn_of_fractions(warnings, container, place);
    warn_of_hidden_variables(warnings, container, place);
  });
  warn_of_ports(warnings, pod);
  if (integer_at(pod, {"spec", "terminationGracePeriodSeconds"}).value_or(0) < 0) {
    warnings.emplace_back(
        "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1");
  }
  warn_of_pod_affinity(warnings, pod, "podAffinity");
  warn_of_pod_affinity(warnings, pod, "podAntiAffinity");
  return warnings;
}

}  // namespace loadline::apiserver
