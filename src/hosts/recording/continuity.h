#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "foundation/document/value.h"
#include "hosts/recording/fault.h"
#include "hosts/recording/recording_reader.h"
#include "hosts/watching/object.h"
#include "objects/kube/registry.h"

namespace loadline::recording {

/// Whether what a recording tells can have come about: each of its lines beside those before it, by the rules that an
/// API server and a recorder keep. The model of a cluster relies on them, so a line comes here before it is believed.
///
/// Of objects: each has a namespace if its kind has, a uid and a resourceVersion, which grows; another object of the
/// same name comes when the one before is gone; what goes was there; a deletion is not taken back. Of pods: once on a
/// node, it stays there, and what no update of a pod may change stays as it was. Of sections: they are numbered, and
/// start once.
///
/// Memory: of the pods' specs, and some words for each object that is there.
class Continuity {
 public:
  Continuity();

  /// What contradicts the lines before this one; nothing: nothing does, and it counts from now on.
  [[nodiscard]] std::optional<Fault> take(const RecordedLine& line);

 private:
  struct Known {
    std::string uid;
    std::uint64_t revision = 0;
    bool is_being_deleted = false;
    std::string node = {};          ///< of a pod that has one
    document::Value pod_spec = {};  ///< of a pod
  };

  [[nodiscard]] std::optional<Fault> begin(const RecordedLine& line);
  [[nodiscard]] std::optional<Fault> start();
  [[nodiscard]] std::optional<Fault> put(const RecordedLine& line);
  [[nodiscard]] std::optional<Fault> gone(const RecordedLine& line);

  [[nodiscard]] std::optional<Fault> check_scope(const std::string& resource, const watching::ObjectKey& key) const;

  using Objects = std::map<watching::ObjectKey, Known>;
  std::map<std::string, kube::Scope, std::less<>> scopes_;  // by resource, of kinds that decisions read
  std::map<std::string, Objects> resources_;
  std::uint64_t sections_ = 0;
  bool has_started_ = false;
};

}  // namespace loadline::recording
