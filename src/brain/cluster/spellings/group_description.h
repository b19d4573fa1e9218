#pragma once

#include <cstdint>
#include <string>

#include "brain/cluster/spellings/group_name.h"
#include "brain/cluster/spellings/group_rules.h"

namespace loadline::cluster {

/// What is said of a group: by its object, or, in spellings without one, by its pods.
struct GroupDescription {
  std::string name_space;
  GroupName group;
  std::string uid;             ///< of its object
  std::int32_t min_count = 0;  ///< so many start together; 0: each by itself
  bool has_started = false;    ///< once that is known of an object, it stays so
  /// It had started before its minimums were what they are now, so it need not have had so many then.
  bool minimum_is_newer = false;
  GroupRules rules;
};

}  // namespace loadline::cluster
