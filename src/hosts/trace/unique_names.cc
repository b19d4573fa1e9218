#include "hosts/trace/unique_names.h"

#include <algorithm>

namespace loadline::trace {
namespace {

constexpr std::size_t kFirstSlots = 1024;

/// FNV-1a, and then the mixing of SplitMix64, since the table takes the low bits.
std::uint64_t digest_of(std::string_view name) {
  std::uint64_t digest = 0xcbf29ce484222325ULL;
  for (const char c : name) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  digest = (digest ^ (digest >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  digest = (digest ^ (digest >> 27U)) * 0x94d049bb133111ebULL;
  return std::max<std::uint64_t>(digest ^ (digest >> 31U), 1);
}

}  // namespace

bool UniqueNames::insert(std::vector<std::uint64_t>& slots, std::uint64_t digest) {
  const std::size_t mask = slots.size() - 1;
  for (std::size_t at = digest & mask;; at = (at + 1) & mask) {
    if (slots[at] == digest) return false;
    if (slots[at] != 0) continue;
    slots[at] = digest;
    return true;
  }
}

bool UniqueNames::add(std::string_view name) {
  if (2 * (count_ + 1) > slots_.size()) {
    std::vector<std::uint64_t> larger(std::max(2 * slots_.size(), kFirstSlots));
    for (const std::uint64_t digest : slots_) {
      if (digest != 0) insert(larger, digest);
    }
    slots_ = std::move(larger);
  }
  if (!insert(slots_, digest_of(name))) return false;
  ++count_;
  return true;
}

}  // namespace loadline::trace
