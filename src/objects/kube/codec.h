#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"
#include "objects/kube/objects.h"

namespace loadline::kube {

/// One document and the file it came from.
struct SourceDocument {
  document::Value value;
  std::string file;
  /// The JSON text of a list that is to be read and decoded item by item, and must outlive that; the value is null
  /// then.
  std::string_view list = {};
};

class CustomKinds;

/// What `decode` made of its input. An object with an error is not in `objects`.
struct Decoding {
  Objects objects;
  Diagnostics diagnostics;
};

/// What to do with objects of versions that no API server of v1.36 serves any more.
enum class RetiredVersions : std::uint8_t {
  kRefused,   ///< an error that names the version to write
  kAccepted,  ///< read as the version that took their place, with a warning
};

/// How documents are read.
struct ReadingRules {
  // A word about versions is all that most callers say.
  ReadingRules(RetiredVersions of_retired = RetiredVersions::kRefused) : retired(of_retired) {}  // NOLINT

  RetiredVersions retired;
  /// Whose ConfigMaps may carry scheduler configurations; those of others are told, and not read. Empty: any.
  std::string scheduler_namespace;
  /// Objects of kinds that nobody here knows have the pods that they seem to make (held_pods.h).
  bool guesses_workloads = false;
};

/// Documents to typed, defaulted, validated objects. Lists are flattened; a ConfigMap that carries a scheduler
/// configuration yields both; a kind.x-k8s.io Cluster yields its nodes. Strict: every unknown, duplicate or mistyped
/// field, bad enum and broken validation rule is reported with its position, all of them. Objects read from a live
/// cluster (with a uid or creationTimestamp) were accepted by an API server, so their problems are warnings.
/// Of objects of one name the last counts, see kube/repetition.h. Documents that do not say what they are make one
/// problem a file. Kinds we do not know are counted in `objects.skipped`.
Decoding decode(const std::vector<SourceDocument>& documents, const ReadingRules& rules = {});
/// Likewise, for a caller that has read the definitions among the documents.
Decoding decode(const std::vector<SourceDocument>& documents, const ReadingRules& rules, CustomKinds& custom_kinds);

/// The same, where some documents are texts of lists: no more than one item of such a list is in memory as a document.
/// Nothing if a list must be read whole: it is not well-formed, has a key twice, an item that only what stands behind
/// it could name, an object that repeats another or is repeated, or a definition of a kind.
std::optional<Decoding> decode_item_by_item(const std::vector<SourceDocument>& documents, const ReadingRules& rules);

}  // namespace loadline::kube
