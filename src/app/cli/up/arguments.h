#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/plugins.h"
#include "brain/workloads/gates.h"
#include "objects/kube/config/configuration_scope.h"

namespace loadline::cli {

inline constexpr std::uint16_t kDefaultPort = 6443;

/// What `loadline up` was asked for.
struct UpArguments {
  std::vector<std::string> files;      ///< what the cluster is to begin with
  std::vector<std::string> snapshots;  ///< what is put back into it first
  bool accept_retired = false;         ///< versions of the API that are gone
  std::string configuration;           ///< of the scheduler; empty: none
  kube::ConfigurationScope scope;      ///< which ConfigMaps count as one
  bool trusts_files = false;           ///< a configuration in them counts as if `configuration` named it
  std::string policy;                  ///< empty: the cluster's own
  PluginFiles plugins;
  bool without_extenders = false;
  std::string data_dir;
  bool in_memory = false;
  std::string address = "127.0.0.1";
  std::uint16_t port = kDefaultPort;
  std::string kubeconfig;
  std::vector<std::string> nodes;
  std::string gpu;
  std::size_t zones = 1;
  double speed = 1;
  std::string record;  ///< the file to record the scheduler into; empty: nothing is recorded
  std::string log_level = "warning";
  std::string log_format = "text";
  bool demo = false;
  std::uint64_t seed = 1;  ///< of what the demonstration draws
  bool api_only = false;
  bool without_builtin_controllers = false;
  std::vector<std::string> disabled_admission_plugins;
  std::vector<std::string> disabled_operators;
  workloads::Gates gates;
  std::optional<std::size_t> most_pods;  ///< absent: as many as the memory holds; 0: any number
  std::string most_memory;               ///< "4Gi"; empty: three quarters of what there is; "0": any
  bool without_scheduler = false;
  bool without_kubelets = false;

  [[nodiscard]] bool runs_pods() const { return !api_only && !without_builtin_controllers; }
};

}  // namespace loadline::cli
