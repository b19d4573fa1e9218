#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/controllers/words.h"
#include "hosts/watching/object.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::controllers {

// The pods of a DaemonSet. Source: pkg/controller/daemon, v1.36.

using DaemonPod = Observed<kube::Pod>;
/// By the node that they are for.
using DaemonPodsByNode = std::map<std::string, std::vector<const DaemonPod*>, std::less<>>;

/// Those that are not over and gone; of a node, first those that are bound, then the oldest.
DaemonPodsByNode by_node(const std::vector<const DaemonPod*>& pods);

/// What tells pods of the current template from others: the revision's hash, or the generation of the template.
struct DaemonTemplate {
  std::string hash;
  std::string generation;  ///< empty: the DaemonSet has none

  [[nodiscard]] bool is_of(const kube::Pod& pod) const;
};
/// The generation that a DaemonSet's annotation says; empty if it is no number.
std::string template_generation(const kube::ObjectMeta& daemon_set);

/// The pod for any node: with the tolerations of daemons and the labels of its template.
document::Value daemon_pod(const Observed<kube::DaemonSet>& daemon_set, const DaemonTemplate& of);

}  // namespace loadline::controllers
