#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/input_files.h"
#include "app/cli/live/access.h"
#include "app/cli/plugins.h"
#include "brain/engine/chosen_policy.h"
#include "foundation/base/diagnostic.h"
#include "foundation/base/time.h"
#include "objects/kube/codec.h"
#include "objects/kube/config/configuration_scope.h"
#include "objects/kube/objects.h"

namespace loadline::cli {

/// What the user named: files, folders, globs, or "-"; and a cluster that runs.
struct PlanFiles {
  std::vector<std::string> manifests;
  std::vector<std::string> cluster;
  bool is_live = false;  ///< the cluster is the one that runs
  bool accept_retired = false;
  bool guess_workloads = false;
  std::optional<std::int64_t> most_pods;  ///< that workloads may make; nothing: what most_pods.h says
  std::string command = "plan";           ///< what reads them, for hints
  AccessArguments access;
  std::string configuration;       ///< empty: none
  kube::ConfigurationScope scope;  ///< which ConfigMaps of the input count as one
  bool trusts_input = false;       ///< what it says counts as if `configuration` named it
  bool calls_extenders = true;     ///< those that may be called
  std::string policy;              ///< empty: that of the input
  PluginFiles plugins;

  [[nodiscard]] bool any() const { return !manifests.empty() || !cluster.empty() || is_live; }

  /// How what the option names is to be read: "--cluster".
  [[nodiscard]] InputReading reading(std::string_view option) const;
};

/// Everything a plan is made from, and everything wrong with what it was read from.
struct PlanInput {
  kube::Objects objects;  ///< the cluster's, with the manifests applied over them
  kube::SchedulerConfiguration configuration;
  engine::ChosenPolicy policy;
  bool configuration_failed = false;  ///< there is no configuration, or no policy, to go on with
  bool makes_too_many_pods = false;   ///< so that none is made
  Plugins plugins;                    ///< that profiles of the configuration may enable
  Diagnostics diagnostics;
  std::vector<kube::SourceDocument> documents;  ///< all that was read, the cluster's first; see Purpose
  std::size_t cluster_documents = 0;            ///< how many of them describe the cluster
  std::size_t cluster_diagnostics = 0;          ///< how many of the diagnostics are about the cluster, the first ones
};

/// What the input is read for.
enum class Purpose : std::uint8_t {
  kPlan,
  /// Documents of the cluster and the manifests are kept, for a cluster that runs takes objects as they are written.
  kTimeline,
  kLint,  ///< documents are kept, so that fields can be found again; no plugin is loaded, for lint runs none
};

/// The typed objects of all files that `paths` name; what is wrong with them goes to `diagnostics`, and the documents
/// they were made of to `kept`, unless it is null.
kube::Objects read_objects(const std::vector<std::string>& paths, const InputReading& reading,
                           std::istream& standard_input, Diagnostics& diagnostics,
                           std::vector<kube::SourceDocument>* kept = nullptr);

/// Reads all the files, decodes them and applies the manifests over the cluster. Every problem of every file is
/// reported.
PlanInput read_plan_input(const PlanFiles& files, std::istream& standard_input, Purpose purpose = Purpose::kPlan);

/// When a plan starts unless told otherwise: the newest creationTimestamp of the input, so that nothing in it lies in
/// the future; 2026-01-01T00:00:00Z if there is none. Never the wall clock: the same input gives the same plan
/// tomorrow.
Instant default_start(const kube::Objects& objects);

/// What the input lacks for any plan, and what to do about it; empty if it has nodes and something to place.
std::string missing_objects(const kube::Objects& objects);

}  // namespace loadline::cli
