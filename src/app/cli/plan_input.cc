#include "app/cli/plan_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "app/cli/input_configurations.h"
#include "app/cli/live/cluster_reader.h"
#include "app/cli/most_pods.h"
#include "app/cli/planned_schedulers.h"
#include "app/cli/policy_choice.h"
#include "app/cli/scheduler_choice.h"
#include "brain/cluster/spellings/kinds.h"
#include "brain/workloads/kinds.h"
#include "hosts/simulator/shared_gpus.h"
#include "objects/kube/codec.h"
#include "objects/kube/config/out_of_tree_plugins.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/koordinator/reservation.h"
#include "objects/kube/overlay.h"

namespace loadline::cli {
namespace {

void append(Diagnostics& to, Diagnostics from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

Diagnostic input_error(std::string message, const std::string& file = "") {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  if (!file.empty()) diagnostic.at.file = std::make_shared<const std::string>(file);
  return diagnostic;
}

void fail_configuration(PlanInput& input, Diagnostic why) {
  input.configuration_failed = true;
  input.diagnostics.push_back(std::move(why));
}

/// Reads the configuration that --config names; it must hold exactly one.
void read_configuration(const PlanFiles& files, std::istream& standard_input, PlanInput& input,
                        std::vector<kube::SourceDocument>* kept) {
  const std::string& file = files.configuration;
  Diagnostics diagnostics;
  kube::Objects objects = read_objects({file}, files.reading("--config"), standard_input, diagnostics, kept);
  const bool failed = has_errors(diagnostics);
  append(input.diagnostics, std::move(diagnostics));
  input.configuration_failed = input.configuration_failed || failed;
  if (failed) return;
  std::vector<kube::SchedulerConfiguration>& found = objects.of<kube::SchedulerConfiguration>();
  if (found.size() == 1) {
    input.configuration = std::move(found.front());
    return;
  }
  fail_configuration(input, input_error(fmt::format("--config must name one KubeSchedulerConfiguration "
                                                    "(kubescheduler.config.k8s.io/v1) or a ConfigMap that carries one; "
                                                    "this holds {}",
                                                    found.empty() ? "none" : std::to_string(found.size())),
                                        file));
}

/// Makes one configuration of those that the input carries.
void combine_configurations(const PlanFiles& files, Purpose purpose, PlanInput& input) {
  const std::vector<std::string_view> plugins = input.plugins.names();
  const bool asks_any = purpose != Purpose::kLint;
  ConfigurationRights rights{files.scope, files.trusts_input};
  rights.may_be_trusted = files.command != "replay";
  rights.tells_of_extenders = asks_any && files.calls_extenders;
  rights.has_looked_for_plugins = asks_any;
  rights.plugins = plugins;
  Diagnostics told;
  choose_profiles(input.objects.of<kube::SchedulerConfiguration>(), rights, told);
  input.configuration_failed = input.configuration_failed || has_errors(told);
  append(input.diagnostics, std::move(told));
  Result<kube::SchedulerConfiguration> combined =
      combined_configuration(input.objects.of<kube::SchedulerConfiguration>());
  if (combined) {
    input.configuration = *std::move(combined);
  } else {
    fail_configuration(input, input_error(combined.error().message));
  }
}

/// If one cannot be loaded, there is no configuration to go on with: its name is not known either.
void load_plugins(const PluginFiles& named, PlanInput& input) {
  Diagnostics problems;
  input.plugins = Plugins::load(named, problems);
  input.configuration_failed = !problems.empty();
  append(input.diagnostics, std::move(problems));
}

/// Looks for plugins that the configuration names and that neither Loadline nor a library has.
void find_missing_plugins(PlanInput& input) {
  if (input.configuration_failed) return;
  Diagnostics problems = kube::unknown_plugins(input.configuration, input.plugins.names());
  input.configuration_failed = !problems.empty();
  append(input.diagnostics, std::move(problems));
}

template <class Kind>
void latest_creation(const std::vector<Kind>& objects, std::optional<Instant>& latest) {
  for (const Kind& object : objects) latest = std::max(latest, object.metadata.creation_timestamp);
}

bool has_workloads(const kube::Objects& objects) {
  bool has = !(objects.of<kube::Pod>().empty() && objects.of<kube::Reservation>().empty() &&
               objects.of<kube::KoordinatorReservation>().empty());
  workloads::for_each_kind([&]<class Kind>() { has |= !objects.of<Kind>().empty(); });
  return has;
}

/// Typed objects of documents; what is wrong with them goes to `diagnostics`, and the documents to `kept`, unless null.
kube::Objects decode(std::vector<kube::SourceDocument> documents, const InputReading& reading, Diagnostics& diagnostics,
                     std::vector<kube::SourceDocument>* kept) {
  kube::Decoding decoding = decode_input(documents, reading);
  append(diagnostics, std::move(decoding.diagnostics));
  if (kept != nullptr) std::ranges::move(documents, std::back_inserter(*kept));
  return std::move(decoding.objects);
}

/// The documents of the cluster that runs, as those of a dump; problems go to the input.
std::vector<kube::SourceDocument> live_documents(const AccessArguments& access, PlanInput& input) {
  std::vector<kube::SourceDocument> documents;
  Result<ClusterApi> api = ClusterApi::open(access);
  if (!api) {
    input.diagnostics.push_back(input_error(api.error().message));
    return documents;
  }
  const ApiResult<ClusterReading> reading = read_cluster(*api, {}, [&](document::Value object) -> Result<void> {
    documents.push_back({std::move(object), api->access().server});
    return {};
  });
  if (!reading) {
    input.diagnostics.push_back(input_error(reading.error().message));
    return documents;
  }
  for (const std::string& message : reading->withheld) {
    input.diagnostics.push_back(input_error(message));
    input.diagnostics.back().severity = Severity::kWarning;
  }
  input.objects.is_whole_cluster = reading->withheld.empty();
  return documents;
}

/// What the cluster that runs holds, first. An API server accepted all of it, so its faults are not reported.
void read_live_cluster(const PlanFiles& files, PlanInput& input, std::vector<kube::SourceDocument>* kept) {
  if (!files.is_live) return;
  std::vector<kube::SourceDocument> documents = live_documents(files.access, input);
  Diagnostics accepted;
  InputReading reading;
  reading.rules.scheduler_namespace = files.reading("--live").rules.scheduler_namespace;
  append(input.diagnostics, kube::apply_over(input.objects, decode(std::move(documents), reading, accepted, kept)));
  // It took what ConfigMaps say for texts.
  std::erase_if(accepted, [](const Diagnostic& each) { return !is_about_configuration(each); });
  append(input.diagnostics, std::move(accepted));
}

/// The cluster: the one that runs, and what --cluster names.
void read_whole_cluster(const PlanFiles& files, std::istream& standard_input, PlanInput& input,
                        std::vector<kube::SourceDocument>* kept) {
  Diagnostics diagnostics = std::exchange(input.diagnostics, {});
  read_live_cluster(files, input, kept);
  kube::Objects cluster =
      read_objects(files.cluster, files.reading("--cluster"), standard_input, input.diagnostics, kept);
  append(input.diagnostics, kube::apply_over(input.objects, std::move(cluster)));
  tolerate_faulty_configurations(input.diagnostics);
  for (kube::SchedulerConfiguration& configuration : input.objects.of<kube::SchedulerConfiguration>()) {
    if (configuration.config_map) configuration.config_map->is_of_cluster = true;
  }
  append(diagnostics, std::move(input.diagnostics));
  input.diagnostics = std::move(diagnostics);
}

/// Whether two options name standard input: the second would find nothing. Within one option, loading tells it.
bool name_standard_input_twice(const PlanFiles& files) {
  const auto has = [](const std::vector<std::string>& names) { return std::ranges::find(names, "-") != names.end(); };
  const int options = static_cast<int>(has(files.cluster)) + static_cast<int>(has(files.manifests)) +
                      static_cast<int>(files.configuration == "-") + static_cast<int>(files.policy == "-");
  return options > 1;
}

}  // namespace

InputReading PlanFiles::reading(std::string_view option) const {
  InputReading reading;
  // A cluster has its objects already.
  if (option != "--cluster") reading.creation = command == "lint" ? CreationRules::kAll : CreationRules::kUnread;
  if (accept_retired) reading.rules.retired = kube::RetiredVersions::kAccepted;
  reading.rules.guesses_workloads = guess_workloads;
  // What --config does not name, the input's ConfigMaps may say.
  if (configuration.empty() && option != "--config") reading.rules.scheduler_namespace = scope.name_space;
  reading.pipe_into = fmt::format("loadline {} {} -", command, option);
  return reading;
}

kube::Objects read_objects(const std::vector<std::string>& paths, const InputReading& reading,
                           std::istream& standard_input, Diagnostics& diagnostics,
                           std::vector<kube::SourceDocument>* kept) {
  if (kept == nullptr) {
    InputObjects read = read_input_objects(paths, standard_input, reading);
    append(diagnostics, std::move(read.problems));
    append(diagnostics, std::move(read.decoding.diagnostics));
    return std::move(read.decoding.objects);
  }
  InputFiles files = read_input_files(paths, standard_input, reading);
  append(diagnostics, std::move(files.problems));
  return decode(std::move(files.documents), reading, diagnostics, kept);
}

PlanInput read_plan_input(const PlanFiles& files, std::istream& standard_input, Purpose purpose) {
  PlanInput input;
  if (name_standard_input_twice(files))
    input.diagnostics.push_back(input_error("can be read only once", "standard input"));
  std::vector<kube::SourceDocument>* kept = purpose == Purpose::kPlan ? nullptr : &input.documents;
  if (purpose != Purpose::kLint) load_plugins(files.plugins, input);
  read_whole_cluster(files, standard_input, input, kept);
  input.cluster_documents = input.documents.size();
  input.cluster_diagnostics = input.diagnostics.size();
  kube::Objects manifests = read_objects(files.manifests, files.reading("-f"), standard_input, input.diagnostics, kept);
  append(input.diagnostics, kube::apply_over(input.objects, std::move(manifests)));
  append(input.diagnostics, simulator::share_gpus(input.objects));
  if (purpose == Purpose::kTimeline) kept = nullptr;
  if (!files.configuration.empty()) {
    read_configuration(files, standard_input, input, kept);
  } else {
    combine_configurations(files, purpose, input);
  }
  for (const std::string_view name : schedulers_at_home(input.objects)) kube::answer_to(name, input.configuration);
  choose_policy(files, standard_input, input, kept);
  if (purpose != Purpose::kLint) find_missing_plugins(input);
  refuse_too_many_pods(files, purpose, input);
  return input;
}

Instant default_start(const kube::Objects& objects) {
  std::optional<Instant> latest;
  latest_creation(objects.of<kube::Node>(), latest);
  latest_creation(objects.of<kube::Namespace>(), latest);
  latest_creation(objects.of<kube::Pod>(), latest);
  workloads::for_each_kind([&]<class Kind>() { latest_creation(objects.of<Kind>(), latest); });
  latest_creation(objects.of<kube::PersistentVolumeClaim>(), latest);
  latest_creation(objects.of<kube::Reservation>(), latest);
  latest_creation(objects.of<kube::KoordinatorReservation>(), latest);
  constexpr std::int64_t kStartOf2026 = 1'767'225'600;  // 2026-01-01T00:00:00Z
  return latest.value_or(Instant{Duration::seconds(kStartOf2026).nanoseconds});
}

std::string missing_objects(const kube::Objects& objects) {
  if (objects.of<kube::Node>().empty()) {
    return (
        "the input holds no nodes, so there is nowhere to place anything. Take them from your cluster:\n"
        "  loadline dump -o cluster.yaml\n"
        "  loadline plan --cluster cluster.yaml -f my-app/");
  }
  if (!has_workloads(objects) && kube::has_unplanned(objects.skipped)) {
    return fmt::format("the input holds {} node{} and only workloads that loadline does not run",
                       objects.of<kube::Node>().size(), objects.of<kube::Node>().size() == 1 ? "" : "s");
  }
  if (!has_workloads(objects)) {
    return fmt::format(
        "the input holds {} node{} but nothing to place on them: no pod, and no workload "
        "that makes pods. Name manifests with -f",
        objects.of<kube::Node>().size(), objects.of<kube::Node>().size() == 1 ? "" : "s");
  }
  return "";
}

}  // namespace loadline::cli
