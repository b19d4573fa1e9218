#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/cli/terminal/bar.h"
#include "app/cli/terminal/grid.h"
#include "app/cli/view/section_text.h"
#include "app/cli/view/sections.h"
#include "app/report/amount.h"
#include "app/report/devices.h"
#include "app/report/tables.h"
#include "foundation/base/text.h"
#include "objects/kube/gpu_resource.h"

namespace loadline::cli {
namespace {

using report::NodeDevices;
using simulator::PlannedNode;
using simulator::PlannedResource;

constexpr std::size_t kMostNodes = 40;     // nodes shown one by one in a brief plan
constexpr std::size_t kMostTypes = 40;     // machine types shown in a brief plan
constexpr std::size_t kMostBoxes = 16;     // devices shown one by one
constexpr std::size_t kAmountsFrom = 140;  // terminals at least this wide also show amounts
constexpr std::size_t kNodeCells = 8;
constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable:NoSchedule";

/// Nodes that share a row: one node, or all of a machine type.
struct NodeRow {
  std::string name;
  std::vector<const PlannedNode*> nodes;
};

PlannedResource total(const NodeRow& row, const std::string& resource) {
  PlannedResource sum;
  for (const PlannedNode* node : row.nodes) {
    const auto found = node->resources.find(resource);
    if (found == node->resources.end()) continue;
    sum.allocatable += found->second.allocatable;
    sum.requested += found->second.requested;
  }
  return sum;
}

/// "12/110": pods that are there, and that may be.
std::string slots_text(const NodeRow& row) {
  std::int64_t allowed = 0;
  std::size_t used = 0;
  for (const PlannedNode* node : row.nodes) {
    allowed += node->allowed_pods;
    used += node->slots_used();
  }
  return fmt::format("{}/{}", used, allowed);
}

/// The machine type a node says it is; else what it offers.
std::string machine_type(const PlannedNode& node) {
  for (const char* key : {"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"}) {
    const auto found = node.labels.find(key);
    if (found != node.labels.end()) return found->second;
  }
  std::string text;
  for (const auto& [name, amounts] : node.resources) {
    if (name != "cpu" && name != "memory" && !kube::is_gpu_resource(name)) continue;
    if (amounts.allocatable.is_zero()) continue;
    if (!text.empty()) text += ", ";
    text += report::readable_amount(name, amounts.allocatable);
    if (name != "memory") text += " " + std::string(kube::short_resource_name(name));
  }
  return text;
}

class NodesSection {
 public:
  NodesSection(const PlanView& view, Detail detail)
      : view_(view), detail_(detail), terminal_(narrowed(view.terminal, 2)) {}

  Lines run() {
    if (view_.plan.nodes.empty()) return {};
    const bool by_type = detail_ == Detail::kBrief && view_.plan.nodes.size() > kMostNodes;
    std::vector<NodeRow> rows = by_type ? machine_types() : single_nodes();
    const std::size_t types = rows.size();
    if (by_type && types > kMostTypes) rows.resize(kMostTypes);
    add_rows(rows);
    if (by_type) {
      const std::string hidden = types > rows.size() ? fmt::format(", {} of them not shown", types - rows.size()) : "";
      lines_.emplace_back(fmt::format("  {} of {}{} (--nodes shows each)", counted(view_.plan.nodes.size(), "node"),
                                      counted(types, "machine type"), hidden),
                          Style::kDim);
    }
    return std::move(lines_);
  }

 private:
  std::vector<NodeRow> single_nodes() const {
    std::vector<NodeRow> rows;
    rows.reserve(view_.plan.nodes.size());
    for (const PlannedNode& node : view_.plan.nodes) rows.push_back({node.name, {&node}});
    return rows;
  }

  /// Most nodes first.
  std::vector<NodeRow> machine_types() const {
    std::vector<NodeRow> rows;
    std::map<std::string, std::size_t> index;
    for (const PlannedNode& node : view_.plan.nodes) {
      const auto [found, fresh] = index.try_emplace(machine_type(node), rows.size());
      if (fresh) rows.push_back({found->first, {}});
      rows[found->second].nodes.push_back(&node);
    }
    std::ranges::stable_sort(rows, std::ranges::greater{}, [](const NodeRow& row) { return row.nodes.size(); });
    for (NodeRow& row : rows) row.name = with_count(row.name, row.nodes.size(), view_.terminal);
    return rows;
  }

