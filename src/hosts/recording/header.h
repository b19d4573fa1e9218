#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brain/engine/policy.h"
#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"
#include "hosts/recording/recording.h"
#include "hosts/scheduler/scheduling.h"
#include "objects/kube/config/configuration_scope.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::recording {

/// What a recording's first line says.
struct Header {
  std::string version;  ///< of the program that made it
  kube::SchedulerConfiguration configuration;
  std::optional<engine::Policy> policy;  ///< nothing: the cluster's own counts
  kube::ConfigurationScope scope;        ///< of the cluster's ConfigMaps
  bool has_kueue = true;                 ///< Kueue's queues were the scheduler's matter
  bool has_rounds = false;               ///< what they decided is recorded; of older recordings only its requests are
  /// Plugins and extenders that took part in decisions and are not built in: their answers are not recorded.
  std::vector<std::string> foreign;
};

/// The first line, without a line feed.
[[nodiscard]] std::string header_line(const RecordedProgram& program, const scheduler::SchedulingOptions& options);

/// Reads the document of the first line. Nothing if it is not one, or of another version; then `problems` say why, with
/// places in `file`, as the document's marks name them.
[[nodiscard]] std::optional<Header> read_header(const document::Value& line, const std::string& file,
                                                Diagnostics& problems);

}  // namespace loadline::recording
