#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/spellings/group_rules.h"
#include "foundation/base/symbol.h"
#include "objects/kube/meta.h"

namespace loadline::cluster {

/// A pod of a group that has succeeded, and is there still.
struct SucceededPod {
  std::string owner;  ///< its controller: "Job/train"; empty: it has none
  std::string name;
  kube::StringMap labels;
};

/// What a workload has on record of its pods: so many of a role have succeeded, whether or not they are there still.
/// Example: a Job with completedIndexes "0,2" → 2 of the role "", with the labels of its template.
struct SuccessRecord {
  std::string owner;       ///< "Job/train"
  std::string role;        ///< "worker"; empty: its pods are all of one
  kube::StringMap labels;  ///< that all pods of the role have
  std::int64_t succeeded = 0;
};

/// The members of a group that have succeeded. They are known as pods, from the records of who made them, or as both,
/// and count once: of each role, the larger of the two numbers counts, since a record lags behind its pods, and pods
/// are deleted.
class FinishedMembers {
 public:
  /// O(log) and the records of its owner.
  void add(const SucceededPod& pod, SymbolTable& symbols);
  /// The pod of that name is gone; what its owner has on record stays. False: it was none of these.
  bool remove(std::string_view pod, const SymbolTable& symbols);
  /// In place of what the same workload said of the same role. 0: it says nothing any more. O(log), for a new role
  /// O(pods). False: that changes nothing.
  bool record(const SuccessRecord& record, SymbolTable& symbols);

  [[nodiscard]] bool empty() const { return pods_.empty() && records_.empty(); }
  /// O(1).
  [[nodiscard]] std::size_t count() const { return pods_.size() + static_cast<std::size_t>(beyond_pods_); }
  /// Those that are pods still. O(1).
  [[nodiscard]] std::size_t pods() const { return pods_.size(); }
  /// Those of the subgroup. O(pods + records).
  [[nodiscard]] std::int64_t count_in(const SubGroup& subgroup, const SymbolTable& symbols) const;

 private:
  struct Pod {
    std::string owner;
    LabelSet labels;
  };
  struct Record {
    LabelSet labels;
    PodSelector role;  // takes the pods of the role
    std::int64_t succeeded = 0;
    std::int64_t pods = 0;  // of the role that are there

    [[nodiscard]] std::int64_t beyond_pods() const { return succeeded > pods ? succeeded - pods : 0; }
  };
  void count(const Pod& pod, std::int64_t sign, const SymbolTable& symbols);

  std::map<std::string, Pod, std::less<>> pods_;                   // by name
  std::map<std::pair<std::string, std::string>, Record> records_;  // by owner and role
  std::int64_t beyond_pods_ = 0;                                   // the sum of the records'
};

}  // namespace loadline::cluster
