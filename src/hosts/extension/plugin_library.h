#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/extensions.h"
#include "hosts/extension/plugin_process.h"
#include "hosts/extension/scoring_plugin.h"

namespace loadline::extension {

struct PluginPatience {
  PluginProcess::Timeout call{5000};  ///< how long any call of the plugin may take
  /// How long a plugin whose process did not last rests before it gets another. None: it gets none, for a plan with
  /// half of its scores would look complete.
  std::optional<std::chrono::milliseconds> rest = std::nullopt;
};

/// A shared library with a scoring plugin, made for include/loadline/plugin.h. Every profile that enables it gets a
/// process of its own. None of its code runs in this one.
class PluginLibrary final : public placement::PluginSource {
 public:
  /// Looks the library over. Errors name the file.
  static Result<std::shared_ptr<PluginLibrary>> load(const std::string& file, PluginPatience patience = {});

  [[nodiscard]] std::string_view name() const override { return identity_.name; }
  [[nodiscard]] Result<std::unique_ptr<placement::Plugin>> make(const kube::SchedulerProfile& profile) const override;

  /// Which of its processes did not last, in order of time.
  [[nodiscard]] const PluginLosses& losses() const { return *losses_; }

 private:
  PluginLibrary(std::string file, PluginPatience patience, PluginIdentity identity)
      : file_(std::move(file)), patience_(patience), identity_(std::move(identity)) {}

  std::string file_;
  PluginPatience patience_;
  PluginIdentity identity_;
  std::shared_ptr<PluginLosses> losses_ = std::make_shared<PluginLosses>();
};

}  // namespace loadline::extension
