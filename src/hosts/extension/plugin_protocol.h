#pragma once

#include <cstdint>

namespace loadline::extension {

/// The name under which this program goes as the host of a plugin; its argument is the library.
inline constexpr const char* kPluginHostName = "loadline-plugin-host";

/// What Loadline asks of a plugin's process. Its first message, kLoaded or kFailed, comes unasked.
enum class PluginRequest : std::uint8_t {
  kCreate,  ///< arguments as JSON, and as pairs → kDone or kFailed
  kScore,   ///< pod; nodes that changed; nodes to score → kScores or kFailed
};

enum class PluginReply : std::uint8_t {
  kLoaded,  ///< name, version, normalization
  kDone,
  kScores,  ///< one each
  kFailed,  ///< why
};

}  // namespace loadline::extension
