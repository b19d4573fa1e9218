#pragma once

#include <span>
#include <string_view>

#include "foundation/base/diagnostic.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

/// True if kube-scheduler has, or once had, a plugin of that name, or it is "*". Else the profile remembers that it was
/// mentioned, and where. REQUIRES: `name` is a string.
bool check_plugin(Decoder& decoder, const document::Value& name, const Path& path, SchedulerProfile& profile);

/// The plugins that the configuration mentions and neither kube-scheduler has nor `provided` names, one error each. Not
/// part of decoding: the caller that loads plugins knows what is provided.
Diagnostics unknown_plugins(const SchedulerConfiguration& configuration, std::span<const std::string_view> provided);
/// Those of one profile.
Diagnostics unknown_plugins(const SchedulerProfile& profile, std::span<const std::string_view> provided);

/// Whether kube-scheduler v1.36 has a plugin of that name, or an older one had.
bool is_in_tree_plugin(std::string_view name);

}  // namespace loadline::kube
