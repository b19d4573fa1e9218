#include "objects/kube/config/scheduler_configuration_schema.h"

#include <string>

#include "objects/kube/config/extender_schema.h"
#include "objects/kube/config/out_of_tree_plugins.h"
#include "objects/kube/config/plugin_args_schema.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

using document::Value;

namespace {

// ---- what does not change a decision -------------------------------------------------------------------------------

constexpr Field kLeaderElectionFields[] = {
    known("leaderElect", kBoolean),      known("leaseDuration", kDuration), known("renewDeadline", kDuration),
    known("retryPeriod", kDuration),     known("resourceLock", kString),    known("resourceName", kString),
    known("resourceNamespace", kString),
};
constexpr Schema kLeaderElectionSchema{"LeaderElectionConfiguration", kLeaderElectionFields};

constexpr Field kClientConnectionFields[] = {
    known("kubeconfig", kString),  known("acceptContentTypes", kString),
    known("contentType", kString), known("qps", kNumber),
    known("burst", kInt32),
};
constexpr Schema kClientConnectionSchema{"ClientConnectionConfiguration", kClientConnectionFields};

// ---- profiles ------------------------------------------------------------------------------------------------------

constexpr Field kPluginFields[] = {
    field<&PluginReference::name>("name").required(),
    field<&PluginReference::weight>("weight"),
};
constexpr Schema kPluginSchema{"Plugin", kPluginFields};

constexpr Field kPluginSetFields[] = {
    field<&PluginSet::enabled>("enabled", list_of(object(kPluginSchema))),
    field<&PluginSet::disabled>("disabled", list_of(object(kPluginSchema))),
};
constexpr Schema kPluginSetSchema{"PluginSet", kPluginSetFields};

constexpr Field kPluginsFields[] = {
    field<&ProfilePlugins::pre_enqueue>("preEnqueue", object(kPluginSetSchema)),
    field<&ProfilePlugins::queue_sort>("queueSort", object(kPluginSetSchema)),
    field<&ProfilePlugins::pre_filter>("preFilter", object(kPluginSetSchema)),
    field<&ProfilePlugins::filter>("filter", object(kPluginSetSchema)),
    field<&ProfilePlugins::post_filter>("postFilter", object(kPluginSetSchema)),
    field<&ProfilePlugins::pre_score>("preScore", object(kPluginSetSchema)),
    field<&ProfilePlugins::score>("score", object(kPluginSetSchema)),
    field<&ProfilePlugins::reserve>("reserve", object(kPluginSetSchema)),
    field<&ProfilePlugins::permit>("permit", object(kPluginSetSchema)),
    field<&ProfilePlugins::pre_bind>("preBind", object(kPluginSetSchema)),
    field<&ProfilePlugins::bind>("bind", object(kPluginSetSchema)),
    field<&ProfilePlugins::post_bind>("postBind", object(kPluginSetSchema)),
    field<&ProfilePlugins::multi_point>("multiPoint", object(kPluginSetSchema)),
    known("placementGenerate", object(kPluginSetSchema)),
    known("placementScore", object(kPluginSetSchema)),
};
constexpr Schema kPluginsSchema{"Plugins", kPluginsFields};

constexpr Field kPluginConfigFields[] = {
    known("name", kString).required(),
    known("args", kAnyValue),
};
constexpr Schema kPluginConfigSchema{"PluginConfig", kPluginConfigFields};

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
  for (std::size_t i = 0; i < value.array().size(); ++i) {
    const Path place = Path::element(path, i);
    const Value* name = value.array()[i].find("name");
    for (std::size_t j = 0; j < i; ++j) {
      const Value* earlier = value.array()[j].find("name");
      if (name == nullptr || earlier == nullptr || !name->is_string() || !(*name == *earlier)) continue;
      decoder.report(name->mark(), place, "Duplicate value: " + quoted(name->string()), "give each plugin one entry");
      break;
    }
    read_args(decoder, value.array()[i], place, profile);
  }
}

constexpr Field kProfileFields[] = {
    field<&SchedulerProfile::scheduler_name>("schedulerName"),
    field<&SchedulerProfile::percentage_of_nodes_to_score>("percentageOfNodesToScore"),
    field<&SchedulerProfile::plugins>("plugins", object(kPluginsSchema)),
    custom<read_plugin_configs>("pluginConfig", list_of(object(kPluginConfigSchema))),
};
constexpr Schema kProfileSchema{"KubeSchedulerProfile", kProfileFields};

constexpr Field kSchedulerConfigurationFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    known("parallelism", kInt32),
    known("leaderElection", object(kLeaderElectionSchema)),
    known("clientConnection", object(kClientConnectionSchema)),
    known("enableProfiling", kBoolean),
    known("enableContentionProfiling", kBoolean),
    known("healthzBindAddress", kString),
    known("metricsBindAddress", kString),
    field<&SchedulerConfiguration::percentage_of_nodes_to_score>("percentageOfNodesToScore"),
    field<&SchedulerConfiguration::pod_initial_backoff_seconds>("podInitialBackoffSeconds"),
    field<&SchedulerConfiguration::pod_max_backoff_seconds>("podMaxBackoffSeconds"),
    known("delayCacheUntilActive", kBoolean),
    field<&SchedulerConfiguration::profiles>("profiles", list_of(object(kProfileSchema))),
    field<&SchedulerConfiguration::extenders>("extenders", list_of(object(kExtenderSchema))),
};

}  // namespace

constinit const Schema kSchedulerConfigurationSchema{"KubeSchedulerConfiguration", kSchedulerConfigurationFields};

}  // namespace loadline::kube
