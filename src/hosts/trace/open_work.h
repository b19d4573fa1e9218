#pragma once

#include <istream>
#include <memory>
#include <string>

#include "foundation/base/result.h"
#include "hosts/trace/lines.h"
#include "hosts/trace/openb.h"
#include "hosts/trace/work.h"
#include "objects/kube/objects.h"

namespace loadline::trace {

struct OpenWorkOptions {
  OpenbOptions openb;
  const kube::Objects* templates = nullptr;  ///< what JSON lines name as their templates; outlives the source
  std::istream* standard_input = nullptr;    ///< what "-" is; nothing: the process's own
};

/// Opens a trace of any form: openb's CSV, told by its header; our own CSV; JSON lines, told by the `{`; gzip of any.
/// `-` is standard input. A trace without a line has no works.
Result<std::unique_ptr<WorkSource>> open_work(const std::string& path, const OpenWorkOptions& options = {});
/// Likewise, of lines.
Result<std::unique_ptr<WorkSource>> read_work(std::unique_ptr<Lines> lines, const OpenWorkOptions& options = {});

}  // namespace loadline::trace
