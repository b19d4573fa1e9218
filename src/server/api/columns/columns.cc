#include "server/api/columns/columns.h"

#include <array>

namespace loadline::api {

const KindColumns* find_columns(std::string_view group, std::string_view kind) {
  const std::array files = {
      pod_columns(),     workload_columns(), core_columns(),           node_columns(),       batch_columns(),
      network_columns(), storage_columns(),  event_columns(),          scheduling_columns(), autoscaling_columns(),
      rbac_columns(),    resource_columns(), administration_columns(),
  };
  for (const auto& file : files) {
    for (const KindColumns& columns : file) {
      if (columns.group == group && columns.kind == kind) return &columns;
    }
  }
  return nullptr;
}

}  // namespace loadline::api
