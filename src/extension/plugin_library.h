#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extension/plugin_process.h"
#include "extension/scoring_plugin.h"
#include "placement/extensions.h"

namespace loadline::extension {

/// A shared library with a scoring plugin, made for include/loadline/plugin.h. Every profile that enables it gets a
/// process of its own. None of its code runs in this one.
class PluginLibrary final : public placement::PluginSource {
 public:
  static constexpr std::chrono::milliseconds kDefaultTimeout{5000};

  /// Looks the library over. `timeout`: how long any call of the plugin may take. Errors name the file.
  static Result<std::shared_ptr<PluginLibrary>> load(const std::string& file,
                                                     PluginProcess::Timeout timeout = kDefaultTimeout);

  [[nodiscard]] std::string_view name() const override { return identity_.name; }
  [[nodiscard]] Result<std::unique_ptr<placement::Plugin>> make(const kube::SchedulerProfile& profile) const override;

  /// Which of its processes did not last, in order of time. Once one has not, no other is started.
  [[nodiscard]] const PluginLosses& losses() const { return *losses_; }

 private:
  PluginLibrary(std::string file, PluginProcess::Timeout timeout, PluginIdentity identity)
      : file_(std::move(file)), timeout_(timeout), identity_(std::move(identity)) {}

  std::string file_;
  PluginProcess::Timeout timeout_;
  PluginIdentity identity_;
  std::shared_ptr<PluginLosses> losses_ = std::make_shared<PluginLosses>();
};

}  // namespace loadline::extension
