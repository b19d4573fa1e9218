#pragma once

#include <memory>
#include <string>
#include <utility>

#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"

namespace loadline::recording {

/// What is wrong with a file, before it is said where.
struct Fault {
  std::string path;
  std::string message;
  std::string hint;
};

/// The same as a Diagnostic, on that line of the file.
inline Diagnostic fault_at(const std::string& file, document::Mark mark, Fault fault) {
  Diagnostic diagnostic;
  diagnostic.at = {std::make_shared<const std::string>(file), mark.line, mark.column};
  diagnostic.path = std::move(fault.path);
  diagnostic.message = std::move(fault.message);
  diagnostic.hint = std::move(fault.hint);
  return diagnostic;
}

}  // namespace loadline::recording
