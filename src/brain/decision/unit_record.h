#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "brain/cluster/ids.h"
#include "brain/decision/queued_workload.h"
#include "brain/decision/unit.h"
#include "brain/gang/search/group_search.h"
#include "brain/placement/wake_ups.h"
#include "foundation/base/contract.h"
#include "foundation/base/time.h"

namespace loadline::decision {

/// Where a unit stands that waits. Its pods that have places are no longer its record's: see Claims.
enum class UnitStage : std::uint8_t {
  kHeld,        ///< it has no turn: members are missing, or a queued workload that it stands under is not admitted
  kActive,      ///< it has a turn once it is first in line
  kBackingOff,  ///< the same, once its backoff is over, or nobody else has a turn
  kParked,      ///< its last turn was in vain, and nothing has happened since that could help
  kDeciding,    ///< it has its turn
};

/// What a unit that failed cannot do without: room for so many pods of a shape and priority.
struct Need {
  cluster::ShapeId shape;
  std::int32_t priority = 0;
  std::int64_t pods = 1;
  friend auto operator<=>(const Need&, const Need&) = default;
};

/// The turns that a unit had in vain since it came, or had its way.
struct Failures {
  Instant backs_off_until{std::numeric_limits<std::int64_t>::min()};  ///< the second in which its backoff ends
  std::int32_t count = 0;
  bool is_asked_again = false;  ///< all units are, for their reasons, and it has not failed since
  bool is_spared = false;       ///< its next failure does not count
};

/// What a parked unit waits for.
struct Parked {
  placement::WakeUps wakes = {};
  std::uint64_t since = 0;        ///< a step of the queue: only what happens after it helps
  std::optional<Need> need = {};  ///< nullopt: not known
};

/// A search that found no places for a group, and when that was.
struct KnownSearch {
  std::uint64_t generation = 0;
  std::vector<cluster::PodId> members;
  gang::SearchReport report;
};

/// Whom a unit waits with, and under whom.
struct Company {
  std::vector<cluster::PodId> members;        ///< of a group: those that wait, in the order they came
  std::unique_ptr<const KnownSearch> search;  ///< of a group: the last one, if it found nothing
  std::vector<WorkloadId> under;              ///< the queued workloads that it stands under, each once
};

/// All that is known of a unit that waits. A cache: it can be rebuilt from the pods that wait, and a scheduler that
/// starts anew does so. There may be a million of them, most of them of pods that wait by themselves, so it is small.
struct UnitRecord {
  using Rank = std::tuple<std::int64_t, std::uint64_t>;  ///< -priority, age: the lower one goes first

  Unit unit;
  UnitStage stage = UnitStage::kHeld;
  Rank rank;                         ///< unless it is held
  std::unique_ptr<Company> company;  ///< null: a pod of no group, under no workload
  Failures failures;
  Parked parked;  ///< while it is

  /// For what is to be added to it.
  [[nodiscard]] Company& in_company() {
    if (company == nullptr) company = std::make_unique<Company>();
    return *company;
  }
  /// Of a group, those that wait. REQUIRES: one did.
  [[nodiscard]] const std::vector<cluster::PodId>& members() const {
    REQUIRES(company != nullptr);
    return company->members;
  }
  [[nodiscard]] std::span<const WorkloadId> under() const {
    if (company == nullptr) return {};
    return company->under;
  }
  /// The pods that wait. Valid as long as the record, and as none of them comes or goes.
  [[nodiscard]] std::span<const cluster::PodId> pods() const {
    if (unit.is_group()) return members();
    return {&unit.pod, 1};
  }
  [[nodiscard]] bool is_in_line() const { return stage != UnitStage::kHeld; }
};

}  // namespace loadline::decision
