#include <array>
#include <optional>
#include <string>
#include <utility>

#include "objects/schema/defaults/missing_fields.h"
#include "server/api/defaults/image_reference.h"
#include "server/api/defaults/pod_level_resources.h"
#include "server/api/defaults/rules.h"

namespace loadline::api {

using schema::Field;
namespace {

using document::Value;

/// Images that may change under their name are pulled each time.
std::string_view pull_policy(std::string_view image) {
  return image_tag(image) == "latest" ? "Always" : "IfNotPresent";
}

void fill_container(Draft& container, Instant) {
  if (container.text("imagePullPolicy").empty()) {
    container.set("imagePullPolicy", Value(pull_policy(container.text("image"))));
  }
}

void fill_volume(Draft& volume, Instant) {
  bool has_source = false;
  for (const Field& field : volume.type().fields) {
    has_source = has_source || (field.name != "name" && volume.find(field.name) != nullptr);
  }
  if (!has_source) volume.set("emptyDir", Value(document::Object{}));
  if (volume.find("image") == nullptr) return;
  volume.edit("image", [](Draft& image) {
    if (image.text("pullPolicy").empty()) image.set("pullPolicy", Value(pull_policy(image.text("reference"))));
  });
}

/// What a container may use at most it also asks for, unless it says less. In pods only, not in templates.
void request_what_is_limited(Draft& container) {
  if (container.find("resources") == nullptr) return;
  container.edit("resources", [](Draft& resources) {
    auto requests = schema::with_missing_entries(resources.find("requests"), resources.find("limits"));
    if (requests) resources.set("requests", std::move(*requests));
  });
}

void open_ports_on_host(Draft& container) {
  container.edit_elements("ports", [](Draft& port) {
    if (const Value* number = port.find("containerPort")) port.set_missing("hostPort", Value(*number));
  });
}

void fill_pod(Draft& pod, Instant) {
  pod.edit("spec", [](Draft& spec) {
    for (const std::string_view containers : {"containers", "initContainers"}) {
      spec.edit_elements(containers, request_what_is_limited);
    }
    if (spec.find("resources") != nullptr) fill_pod_level_resources(spec);
    if (!spec.is_true("hostNetwork")) return;
    for (const std::string_view containers : {"containers", "initContainers"}) {
      spec.edit_elements(containers, open_ports_on_host);
    }
  });
}

constexpr std::array kPodRules = {
    DefaultRule{"io.k8s.api.core.v1.Pod", fill_pod},
    DefaultRule{"io.k8s.api.core.v1.Container", fill_container},
    DefaultRule{"io.k8s.api.core.v1.EphemeralContainer", fill_container},
    DefaultRule{"io.k8s.api.core.v1.Volume", fill_volume},
};

}  // namespace

std::span<const DefaultRule> pod_rules() { return kPodRules; }

}  // namespace loadline::api
