#include <unistd.h>

#include <iostream>
#include <optional>

#include "app/cli/command_line.h"
#include "hosts/extension/plugin_host.h"

/// Read by jemalloc, if the program is linked with it: a thread of its own gives pages back to the system some time
/// after they were last used, also while nothing else is done. Without it, a server that has had much to do keeps them.
/// It gives their addresses back, too: kept ones are no longer of the size that is asked for, and a process whose
/// address space is limited (ulimit -v) would end for want of addresses with half of its memory free.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,retain:false";
}

int main(int argc, char** argv) {
  if (const std::optional<int> status = loadline::extension::run_plugin_host(argc, argv)) return *status;
  std::ios::sync_with_stdio(false);
  loadline::cli::Console console{.in = std::cin,
                                 .out = std::cout,
                                 .err = std::cerr,
                                 .out_terminal = loadline::cli::detect_terminal(STDOUT_FILENO),
                                 .err_terminal = loadline::cli::detect_terminal(STDERR_FILENO)};
  const int status = loadline::cli::run({argv + 1, argv + argc}, console);
  std::cout.flush();
  return std::cout ? status : loadline::cli::kBadInput;  // a full disk must not look like success
}
