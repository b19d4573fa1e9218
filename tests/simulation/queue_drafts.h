#pragma once

#include <optional>
#include <string>
#include <vector>

#include "objects/kube/client.h"

namespace loadline::simulation {

// Manifests of Kueue's objects, in one line, for tests that draw queues at random.

/// "apiVersion: …, kind: …" are part of them.
[[nodiscard]] std::string flavor_manifest(const std::string& name, const std::string& node_label,
                                          const std::string& value);

/// What a ClusterQueue says of one resource of a flavor.
struct QuotaDraft {
  std::string resource;
  std::string nominal;
  std::optional<std::string> borrowing = {};
  std::optional<std::string> lending = {};
};

struct ClusterQueueDraft {
  std::string name;
  std::string cohort = {};  ///< empty: none
  bool is_strict = false;
  bool tries_next_before_borrowing = false;
  std::string preemption = {};   ///< ", preemption: {…}", or nothing
  std::string stop_policy = {};  ///< empty: None
  struct Flavor {
    std::string name;
    std::vector<QuotaDraft> quotas;  ///< of the same resources in each
  };
  std::vector<Flavor> flavors = {};

  [[nodiscard]] std::string manifest() const;
  /// Of "resourceGroups" alone, as a patch has it.
  [[nodiscard]] std::string resource_groups() const;
};

[[nodiscard]] std::string local_queue_manifest(const std::string& name_space, const std::string& name,
                                               const std::string& cluster_queue);
[[nodiscard]] std::string priority_class_manifest(const std::string& name, int value);

/// Where objects of Kueue's kind are.
[[nodiscard]] kube::ResourceReference kueue_resource(const std::string& plural, const std::string& name_space = {},
                                                     const std::string& name = {});

}  // namespace loadline::simulation
