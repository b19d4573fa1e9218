#include "objects/kube/config/scheduler_configuration_schema.h"

#include <set>
#include <string>
#include <string_view>

#include "objects/kube/config/extender_schema.h"
#include "objects/kube/config/out_of_tree_plugins.h"
#include "objects/kube/config/plugin_args_schema.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

using document::Value;

namespace {

// ---- what does not change a decision -------------------------------------------------------------------------------

// ---- profiles ------------------------------------------------------------------------------------------------------

constexpr Field kPluginFields[] = {
    field<&PluginReference::name>("name"),
    field<&PluginReference::weight>("weight"),
};
constexpr Schema kPluginSchema{"io.k8s.kube-scheduler.config.v1.Plugin", kPluginFields};

constexpr Field kPluginSetFields[] = {
    field<&PluginSet::enabled>("enabled", kPluginSchema),
    field<&PluginSet::disabled>("disabled", kPluginSchema),
};
constexpr Schema kPluginSetSchema{"io.k8s.kube-scheduler.config.v1.PluginSet", kPluginSetFields};

constexpr Field kPluginsFields[] = {
    field<&ProfilePlugins::pre_enqueue>("preEnqueue", kPluginSetSchema),
    field<&ProfilePlugins::queue_sort>("queueSort", kPluginSetSchema),
    field<&ProfilePlugins::pre_filter>("preFilter", kPluginSetSchema),
    field<&ProfilePlugins::filter>("filter", kPluginSetSchema),
    field<&ProfilePlugins::post_filter>("postFilter", kPluginSetSchema),
    field<&ProfilePlugins::pre_score>("preScore", kPluginSetSchema),
    field<&ProfilePlugins::score>("score", kPluginSetSchema),
    field<&ProfilePlugins::reserve>("reserve", kPluginSetSchema),
    field<&ProfilePlugins::permit>("permit", kPluginSetSchema),
    field<&ProfilePlugins::pre_bind>("preBind", kPluginSetSchema),
    field<&ProfilePlugins::bind>("bind", kPluginSetSchema),
    field<&ProfilePlugins::post_bind>("postBind", kPluginSetSchema),
    field<&ProfilePlugins::multi_point>("multiPoint", kPluginSetSchema),
};
constexpr Schema kPluginsSchema{"io.k8s.kube-scheduler.config.v1.Plugins", kPluginsFields};

void read_args(Decoder& decoder, const Value& config, const Path& path, SchedulerProfile& profile) {
  const Value* name = config.find("name");
  if (name == nullptr || !name->is_string()) {
    decoder.report(config.mark(), Path(path, "name"), "Required value", "name the plugin that the arguments are for");
    return;
  }
  const bool is_in_tree = check_plugin(decoder, *name, Path(path, "name"), profile);
  const Value* args = config.find("args");
  if (args == nullptr || args->is_null()) return;
  if (!is_in_tree) {
    profile.out_of_tree_args.emplace(name->string(), *args);
    return;
  }
  const Path place(path, "args");
  const PluginArgsSchema* entry = find_plugin_args(name->string());
  if (entry == nullptr) {
    decoder.report(args->mark(), place, "plugin " + quoted(name->string()) + " takes no arguments");
    return;
  }
  if (!expect_object(decoder, *args, place, *entry->schema)) return;
  void* owner = entry->owner == nullptr ? nullptr : entry->owner(profile.args);
  decode_object(decoder, *args, place.with(*entry->schema), *entry->schema, owner);
}

void read_plugin_configs(Decoder& decoder, const Value& value, const Path& path, SchedulerProfile& profile) {
  std::set<std::string_view> named;
  for (std::size_t i = 0; i < value.array().size(); ++i) {
    const Path place = Path::element(path, i);
    const Value* name = value.array()[i].find("name");
    if (name != nullptr && name->is_string() && !named.insert(name->string()).second) {
      decoder.report(name->mark(), place, "Duplicate value: " + quoted(name->string()), "give each plugin one entry");
    }
    read_args(decoder, value.array()[i], place, profile);
  }
}

constexpr Field kProfileFields[] = {
    field<&SchedulerProfile::scheduler_name>("schedulerName"),
    field<&SchedulerProfile::percentage_of_nodes_to_score>("percentageOfNodesToScore"),
    field<&SchedulerProfile::plugins>("plugins", kPluginsSchema),
    custom<read_plugin_configs>("pluginConfig"),
};
constexpr Schema kProfileSchema{"io.k8s.kube-scheduler.config.v1.KubeSchedulerProfile", kProfileFields};

constexpr Field kSchedulerConfigurationFields[] = {
    field<&SchedulerConfiguration::percentage_of_nodes_to_score>("percentageOfNodesToScore"),
    field<&SchedulerConfiguration::pod_initial_backoff_seconds>("podInitialBackoffSeconds").pointer(),
    field<&SchedulerConfiguration::pod_max_backoff_seconds>("podMaxBackoffSeconds").pointer(),
    field<&SchedulerConfiguration::profiles>("profiles", kProfileSchema),
    field<&SchedulerConfiguration::extenders>("extenders", kExtenderSchema),
};

}  // namespace

constinit const Schema kSchedulerConfigurationSchema{"io.k8s.kube-scheduler.config.v1.KubeSchedulerConfiguration",
                                                     kSchedulerConfigurationFields};

}  // namespace loadline::kube
