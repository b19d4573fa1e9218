#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/domain_scoring.h"
#include "brain/placement/extensions.h"
#include "brain/placement/plugin.h"
#include "brain/placement/plugin_registry.h"
#include "brain/placement/switches.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

struct WeightedPlugin {
  const Plugin* plugin = nullptr;
  std::int64_t weight = 1;
};

/// A scheduler by name: which plugins run at which point, in which order, with which weights.
class Profile {
 public:
  /// Merges the configured plugin sets with the defaults of v1.36: per-point settings override MultiPoint, which
  /// overrides the defaults. Errors name what is inconsistent. Source: framework/runtime NewFramework,
  /// expandMultiPointPlugins. `built_in` are the plugins that configuration may name beside those of `extensions`.
  static Result<Profile> make(PluginRegistry built_in, const kube::SchedulerConfiguration& configuration,
                              const kube::SchedulerProfile& profile, const Extensions& extensions = {});

  [[nodiscard]] const std::string& scheduler_name() const { return scheduler_name_; }
  /// Those of the configuration, the ones that may fail last; none if the host brings none.
  [[nodiscard]] const std::vector<std::unique_ptr<Extender>>& extenders() const { return extenders_; }
  /// Whether one of them filters or scores, so that a first feasible node is not enough.
  [[nodiscard]] bool extenders_look_at_nodes() const;
  /// What the host added: plugins, and the objects they look at.
  [[nodiscard]] const Extensions& extensions() const { return extensions_; }
  [[nodiscard]] const std::vector<const Plugin*>& pre_enqueue() const { return pre_enqueue_; }
  [[nodiscard]] const std::vector<const Plugin*>& pre_filters() const { return pre_filters_; }
  [[nodiscard]] const std::vector<const Plugin*>& filters() const { return filters_; }
  [[nodiscard]] const std::vector<const Plugin*>& pre_scores() const { return pre_scores_; }
  [[nodiscard]] const std::vector<WeightedPlugin>& scores() const { return scores_; }
  /// Plugins at Filter (Score) that cannot do without what the profile denies them at PreFilter (PreScore).
  [[nodiscard]] const std::vector<const Plugin*>& broken_filters() const { return broken_filters_; }
  [[nodiscard]] const std::vector<const Plugin*>& broken_scores() const { return broken_scores_; }
  [[nodiscard]] const std::vector<const Plugin*>& reserves() const { return reserves_; }
  [[nodiscard]] const std::vector<const Plugin*>& permits() const { return permits_; }
  [[nodiscard]] const std::vector<const Plugin*>& post_filters() const { return post_filters_; }
  /// The member of post_filters() that stands for preemption, or null.
  [[nodiscard]] const Plugin* preemptor() const { return preemptor_; }
  [[nodiscard]] const kube::DefaultPreemptionArgs& preemption() const { return preemption_; }
  [[nodiscard]] const DomainScoring& domain_scoring() const { return domain_scoring_; }
  /// How long the volumes of a pod may take to be bound.
  [[nodiscard]] Duration volume_bind_timeout() const { return volume_bind_timeout_; }
  /// nullopt: score every node. 0: upstream's adaptive share. Otherwise that percentage. The configuration goes before
  /// the policy.
  [[nodiscard]] std::optional<std::int32_t> percentage_of_nodes_to_score() const;
  [[nodiscard]] bool scores_every_node() const {
    return percentage_of_nodes_to_score().value_or(100) >= 100 && !scores_.empty();
  }
  /// What the policy says to all profiles.
  [[nodiscard]] const Switches& switches() const { return switches_; }
  /// From the next decision on. Extenders hear of it.
  void set_switches(const Switches& switches);
  /// Whether every plugin runs at all the points it needs.
  [[nodiscard]] bool is_sound() const { return broken_filters_.empty() && broken_scores_.empty(); }

 private:
  Result<void> make_extenders(const kube::SchedulerProfile& settings);

  std::string scheduler_name_;
  Extensions extensions_;
  std::vector<std::unique_ptr<Extender>> extenders_;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::vector<const Plugin*> pre_enqueue_, pre_filters_, filters_, post_filters_, pre_scores_, reserves_, permits_;
  std::vector<const Plugin*> broken_filters_, broken_scores_;
  std::vector<WeightedPlugin> scores_;
  const Plugin* preemptor_ = nullptr;
  kube::DefaultPreemptionArgs preemption_;
  DomainScoring domain_scoring_;
  Duration volume_bind_timeout_;
  std::optional<std::int32_t> percentage_;
  Switches switches_;
};

}  // namespace loadline::placement
