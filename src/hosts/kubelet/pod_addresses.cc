#include "hosts/kubelet/pod_addresses.h"

#include <fmt/format.h>

#include <optional>

#include "foundation/base/ip_address.h"

namespace loadline::kubelet {
namespace {

constexpr std::string_view kRangeOfLastResort = "100.64.0.0/10";

/// Nothing for an IPv6 address.
std::optional<std::uint32_t> as_number(const IpAddress& address) {
  if (!address.is_v4) return std::nullopt;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | address.bytes[i];
  return number;
}

std::optional<std::uint32_t> read_address(std::string_view text) {
  const std::optional<IpAddress> address = parse_ip(text, LeadingZeros::kTaken);
  return address ? as_number(*address) : std::nullopt;
}

std::string write_address(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

struct Range {
  std::uint32_t first = 0;
  std::uint32_t size = 0;  ///< without the addresses of network, gateway and broadcast
};

std::optional<Range> read_range(std::string_view text) {
  const std::optional<IpRange> range = parse_cidr(text);
  if (!range || range->length < 8 || range->length > 29) return std::nullopt;
  const std::optional<std::uint32_t> address = as_number(range->address);
  if (!address) return std::nullopt;
  const std::uint32_t size = std::uint32_t{1} << static_cast<unsigned>(32 - range->length);
  return Range{(*address & ~(size - 1)) + 2, size - 3};
}

std::string_view address_of(const watching::ObjectPtr<kube::Pod>& pod) {
  const bool has_it = pod != nullptr && !pod->view.finished() && !pod->view.spec->host_network;
  return has_it ? std::string_view(pod->view.status.pod_ip) : std::string_view();
}

}  // namespace

void PodAddresses::on_pod(const watching::Change<kube::Pod>& change) {
  const std::string_view before = address_of(change.before);
  const std::string_view after = address_of(change.after);
  if (before == after) return;
  give_back(before);
  if (const auto address = read_address(after)) in_use_.insert(*address);
}

std::string PodAddresses::take(const std::string& range) {
  std::uint32_t address = next_of(range);
  if (address == 0) address = next_of(std::string(kRangeOfLastResort));
  if (address == 0) return {};
  in_use_.insert(address);
  return write_address(address);
}

std::uint32_t PodAddresses::next_of(const std::string& range) {
  const std::optional<Range> of = read_range(range);
  if (!of) return 0;
  std::uint32_t& last = last_[range];
  for (std::uint32_t tried = 0; tried < of->size; ++tried) {
    const std::uint32_t address = of->first + last % of->size;
    last = (last + 1) % of->size;
    if (!in_use_.contains(address)) return address;
  }
  return 0;
}

void PodAddresses::give_back(std::string_view address) {
  if (const auto number = read_address(address)) in_use_.erase(*number);
}

}  // namespace loadline::kubelet
