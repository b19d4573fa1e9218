#include "app/cli/replay/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "app/cli/plan_input.h"
#include "app/cli/replay/recorded.h"
#include "app/cli/scheduler_choice.h"
#include "brain/capacity/node_template.h"
#include "brain/capacity/node_template_text.h"
#include "foundation/base/closest.h"
#include "hosts/trace/openb.h"

namespace loadline::cli {
namespace {

constexpr std::array<std::string_view, 4> kKeys = {"nodes", "policy", "config", "queues"};
constexpr std::size_t kMostValues = 1000;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "100..200:20" or "100..200": the numbers from the first to the last.
Result<std::vector<std::string>> numbers_of(std::string_view range) {
  const std::size_t dots = range.find("..");
  const std::size_t colon = range.find(':', dots);
  const auto first = number_of(range.substr(0, dots));
  const auto last = number_of(range.substr(dots + 2, colon == std::string_view::npos ? colon : colon - dots - 2));
  const auto step = colon == std::string_view::npos ? 1 : number_of(range.substr(colon + 1));
  if (!first || !last || !step || *step == 0 || *first > *last) {
    return failure(fmt::format("\"{}\" is no range; write FIRST..LAST:STEP, as in 100..200:20", range));
  }
  if ((*last - *first) / *step >= kMostValues) {
    return failure(fmt::format("\"{}\" has more than {} values", range, kMostValues));
  }
  std::vector<std::string> numbers;
  for (std::size_t number = *first; number <= *last; number += *step) numbers.push_back(fmt::format("{}", number));
  return numbers;
}

using Settings = std::vector<std::pair<std::string, std::string>>;  // key, value

/// All combinations, the last key's values changing fastest.
std::vector<Settings> combinations(const std::vector<Varied>& varied) {
  std::vector<Settings> all = {{}};
  for (const Varied& each : varied) {
    std::vector<Settings> longer;
    for (const Settings& before : all) {
      for (const std::string& value : each.values) {
        longer.push_back(before);
        longer.back().emplace_back(each.key, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// "nodes=120 policy=mine": files by their names alone.
std::string name_of(const Settings& settings) {
  std::string name;
  for (const auto& [key, value] : settings) {
    const bool is_file = key != "nodes" && value.find('.') != std::string::npos;
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", key,
                        is_file ? std::filesystem::path(value).stem().string() : value);
  }
  return name;
}

/// The nodes that --nodes describes, a template or a list of openb's each. `count`: in place of the first template's.
Result<void> add_nodes(const ReplayArguments& arguments, std::optional<std::size_t> count, kube::Objects& objects) {
  const auto shares = arguments.shares == "pooled" ? trace::GpuShares::kPooled : trace::GpuShares::kWhole;
  std::vector<capacity::NodeTemplate> templates;
  for (const std::string& text : arguments.nodes) {
    if (std::filesystem::is_regular_file(text)) {
      Result<std::vector<kube::Node>> nodes = trace::read_openb_nodes(text, shares);
      if (!nodes) return tl::unexpected(nodes.error());
      for (kube::Node& node : *nodes) objects.of<kube::Node>().push_back(std::move(node));
      continue;
    }
    Result<capacity::NodeTemplate> parsed = capacity::parse_node_template(text);
    if (!parsed) return failure("--nodes: " + parsed.error().message);
    templates.push_back(std::move(*parsed));
  }
  if (count && templates.empty()) {
    return failure("--vary nodes needs nodes to vary; say what they look like, as in --nodes 100:gpu=a100:8");
  }
  if (count) templates.front().count = *count;
  const std::vector<kube::Node>& there = objects.of<kube::Node>();
  Result<std::vector<kube::Node>> made = capacity::make_nodes(templates, there, capacity::zones_of(there));
  if (!made) return failure("--nodes: " + made.error().message);
  for (kube::Node& node : *made) objects.of<kube::Node>().push_back(std::move(node));
  return {};
}

}  // namespace

Result<Varied> parse_varied(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  if (std::ranges::find(kKeys, key) == kKeys.end()) {
    const std::string_view nearest = closest(key, {kKeys.begin(), kKeys.end()});
    return failure(fmt::format("--vary: \"{}\" cannot be varied; nodes, policy, config and queues can{}", key,
                               nearest.empty() ? "" : fmt::format(". Did you mean {}?", nearest)));
  }
  if (equals == std::string::npos || equals + 1 == text.size()) {
    return failure(fmt::format("--vary {}: give its values, as in {}", key,
                               key == "nodes" ? "nodes=100..200:20" : key + "=a.yaml,b.yaml"));
  }
  Varied varied{key, {}};
  for (const std::string& value : split(std::string_view(text).substr(equals + 1), ',')) {
    const bool is_range = key == "nodes" && value.find("..") != std::string::npos;
    if (key == "nodes" && !is_range && !number_of(value)) {
      return failure(fmt::format("--vary nodes: \"{}\" is no number of nodes", value));
    }
    if (!is_range) {
      varied.values.push_back(value);
      continue;
    }
    Result<std::vector<std::string>> numbers = numbers_of(value);
    if (!numbers) return failure("--vary nodes: " + numbers.error().message);
    varied.values.insert(varied.values.end(), numbers->begin(), numbers->end());
  }
  return varied;
}

Result<std::vector<replay::Variant>> read_variants(const ReplayArguments& arguments, Console& console,
                                                   Diagnostics& diagnostics) {
  std::vector<Varied> varied;
  for (const std::string& text : arguments.vary) {
    Result<Varied> parsed = parse_varied(text);
    if (!parsed) return tl::unexpected(parsed.error());
    if (std::ranges::find(varied, parsed->key, &Varied::key) != varied.end()) {
      return failure(fmt::format("--vary {} is given twice; separate its values by commas", parsed->key));
    }
    varied.push_back(std::move(*parsed));
  }
  std::vector<replay::Variant> variants;
  for (const Settings& settings : combinations(varied)) {
    PlanFiles files = arguments.planning.files;
    std::optional<std::size_t> count;
    for (const auto& [key, value] : settings) {
      if (key == "nodes") count = number_of(value);
      if (key == "policy") files.policy = value;
      if (key == "config") files.configuration = value;
      if (key == "queues") files.manifests.push_back(value);
    }
    PlanInput input = read_plan_input(files, console.in);
    // Each variant reads the same files, so what is wrong with them is said once.
    diagnostics.insert(diagnostics.end(), input.diagnostics.begin(), input.diagnostics.end());
    if (Result<void> added = add_nodes(arguments, count, input.objects); !added) return tl::unexpected(added.error());
    if (input.objects.of<kube::Node>().empty() && is_recording(arguments.trace)) {
      const auto recorded = open_recorded(arguments.trace);
      if (!recorded) return tl::unexpected(recorded.error());
      input.objects.of<kube::Node>() = (*recorded)->nodes();
    }
    if (first_extender(input.configuration) != nullptr) {
      return failure("a replay calls no extenders, and its configuration names some; leave them out of it");
    }
    variants.push_back({name_of(settings), std::make_shared<const kube::Objects>(std::move(input.objects)),
                        std::move(input.configuration), input.policy.policy});
  }
  return variants;
}

}  // namespace loadline::cli
