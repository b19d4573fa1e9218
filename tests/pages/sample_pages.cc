#include "pages/sample_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/rng.h"

namespace loadline::pages {
namespace {

constexpr double kHour = 3600;
constexpr double kEnd = 8 * kHour;
constexpr std::size_t kNodes = 20;
constexpr std::size_t kGpus = 8;

struct Work {
  std::string name;
  std::string_view team;
  double arrival = 0;
  double start = 0;
  double end = 0;
  std::size_t gpus = 1;
  bool fails = false;
  std::vector<std::size_t> nodes;
};

double part(Rng& rng) { return static_cast<double>(rng.below(1'000'000)) / 1e6; }

std::vector<Work> arrivals() {
  constexpr std::array<std::string_view, 4> kTeams = {"research", "production", "ads-ranking", "vision"};
  constexpr std::array<std::string_view, 6> kNames = {"train-llama-70b",    "finetune-bert-base", "eval-harness",
                                                      "ranking-distill-v3", "detector-sweep",     "embed-catalogue"};
  constexpr std::array<std::size_t, 8> kSizes = {1, 2, 4, 8, 8, 16, 32, 64};
  Rng rng(7);
  std::vector<Work> works;
  for (std::size_t i = 0; i < 60; ++i) {
    Work work;
    work.name = fmt::format("{}-{:03}", kNames[rng.below(kNames.size())], i);
    work.team = kTeams[rng.below(kTeams.size())];
    work.arrival = i < 12 ? 0 : std::floor(part(rng) * 6.5 * kHour);
    work.gpus = kSizes[rng.below(kSizes.size())];
    work.end = std::floor(600 + std::exp(part(rng) * 3.4) * 500);  // how long it runs, until it starts
    work.fails = i == 17 || i == 41;
    works.push_back(work);
  }
  std::stable_sort(works.begin(), works.end(), [](const Work& a, const Work& b) { return a.arrival < b.arrival; });
  return works;
}

/// First come, first served: each starts when enough GPUs are free at last.
std::vector<Work> schedule(std::vector<Work> works) {
  std::vector<std::vector<double>> free_at(kNodes, std::vector<double>(kGpus, 0));
  double previous = 0;
  for (Work& work : works) {
    std::vector<std::pair<double, std::size_t>> gpus;
    for (std::size_t node = 0; node < kNodes; ++node) {
      for (const double at : free_at[node]) gpus.emplace_back(at, node);
    }
    std::stable_sort(gpus.begin(), gpus.end());
    work.start = std::max({work.arrival, previous, gpus[work.gpus - 1].first});
    previous = work.start;
    work.end += work.start;
    std::size_t left = work.gpus;
    for (std::size_t node = 0; node < kNodes && left > 0; ++node) {
      for (double& at : free_at[node]) {
        if (at > work.start || left == 0) continue;
        at = work.end;
        --left;
        work.nodes.push_back(node);
      }
    }
  }
  return works;
}

page::Gantt workload_chart(const std::vector<Work>& works) {
  page::Gantt chart{.title = "Workloads", .end = kEnd, .lanes = {}};
  for (const Work& work : works) {
    page::Lane lane{.name = work.name, .spans = {}};
    if (work.start > work.arrival) {
      lane.spans.push_back({.from = work.arrival,
                            .to = work.start,
                            .label = "waiting",
                            .details = fmt::format("{} GPUs are not free", work.gpus),
                            .group = "waiting"});
    }
    if (work.start < kEnd) {
      lane.spans.push_back({.from = work.start,
                            .to = work.end,
                            .label = fmt::format("{} GPUs", work.gpus),
                            .details = fmt::format("team {}", work.team),
                            .group = work.fails ? std::string("failed") : std::string(work.team)});
    }
    chart.lanes.push_back(std::move(lane));
  }
  return chart;
}

page::Gantt node_chart(const std::vector<Work>& works) {
  page::Gantt chart{.title = "Nodes", .end = kEnd, .lanes = {}};
  for (std::size_t node = 0; node < kNodes; ++node) {
    page::Lane lane{.name = fmt::format("gpu-node-{:02}.cluster.example", node), .spans = {}};
    for (const Work& work : works) {
      const auto gpus = std::count(work.nodes.begin(), work.nodes.end(), node);
      if (gpus == 0 || work.start >= kEnd) continue;
      lane.spans.push_back({.from = work.start,
                            .to = work.end,
                            .label = work.name,
                            .details = fmt::format("{} of its {} GPUs", gpus, work.gpus),
                            .group = work.fails ? std::string("failed") : std::string(work.team)});
    }
    chart.lanes.push_back(std::move(lane));
  }
  return chart;
}

/// The running sum of changes.
std::vector<page::Point> sums(const std::map<double, double>& changes, double scale) {
  std::vector<page::Point> points;
  double sum = 0;
  for (const auto& [at, change] : changes) {
    sum += change;
    if (at <= kEnd) points.push_back({.x = at, .y = sum * scale});
  }
  return points;
}

page::LineChart utilisation_chart(const std::vector<Work>& works) {
  std::map<double, double> gpu;
  std::map<double, double> cpu;
  for (const Work& work : works) {
    gpu[work.start] += static_cast<double>(work.gpus);
    gpu[work.end] -= static_cast<double>(work.gpus);
    cpu[work.start] += static_cast<double>(work.gpus) * 9 + 4;
    cpu[work.end] -= static_cast<double>(work.gpus) * 9 + 4;
  }
  return {.title = "Allocated share of the cluster",
          .unit = "%",
          .axis = page::Axis::kSeconds,
          .curves = {{.name = "nvidia.com/gpu", .points = sums(gpu, 1.0 / (kNodes * kGpus))},
                     {.name = "cpu", .points = sums(cpu, 1.0 / (kNodes * 96))}},
          .end = kEnd};
}

page::LineChart pending_chart(const std::vector<Work>& works) {
  std::map<double, double> pending;
  for (const Work& work : works) {
    pending[work.arrival] += 1;
    pending[work.start] -= 1;
  }
  return {.title = "Pending workloads",
          .unit = "workloads",
          .axis = page::Axis::kSeconds,
          .curves = {{.name = "pending", .points = sums(pending, 1)}},
          .end = kEnd};
}

struct Policy {
  std::string_view name;
  double makespan;
  double wait;
  double gpu;
};
constexpr std::array<Policy, 6> kPolicies = {{{"first-fit", 30200, 5400, 0.71},
                                              {"best-fit", 28100, 4700, 0.76},
                                              {"least-allocated", 33900, 6900, 0.64},
                                              {"most-allocated", 27900, 4500, 0.77},
                                              {"fragmentation-gradient-descent", 26800, 4100, 0.81},
                                              {"random", 35100, 7400, 0.61}}};

template <class Value>
page::Comparison comparison(std::string title, std::string unit, double noise, const Value& value) {
  page::Comparison chart{.title = std::move(title), .unit = std::move(unit), .variants = {}};
  Rng rng(11);
  for (const Policy& policy : kPolicies) {
    for (const int nodes : {16, 20}) {
      const double mean = value(policy) * (nodes == 16 ? 1.18 : 1.0) * (1 + noise * (part(rng) - 0.5));
      const double half = std::abs(mean) * noise * (0.4 + part(rng));
      chart.variants.push_back({.name = fmt::format("policy={} nodes={}", policy.name, nodes),
                                .value = {.mean = mean, .low = mean - half, .high = mean + half}});
    }
  }
  return chart;
}

page::LineChart allocation_curves() {
  page::LineChart chart{
      .title = "Allocated GPUs by arrived work", .unit = "%", .axis = page::Axis::kNumber, .curves = {}, .end = 120};
  for (const Policy& policy : kPolicies) {
    page::Curve curve{.name = fmt::format("policy={}", policy.name), .points = {}};
    for (int arrived = 0; arrived <= 120; ++arrived) {
      const double share = arrived / 100.0;
      const double limit = policy.gpu + 0.17;
      curve.points.push_back({.x = static_cast<double>(arrived), .y = limit * (1 - std::exp(-1.9 * share / limit))});
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

}  // namespace

page::Page timeline_page() {
  const std::vector<Work> works = schedule(arrivals());
  page::Page page{
      .title = "What happens until 8h", .subtitle = "examples/gpu-cluster, 60 workloads on 20 nodes", .parts = {}};
  page.parts.emplace_back(page::Figures{{{"makespan", "7h 12m"},
                                         {"workloads completed", "51 of 60"},
                                         {"median wait", "24m"},
                                         {"GPUs allocated", "83%"},
                                         {"GPU-hours lost", "6.5"}}});
  page.parts.emplace_back(page::Text{"Nine workloads have not ended after 8 hours; two failed and were not retried."});
  page.parts.emplace_back(
      page::Text{"Each line of the first chart is a workload: hatched while it waits, coloured by "
                 "team while it runs, red if it failed.",
                 "How to read this page"});
  page.parts.emplace_back(
      page::Text{"Point at anything to see its times. All charts share one axis of time, so what "
                 "stands below each other happens at the same moment.",
                 "How to read this page"});
  page.parts.emplace_back(utilisation_chart(works));
  page.parts.emplace_back(pending_chart(works));
  page.parts.emplace_back(workload_chart(works));
  page.parts.emplace_back(node_chart(works));
  page::Table table{
      .title = "Still pending at the end", .header = {"workload", "team", "GPUs", "waits since", "why"}, .rows = {}};
  for (const Work& work : works) {
    if (work.start < kEnd) continue;
    table.rows.push_back({work.name, std::string(work.team), std::to_string(work.gpus),
                          fmt::format("{:.0f}m", work.arrival / 60),
                          "0/20 nodes are available: 20 Insufficient nvidia.com/gpu"});
  }
  table.rows.push_back(
      {"detector-sweep-060", "vision", "128", "5m", "0/20 nodes are available: 20 Insufficient nvidia.com/gpu"});
  page.parts.emplace_back(std::move(table));
  return page;
}

page::Page sweep_page() {
  page::Page page{.title = "Six policies, two sizes of the cluster",
                  .subtitle = "openb_pod_list_default.csv, 10 runs of each variant, seeds 1 to 10",
                  .parts = {}};
  page.parts.emplace_back(comparison("Makespan", "s", 0.05, [](const Policy& policy) { return policy.makespan; }));
  page.parts.emplace_back(comparison("Mean wait", "s", 0.22, [](const Policy& policy) { return policy.wait; }));
  page.parts.emplace_back(
      comparison("GPUs allocated", "%", 0.03, [](const Policy& policy) { return policy.gpu / 1.2; }));
  page.parts.emplace_back(comparison("Preemptions less than without a policy", "preemptions", 0.4,
                                     [](const Policy& policy) { return (policy.gpu - 0.7) * 400; }));
  page.parts.emplace_back(allocation_curves());
  return page;
}

page::Page large_page(std::size_t lanes, std::size_t spans) {
  constexpr std::array<std::string_view, 5> kGroups = {"research", "production", "waiting", "failed", "vision"};
  Rng rng(3);
  page::Gantt chart{.title = "Pods by node", .end = 3 * 24 * kHour, .lanes = {}};
  page::Curve curve{.name = "running", .points = {}};
  chart.lanes.resize(lanes);
  for (std::size_t i = 0; i < lanes; ++i) chart.lanes[i].name = fmt::format("node-{:05}", i);
  for (std::size_t i = 0; i < spans; ++i) {
    const double from = std::floor(part(rng) * chart.end);
    const double length = std::floor(std::exp(part(rng) * 9));
    // Half of the work is on a few nodes.
    const std::size_t lane = rng.below(i % 2 == 0 ? std::min<std::size_t>(lanes, 8) : lanes);
    chart.lanes[lane].spans.push_back({.from = from,
                                       .to = from + length,
                                       .label = fmt::format("pod-{}", i),
                                       .details = "",
                                       .group = std::string(kGroups[rng.below(kGroups.size())])});
    const double at = chart.end * static_cast<double>(i) / static_cast<double>(spans);
    curve.points.push_back({.x = at, .y = std::floor(500 + 300 * std::sin(at / 9000) + 60 * part(rng))});
  }
  page::LineChart running{
      .title = "Running pods", .unit = "pods", .axis = page::Axis::kSeconds, .curves = {}, .end = 0};
  running.curves.push_back(std::move(curve));
  page::Page page{.title = "Three days", .subtitle = "more than a page can show", .parts = {}};
  page.parts.emplace_back(std::move(running));
  page.parts.emplace_back(std::move(chart));
  return page;
}

}  // namespace loadline::pages
