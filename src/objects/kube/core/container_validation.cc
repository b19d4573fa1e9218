#include "objects/kube/core/container_validation.h"

#include <set>
#include <string>

#include "objects/kube/core/container_schema.h"
#include "objects/kube/core/resource_validation.h"

namespace loadline::kube {
namespace {

using Names = std::set<std::string, std::less<>>;

void validate_ports(FieldReport& report, const Path& at, const std::vector<ContainerPort>& ports) {
  Names names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const ContainerPort& port = ports[i];
    const Path place = Path::element(at, i);
    if (!port.name.empty()) {
      const NameProblems problems = port_name_problems(port.name);
      report.invalid_name(Path(place, "name"), port.name, problems);
      if (problems.empty() && !names.insert(port.name).second) report.duplicate(Path(place, "name"), port.name);
    }
    const Path container_port(place, "containerPort");
    if (port.container_port == 0) {
      report.required(container_port);
    } else {
      for (const std::string& problem : port_number_problems(port.container_port)) {
        report.invalid(container_port, port.container_port, problem);
      }
    }
    if (port.host_port == 0) continue;
    for (const std::string& problem : port_number_problems(port.host_port)) {
      report.invalid(Path(place, "hostPort"), port.host_port, problem);
    }
  }
}

void validate_host_ports(FieldReport& report, const Path& at, const Container& container, Names& taken) {
  const Path ports(at, "ports");
  for (std::size_t i = 0; i < container.ports.size(); ++i) {
    const ContainerPort& port = container.ports[i];
    if (port.host_port == 0) continue;
    std::string text = std::string(name_of(port.protocol)) + "/" + port.host_ip + "/" + std::to_string(port.host_port);
    const Path place = Path::element(ports, i);
    if (taken.contains(text)) {
      report.duplicate(Path(place, "hostPort"), text);
    } else {
      taken.insert(std::move(text));
    }
  }
}

void validate_container(FieldReport& report, const Path& at, const Container& container, const Names& claim_names) {
  const Path name(at, "name");
  if (container.name.empty()) {
    report.required(name);
  } else {
    report.invalid_name(name, container.name, dns_label_problems(container.name));
  }
  if (container.image.empty()) {
    report.required(Path(at, "image"), {}, "for example image: registry.k8s.io/pause:3.10");
  }
  validate_ports(report, Path(at, "ports"), container.ports);
  validate_container_resources(report, Path(at, "resources"), container.resources, claim_names);
}

}  // namespace

void validate_containers(FieldReport& report, const Path& at, const PodSpec& spec) {
  Names claim_names;
  for (const PodResourceClaim& claim : spec.resource_claims) claim_names.insert(claim.name);

  const Path containers(at, "containers");
  if (spec.containers.empty()) report.required(containers, {}, "add containers: [{name: main, image: ...}]");
  Names names;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const Path place = Path::element(containers, i);
    validate_container(report, place, spec.containers[i], claim_names);
    if (!names.insert(spec.containers[i].name).second) report.duplicate(Path(place, "name"), spec.containers[i].name);
  }
  Names host_ports;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    validate_host_ports(report, Path::element(containers, i), spec.containers[i], host_ports);
  }

  const Path init_containers(at, "initContainers");
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
    const Container& container = spec.init_containers[i];
    const Path place = Path::element(init_containers, i);
    validate_container(report, place, container, claim_names);
    if (names.contains(container.name)) {
      report.duplicate(Path(place, "name"), container.name);
    } else if (!container.name.empty()) {
      names.insert(container.name);
    }
    Names own_host_ports;  // init containers run one by one
    validate_host_ports(report, place, container, own_host_ports);
  }
}

}  // namespace loadline::kube
