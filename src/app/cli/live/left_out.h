#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "foundation/document/value.h"

namespace loadline::cli {

/// Takes out of objects what no decision reads and strangers should not: a dump of a cluster is made to be handed on.
///
/// - The values of environment variables, wherever there is a list `env`: each becomes "left out (7)", where equal
///   values of a variable have equal numbers, since controllers compare templates with what was made of them.
/// - The data of ConfigMaps, whose keys stay, but for scheduler configurations, configurations of device plugins that
///   share GPUs, and what is said in place of Ray's dashboard; and `binaryData`.
/// - The annotation kubectl.kubernetes.io/last-applied-configuration, which repeats all of it.
///
/// Commands and their arguments, labels and other annotations stay. Secrets are no kind that decisions read.
class LeftOut {
 public:
  document::Value without(document::Value object);

  [[nodiscard]] std::size_t variables() const { return variables_; }      ///< values that were left out
  [[nodiscard]] std::size_t config_maps() const { return config_maps_; }  ///< that lost data

 private:
  document::Value without_values(document::Value value);
  document::Value without_data(document::Value config_map);
  document::Value without_value(document::Value variable);

  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;  // by name and value
  std::size_t variables_ = 0;
  std::size_t config_maps_ = 0;
};

}  // namespace loadline::cli
