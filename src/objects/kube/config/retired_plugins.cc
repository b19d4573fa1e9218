#include "objects/kube/config/retired_plugins.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "objects/kube/config/plugin_args_schema.h"

namespace loadline::kube {

using document::Value;

namespace {

struct RetiredPlugin {
  std::string_view name;
  std::string_view successor;  ///< empty: none
  std::string_view hint;
  std::optional<ScoringStrategyType> strategy = std::nullopt;
};

constexpr std::string_view kFitHint =
    "write a pluginConfig for NodeResourcesFit with \"scoringStrategy: {type: LeastAllocated}\"";
constexpr std::string_view kMostHint =
    "write a pluginConfig for NodeResourcesFit with \"scoringStrategy: {type: MostAllocated}\", and enable "
    "NodeResourcesFit "
    "with this weight";
constexpr std::string_view kRatioHint =
    "write a pluginConfig for NodeResourcesFit with \"scoringStrategy: {type: RequestedToCapacityRatio}\" and its "
    "shape";
constexpr std::string_view kSpreadHint = "PodTopologySpread spreads by its defaultConstraints";
constexpr std::string_view kLimitsHint = "NodeVolumeLimits counts the volumes of every driver";

constexpr RetiredPlugin kRetiredPlugins[] = {
    {"NodeResourcesLeastAllocated", "NodeResourcesFit", kFitHint, ScoringStrategyType::kLeastAllocated},
    {"NodeResourcesMostAllocated", "NodeResourcesFit", kMostHint, ScoringStrategyType::kMostAllocated},
    {"RequestedToCapacityRatio", "NodeResourcesFit", kRatioHint, ScoringStrategyType::kRequestedToCapacityRatio},
    {"SelectorSpread", "PodTopologySpread", kSpreadHint},
    {"DefaultPodTopologySpread", "PodTopologySpread", kSpreadHint},
    {"EvenPodsSpread", "PodTopologySpread", kSpreadHint},
    {"EBSLimits", "NodeVolumeLimits", kLimitsHint},
    {"GCEPDLimits", "NodeVolumeLimits", kLimitsHint},
    {"AzureDiskLimits", "NodeVolumeLimits", kLimitsHint},
    {"CinderLimits", "NodeVolumeLimits", kLimitsHint},
    {"NodeLabel", "NodeAffinity", "write the labels as \"addedAffinity\" of NodeAffinity"},
    {"NodePreferAvoidPods", "", "a taint with effect PreferNoSchedule keeps pods away from a node"},
    {"ServiceAffinity", "", "podAffinity or topologySpreadConstraints on the service's pods take its place"},
};

const RetiredPlugin* find_retired(std::string_view name) {
  for (const RetiredPlugin& plugin : kRetiredPlugins) {
    if (plugin.name == name) return &plugin;
  }
  return nullptr;
}

struct NamedSet {
  std::string_view name;
  PluginSet ProfilePlugins::* set;
};

constexpr NamedSet kSets[] = {
    {"preEnqueue", &ProfilePlugins::pre_enqueue},
    {"queueSort", &ProfilePlugins::queue_sort},
    {"preFilter", &ProfilePlugins::pre_filter},
    {"filter", &ProfilePlugins::filter},
    {"postFilter", &ProfilePlugins::post_filter},
    {"preScore", &ProfilePlugins::pre_score},
    {"score", &ProfilePlugins::score},
    {"reserve", &ProfilePlugins::reserve},
    {"permit", &ProfilePlugins::permit},
    {"preBind", &ProfilePlugins::pre_bind},
    {"bind", &ProfilePlugins::bind},
    {"postBind", &ProfilePlugins::post_bind},
    {"multiPoint", &ProfilePlugins::multi_point},
};

class Replacement {
 public:
  Replacement(Decoder& decoder, const Path& path, SchedulerProfile& profile)
      : decoder_(decoder), path_(path), profile_(profile) {}

  void run(const Value& value) {
    if (const Value* plugins = value.find("plugins")) {
      for (const NamedSet& named : kSets) {
        if (const Value* set = plugins->find(named.name)) warn_of_set(*set, named.name);
      }
    }
    if (const Value* configs = value.find("pluginConfig")) read_node_label(*configs);
    choose_strategy();
    for (const NamedSet& named : kSets) replace(profile_.plugins.*named.set);
  }

 private:
  /// Of equal names the first.
  struct OncePerName {
    std::vector<PluginReference> references;
    std::set<std::string> names;
  };

  void warn_of_set(const Value& set, std::string_view point) {
    for (const std::string_view list : {std::string_view("enabled"), std::string_view("disabled")}) {
      const Value* entries = set.find(list);
      if (entries == nullptr || !entries->is_array()) continue;
      const Path plugins(path_, "plugins");
      const Path of_point(plugins, point);
      const Path of_list(of_point, list);
      for (std::size_t i = 0; i < entries->array().size(); ++i) {
        const Value* name = entries->array()[i].find("name");
        if (name != nullptr && name->is_string()) warn(*name, Path::element(of_list, i));
      }
    }
  }

