#include "hosts/recording/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foundation/document/writer.h"
#include "hosts/recording/fault.h"
#include "hosts/recording/line.h"
#include "objects/kube/codec.h"
#include "objects/kube/config/scheduler_configuration_writer.h"

namespace loadline::recording {

using document::Array;
using document::Object;
using document::Value;

namespace {

Value written_policy(const engine::Policy& policy) {
  Object values;
  for (const engine::Switch& row : engine::switches()) {
    values.push_back({std::string(row.name), row.written(row.get(policy)), {}});
  }
  return Value(std::move(values));
}

/// What a recording that does not say it was made under: all ConfigMaps counted once.
kube::ConfigurationScope scope_of_old() { return {kube::CountedConfigMaps::kAll, {}, true}; }

Value written_scope(const kube::ConfigurationScope& scope) {
  const bool is_one = scope.config_maps == kube::CountedConfigMaps::kOfOneNamespace;
  return Value(Object{{"namespace", is_one ? Value(scope.name_space) : Value(), {}},
                      {"count", Value(scope.config_maps != kube::CountedConfigMaps::kNone), {}},
                      {"replaceDefault", Value(scope.replaces_default), {}}});
}

/// Plugins that are there may be named by a ConfigMap later. Extenders that are not called still have NodeResourcesFit
/// ignore resources, which a written configuration would not.
std::vector<std::string> foreign_of(const scheduler::SchedulingOptions& options) {
  std::vector<std::string> foreign;
  for (const auto& plugin : options.extensions.plugins) foreign.push_back(fmt::format("plugin {}", plugin->name()));
  const bool are_called = options.extensions.extenders != nullptr;
  for (const kube::SchedulerProfile& profile : options.configuration.profiles) {
    for (const kube::Extender& extender : profile.extenders) {
      const bool counts = are_called || std::ranges::any_of(extender.managed_resources, [](const auto& resource) {
                            return resource.ignored_by_scheduler;
                          });
      std::string name = "extender " + extender.url_prefix;
      if (counts && std::ranges::find(foreign, name) == foreign.end()) foreign.push_back(std::move(name));
    }
  }
  return foreign;
}

/// One reading of one header.
class HeaderReader {
 public:
  HeaderReader(const Value& line, const std::string& file, Diagnostics& problems)
      : line_(line), file_(file), problems_(problems) {}

  std::optional<Header> run() {
    const std::size_t before = problems_.size();
    if (!check_format()) return std::nullopt;
    if (const Value* version = text(line_, "version")) header_.version = version->string();
    read_foreign();
    if (const Value* scheduler = object(line_, "scheduler")) {
      read_configuration(*scheduler);
      read_scope(*scheduler);
      read_kueue(*scheduler);
      read_policy(*scheduler);
    }
    if (problems_.size() > before) return std::nullopt;
    return std::move(header_);
  }

 private:
  void report(const Value& at, std::string path, std::string message, std::string hint = {}) {
    problems_.push_back(fault_at(file_, at.mark(), {std::move(path), std::move(message), std::move(hint)}));
  }

  bool check_format() {
    const Value* format = line_.find("format");
    if (format != nullptr && format->is_string() && format->string() == kFormat) return true;
    if (format != nullptr && format->is_string() && format->string().starts_with("loadline-recording/")) {
      report(*format, "format", fmt::format("a recording of the version \"{}\"", format->string()),
             fmt::format("this version of Loadline reads \"{}\"", kFormat));
    } else {
      report(line_, "", "no recording", fmt::format("its first line begins with {{\"format\":\"{}\"", kFormat));
    }
    return false;
  }

  const Value* text(const Value& in, std::string_view name) {
    const Value* value = in.find(name);
    if (value != nullptr && value->is_string()) return value;
    report(value == nullptr ? in : *value, std::string(name), "a text is missing here");
    return nullptr;
  }

  const Value* object(const Value& in, std::string_view name) {
    const Value* value = in.find(name);
    if (value != nullptr && value->is_object()) return value;
    report(value == nullptr ? in : *value, std::string(name), "an object is missing here");
    return nullptr;
  }

