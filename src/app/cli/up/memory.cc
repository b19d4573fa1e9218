#include "app/cli/up/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>

namespace loadline::cli {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kOfPod = std::size_t{48} << 10;
constexpr std::size_t kFewestPods = 1000;

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

struct Taken {
  std::size_t addresses = 0;
  std::size_t resident = 0;
};

Taken taken_now() {
  std::ifstream file("/proc/self/statm");
  Taken pages;
  file >> pages.addresses >> pages.resident;
  return {pages.addresses * page_size(), pages.resident * page_size()};
}

std::size_t number_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::size_t number = 0;
  return stream >> number ? number : kUnlimited;  // "max" is none
}

/// Of the process's control group and all above it; of either version of control groups.
std::size_t limit_of_groups() {
  std::size_t limit = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    const std::filesystem::path root("/sys/fs/cgroup");
    for (std::filesystem::path group = line.substr(4);; group = group.parent_path()) {
      limit = std::min(limit, number_in(root / group / "memory.max"));
      if (group.empty()) break;
    }
  }
  return limit;
}

/// What a limit of the address space leaves: code, stacks and the like take a part of it without taking memory.
std::size_t limit_of_addresses() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const Taken taken = taken_now();
  const std::size_t beside = taken.addresses - std::min(taken.addresses, taken.resident);
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, beside);
}

constexpr std::size_t kReserve = std::size_t{128} << 20;
std::atomic<void*> reserve = nullptr;       // addresses without memory
std::atomic<bool> reserve_is_used = false;  // there were no others left

bool take_reserve() {
  void* const addresses = mmap(nullptr, kReserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (addresses == MAP_FAILED) return false;
  reserve = addresses;
  reserve_is_used = false;
  return true;
}

/// What is called when there is no memory: after it has returned, the allocation is tried again.
void give_reserve() {
  void* const addresses = reserve.exchange(nullptr);
  if (addresses == nullptr) throw std::bad_alloc();
  reserve_is_used = true;
  munmap(addresses, kReserve);
}

std::size_t memory_of_machine() { return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_size(); }

}  // namespace

std::size_t memory_to_take() {
  const std::size_t whole = std::min({memory_of_machine(), limit_of_groups(), limit_of_addresses()});
  return whole / 2;
}

std::size_t pods_in(std::size_t memory) { return std::max(kFewestPods, memory / kOfPod); }

void keep_reserve() {
  take_reserve();
  std::set_new_handler(give_reserve);
}

std::function<std::size_t()> memory_meter() {
  using Clock = std::chrono::steady_clock;
  struct Reading {
    Clock::time_point at;
    std::size_t bytes = 0;
  };
  static constexpr std::chrono::milliseconds kFresh(20);
  return [last = std::make_shared<std::optional<Reading>>(), enough = memory_to_take()] {
    const Clock::time_point now = Clock::now();
    if (!*last || now - (*last)->at > kFresh) {
      const Taken taken = taken_now();
      // An allocator keeps addresses that it has no use for; if it has enough of them, it needs no reserve.
      const bool is_short = reserve_is_used && !take_reserve() && taken.resident > enough / 2;
      *last = Reading{now, is_short ? taken.addresses : taken.resident};
    }
    return (*last)->bytes;
  };
}

}  // namespace loadline::cli
