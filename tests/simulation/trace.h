#pragma once

#include <functional>
#include <string>

#include "foundation/base/virtual_loop.h"

namespace loadline::simulation {

/// Prints on standard error what happens to the objects that the environment names, to find a fault: with
/// LOADLINE_SIMULATION_TRACE=rs-13 every request, answer and event whose line has "rs-13" in it; with the empty text,
/// all of them. Without the variable nothing is told, and no line is made.
class Trace {
 public:
  explicit Trace(const VirtualLoop& loop);

  void tell(const std::function<std::string()>& line) const;
  [[nodiscard]] Instant now() const { return loop_.now(); }

 private:
  const VirtualLoop& loop_;
  const char* wanted_;  // null: nothing
};

}  // namespace loadline::simulation
