#include "app/cli/live/save_cluster.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "app/cli/live/list_file.h"
#include "app/cli/terminal/progress.h"

namespace loadline::cli {

Result<SavedCluster> save_cluster(ClusterApi& api, Extent extent, LeftOut* left_out, const std::string& file,
                                  Console& console) {
  const bool is_stream = file == "-";
  WholeFile whole;
  if (!is_stream) {
    if (const Result<void> opened = whole.open(file); !opened) return tl::unexpected(opened.error());
  }
  ListWriter writer(file, [&](std::string_view bytes) -> Result<void> {
    if (!is_stream) return whole.write(bytes);
    console.out << bytes;
    return console.out ? Result<void>{} : failure("cannot write to standard output");
  });
  Progress progress(console.err, console.err_terminal, "reading");
  ClusterReadingOptions options;
  options.extent = extent;
  options.progress = [&](std::string_view plural, std::size_t done, std::size_t total) {
    progress.relabel(fmt::format("reading {}", plural));
    progress.update(done, total);
  };
  ApiResult<ClusterReading> reading = read_cluster(api, options, [&](document::Value object) {
    return writer.add(left_out == nullptr ? object : left_out->without(std::move(object)));
  });
  progress.finish();
  if (!reading) return failure(reading.error().message);
  if (const Result<void> ended = writer.end(reading->withheld.empty()); !ended) return tl::unexpected(ended.error());
  if (!is_stream) {
    if (const Result<void> finished = whole.finish(); !finished) return tl::unexpected(finished.error());
  }
  console.out << std::flush;
  return SavedCluster{*std::move(reading), writer.bytes()};
}

}  // namespace loadline::cli
