#include "app/cli/status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/choices.h"
#include "app/cli/live/api.h"
#include "app/cli/live/cluster_status.h"
#include "app/cli/terminal/text.h"
#include "app/cli/view/page.h"
#include "app/cli/view/section_text.h"
#include "app/report/amount.h"
#include "app/report/words.h"
#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"

namespace loadline::cli {
namespace {

using document::Value;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostReasons = 5;
constexpr std::size_t kMostWarnings = 5;
constexpr std::size_t kMostGroups = 3;
constexpr std::chrono::milliseconds kPause(200);
constexpr int kQuietLooks = 3;  // so often in a row nothing moved: then nothing is going to by itself

constexpr std::string_view kStatusExamples = R"(Examples:
  The cluster that kubectl talks to, too:
    loadline status
  In a script: wait until what was applied has found its place, at most a minute
    loadline status --wait 60 && echo all pods run

Exit status: 0 all nodes are ready, and no pod waits for one; 1 if not, if pods were still on their way when --wait was
over, or if pods or Jobs of a Loadline cluster name a queue of another project, which nothing decides about; 2 the cluster
cannot be asked.)";

struct StatusArguments {
  AccessArguments access;
  std::string output = "table";
  double wait = 0;
};

/// What is known besides the objects.
struct ServerFacts {
  std::string version;
  bool is_ready = false;
  std::optional<double> speed;  ///< of the clock; nothing: it is the wall's, or the server does not say
  std::optional<Instant> now;   ///< by that clock
};

class StatusCommand {
 public:
  StatusCommand(const StatusArguments& arguments, Console& console) : arguments_(arguments), console_(console) {}

  int run() {
    Result<ClusterApi> api = ClusterApi::open(arguments_.access);
    if (!api) return fail(api.error().message);
    api_ = std::make_unique<ClusterApi>(*std::move(api));
    const ApiResult<ServerFacts> facts = ask_server();
    if (!facts) return fail(facts.error().message);
    const ApiResult<ClusterStatus> status = arguments_.wait > 0 ? settled() : look();
    if (!status) return fail(status.error().message);
    if (arguments_.output == "json") {
      write_document(*facts, *status);
    } else {
      write_text(*facts, *status);
    }
    const bool is_late = arguments_.wait > 0 && status->on_their_way > 0;
    const bool is_undecided = is_loadline(*facts) && !status->queued.empty();
    return facts->is_ready && status->is_well() && !is_late && !is_undecided ? kDone : kNotAllPlaced;
  }

 private:
  /// Another server has no clock of its own; it may have the controllers that decide about queues.
  static bool is_loadline(const ServerFacts& facts) { return facts.speed.has_value(); }

  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  ApiResult<ServerFacts> ask_server() {
    const ApiResult<Value> version = api_->get("/version");
    if (!version) return tl::unexpected(version.error());
    ServerFacts facts;
    facts.version = document::text_at(*version, {"gitVersion"});
    facts.is_ready = api_->text("/readyz").has_value();
    const ApiResult<Value> clock = api_->get("/loadline/v1/clock");
    if (!clock) return facts;  // another server has none
    const Value* speed = clock->find("speed");
    if (speed != nullptr && speed->is_number()) facts.speed = speed->number();
    facts.now = parse_rfc3339(document::text_at(*clock, {"now"}));
    return facts;
  }

  ApiResult<ClusterStatus> look() {
    ApiResult<std::vector<Value>> nodes = api_->list("/api/v1/nodes");
    if (!nodes) return tl::unexpected(nodes.error());
    ApiResult<std::vector<Value>> pods = api_->list("/api/v1/pods");
    if (!pods) return tl::unexpected(pods.error());
    ApiResult<std::vector<Value>> events = api_->list("/api/v1/events?fieldSelector=type%3DWarning");
    if (!events) return tl::unexpected(events.error());
    ApiResult<std::vector<Value>> reservations = api_->list("/apis/loadline.dev/v1alpha1/reservations");
    if (!reservations) reservations.emplace();  // another server has none
    // Who does not serve these has none.
    ApiResult<std::vector<Value>> groups = api_->list("/apis/scheduling.k8s.io/v1alpha2/podgroups");
    if (!groups) groups.emplace();
    ApiResult<std::vector<Value>> volcano_groups = api_->list("/apis/scheduling.volcano.sh/v1beta1/podgroups");
    if (!volcano_groups) volcano_groups.emplace();
    ApiResult<std::vector<Value>> jobs = api_->list("/apis/batch/v1/jobs");
    if (!jobs) return tl::unexpected(jobs.error());
    ApiResult<std::vector<Value>> queues = api_->list("/apis/kueue.x-k8s.io/v1beta2/clusterqueues");
    if (!queues) queues.emplace();
    return summarize({*std::move(nodes), *std::move(pods), *std::move(events), *std::move(reservations),
                      *std::move(groups), *std::move(volcano_groups), *std::move(jobs), *std::move(queues)},
                     kMostWarnings);
  }

