#include "server/apiserver/kinds/pod_volume_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "server/apiserver/kinds/checked_field.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::FieldError;
using kube::FieldErrors;

// In the order in which upstream looks at them: of two, the later one is too much.
constexpr std::array<std::string_view, 30> kVolumeSources = {"emptyDir",
                                                             "hostPath",
                                                             "gitRepo",
                                                             "gcePersistentDisk",
                                                             "awsElasticBlockStore",
                                                             "secret",
                                                             "nfs",
                                                             "iscsi",
                                                             "glusterfs",
                                                             "flocker",
                                                             "persistentVolumeClaim",
                                                             "rbd",
                                                             "cinder",
                                                             "cephfs",
                                                             "quobyte",
                                                             "downwardAPI",
                                                             "fc",
                                                             "flexVolume",
                                                             "configMap",
                                                             "azureFile",
                                                             "vsphereVolume",
                                                             "photonPersistentDisk",
                                                             "portworxVolume",
                                                             "azureDisk",
                                                             "storageos",
                                                             "projected",
                                                             "scaleIO",
                                                             "csi",
                                                             "ephemeral",
                                                             "image"};

std::vector<std::string_view> sources_of(const Value& volume) {
  std::vector<std::string_view> sources;
  if (!volume.is_object()) return sources;
  for (const document::Member& member : volume.object()) {
    if (member.key != "name" && !member.value.is_null()) sources.push_back(member.key);
  }
  if (sources.size() > 1) {
    const auto place = [](std::string_view name) {
      return std::find(kVolumeSources.begin(), kVolumeSources.end(), name);
    };
    std::stable_sort(sources.begin(), sources.end(), [&](auto a, auto b) { return place(a) < place(b); });
  }
  return sources;
}

void want(const CheckedField& field) {
  if (field.is_empty()) field.required();
}

void forbid_backsteps(const CheckedField& path) {
  const std::vector<std::string_view> parts = split(path.text(), "/");
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) path.invalid("must not contain '..'");
}

void check_source(const CheckedField& source, std::string_view name) {
  if (name == "hostPath") {
    want(source.at("path"));
    forbid_backsteps(source.at("path"));
  } else if (name == "secret") {
    want(source.at("secretName"));
  } else if (name == "configMap") {
    want(source.at("name"));
  } else if (name == "nfs") {
    want(source.at("server"));
    want(source.at("path"));
    if (!source.at("path").text().starts_with('/')) source.at("path").invalid("must be an absolute path");
  }
}

void check_sources(const CheckedField& volume) {
  const std::vector<std::string_view> sources = sources_of(volume.value());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (i == 0) {
      check_source(volume.at(sources[i]), sources[i]);
    } else {
      volume.at(sources[i]).forbidden("may not specify more than 1 volume type");
    }
  }
}

void check_sub_path(const CheckedField& path) {
  if (path.is_empty()) return;
  if (path.text().starts_with('/')) path.invalid("must be a relative path");
  forbid_backsteps(path);
}

/// `Not found: "v"`.
void not_found(FieldErrors& found, const CheckedField& name) {
  found.push_back({name.path(), "Not found: " + shown_in_error(Value(name.text())), {}});
}

void check_mounts(FieldErrors& found, const CheckedField& container, const std::set<std::string_view>& volumes) {
  std::set<std::string_view> taken;
  for (const CheckedField& mount : container.at("volumeMounts").elements()) {
    const CheckedField name = mount.at("name");
    const CheckedField path = mount.at("mountPath");
    want(name);
    if (!volumes.contains(name.text())) not_found(found, name);
    want(path);
    if (!taken.insert(path.text()).second) path.invalid("must be unique");
    check_sub_path(mount.at("subPath"));
    if (!mount.at("subPath").is_empty() && !mount.at("subPathExpr").is_empty()) {
      mount.at("subPathExpr").invalid("subPathExpr and subPath are mutually exclusive");
    }
    check_sub_path(mount.at("subPathExpr"));
  }
}

/// "spec.containers[2].image" is about part 2 of the containers, and of that about the image.
struct Place {
  std::size_t part = 0;
  std::size_t index = 0;
  std::size_t field = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

template <std::size_t size>
std::size_t rank_of(const std::array<std::string_view, size>& names, std::string_view path) {
  const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
    return path.starts_with(name) &&
           (path.size() == name.size() || path[name.size()] == '.' || path[name.size()] == '[');
  });
  return static_cast<std::size_t>(found - names.begin());
}

Place place_of(const FieldError& error) {
  static constexpr std::array<std::string_view, 5> kParts = {"metadata", "spec.volumes", "spec.containers",
                                                             "spec.initContainers", "spec.ephemeralContainers"};
  static constexpr std::array<std::string_view, 9> kFields = {
      "name",         "image",         "terminationMessagePolicy", "ports", "env", "envFrom",
      "volumeMounts", "volumeDevices", "imagePullPolicy"};
  Place place;
  place.part = rank_of(kParts, error.path);
  const std::size_t open = error.path.find('[');
  const std::size_t close = error.path.find(']');
  const bool is_element = place.part > 0 && place.part < kParts.size() && open == kParts[place.part].size();
  if (!is_element || close == std::string::npos) return place;
  std::from_chars(error.path.data() + open + 1, error.path.data() + close, place.index);
  const bool is_container = place.part > 1;
  if (is_container && close + 2 < error.path.size()) {
    place.field = rank_of(kFields, std::string_view(error.path).substr(close + 2));
  }
  return place;
}

}  // namespace

void check_pod_volumes(FieldErrors& errors, const Value& pod) {
  FieldErrors found;
  const CheckedField spec = CheckedField(found, pod).at("spec");
  std::set<std::string_view> names;
  for (const CheckedField& volume : spec.at("volumes").elements()) {
    names.insert(volume.at("name").text());
    check_sources(volume);
  }
  for (const std::string_view containers : {"containers", "initContainers"}) {
    for (const CheckedField& container : spec.at(containers).elements()) check_mounts(found, container, names);
  }
  if (found.empty()) return;
  std::set<std::pair<std::string, std::string>> known;
  for (const FieldError& error : errors) known.emplace(error.path, error.message);
  for (FieldError& error : found) {
    if (!known.contains({error.path, error.message})) errors.push_back(std::move(error));
  }
}

void order_pod_errors(FieldErrors& errors) {
  std::stable_sort(errors.begin(), errors.end(),
                   [](const FieldError& a, const FieldError& b) { return place_of(a) < place_of(b); });
}

}  // namespace loadline::apiserver
