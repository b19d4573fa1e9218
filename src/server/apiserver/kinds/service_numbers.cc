#include "server/apiserver/kinds/service_numbers.h"

#include <fmt/format.h>

#include <charconv>

namespace loadline::apiserver {
namespace {

constexpr std::string_view kPrefix = "10.96.";
constexpr std::uint64_t kLastAddress = 65534;  // 10.96.255.254: neither the network nor its broadcast address
constexpr std::uint64_t kFirstDynamicAddress = 257;
constexpr std::int64_t kFirstPort = 30000;
constexpr std::int64_t kLastPort = 32767;
constexpr std::int64_t kFirstDynamicPort = 30086;

std::string address_of(std::uint64_t number) { return fmt::format("{}{}.{}", kPrefix, number / 256, number % 256); }

/// Calls `found` with what follows each `key` in the JSON text; a key inside a string has its quotes escaped.
template <class Found>
void each_after(std::string_view text, std::string_view key, const Found& found) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at)) {
    at += key.size();
    found(text.substr(at));
  }
}

}  // namespace

ServiceNumbers::Taken& ServiceNumbers::taken() const {
  if (taken_) return *taken_;
  taken_.emplace();
  store::StoreResult<store::Listing> listing = store_.list("services", {});
  if (!listing) return *taken_;
  while (const store::ObjectPtr* object = listing->next()) {
    if ((*object)->name() == own_.name && (*object)->name_space() == own_.name_space) continue;
    const std::string_view text = (*object)->text();
    each_after(text, "\"clusterIP\":\"",
               [&](std::string_view rest) { taken_->addresses.emplace(rest.substr(0, rest.find('"'))); });
    for (const std::string_view key : {"\"nodePort\":", "\"healthCheckNodePort\":"}) {
      each_after(text, key, [&](std::string_view rest) {
        std::int64_t port = 0;
        std::from_chars(rest.data(), rest.data() + rest.size(), port);
        if (port > 0) taken_->ports.insert(port);
      });
    }
  }
  return *taken_;
}

std::optional<std::string> ServiceNumbers::take_address(Rng& rng) {
  const std::uint64_t dynamic = kLastAddress - kFirstDynamicAddress + 1;
  const std::uint64_t offset = rng.below(dynamic);
  for (std::uint64_t i = 0; i < kLastAddress; ++i) {
    // From a random place on through the upper part, then through the lower one.
    const std::uint64_t number = i < dynamic ? kFirstDynamicAddress + (offset + i) % dynamic : i - dynamic + 1;
    std::string address = address_of(number);
    if (taken().addresses.insert(address).second) return address;
  }
  return std::nullopt;
}

std::optional<std::int64_t> ServiceNumbers::take_port(Rng& rng) {
  const std::int64_t dynamic = kLastPort - kFirstDynamicPort + 1;
  const auto offset = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(dynamic)));
  for (std::int64_t i = 0; i <= kLastPort - kFirstPort; ++i) {
    const std::int64_t port = i < dynamic ? kFirstDynamicPort + (offset + i) % dynamic : kFirstPort + i - dynamic;
    if (taken().ports.insert(port).second) return port;
  }
  return std::nullopt;
}

std::string ServiceNumbers::address_problem(std::string_view address) const {
  if (!address.starts_with(kPrefix)) return "the provided network does not match the current range";
  if (address == address_of(0) || address == address_of(kLastAddress + 1)) {
    return fmt::format("the provided IP ({}) is not in the valid range. The range of valid IPs is {}", address,
                       kServiceRange);
  }
  return taken().addresses.contains(address) ? "provided IP is already allocated" : "";
}

std::string ServiceNumbers::port_problem(std::int64_t port) const {
  if (port < kFirstPort || port > kLastPort) {
    return fmt::format("provided port is not in the valid range. The range of valid ports is {}-{}", kFirstPort,
                       kLastPort);
  }
  return taken().ports.contains(port) ? "provided port is already allocated" : "";
}

}  // namespace loadline::apiserver
