#include "objects/kube/config/scheduler_configuration_writer.h"

#include <string>
#include <utility>

#include "foundation/document/writer.h"
#include "objects/kube/config/plugin_args_schema.h"
#include "objects/kube/config/scheduler_configuration_schema.h"
#include "objects/kube/encoder.h"

namespace loadline::kube {

using document::Array;
using document::Object;
using document::Value;

namespace {

/// Arguments go into one struct of a profile, so the rows of profiles cannot write them.
Value written_args(const SchedulerProfile& profile) {
  Array configs;
  const auto add = [&](std::string_view plugin, Value args) {
    configs.emplace_back(Object{{"name", Value(plugin), {}}, {"args", std::move(args), {}}});
  };
  PluginArgs args = profile.args;
  for (const PluginArgsSchema& each : plugin_args()) {
    if (each.owner != nullptr) add(each.plugin, encode_object(*each.schema, each.owner(args)));
  }
  for (const auto& [plugin, value] : profile.out_of_tree_args) add(plugin, value);
  return Value(std::move(configs));
}

}  // namespace

Value write_scheduler_configuration(const SchedulerConfiguration& configuration) {
  Value written(Object{{"apiVersion", Value("kubescheduler.config.k8s.io/v1"), {}},
                       {"kind", Value("KubeSchedulerConfiguration"), {}}});
  const Value rows = encode_object(kSchedulerConfigurationSchema, &configuration);
  for (const document::Member& member : rows.object()) {
    if (member.key != "profiles" && member.key != "extenders") {
      written = std::move(written).with(member.key, member.value);
    }
  }
  const Value* named = rows.find("profiles");
  Array profiles;
  for (std::size_t i = 0; i < configuration.profiles.size(); ++i) {
    profiles.push_back(named->array()[i].with("pluginConfig", written_args(configuration.profiles[i])));
  }
  return std::move(written).with("profiles", Value(std::move(profiles)));
}

bool decides_as_default(const SchedulerConfiguration& configuration, const SchedulerProfile& profile) {
  if (!profile.extenders.empty()) return false;
  SchedulerConfiguration alone;
  const SchedulerConfiguration defaults;
  alone.percentage_of_nodes_to_score = configuration.percentage_of_nodes_to_score;
  alone.profiles = {profile};
  alone.profiles.front().scheduler_name = defaults.profiles.front().scheduler_name;
  return document::write_json(write_scheduler_configuration(alone)) ==
         document::write_json(write_scheduler_configuration(defaults));
}

}  // namespace loadline::kube