  void add_rows(const std::vector<NodeRow>& rows) {
    Grid grid;
    grid.columns = {{"NODE", {}, 16}, {"CPU"}, {"MEMORY"}, {"PODS", report::Alignment::kRight}, {"GPUS"}, {"", {}, 10}};
    for (const NodeRow& row : rows) {
      grid.rows.push_back({Line(row.name), share("cpu", total(row, "cpu")), share("memory", total(row, "memory")),
                           slots_text(row), gpus(row), remarks(row)});
    }
    const Lines laid_out = lay_out(grid, terminal_);
    lines_.push_back(heading("NODES"));
    add_indented(lines_, {laid_out.front()}, 2);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      add_indented(lines_, {laid_out[i + 1]}, 2);
      if (detail_ == Detail::kFull) add_holders(*rows[i].nodes.front());
    }
  }

  Line share(const std::string& resource, const PlannedResource& amounts) const {
    if (amounts.allocatable.is_zero()) return {};
    Line line = bar(report::percent(amounts.requested, amounts.allocatable), kNodeCells, terminal_.letters);
    line.add(fmt::format(" {:>4}", report::percent_text(amounts.requested, amounts.allocatable)));
    if (terminal_.width < kAmountsFrom) return line;
    return line.add(fmt::format(" {}/{}", report::readable_amount(resource, amounts.requested),
                                report::readable_amount(resource, amounts.allocatable)),
                    Style::kDim);
  }

  Line gpus(const NodeRow& row) const {
    if (row.nodes.size() == 1) return single_gpus(*row.nodes.front());
    Line line;
    std::map<std::string, bool> names;
    for (const PlannedNode* node : row.nodes) {
      for (const auto& [name, amounts] : node->resources) {
        if (kube::is_gpu_resource(name) && !amounts.allocatable.is_zero()) names[name] = true;
      }
    }
    for (const auto& [name, present] : names) {
      const PlannedResource sum = total(row, name);
      gap(line, names.size() > 1, name);
      line.append(bar(report::percent(sum.requested, sum.allocatable), kNodeCells, terminal_.letters))
          .add(fmt::format(" {}/{}", sum.requested.value(), sum.allocatable.value()));
    }
    return line;
  }

  Line single_gpus(const PlannedNode& node) const {
    Line line;
    const std::vector<NodeDevices> all = report::devices(view_.plan, node);
    for (const NodeDevices& entry : all) {
      gap(line, all.size() > 1, entry.resource);
      std::vector<Box> each;
      for (std::size_t slot = 0; slot < entry.slots.size(); ++slot) {
        const Box reserved = entry.reservation_of(slot) ? Box::kReserved : Box::kFree;
        each.push_back(entry.slots[slot] ? Box::kHeld : reserved);
      }
      const auto used = static_cast<int>(entry.used() + entry.reserved.size());
      const auto count = static_cast<int>(each.size());
      line.append(each.size() <= kMostBoxes ? boxes(each, terminal_.letters)
                                            : bar(used * 100 / count, kNodeCells, terminal_.letters));
      line.add(fmt::format(" {}/{}", used, count));
    }
    return line;
  }

  static void gap(Line& line, bool named, const std::string& resource) {
    if (!line.empty()) line.add("  ");
    if (named) line.add(std::string(kube::short_resource_name(resource)) + " ", Style::kDim);
  }

  Line remarks(const NodeRow& row) const {
    const auto cordoned = std::ranges::count_if(row.nodes, &PlannedNode::unschedulable);
    Line line;
    if (cordoned > 0) {
      line.add(row.nodes.size() == 1 ? "cordoned" : fmt::format("{} cordoned", cordoned), Style::kWarn);
    }
    if (row.nodes.size() > 1) return line;
    for (const std::string& taint : row.nodes.front()->taints) {
      if (cordoned > 0 && taint == kCordonTaint) continue;
      if (!line.empty()) line.add(" ");
      line.add(taint, Style::kDim);
    }
    return line;
  }

  void add_holders(const PlannedNode& node) {
    for (const NodeDevices& entry : report::devices(view_.plan, node)) {
      add_wrapped(lines_, entry.resource + ": " + report::holders_text(view_.plan, entry), 6, view_.terminal,
                  Style::kDim);
    }
  }

  const PlanView& view_;
  Detail detail_;
  Terminal terminal_;
  Lines lines_;
};

}  // namespace

Lines nodes_section(const PlanView& view, Detail detail) { return NodesSection(view, detail).run(); }

}  // namespace loadline::cli
