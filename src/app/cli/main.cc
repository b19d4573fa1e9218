#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "app/cli/command_line.h"
#include "hosts/extension/plugin_host.h"

/// Read by jemalloc, if the program is linked with it: a thread of its own gives pages back to the system some time
/// after they were last used, also while nothing else is done. Without it, a server that has had much to do keeps them.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true";
}

namespace {

/// Where the address space is limited (ulimit -v), has the allocator give addresses back, too: those it keeps are no
/// longer of the size that is asked for, and the process would end with half of its memory free. It reads that at its
/// start only, so the program starts anew, once; otherwise addresses are kept, which is faster.
void give_addresses_back_if_limited(char** argv) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (std::getenv("MALLOC_CONF") != nullptr || setenv("MALLOC_CONF", "retain:false", 1) != 0) return;
  std::error_code problem;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) execv(program.c_str(), argv);
}

}  // namespace

int main(int argc, char** argv) {
  give_addresses_back_if_limited(argv);
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
