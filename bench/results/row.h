#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/document/value.h"

namespace loadline::bench {

/// One line of a benchmark's result. What a benchmark does not measure is absent.
struct Row {
  std::string workload;
  std::string mode;  ///< which part was measured: "engine", "host"; empty if there is only one
  std::size_t nodes = 0;
  std::size_t pods = 0;
  double pods_per_s = 0;
  std::optional<double> p50_us;
  std::optional<double> p99_us;
  std::optional<double> peak_mb;
  std::optional<double> peer_pods_per_s;          ///< the real scheduler's, every node scored
  std::optional<double> peer_default_pods_per_s;  ///< the same with its default sampling of nodes
  std::optional<double> ratio;                    ///< pods_per_s / peer_pods_per_s
  std::optional<std::size_t> unplaced;
  std::optional<double> seconds;  ///< that all of it took
};

/// A row as `{"workload": …, "nodes": …, …}`. Of what was not measured, p50_us, p99_us, peak_mb, peer_pods_per_s and
/// ratio are null, and the others absent.
document::Value to_value(const Row& row);
/// The reverse of to_value; members that it does not know are left alone.
Row row_from(const document::Value& value);

/// To the sixth decimal, as figures are written.
document::Value rounded(double value);

/// The rows as a table with aligned columns; columns that no row fills are left out.
std::string format_table(const std::vector<Row>& rows);

/// Writes a document into FOLDER/NAME.json, making the folder if need be.
Result<std::filesystem::path> write_results(const std::filesystem::path& folder, const std::string& benchmark,
                                            const document::Value& document);

/// Writes `{"benchmark": NAME, "rows": […]}` into FOLDER/NAME.json, making the folder if need be.
Result<std::filesystem::path> write_rows(const std::filesystem::path& folder, const std::string& benchmark,
                                         const std::vector<Row>& rows);

}  // namespace loadline::bench
