#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "objects/kube/meta.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// A group whose object names a PriorityClass that is not there: it has the priority of its pods.
struct GroupOfNoClass {
  std::string subject;                       ///< "PodGroup ml/train"
  const kube::ObjectMeta* object = nullptr;  ///< among the objects; what is wrong stands in kPathOfClass
  std::string name_of_class;
  [[nodiscard]] std::string message() const;
};
inline constexpr std::string_view kPathOfClass = "spec.priorityClassName";

[[nodiscard]] std::vector<GroupOfNoClass> groups_of_no_class(const kube::Objects& objects);

/// Says so of each, with the nearest class that there is.
[[nodiscard]] Diagnostics note_group_priorities(const kube::Objects& objects);

}  // namespace loadline::simulator
