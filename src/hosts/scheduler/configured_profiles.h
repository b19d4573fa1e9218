#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/extensions.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/event_loop.h"
#include "hosts/watching/actuator.h"
#include "hosts/watching/subscriptions.h"
#include "objects/kube/config/configuration_scope.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::scheduler {

/// The scheduler's profiles: those of the host's configuration, and those of the KubeSchedulerConfigurations in the
/// cluster's ConfigMaps, as users write them for a second kube-scheduler. The latter come, change and go with their
/// ConfigMaps; whether a pod mounts one is not asked. ConfigMaps outside of the scope do not count, and neither does a
/// default-scheduler in one unless the scope says so: that is told by an event about the ConfigMap.
///
/// A schedulerName that several define is the host's, if its configuration has a profile of that name; else it belongs
/// to the oldest ConfigMap, by name among equals. A profile that comes second, or cannot work, is told by an event
/// about its ConfigMap, and the other profiles go on. Beyond kMostProfilesOfCluster, the youngest ConfigMaps do not
/// count. Extenders that a ConfigMap names are left out: the right to write
/// a ConfigMap must not make the scheduler call a server.
class ConfiguredProfiles {
 public:
  /// Profiles that ConfigMaps have at a time: each costs memory, and a little time of each decision.
  static constexpr std::size_t kMostProfilesOfCluster = 1024;

  /// `changed` is called in a task of its own, once `scheduler` has other profiles. Everything that is named outlives
  /// it. Listens to ConfigMaps; to be made before the first change.
  ConfiguredProfiles(EventLoop& loop, watching::Subscriptions& subscriptions, watching::Actuator::Say say,
                     kube::ConfigurationScope scope, std::function<void()> changed);
  ConfiguredProfiles(const ConfiguredProfiles&) = delete;
  ConfiguredProfiles& operator=(const ConfiguredProfiles&) = delete;

  /// The scheduler whose profiles follow; `host` and `extensions` are what it was made of.
  void set_scheduler(placement::Scheduler& scheduler, kube::SchedulerConfiguration host,
                     placement::Extensions extensions);
  /// Does now what is to be done about ConfigMaps that have changed.
  void settle();

 private:
  /// What a ConfigMap holds.
  struct Found {
    watching::ObjectPtr<kube::ConfigMap> source;
    std::vector<kube::SchedulerConfiguration> configurations;  // once it is read, which happens when it counts
    bool is_read = false;
    std::set<std::string> said;  // about this version

    [[nodiscard]] std::size_t profiles() const;
    void forget();
  };
  /// Where a profile that is at work came from.
  struct Origin {
    std::string uid;
    std::uint64_t revision = 0;
    friend bool operator==(const Origin&, const Origin&) = default;
  };
  struct Wanted {
    Found* found = nullptr;
    const kube::SchedulerConfiguration* configuration = nullptr;
    const kube::SchedulerProfile* profile = nullptr;
  };

  void on_change(const watching::Change<kube::ConfigMap>& change);
  static Found read(const watching::ObjectPtr<kube::ConfigMap>& config_map);
  static Origin origin_of(const Found& found);
  void decode(Found& found);
  void tell_uncounted(const watching::Change<kube::ConfigMap>& change) const;
  std::map<std::string, Wanted> wanted();
  bool may_define(Found& found, const kube::SchedulerConfiguration& configuration,
                  const kube::SchedulerProfile& profile);
  [[nodiscard]] const kube::SchedulerProfile* of_host(std::string_view name) const;
  bool put(const std::string& name, const Wanted& wanted);
  void take_away(const std::string& name);
  void complain(Found& found, std::string what);

  EventLoop& loop_;
  watching::Actuator::Say say_;
  kube::ConfigurationScope scope_;
  std::function<void()> changed_;
  placement::Scheduler* scheduler_ = nullptr;
  kube::SchedulerConfiguration host_;
  std::map<std::string_view, const kube::SchedulerProfile*> of_host_;  // by name
  placement::Extensions extensions_;                                   // without extenders
  placement::Extensions host_extensions_;
  std::map<watching::ObjectKey, Found> found_;
  std::map<std::string, Origin, std::less<>> at_work_;  // by schedulerName; the host's are not among them
  std::map<std::string, Origin, std::less<>> refused_;  // likewise: what could not be made
  bool is_posted_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // posted tasks look at it
};

}  // namespace loadline::scheduler
