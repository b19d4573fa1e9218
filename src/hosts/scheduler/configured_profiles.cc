#include "hosts/scheduler/configured_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "objects/kube/codec.h"
#include "objects/kube/config/out_of_tree_plugins.h"
#include "objects/kube/config/scheduler_configuration_reader.h"
#include "objects/kube/config/scheduler_configuration_writer.h"

namespace loadline::scheduler {

using watching::Change;
using watching::Event;
using watching::Keys;
using watching::ObjectPtr;

namespace {

/// More would be cut off in an event anyway.
constexpr std::size_t kMostFaults = 3;

constexpr const char* kInvalid = "InvalidSchedulerConfiguration";

/// Whether `asked` holds of an entry of the ConfigMap.
template <class Asked>
bool any_entry(const document::Value& config_map, const Asked& asked) {
  const document::Value* data = config_map.find("data");
  if (data == nullptr || !data->is_object()) return false;
  return std::ranges::any_of(data->object(), [&](const document::Member& entry) {
    return entry.value.is_string() && asked(entry.value.string());
  });
}

std::string faults_text(const Diagnostics& diagnostics) {
  std::string text;
  std::size_t faults = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::kError) continue;
    if (++faults > kMostFaults) continue;
    if (!text.empty()) text += "; ";
    text += diagnostic.path.empty() ? diagnostic.message : diagnostic.path + ": " + diagnostic.message;
  }
  if (faults > kMostFaults) text += fmt::format("; and {} more", faults - kMostFaults);
  return text;
}

}  // namespace

ConfiguredProfiles::ConfiguredProfiles(EventLoop& loop, watching::Subscriptions& subscriptions,
                                       watching::Actuator::Say say, kube::ConfigurationScope scope,
                                       std::function<void()> changed)
    : loop_(loop), say_(std::move(say)), scope_(std::move(scope)), changed_(std::move(changed)) {
  subscriptions.on<kube::ConfigMap>([this](const Change<kube::ConfigMap>& change, Keys&) { on_change(change); });
}

void ConfiguredProfiles::set_scheduler(placement::Scheduler& scheduler, kube::SchedulerConfiguration host,
                                       placement::Extensions extensions) {
  scheduler_ = &scheduler;
  host_ = std::move(host);
  of_host_.clear();
  for (const kube::SchedulerProfile& profile : host_.profiles) of_host_.emplace(profile.scheduler_name, &profile);
  host_extensions_ = std::move(extensions);
  extensions_ = host_extensions_;
  extensions_.extenders = nullptr;
}

void ConfiguredProfiles::on_change(const Change<kube::ConfigMap>& change) {
  const bool was_there = found_.erase(change.last().key()) > 0;
  const bool counts = scope_.counts(change.last().key().name_space);
  if (!counts) return tell_uncounted(change);
  const bool is_there =
      change.after != nullptr && any_entry(change.after->document, kube::mentions_scheduler_configuration);
  if (is_there) found_.emplace(change.after->key(), read(change.after));
  if ((!was_there && !is_there) || is_posted_) return;
  is_posted_ = true;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) settle();
  });
}

/// Whoever wrote it sees the event. What it says is not read.
void ConfiguredProfiles::tell_uncounted(const Change<kube::ConfigMap>& change) const {
  if (scope_.config_maps == kube::CountedConfigMaps::kNone || change.after == nullptr) return;
  if (!any_entry(change.after->document, kube::holds_scheduler_configuration)) return;
  say_({watching::reference_to(*change.after), Event::Type::kWarning, kInvalid,
        fmt::format("does not count: scheduler configurations count in the namespace \"{}\" only", scope_.name_space)});
}

ConfiguredProfiles::Found ConfiguredProfiles::read(const ObjectPtr<kube::ConfigMap>& config_map) {
  Found found;
  found.source = config_map;
  return found;
}

std::size_t ConfiguredProfiles::Found::profiles() const {
  std::size_t count = 0;
  for (const kube::SchedulerConfiguration& configuration : configurations) count += configuration.profiles.size();
  return count;
}

ConfiguredProfiles::Origin ConfiguredProfiles::origin_of(const Found& found) {
  return {found.source->metadata().uid, found.source->revision};
}

void ConfiguredProfiles::Found::forget() {
  configurations = {};
  is_read = false;
}

void ConfiguredProfiles::decode(Found& found) {
  if (std::exchange(found.is_read, true)) return;
  kube::Decoding decoding = kube::decode({{found.source->document, "ConfigMap " + found.source->key().to_string()}});
  found.configurations = std::move(decoding.objects.of<kube::SchedulerConfiguration>());
  std::string faults = faults_text(decoding.diagnostics);
  if (!faults.empty()) complain(found, std::move(faults));
}

