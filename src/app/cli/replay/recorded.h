#pragma once

#include <memory>
#include <string>

#include "foundation/base/result.h"
#include "hosts/recording/recorded_work.h"

namespace loadline::cli {

/// Whether the file is a recording of `loadline up --record`, by its first line. Not for standard input, which can be
/// read once.
bool is_recording(const std::string& path);

/// The pods of a recording as works. Errors: it cannot be read, with places.
Result<std::unique_ptr<recording::RecordedWork>> open_recorded(const std::string& path);

}  // namespace loadline::cli
