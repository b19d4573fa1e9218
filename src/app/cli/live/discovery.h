#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/live/api.h"

namespace loadline::cli {

/// A resource of an API server whose objects can be listed.
struct ServedResource {
  std::string api_version;  ///< "v1", "apps/v1"
  std::string kind;
  std::string plural;
  bool can_be_created = false;

  /// "/apis/apps/v1/deployments", of all namespaces.
  [[nodiscard]] std::string path() const;
};

/// What an API server serves, asked for as far as it is wanted.
class Discovery {
 public:
  explicit Discovery(ClusterApi& api) : api_(api) {}

  /// Learns the groups and their versions. Where that fails, it stays unknown what is served.
  ApiResult<void> begin();

  /// The resources of a version; none if the server does not serve the version; nothing if it does not tell. Asks the
  /// server once for each version.
  const std::optional<std::vector<ServedResource>>& resources(std::string_view api_version);

  /// All versions of the groups that are served, the preferred one of each group first: "v1", "apps/v1", …
  [[nodiscard]] const std::vector<std::string>& versions() const { return versions_; }

 private:
  using Resources = std::optional<std::vector<ServedResource>>;
  Resources ask(std::string_view api_version);

  ClusterApi& api_;
  bool is_known_ = false;  // what groups there are
  std::vector<std::string> versions_;
  std::map<std::string, Resources, std::less<>> resources_;
};

}  // namespace loadline::cli
