#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::schema {

/// The CustomResourceDefinitions that need no installing: of Kueue, Volcano, Karpenter, JobSet, LeaderWorkerSet, Ray,
/// Kubeflow, KWOK and the Cluster Autoscaler, as these projects publish them, without prose and conversion webhooks;
/// Loadline's own; and Koordinator's Reservation. A few of them embed whole pod templates, a megabyte of text each;
/// equal parts are kept once, as text until a caller asks for them, and shared by all documents that are made of them.
/// Not thread safe.
class BuiltInDefinitions {
 public:
  struct Entry {
    std::string project;      ///< "kueue"
    std::string name;         ///< "workloads.kueue.x-k8s.io"
    std::string source;       ///< the Go modules that have it: "sigs.k8s.io/kueue@v0.19.2"; empty: it is Loadline's own
    document::Value outline;  ///< the definition; schemas in it may be {"$ref": …} to what only `definition` knows
  };

  /// Reads the outlines: a few milliseconds.
  BuiltInDefinitions();

  /// By project, then by name.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  /// The whole definition of that name; null if there is none. Milliseconds the first time.
  document::Value definition(std::string_view name);

 private:
  void index_schemas();
  document::Value expand(const document::Value& value);
  document::Value shared(const std::string& name);

  std::vector<Entry> entries_;
  std::string text_;                                           // of the shared schemas
  std::unordered_map<std::string, std::string_view> lines_;    // by name, in text_
  std::unordered_map<std::string, document::Value> expanded_;  // by name
};

}  // namespace loadline::schema