  void warn(const Value& name, const Path& place) {
    const RetiredPlugin* retired = find_retired(name.string());
    if (retired == nullptr) return;
    std::string message = "plugin " + quoted(retired->name) + " no longer exists";
    message += retired->successor.empty() ? "; it is left out" : "; read as " + std::string(retired->successor);
    if (retired->strategy) {
      message += " with scoringStrategy ";
      message += kScoringStrategyTypeNames[static_cast<std::size_t>(*retired->strategy)];
    }
    decoder_.warn(name.mark(), Path(place, "name").text(), std::move(message), std::string(retired->hint));
  }

  /// The strategy of the old scoring plugin that the profile enables; the one with the greatest weight if several.
  void choose_strategy() {
    std::int32_t greatest = -1;
    for (const NamedSet& named : kSets) {
      for (const PluginReference& reference : (profile_.plugins.*named.set).enabled) {
        const RetiredPlugin* retired = find_retired(reference.name);
        if (retired == nullptr || !retired->strategy || reference.weight <= greatest) continue;
        greatest = reference.weight;
        scores_by_ = retired->name;
        profile_.args.fit.strategy = *retired->strategy;
      }
    }
  }

  void replace(PluginSet& set) {
    OncePerName enabled;
    for (PluginReference& reference : set.enabled) {
      const RetiredPlugin* retired = find_retired(reference.name);
      if (retired == nullptr) {
        add(enabled, std::move(reference));
      } else if (!retired->successor.empty() && (!retired->strategy || retired->name == scores_by_)) {
        add(enabled, {std::string(retired->successor), reference.weight});
      }
    }
    OncePerName disabled;
    for (PluginReference& reference : set.disabled) {
      const RetiredPlugin* retired = find_retired(reference.name);
      if (retired == nullptr) {
        add(disabled, std::move(reference));
      } else {
        disable(*retired, disabled);
      }
    }
    set.enabled = std::move(enabled.references);
    set.disabled = std::move(disabled.references);
  }

  void disable(const RetiredPlugin& retired, OncePerName& disabled) {
    if (retired.strategy) {
      // LeastAllocated was on by default: turning it off says that nodes shall not be scored by it, unless another
      // strategy takes its place.
      if (*retired.strategy == ScoringStrategyType::kLeastAllocated && scores_by_.empty()) {
        add(disabled, {"NodeResourcesFit", 0});
      }
    } else if (retired.successor == "PodTopologySpread" && retired.name != "EvenPodsSpread") {
      // Only the spreading that pods do not ask for themselves goes.
      profile_.args.spread.defaulting = SpreadDefaulting::kList;
    }
  }

  static void add(OncePerName& to, PluginReference reference) {
    if (to.names.insert(reference.name).second) to.references.push_back(std::move(reference));
  }

  void read_node_label(const Value& configs) {
    if (!configs.is_array()) return;
    for (const Value& config : configs.array()) {
      const Value* name = config.find("name");
      const Value* args = config.find("args");
      if (name == nullptr || args == nullptr || !name->is_string() || name->string() != "NodeLabel") continue;
      if (!args->is_object()) continue;
      Diagnostics reported_before;
      Decoder quiet(reported_before, nullptr, {}, Severity::kError);
      RetiredNodeLabelArgs labels;
      decode_object(quiet, *args, Path(&kNodeLabelArgsSchema), kNodeLabelArgsSchema, &labels);
      add_affinity(labels);
    }
  }

  void add_affinity(const RetiredNodeLabelArgs& labels) {
    NodeAffinity affinity = profile_.args.node_affinity.added_affinity.value_or(NodeAffinity{});
    NodeSelectorTerm required;
    for (const std::string& key : labels.present) {
      required.match_expressions.push_back({key, NodeSelectorOperator::kExists, {}});
    }
    for (const std::string& key : labels.absent) {
      required.match_expressions.push_back({key, NodeSelectorOperator::kDoesNotExist, {}});
    }
    if (!required.match_expressions.empty() && !affinity.required) affinity.required = NodeSelector{{required}};
    for (const std::string& key : labels.present_preferred) {
      affinity.preferred.push_back({1, {{{key, NodeSelectorOperator::kExists, {}}}, {}}});
    }
    for (const std::string& key : labels.absent_preferred) {
      affinity.preferred.push_back({1, {{{key, NodeSelectorOperator::kDoesNotExist, {}}}, {}}});
    }
    profile_.args.node_affinity.added_affinity = std::move(affinity);
  }

  Decoder& decoder_;
  const Path& path_;
  SchedulerProfile& profile_;
  std::string_view scores_by_;  // the old scoring plugin whose strategy was taken; empty if none
};

}  // namespace

bool is_retired_plugin(std::string_view plugin) { return find_retired(plugin) != nullptr; }

void replace_retired_plugins(Decoder& decoder, const Value& value, const Path& path, SchedulerProfile& profile) {
  Replacement(decoder, path, profile).run(value);
}

}  // namespace loadline::kube
