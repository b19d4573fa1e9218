#include "simulation/trace.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace loadline::simulation {

Trace::Trace(const VirtualLoop& loop) : loop_(loop), wanted_(std::getenv("LOADLINE_SIMULATION_TRACE")) {}

void Trace::tell(const std::function<std::string()>& line) const {
  if (wanted_ == nullptr) return;
  const std::string text = line();
  if (text.find(wanted_) == std::string::npos) return;
  std::fputs(fmt::format("{:9.3f} {}\n", static_cast<double>(loop_.elapsed().nanoseconds) / 1e9, text).c_str(), stderr);
}

}  // namespace loadline::simulation
