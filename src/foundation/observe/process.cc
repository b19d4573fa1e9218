#include "foundation/observe/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace loadline::observe {
namespace {

constexpr double kMicrosecond = 1e-6;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicrosecond;
}

double count_open_files() {
  std::error_code problem;
  const std::filesystem::directory_iterator files("/proc/self/fd", problem);
  // The one that reads the folder is among them.
  return problem ? 0 : static_cast<double>(std::distance(begin(files), end(files)) - 1);
}

double boot_time() {
  std::ifstream stat("/proc/stat");
  for (std::string word; stat >> word;) {
    double time = 0;
    if (word == "btime" && stat >> time) return time;
  }
  return 0;
}

/// Field 22 of proc_pid_stat(5), in ticks since the system started.
double start_ticks() {
  std::ifstream stat("/proc/self/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(')');  // the name of the program may hold anything, spaces too
  if (name_end == std::string::npos) return 0;
  std::size_t at = name_end;
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = line.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtod(line.c_str() + at, nullptr);
}

}  // namespace

ProcessFigures process_figures() {
  ProcessFigures figures;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) figures.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  double virtual_pages = 0;
  double resident_pages = 0;
  if (std::ifstream("/proc/self/statm") >> virtual_pages >> resident_pages) {
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    figures.virtual_bytes = virtual_pages * page;
    figures.resident_bytes = resident_pages * page;
  }
  figures.start_time_seconds = boot_time() + start_ticks() / static_cast<double>(sysconf(_SC_CLK_TCK));
  figures.open_files = count_open_files();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.max_files = static_cast<double>(limit.rlim_cur);
  return figures;
}

}  // namespace loadline::observe
