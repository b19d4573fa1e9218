#pragma once

#include <cstdint>
#include <string>

namespace loadline::cluster {

/// In whose words pods say that they start together. Where a pod names groups in several, the first that it names here
/// counts. Each is a file of spellings/.
enum class GroupSpelling : std::uint8_t {
  kKubernetes,    ///< scheduling.k8s.io
  kCoscheduling,  ///< scheduler-plugins, scheduling.x-k8s.io
  kVolcano,       ///< scheduling.volcano.sh
  kKueue,         ///< kueue.x-k8s.io
  kKoordinator,   ///< gang.scheduling.koordinator.sh
  kKai,           ///< scheduling.run.ai
  kGrove,         ///< scheduler.grove.io
};

/// A group within its namespace: PodGroups of one name, of two authors, are two groups.
struct GroupName {
  GroupSpelling spelling = GroupSpelling::kKubernetes;
  std::string name;
  friend auto operator<=>(const GroupName&, const GroupName&) = default;
};

}  // namespace loadline::cluster
