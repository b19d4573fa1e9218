#include "objects/kube/config/out_of_tree_plugins.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "foundation/base/closest.h"
#include "foundation/base/contract.h"
#include "objects/kube/config/plugin_names.h"
#include "objects/kube/config/retired_plugins.h"

namespace loadline::kube {

bool is_in_tree_plugin(std::string_view name) {
  return std::find(std::begin(kPluginNames), std::end(kPluginNames), name) != std::end(kPluginNames) ||
         is_retired_plugin(name);
}

bool check_plugin(Decoder& decoder, const document::Value& name, const Path& path, SchedulerProfile& profile) {
  REQUIRES(name.is_string());
  const std::string& text = name.string();
  if (text == "*" || is_in_tree_plugin(text)) return true;
  profile.out_of_tree.push_back({text, decoder.position(name.mark()), decoder.subject(), path.text()});
  return false;
}

Diagnostics unknown_plugins(const SchedulerConfiguration& configuration, std::span<const std::string_view> provided) {
  Diagnostics unknown;
  for (const SchedulerProfile& profile : configuration.profiles) {
    std::ranges::move(unknown_plugins(profile, provided), std::back_inserter(unknown));
  }
  return unknown;
}

Diagnostics unknown_plugins(const SchedulerProfile& profile, std::span<const std::string_view> provided) {
  std::vector<std::string_view> known(provided.begin(), provided.end());
  known.insert(known.end(), std::begin(kPluginNames), std::end(kPluginNames));
  Diagnostics unknown;
  for (const PluginMention& mention : profile.out_of_tree) {
    if (std::find(provided.begin(), provided.end(), mention.name) != provided.end()) continue;
    const std::string_view nearest = closest(mention.name, known);
    Diagnostic& diagnostic = unknown.emplace_back();
    diagnostic.at = mention.at;
    diagnostic.subject = mention.subject;
    diagnostic.path = mention.path;
    diagnostic.message = "plugin " + quoted(mention.name) + " is not built in and no --plugin provides it";
    diagnostic.hint = nearest.empty() ? "load it with --plugin FILE, a shared library made for Loadline"
                                      : "did you mean " + quoted(nearest) + "?";
  }
  return unknown;
}

}  // namespace loadline::kube
