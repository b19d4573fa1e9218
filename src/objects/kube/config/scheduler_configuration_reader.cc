#include "objects/kube/config/scheduler_configuration_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "objects/kube/config/out_of_tree_plugins.h"
#include "objects/kube/config/retired_plugins.h"
#include "objects/kube/config/scheduler_configuration_schema.h"

namespace loadline::kube {

using document::Value;

namespace {

constexpr std::string_view kKind = "KubeSchedulerConfiguration";
constexpr std::string_view kVersion = "kubescheduler.config.k8s.io/v1";

/// Versions that v1.36 no longer reads, with nearly the fields of v1.
constexpr std::string_view kRetiredVersions[] = {
    "kubescheduler.config.k8s.io/v1beta1",
    "kubescheduler.config.k8s.io/v1beta2",
    "kubescheduler.config.k8s.io/v1beta3",
};

void check_version(Decoder& decoder, const Value& api_version) {
  const std::string& version = api_version.string();
  if (version == kVersion) return;
  for (const std::string_view retired : kRetiredVersions) {
    if (version != retired) continue;
    decoder.warn(api_version.mark(), "apiVersion",
                 version + " KubeSchedulerConfiguration is no longer read by kube-scheduler v1.36; read as " +
                     std::string(kVersion),
                 "write \"apiVersion: " + std::string(kVersion) + "\"");
    return;
  }
  decoder.report(api_version.mark(), std::string("apiVersion"),
                 "no kind \"KubeSchedulerConfiguration\" is registered for version " + quoted(version),
                 "write \"apiVersion: " + std::string(kVersion) + "\" and its fields");
}

void check_plugin_names(Decoder& decoder, const Value& plugins, const Path& path, SchedulerProfile& profile) {
  if (!plugins.is_object()) return;
  for (const document::Member& point : plugins.object()) {
    const Path of_point(path, point.key);
    for (const std::string_view list : {std::string_view("enabled"), std::string_view("disabled")}) {
      const Value* entries = point.value.find(list);
      if (entries == nullptr || !entries->is_array()) continue;
      const Path of_list(of_point, list);
      for (std::size_t i = 0; i < entries->array().size(); ++i) {
        const Value* name = entries->array()[i].find("name");
        const Path element = Path::element(of_list, i);
        if (name != nullptr && name->is_string()) check_plugin(decoder, *name, Path(element, "name"), profile);
      }
    }
  }
}

/// Before anything is made of the entries of the list.
bool check_count(Decoder& decoder, const Value& value, const Path& root, std::string_view list, std::size_t most) {
  const Value* entries = value.find(list);
  if (entries == nullptr || !entries->is_array() || entries->array().size() <= most) return true;
  decoder.report(entries->mark(), Path(root, list),
                 std::to_string(entries->array().size()) + " entries are more than the " + std::to_string(most) +
                     " of which a configuration may consist",
                 "divide them among several configurations");
  return false;
}

void complete_resources(std::vector<ResourceSpec>& resources) {
  if (resources.empty()) resources = {{"cpu", 1}, {"memory", 1}};
  for (ResourceSpec& resource : resources) {
    if (resource.weight == 0) resource.weight = 1;
  }
}

/// What a profile's fields leave to be said: defaults, and plugins that other versions knew.
void complete_profile(Decoder& decoder, const Value& value, const Path& path, bool is_only, SchedulerProfile& profile) {
  profile.source = decoder.position(value.mark());
  const Value* name = value.find("schedulerName");
  if (name == nullptr || !name->is_string() || name->string().empty()) {
    // Only an only profile may leave its name to the default; the others are asked for theirs.
    profile.scheduler_name = is_only ? "default-scheduler" : "";
  }
  if (const Value* plugins = value.find("plugins"))
    check_plugin_names(decoder, *plugins, Path(path, "plugins"), profile);
  replace_retired_plugins(decoder, value, path, profile);
  complete_resources(profile.args.fit.resources);
  complete_resources(profile.args.balanced.resources);
}

}  // namespace

void read_scheduler_configuration(Decoder& decoder, const Value& value, SchedulerConfiguration& configuration) {
  REQUIRES(value.is_object());
  if (const Value* api_version = value.find("apiVersion"); api_version != nullptr && api_version->is_string()) {
    check_version(decoder, *api_version);
  }
  const Schema& schema = kSchedulerConfigurationSchema;
  const Path root(&schema);
  const bool has_few = check_count(decoder, value, root, "profiles", kMostProfiles);
  if (!check_count(decoder, value, root, "extenders", kMostExtenders) || !has_few) return;
  decode_object(decoder, value, root, schema, &configuration);
  if (configuration.profiles.empty()) configuration.profiles.emplace_back();
  for (SchedulerProfile& profile : configuration.profiles) profile.extenders = configuration.extenders;
  const Value* profiles = value.find("profiles");
  if (profiles == nullptr || !profiles->is_array() || profiles->array().empty()) return;
  const Path place(root, "profiles");
  for (std::size_t i = 0; i < profiles->array().size(); ++i) {
    complete_profile(decoder, profiles->array()[i], Path::element(place, i), profiles->array().size() == 1,
                     configuration.profiles[i]);
  }
}

bool mentions_scheduler_configuration(std::string_view entry) { return entry.find(kKind) != std::string_view::npos; }

bool holds_scheduler_configuration(std::string_view entry) {
  if (!mentions_scheduler_configuration(entry)) return false;
  const document::Reading reading = document::read(entry, "");
  return std::ranges::any_of(reading.documents,
                             [](const Value& each) { return document::text_at(each, {"kind"}) == kKind; });
}

}  // namespace loadline::kube
