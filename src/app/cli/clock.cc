#include "app/cli/clock.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>

#include "app/cli/choices.h"
#include "app/cli/live/api.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "objects/kube/scalars.h"

namespace loadline::cli {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kPath = "/loadline/v1/clock";

constexpr std::string_view kClockExamples = R"(Examples:
  What time is it there?
    loadline clock
  Stop the world, look around, and let ten minutes pass:
    loadline clock pause
    loadline clock step 10m
  A minute a second:
    loadline clock speed 60
    loadline clock resume

Only time in the cluster is meant: when pods end, nodes are given up, tokens expire. Requests take the time that they
take. See docs/up.md for what a fast clock changes.)";

struct ClockArguments {
  AccessArguments access;
  std::string action;
  std::string value;
};

class ClockCommand {
 public:
  ClockCommand(const ClockArguments& arguments, Console& console) : arguments_(arguments), console_(console) {}

  int run() {
    const Result<Value> body = request();
    if (!body) return fail(body.error().message);
    Result<ClusterApi> api = ClusterApi::open(arguments_.access, Duration::seconds(-1));  // a step takes what it takes
    if (!api) return fail(api.error().message);
    const ApiResult<Value> clock = body->is_null() ? api->get(kPath) : api->post(kPath, document::write_json(*body));
    if (!clock && clock.error().status == ApiProblem::kNotFound) {
      return fail(
          fmt::format("the cluster of context \"{}\" was not started by loadline up, so its clock is the wall's",
                      api->access().context));
    }
    if (!clock) return fail(clock.error().message);
    tell(*clock);
    return kDone;
  }

 private:
  int fail(const std::string& message) {
    console_.err << "error: " << message << '\n';
    return kBadInput;
  }

  /// What to ask for; null: nothing but the time.
  [[nodiscard]] Result<Value> request() const {
    const std::string& action = arguments_.action;
    const bool takes_value = action == "step" || action == "speed";
    if (action.empty()) return Value();
    if (takes_value && arguments_.value.empty()) {
      return failure(action == "step" ? "how far? As in: loadline clock step 10m"
                                      : "how fast? As in: loadline clock speed 60");
    }
    if (!takes_value && !arguments_.value.empty()) return failure(fmt::format("{} takes no value", action));
    Value body(Object{{"action", Value(action), {}}});
    if (action == "step") {
      const Result<Duration> span = kube::parse_duration(arguments_.value);
      if (!span)
        return failure(fmt::format("\"{}\" is no span of time; write it like 90s, 10m or 1h30m", arguments_.value));
      return body.with("span", Value(arguments_.value));
    }
    if (action == "speed") {
      char* end = nullptr;
      const double speed = std::strtod(arguments_.value.c_str(), &end);
      if (end == arguments_.value.c_str() || *end != '\0') {
        return failure(fmt::format("\"{}\" is no speed; write it like 60", arguments_.value));
      }
      return body.with("speed", Value(speed));
    }
    return body;
  }

  void tell(const Value& clock) {
    const Value* speed = clock.find("speed");
    const double pace = speed != nullptr && speed->is_number() ? speed->number() : 1;
    const std::string how = pace == 0   ? "stands still"
                            : pace == 1 ? "runs as fast as the wall's"
                                        : fmt::format("runs {:g} times as fast as the wall's", pace);
    console_.out << fmt::format("{}, {}\n", document::text_at(clock, {"now"}), how);
  }

  const ClockArguments& arguments_;
  Console& console_;
};

}  // namespace

void add_clock(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("clock", "Show, stop, step or speed up the clock of a running cluster");
  auto arguments = std::make_shared<ClockArguments>();
  command->add_option("action", arguments->action, "pause, resume, step or speed; without one: show it")
      ->check(CLI::IsMember(fixed_choices("action", command->get_name())));
  command->add_option("value", arguments->value, "How far to step, as in 10m; how fast to run, as in 60");
  add_access_options(*command, arguments->access);
  command->footer(std::string(kClockExamples));
  command->callback([arguments, &console, &status] { status = ClockCommand(*arguments, console).run(); });
}

}  // namespace loadline::cli