  void read_foreign() {
    const Value* foreign = line_.find("foreign");
    if (foreign == nullptr) return;
    if (!foreign->is_array()) return report(*foreign, "foreign", "no array");
    for (const Value& each : foreign->array()) {
      if (!each.is_string()) return report(each, "foreign", "no text");
      header_.foreign.push_back(each.string());
    }
  }

  void read_configuration(const Value& scheduler) {
    const Value* configuration = object(scheduler, "configuration");
    if (configuration == nullptr) return;
    kube::Decoding decoding = kube::decode({{*configuration, file_}});
    for (Diagnostic& problem : decoding.diagnostics) {
      if (problem.severity == Severity::kError) problems_.push_back(std::move(problem));
    }
    auto& read = decoding.objects.of<kube::SchedulerConfiguration>();
    if (read.size() != 1) return report(*configuration, "scheduler.configuration", "no KubeSchedulerConfiguration");
    header_.configuration = std::move(read.front());
  }

  void read_scope(const Value& scheduler) {
    header_.scope = scope_of_old();
    const Value* scope = scheduler.find("configMaps");
    if (scope == nullptr) return;
    if (!scope->is_object()) return report(*scope, "scheduler.configMaps", "no object");
    const Value* name_space = scope->find("namespace");
    if (name_space != nullptr && name_space->is_string()) {
      header_.scope.config_maps = kube::CountedConfigMaps::kOfOneNamespace;
      header_.scope.name_space = name_space->string();
    }
    if (!flag(*scope, "count")) header_.scope.config_maps = kube::CountedConfigMaps::kNone;
    header_.scope.replaces_default = flag(*scope, "replaceDefault");
  }

  void read_kueue(const Value& scheduler) {
    const Value* kueue = scheduler.find("kueue");
    if (kueue == nullptr) return;
    if (!kueue->is_boolean()) return report(*kueue, "scheduler.kueue", "true or false is missing here");
    header_.has_kueue = kueue->boolean();
    header_.has_rounds = true;
  }

  bool flag(const Value& in, std::string_view name) {
    const Value* value = in.find(name);
    if (value != nullptr && value->is_boolean()) return value->boolean();
    report(value == nullptr ? in : *value, fmt::format("scheduler.configMaps.{}", name),
           "true or false is missing here");
    return false;
  }

  void read_policy(const Value& scheduler) {
    const Value* policy = scheduler.find("policy");
    if (policy == nullptr || policy->is_null()) return;
    if (!policy->is_object()) return report(*policy, "scheduler.policy", "no object");
    header_.policy.emplace();
    for (const document::Member& member : policy->object()) read_switch(member);
  }

  void read_switch(const document::Member& member) {
    const std::string path = "scheduler.policy." + member.key;
    const auto switches = engine::switches();
    const auto row = std::ranges::find(switches, member.key, &engine::Switch::name);
    if (row == switches.end()) {
      return report(member.value, path, fmt::format("there is no switch \"{}\"", member.key));
    }
    const std::optional<std::int64_t> value = row->read(member.value);
    if (!value) {
      return report(member.value, path,
                    fmt::format("{} is no value of this switch", document::write_json(member.value)), row->expected());
    }
    row->set(*header_.policy, *value);
  }

  const Value& line_;
  const std::string& file_;
  Diagnostics& problems_;
  Header header_;
};

}  // namespace

std::string header_line(const RecordedProgram& program, const scheduler::SchedulingOptions& options) {
  Line line = Line::output();
  line.text("format", kFormat).text("version", program.version);
  Array foreign;
  for (std::string& name : foreign_of(options)) foreign.emplace_back(std::move(name));
  if (!foreign.empty()) line.json("foreign", Value(std::move(foreign)));
  line.json("scheduler", Value(Object{{"configuration", kube::write_scheduler_configuration(options.configuration), {}},
                                      {"policy", options.policy ? written_policy(*options.policy) : Value(), {}},
                                      {"configMaps", written_scope(options.scope), {}},
                                      {"kueue", Value(options.has_kueue), {}}}));
  line.json("gates", Value(Object{{"WorkloadWithJob", Value(program.gates.workload_with_job), {}}}));
  return std::move(line).end();
}

std::optional<Header> read_header(const Value& line, const std::string& file, Diagnostics& problems) {
  return HeaderReader(line, file, problems).run();
}

}  // namespace loadline::recording
