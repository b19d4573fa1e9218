#include "app/cli/reserve_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/base/time.h"
#include "objects/kube/defaults.h"
#include "objects/kube/scalars.h"
#include "objects/kube/validation.h"

namespace loadline::cli {
namespace {

constexpr std::int32_t kMostPods = 100'000;

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// One text of --reserve on its way to an object.
class Draft {
 public:
  explicit Draft(std::size_t number) {
    reservation_.metadata.name = fmt::format("reserved-{}", number);
    reservation_.metadata.namespace_ = "default";
    container_.name = "room";
    container_.image = "none";
    spec_.termination_grace_period_seconds = kube::kDefaultGracePeriodSeconds;
  }

  Result<void> set(std::string_view key, std::string_view value) {
    if (key == "name" || key == "namespace") return set_name(key, value);
    if (key == "label") return set_label(value);
    if (key == "node") return add_node(value);
    if (key == "priority") return set_priority(value);
    if (key == "from" || key == "until") return set_time(key, value);
    if (key == "gpu") return set_amount(key, "nvidia.com/gpu", value);
    const bool is_resource =
        key == "cpu" || key == "memory" || key == "ephemeral-storage" || key.find('/') != std::string_view::npos;
    if (is_resource && kube::is_qualified_name(key)) return set_amount(key, key, value);
    return failure(
        fmt::format("{:?} says nothing about room; name, namespace, cpu, memory, gpu, other resources by their names, "
                    "label, node, priority, from and until do",
                    key));
  }

  Result<kube::Reservation> finish(std::int32_t pods) {
    reservation_.pods = pods;
    spec_.containers = {std::move(container_)};
    reservation_.template_.spec = std::make_shared<const kube::PodSpec>(std::move(spec_));
    if (reservation_.from && reservation_.until && *reservation_.until <= *reservation_.from) {
      return failure("until must be later than from");
    }
    const kube::FieldErrors errors = kube::validate(reservation_);
    if (!errors.empty()) return failure(fmt::format("{}: {}", errors.front().path, errors.front().message));
    return std::move(reservation_);
  }

 private:
  Result<void> set_name(std::string_view key, std::string_view value) {
    if (!kube::dns_subdomain_problems(value).empty()) return failure(fmt::format("{:?} is no {}", value, key));
    (key == "name" ? reservation_.metadata.name : reservation_.metadata.namespace_) = value;
    return {};
  }

  Result<void> set_label(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
    if (!kube::is_qualified_name(key) || !kube::label_value_problems(value).empty()) {
      return failure(fmt::format("{:?} is no label: write label=KEY=VALUE", text));
    }
    reservation_.template_.metadata.labels[std::string(key)] = value;
    return {};
  }

  Result<void> add_node(std::string_view name) {
    if (!kube::dns_subdomain_problems(name).empty()) return failure(fmt::format("{:?} is no name of a node", name));
    reservation_.nodes.emplace_back(name);
    return {};
  }

  Result<void> set_priority(std::string_view value) {
    if (const auto number = read_number<std::int32_t>(value)) {
      spec_.priority = *number;
    } else if (kube::dns_subdomain_problems(value).empty()) {
      spec_.priority_class_name = value;
    } else {
      return failure(fmt::format("{:?} is no priority: write a number, or the name of a PriorityClass", value));
    }
    return {};
  }

  Result<void> set_time(std::string_view key, std::string_view value) {
    const std::optional<Instant> time = parse_rfc3339(value);
    if (!time) return failure(fmt::format("{:?} is not a time; write it like 2026-01-01T00:00:00Z", value));
    (key == "from" ? reservation_.from : reservation_.until) = time;
    return {};
  }

  Result<void> set_amount(std::string_view key, std::string_view resource, std::string_view value) {
    const Result<kube::Quantity> amount = kube::Quantity::parse(value);
    if (!amount || amount->sign() <= 0) return failure(fmt::format("{:?} is no amount of {}", value, key));
    container_.resources.requests[std::string(resource)] = *amount;
    if (resource.find('/') != std::string_view::npos) container_.resources.limits[std::string(resource)] = *amount;
    return {};
  }

  kube::Reservation reservation_;
  kube::PodSpec spec_;
  kube::Container container_;
};

Result<kube::Reservation> read_reservation(std::string_view text, std::size_t number) {
  const std::size_t colon = text.find(':');
  const auto pods = read_number<std::int32_t>(text.substr(0, colon));
  if (!pods || *pods < 1 || *pods > kMostPods) {
    return failure(fmt::format("begin with a number of pods from 1 to {}", kMostPods));
  }
  Draft draft(number);
  const std::string_view settings = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  for (const std::string_view setting : split(settings, ",")) {
    if (setting.empty() && settings.empty()) break;
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos) return failure(fmt::format("{:?} is no setting: write KEY=VALUE", setting));
    if (const auto set = draft.set(setting.substr(0, equals), setting.substr(equals + 1)); !set) {
      return tl::unexpected(set.error());
    }
  }
  return draft.finish(*pods);
}

}  // namespace

Result<kube::Reservation> parse_reservation(std::string_view text, std::size_t number) {
  Result<kube::Reservation> reservation = read_reservation(text, number);
  if (reservation) return reservation;
  return failure(fmt::format("--reserve {:?}: {}", text, reservation.error().message));
}

Result<void> add_reservations(const std::vector<std::string>& texts, kube::Objects& objects) {
  std::vector<kube::Reservation>& all = objects.of<kube::Reservation>();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Result<kube::Reservation> made = parse_reservation(texts[i], i + 1);
    if (!made) return tl::unexpected(made.error());
    const kube::ObjectMeta& metadata = made->metadata;
    const bool is_there = std::ranges::any_of(all, [&](const kube::Reservation& known) {
      return known.metadata.name == metadata.name && known.metadata.namespace_ == metadata.namespace_;
    });
    if (is_there) {
      return failure(fmt::format("--reserve {:?}: there is a Reservation {}/{} already; give it another name", texts[i],
                                 metadata.namespace_, metadata.name));
    }
    all.push_back(*std::move(made));
  }
  return {};
}

}  // namespace loadline::cli
