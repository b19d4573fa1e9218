#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loadline::huge_counts {

/// An object one of whose fields is a count that its author chose.
struct CountedObject {
  std::string kind;   ///< as workloads::kind_name has it; else what it is
  std::string field;  ///< that has the count
  std::string text;   ///< YAML, with COUNT where the count stands
  /// The most that validation lets through; 0: whatever an int32 holds.
  std::int64_t most_valid = 0;

  [[nodiscard]] std::string with(std::int64_t count) const;
};

/// Every kind of workload, by each count that makes pods, or objects on the way to them; and reservations.
std::vector<CountedObject> every_count();

/// Objects whose counts make nothing by themselves, but are read, summed up and multiplied: minimums, subgroups,
/// limits.
std::vector<CountedObject> every_other_count();

/// Two nodes for them.
std::string nodes();

}  // namespace loadline::huge_counts