  /// Looks until nothing moves any more, or the time is over.
  ApiResult<ClusterStatus> settled() {
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(arguments_.wait));
    std::string before;
    for (int quiet = 0;;) {
      ApiResult<ClusterStatus> status = look();
      if (!status) return status;
      std::string now = document::write_json(status_document(*status));
      quiet = status->on_their_way == 0 && now == before ? quiet + 1 : 0;
      before = std::move(now);
      if (quiet == kQuietLooks || Clock::now() + kPause > end) return status;
      std::this_thread::sleep_for(kPause);
    }
  }

  void write_document(const ServerFacts& facts, const ClusterStatus& status) {
    Value server(document::Object{{"context", Value(api_->access().context), {}},
                                  {"server", Value(api_->access().server), {}},
                                  {"version", Value(facts.version), {}},
                                  {"ready", Value(facts.is_ready), {}}});
    if (facts.speed) server = server.with("clockSpeed", Value(*facts.speed));
    if (facts.now) server = server.with("clock", Value(format_rfc3339(*facts.now)));
    const Value objects = status_document(status);
    for (const document::Member& member : objects.object()) {
      server = server.with(member.key, member.value);
    }
    console_.out << document::write_json(server, document::JsonStyle::kIndented) << '\n';
  }

  // ---- for people --------------------------------------------------------------------------------------------------
  void write_text(const ServerFacts& facts, const ClusterStatus& status) {
    Page page(console_);
    page.add(head(facts, status));
    page.add(waiting(status));
    page.add(warnings(facts, status));
  }

  static Line labelled(std::string_view label, std::string text, Style style = Style::kPlain) {
    Line line(fmt::format("{:<17}", label), Style::kDim);
    return line.add(std::move(text), style);
  }

  Lines head(const ServerFacts& facts, const ClusterStatus& status) const {
    Lines lines;
    lines.push_back(labelled("Kubernetes API",
                             fmt::format("{} ({}, {})", printable(api_->access().server), printable(facts.version),
                                         facts.is_ready ? "ready" : "not ready"),
                             facts.is_ready ? Style::kPlain : Style::kBad));
    lines.push_back(labelled("context", printable(api_->access().context)));
    if (facts.speed && *facts.speed == 0) {
      lines.push_back(labelled("clock", "stands still", Style::kWarn));
    } else if (facts.speed && *facts.speed != 1) {
      lines.push_back(labelled("clock", fmt::format("{:g} times the wall's", *facts.speed)));
    }
    std::string nodes = fmt::format("{} of {} ready", status.ready_nodes, grouped_digits(status.nodes));
    if (status.cordoned_nodes > 0) nodes += fmt::format(", {} cordoned", status.cordoned_nodes);
    lines.push_back(labelled("nodes", nodes, status.ready_nodes == status.nodes ? Style::kPlain : Style::kWarn));
    for (const auto& [resource, amount] : status.resources) {
      lines.push_back(labelled(printable(resource),
                               fmt::format("{} of {} allocated", report::readable_amount(resource, amount.allocated),
                                           report::readable_amount(resource, amount.all))));
    }
    std::vector<std::string> phases;
    phases.reserve(status.pods.size());
    for (const auto& [phase, count] : status.pods) {
      phases.push_back(fmt::format("{} {}", grouped_digits(count), phase));
    }
    if (status.groups > 0) lines.push_back(groups(status));
    if (!status.reservations.empty()) lines.push_back(reservations(status));
    if (is_loadline(facts)) {
      for (const auto& [project, count] : status.queued) lines.push_back(queued(project, count));
    }
    lines.push_back(labelled("pods", phases.empty() ? "none" : fmt::format("{}", fmt::join(phases, ", "))));
    return lines;
  }

  static Line queued(std::string_view project, std::size_t count) {
    return labelled(
        "not decided",
        fmt::format("{} of pods and Jobs name queues of {}, which is not here: they start as if there were none",
                    grouped_digits(count), project),
        Style::kWarn);
  }

