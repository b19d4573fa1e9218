#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/input_files.h"
#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::cli {

/// An object of a file, and the file.
struct ManifestObject {
  document::Value object;  ///< its mark says where in the file
  std::shared_ptr<const std::string> file;

  /// "web.yaml:3:1: error: Deployment default/web: <what>".
  [[nodiscard]] Diagnostic diagnostic(std::string what) const;
};

/// Makes one object each of lists and of lists of lists; what is no object with a kind is left out, for the decoder of
/// the documents reports it.
std::vector<ManifestObject> flatten(const std::vector<document::Value>& documents,
                                    const std::shared_ptr<const std::string>& file);

/// What a cluster is to begin with, read from files.
struct Manifests {
  std::vector<document::Value> nodes;  ///< Node manifests, and those that kind would make of its Cluster files
  std::vector<ManifestObject> objects;
  std::optional<kube::SchedulerConfiguration> scheduler;  ///< if there is any outside of ConfigMaps
  Diagnostics diagnostics;
};

/// Sorts what was read and decoded. Of objects of one name the last counts; those of retired versions come in the
/// versions that took their place if these are accepted. `diagnostics` are about what decoding does not see.
Manifests sorted_manifests(std::vector<kube::SourceDocument> documents, kube::RetiredVersions retired);

/// Group, kind, namespace and name of an object: what tells it from all others.
std::string manifest_key(const document::Value& object);

/// Reads all files, and reports every problem of every file, as `plan` does. Of objects of one name the last counts. If
/// retired versions are accepted, their objects come in the versions that took their place.
Manifests read_manifests(const std::vector<std::string>& paths, const InputReading& reading,
                         std::istream& standard_input);

}  // namespace loadline::cli
