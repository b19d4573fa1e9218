#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/rng.h"
#include "foundation/document/value.h"

namespace loadline::simulation {

// Parts of manifests, drawn at random: YAML in one line.

constexpr const char* kImmediateClass = "fast";
constexpr const char* kLateClass = "late";  ///< waits for the first consumer

/// A second scheduler's profile, which some pods name, and the ConfigMap that holds it.
constexpr const char* kProfile = "packing";
std::string draft_profile();

/// Such a text as a document.
document::Value read(const std::string& text);

/// A virtual node.
std::string draft_node(Rng& random, const std::string& name);

enum class Purpose : std::uint8_t { kService, kTask, kDaemon };

/// "metadata: …, spec: …" of a pod with the label app=`app`. A task ends by itself. Pods of a daemon are small.
struct PodDraft {
  std::string text;
  bool tolerates_taints = false;  ///< the taints that users set
};
PodDraft draft_pod(Rng& random, const std::string& app, Purpose purpose);

/// "spec: …" of a Job, about pods of `app`; without a CronJob's template around it.
std::string draft_job(Rng& random, const std::string& app);

/// A PodGroup about that many pods: mostly a gang that needs all of them, or fewer, and sometimes more; or a basic
/// group.
std::string draft_group(Rng& random, const std::string& name, std::uint64_t size);
/// The manifest of a pod, or of what makes pods from a template, whose pods are to belong to the group.
std::string in_group(std::string manifest, const std::string& group);

/// ", strategy: …" of a Deployment, ", updateStrategy: …" of the others, or nothing.
std::string draft_rollout(Rng& random, std::string_view plural);

/// ", volumeClaimTemplates: …" of a StatefulSet; its containers need not mount them.
std::string draft_claims(Rng& random);

}  // namespace loadline::simulation