  /// "12, 2 of them wait: default/big (0 of 64 pods have a node), default/train (7 of 8)".
  static Line groups(const ClusterStatus& status) {
    const std::vector<ClusterStatus::WaitingGroup>& waiting = status.waiting_groups;
    std::string text = grouped_digits(status.groups);
    if (!waiting.empty()) text += fmt::format(", {} not whole: ", grouped_digits(waiting.size()));
    for (std::size_t i = 0; i < std::min(waiting.size(), kMostGroups); ++i) {
      if (i > 0) text += ", ";
      const std::string later = waiting[i].to_come > 0 ? fmt::format(", {} created later", waiting[i].to_come) : "";
      text += fmt::format("{} ({} of {} pods have a node{})", printable(waiting[i].name), waiting[i].placed,
                          waiting[i].members, later);
    }
    if (waiting.size() > kMostGroups) text += fmt::format(" and {} more", waiting.size() - kMostGroups);
    return labelled("pod groups", text, waiting.empty() ? Style::kPlain : Style::kWarn);
  }

  /// "default/spares holds room of 2 pods for replacements, ml/next of 4 pods and waits for more".
  static Line reservations(const ClusterStatus& status) {
    std::string text;
    const std::vector<ClusterStatus::HeldRoom>& held = status.reservations;
    for (std::size_t i = 0; i < std::min(held.size(), kMostGroups); ++i) {
      text += fmt::format("{}{} {}{}{}{}", i > 0 ? ", " : "", printable(held[i].name), i > 0 ? "of " : "holds room of ",
                          counted(static_cast<std::size_t>(held[i].held), "pod"),
                          held[i].for_whom.empty() ? "" : " for " + held[i].for_whom,
                          held[i].is_waiting ? " and waits for more" : "");
    }
    if (held.size() > kMostGroups) text += fmt::format(" and {} more", held.size() - kMostGroups);
    return labelled("reservations", text);
  }

  Lines waiting(const ClusterStatus& status) const {
    if (status.waiting.empty()) return {};
    Lines lines{heading(fmt::format("PENDING  {}", counted(status.waiting_pods(), "pod")))};
    std::size_t shown = 0;
    for (const ClusterStatus::Waiting& each : status.waiting) {
      if (shown++ == kMostReasons) break;
      const std::string others = each.count > 1 ? fmt::format(" and {} more", each.count - 1) : "";
      Line line("  ");
      lines.push_back(line.add(printable(each.example), Style::kBold).add(others));
      add_wrapped(lines, printable(each.reason), 6, console_.out_terminal, Style::kPlain);
    }
    if (status.waiting.size() > kMostReasons) {
      lines.emplace_back(fmt::format("  and for {} more", counted(status.waiting.size() - kMostReasons, "reason")),
                         Style::kDim);
    }
    lines.emplace_back("  loadline explain says what would help", Style::kDim);
    return lines;
  }

  Lines warnings(const ServerFacts& facts, const ClusterStatus& status) const {
    if (status.warnings.empty()) return {};
    const Instant now = facts.now.value_or(now_by_the_wall());
    Lines lines{heading("LAST WARNINGS")};
    for (const ClusterStatus::Warning& each : status.warnings) {
      const Duration age = each.at ? now - *each.at : Duration{};
      Line line(fmt::format("  {} ago  ", report::span_text(age < Duration{} ? Duration{} : age)), Style::kDim);
      line.add(printable(each.reason), Style::kWarn).add("  " + printable(each.about));
      if (each.count > 1) line.add(fmt::format("  ({} times)", each.count), Style::kDim);
      lines.push_back(line);
      add_wrapped(lines, printable(each.message), 6, console_.out_terminal, Style::kDim);
    }
    return lines;
  }

  static Instant now_by_the_wall() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
  }

  const StatusArguments& arguments_;
  Console& console_;
  std::unique_ptr<ClusterApi> api_;
};

}  // namespace

void add_status(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("status", "Show a running cluster at a glance: nodes, GPUs, pods, what waits");
  auto arguments = std::make_shared<StatusArguments>();
  add_access_options(*command, arguments->access);
  command->add_option("--wait", arguments->wait, "Wait that many seconds at most until no pod is on its way any more")
      ->check(CLI::Range(0.0, 86400.0));
  command->add_option("-o,--output", arguments->output, "table or json")
      ->check(CLI::IsMember(fixed_choices("output", command->get_name())));
  command->footer(std::string(kStatusExamples));
  command->callback([arguments, &console, &status] { status = StatusCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