void ConfiguredProfiles::settle() {
  is_posted_ = false;
  if (scheduler_ == nullptr) return;
  const std::map<std::string, Wanted> all = wanted();
  bool has_changed = false;
  for (auto at = at_work_.begin(); at != at_work_.end();) {
    const auto still = all.find(at->first);
    const bool stays = still != all.end() && origin_of(*still->second.found) == at->second;
    if (stays) {
      ++at;
      continue;
    }
    take_away(at->first);
    at = at_work_.erase(at);
    has_changed = true;
  }
  std::map<std::string, Origin, std::less<>> refused;
  for (const auto& [name, profile] : all) {
    if (at_work_.contains(name)) continue;
    const Origin origin = origin_of(*profile.found);
    const auto before = refused_.find(name);
    const bool is_refused = (before != refused_.end() && before->second == origin) || !put(name, profile);
    if (is_refused) refused[name] = origin;
    has_changed = has_changed || !is_refused;
  }
  refused_ = std::move(refused);
  if (has_changed) changed_();
}

/// The profile that each name gets.
std::map<std::string, ConfiguredProfiles::Wanted> ConfiguredProfiles::wanted() {
  std::vector<Found*> by_age;
  by_age.reserve(found_.size());
  for (auto& [key, found] : found_) by_age.push_back(&found);
  std::ranges::stable_sort(by_age, {}, [](const Found* found) { return found->source->metadata().creation_timestamp; });
  std::map<std::string, Wanted> result;
  std::size_t profiles = 0;  // also those that are left out for another reason
  bool is_full = false;
  for (Found* found : by_age) {
    if (!is_full) {
      decode(*found);
      profiles += found->profiles();
      is_full = profiles > kMostProfilesOfCluster;
    } else {
      found->forget();
    }
    if (is_full) {
      complain(*found, fmt::format("is left out: the cluster's ConfigMaps have no more than {} profiles together",
                                   kMostProfilesOfCluster));
      continue;
    }
    for (const kube::SchedulerConfiguration& configuration : found->configurations) {
      for (const kube::SchedulerProfile& profile : configuration.profiles) {
        if (!may_define(*found, configuration, profile)) continue;
        const kube::SchedulerProfile* host = of_host(profile.scheduler_name);
        if (host != nullptr && host->source.file != nullptr) {
          complain(*found,
                   fmt::format("profile \"{}\" is left out: the configuration that the cluster was started with "
                               "defines it",
                               profile.scheduler_name));
        } else if (const auto [other, is_first] =
                       result.try_emplace(profile.scheduler_name, Wanted{found, &configuration, &profile});
                   !is_first) {
          complain(*found, fmt::format("profile \"{}\" is left out: ConfigMap {} defines it", profile.scheduler_name,
                                       other->second.found->source->key().to_string()));
        }
      }
    }
  }
  return result;
}

/// Pods that name no scheduler are default-scheduler's: it is not to be another by the way.
bool ConfiguredProfiles::may_define(Found& found, const kube::SchedulerConfiguration& configuration,
                                    const kube::SchedulerProfile& profile) {
  if (scope_.replaces_default || profile.scheduler_name != kube::kDefaultScheduler) return true;
  if (!kube::decides_as_default(configuration, profile)) {
    complain(found, fmt::format("profile \"{}\" is left out: a ConfigMap does not replace it, unless the cluster is "
                                "started with --replace-default-scheduler",
                                profile.scheduler_name));
  }
  return false;
}

const kube::SchedulerProfile* ConfiguredProfiles::of_host(std::string_view name) const {
  const auto found = of_host_.find(name);
  return found == of_host_.end() ? nullptr : found->second;
}

/// False: it cannot work, which is said.
bool ConfiguredProfiles::put(const std::string& name, const Wanted& wanted) {
  std::vector<std::string_view> provided;
  provided.reserve(extensions_.plugins.size());
  for (const auto& plugin : extensions_.plugins) provided.push_back(plugin->name());
  if (const std::string unknown = faults_text(kube::unknown_plugins(*wanted.profile, provided)); !unknown.empty()) {
    complain(*wanted.found, fmt::format("profile \"{}\" is left out: {}", name, unknown));
    return false;
  }
  if (const Result<void> made = scheduler_->set_profile(*wanted.configuration, *wanted.profile, extensions_); !made) {
    complain(*wanted.found, fmt::format("profile \"{}\" is left out: {}", name, made.error().message));
    return false;
  }
  at_work_[name] = origin_of(*wanted.found);
  if (!wanted.profile->extenders.empty()) {
    complain(*wanted.found, fmt::format("profile \"{}\" works without its extenders: those of a ConfigMap are never "
                                        "called",
                                        name));
  }
  say_({watching::reference_to(*wanted.found->source), Event::Type::kNormal, "SchedulerConfigured",
        fmt::format("Pods with schedulerName \"{}\" are scheduled by this configuration", name)});
  return true;
}

/// Leaves the name to the host's own profile, if it has one.
void ConfiguredProfiles::take_away(const std::string& name) {
  const kube::SchedulerProfile* host = of_host(name);
  // What the host began with has worked before.
  const bool is_back = host != nullptr && scheduler_->set_profile(host_, *host, host_extensions_);
  if (!is_back) scheduler_->remove_profile(name);
}

/// Once about each version of the ConfigMap.
void ConfiguredProfiles::complain(Found& found, std::string what) {
  if (!found.said.insert(what).second) return;
  say_({watching::reference_to(*found.source), Event::Type::kWarning, kInvalid, std::move(what)});
}

}  // namespace loadline::scheduler
