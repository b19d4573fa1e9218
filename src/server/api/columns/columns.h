#pragma once

#include <span>
#include <string_view>

#include "foundation/document/value.h"
#include "server/api/columns/cell_writer.h"
#include "server/api/columns/table.h"

namespace loadline::api {

/// What no kind's cells show, as document::read_outline leaves it out.
inline constexpr std::string_view kNeverShown[] = {"metadata.managedFields"};

/// What `kubectl get` shows of one kind, in every version of its group.
struct KindColumns {
  std::string_view group;
  std::string_view kind;
  std::span<const TableColumn> columns;
  /// Writes as many cells as there are columns.
  void (*cells)(const document::Value& object, CellWriter& cells);
  /// Paths of what they need, and of what not: worth telling of kinds of which there are many, with much in them.
  std::span<const std::string_view> kept = {};
  std::span<const std::string_view> left_out = kNeverShown;
};

/// The kind's columns, or null if upstream has no printer for it.
const KindColumns* find_columns(std::string_view group, std::string_view kind);

// Each in the file of that name.
std::span<const KindColumns> administration_columns();
std::span<const KindColumns> autoscaling_columns();
std::span<const KindColumns> batch_columns();
std::span<const KindColumns> core_columns();
std::span<const KindColumns> event_columns();
std::span<const KindColumns> network_columns();
std::span<const KindColumns> node_columns();
std::span<const KindColumns> pod_columns();
std::span<const KindColumns> rbac_columns();
std::span<const KindColumns> resource_columns();
std::span<const KindColumns> scheduling_columns();
std::span<const KindColumns> storage_columns();
std::span<const KindColumns> workload_columns();

// Columns that many kinds have.
inline constexpr TableColumn kName = {"Name", "string", "name", "The name of the object, unique within its namespace."};
inline constexpr TableColumn kAge = {"Age", "string", "", "The time since the object was created."};
inline constexpr std::array kNameAndAge = {kName, kAge};
inline constexpr TableColumn kContainers = {"Containers", "string", "", "The names of the template's containers.", 1};
inline constexpr TableColumn kImages = {"Images", "string", "", "The images of the template's containers.", 1};
inline constexpr TableColumn kSelector = {"Selector", "string", "", "The label query over the pods it counts.", 1};

}  // namespace loadline::api
