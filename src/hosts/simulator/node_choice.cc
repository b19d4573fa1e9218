#include "hosts/simulator/node_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "brain/capacity/named_node.h"
#include "objects/kube/selector_text.h"

namespace loadline::simulator {
namespace {

using Indices = std::vector<std::size_t>;

bool is_selector(std::string_view text) {
  return text.find_first_of("=!") != std::string_view::npos || text.find(" in ") != std::string_view::npos ||
         text.find(" notin ") != std::string_view::npos;
}

bool is_glob(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

/// Whether the glob matches all of the name. Goes back to the last star only, so O(glob × name).
bool matches_glob(std::string_view glob, std::string_view name) {
  std::size_t g = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resumed = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resumed = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++resumed;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

Result<Indices> selected(std::string_view text, const std::vector<kube::Node>& nodes) {
  const Result<kube::LabelSelector> selector = kube::parse_label_selector(text);
  if (!selector) return tl::unexpected(selector.error());
  Indices result;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (kube::matches(*selector, nodes[i].metadata.labels)) result.push_back(i);
  }
  if (result.empty()) return failure(fmt::format("no node matches the label selector \"{}\"", text));
  return result;
}

Result<Indices> matching(std::string_view glob, const std::vector<kube::Node>& nodes) {
  Indices result;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (matches_glob(glob, nodes[i].metadata.name)) result.push_back(i);
  }
  if (result.empty()) return failure(fmt::format("no node's name matches \"{}\"", glob));
  return result;
}

Result<std::size_t> find_node(std::string_view name, const std::vector<kube::Node>& nodes) {
  std::vector<std::string_view> names;
  names.reserve(nodes.size());
  for (const kube::Node& node : nodes) names.push_back(node.metadata.name);
  return capacity::find_named(name, names);
}

}  // namespace

Result<Indices> choose_nodes(std::string_view text, const std::vector<kube::Node>& nodes) {
  if (trimmed(text).empty()) return failure("no node is named");
  if (is_selector(text)) return selected(text, nodes);
  std::set<std::size_t> chosen;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    if (is_glob(part)) {
      const Result<Indices> found = matching(part, nodes);
      if (!found) return found;
      chosen.insert(found->begin(), found->end());
    } else if (!part.empty()) {
      const Result<std::size_t> found = find_node(part, nodes);
      if (!found) return tl::unexpected(found.error());
      chosen.insert(*found);
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return Indices(chosen.begin(), chosen.end());
}

}  // namespace loadline::simulator
