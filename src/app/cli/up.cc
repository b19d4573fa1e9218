#include "app/cli/up.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string>

#include "app/cli/configuration_options.h"
#include "app/cli/feature_gates.h"
#include "app/cli/live/access.h"
#include "app/cli/planning_options.h"
#include "app/cli/policy_choice.h"
#include "app/cli/up/arguments.h"
#include "app/cli/up/host.h"
#include "hosts/operators/registry.h"
#include "objects/schema/quantity.h"
#include "server/apiserver/admission/plugins.h"

namespace loadline::cli {
namespace {

constexpr std::string_view kUpExamples = R"(Examples:
  A cluster on this machine, kept in ~/.local/share/loadline, and a context "loadline" in your kubeconfig:
    loadline up
  A hundred nodes with eight A100 each in three zones, and twenty spot machines:
    loadline up --nodes 100:gpu=a100:8 --nodes 20:capacity-type=spot --zones 3
  Your own manifests, and nodes as kind would make them:
    loadline up -f kind-cluster.yaml -f my-app/
  One in which something is always going on, ten times as fast as life:
    loadline up --demo --speed 10
  A copy of another cluster:
    loadline up --in-memory --snapshot cluster.yaml.gz
  One that is gone when it ends, on a free port, with a kubeconfig of its own:
    loadline up --in-memory --port 0 --kubeconfig ./kubeconfig
    kubectl --kubeconfig ./kubeconfig get namespaces)";

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// $XDG_DATA_HOME/loadline, else ~/.local/share/loadline.
std::string default_data_dir() {
  if (const std::string data = from_environment("XDG_DATA_HOME"); !data.empty()) return data + "/loadline";
  return from_environment("HOME") + "/.local/share/loadline";
}

/// What CLI11 asks of a text before it makes a number of it.
std::string port_fault(const std::string& text) {
  constexpr unsigned kHighest = 65535;
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error == std::errc{} && end == text.data() + text.size() && port <= kHighest) return "";
  return "\"" + text + "\" is no port; write a number from 0, for a free one, to 65535";
}

std::string memory_fault(const std::string& text) {
  const auto memory = kube::Quantity::parse(text);
  if (memory && memory->sign() >= 0) return "";
  return "\"" + text + "\" is no amount of memory; write bytes, or a quantity like 512Mi or 4Gi; 0: any";
}

}  // namespace

void add_up(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("up", "Start a Kubernetes cluster on this machine, with virtual nodes");
  command->footer(std::string(kUpExamples));
  auto arguments = std::make_shared<UpArguments>();
  arguments->data_dir = default_data_dir();
  arguments->kubeconfig = default_kubeconfig();
  command
      ->add_option("-f,--filename", arguments->files,
                   "What the cluster is to begin with: a file, a folder (read recursively), a glob, or - for standard "
                   "input. Nodes, also those of a kind Cluster file, become virtual nodes; other objects are created "
                   "unless they are there. May be given again")
      ->allow_extra_args(false);
  add_accept_retired(*command, arguments->accept_retired);
  command
      ->add_option(
          "--snapshot", arguments->snapshots,
          "Put this snapshot back first: what loadline snapshot saved, or what loadline dump wrote of a real cluster")
      ->allow_extra_args(false);
  CLI::Option* data =
      command->add_option("--data-dir", arguments->data_dir, "Where everything is kept")->capture_default_str();
  command->add_flag("--in-memory", arguments->in_memory, "Keep nothing")->excludes(data);
  command->add_option("--address", arguments->address, "The address to listen on")->capture_default_str();
  command->add_option("--port", arguments->port, "The port to listen on; 0: a free one")
      ->capture_default_str()
      ->check(CLI::Validator(port_fault, "0 to 65535"));
  command->add_option("--kubeconfig", arguments->kubeconfig, "Where to write how to reach it")->capture_default_str();
  command->add_option("--nodes", arguments->nodes,
                      "Virtual nodes: COUNT, or COUNT:KEY=VALUE,... as in 50:gpu=a100:8 or "
                      "20:cpu=64,memory=256Gi,capacity-type=spot,taint=spot=true:NoSchedule, or 4:like=NODE, one of a "
                      "file; may be repeated");
  command->add_option("--gpu", arguments->gpu, "GPUs of those nodes: MODEL:COUNT, as in a100:8");
  command->add_option("--zones", arguments->zones, "How many zones the nodes are dealt out to")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--speed", arguments->speed, "How fast the cluster's clock runs; 0: it stands still")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  command
      ->add_option("--log-level", arguments->log_level,
                   "What is told on standard error: error, warning, info (bindings, refusals), debug (each request)")
      ->capture_default_str()
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
  command->add_option("--log-format", arguments->log_format, "How: text, as klog writes it, or json, an object a line")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json"}));
  command->add_option("--config", arguments->configuration,
                      "How the scheduler decides: a KubeSchedulerConfiguration, or a ConfigMap that carries one. "
                      "ConfigMaps of one namespace add profiles of their own");
  add_scope_options(*command, arguments->scope);
  add_trust_option(*command, arguments->trusts_files);
  add_policy_option(*command, arguments->policy, "the Policy in the cluster, as it changes");
  add_plugin_options(*command, arguments->plugins);
  command->add_flag("--without-extenders", arguments->without_extenders,
                    "Call none of the extenders that the configuration names, and decide without them");
  command->add_option("--max-pods", arguments->most_pods,
                      "Keep so many pods at most, and refuse others; 0: any number. Unless said, as many as the memory "
                      "holds, 48 KiB each");
  command
      ->add_option("--max-memory", arguments->most_memory,
                   "Take so much memory at most (4Gi), and refuse new objects then; 0: any. Unless said, half "
                   "of what the machine, the control group and ulimit -v leave")
      ->check(CLI::Validator(memory_fault, "QUANTITY"));
  CLI::Option* record =
      command->add_option("--record", arguments->record,
                          "Write all that the scheduler is told and decides into this file, which is emptied first: "
                          "loadline replay FILE --check decides it again");
  CLI::Option* demo =
      command->add_flag("--demo", arguments->demo,
                        "Let work arrive for ever: services, training, experiments; some fail, some are preempted");
  command->add_option("--seed", arguments->seed, "Seed of what arrives with --demo")
      ->capture_default_str()
      ->needs(demo);
  command
      ->add_flag("--api-only", arguments->api_only,
                 "Only the API server: no controllers, no scheduler, nothing runs pods")
      ->excludes(record);
  command
      ->add_flag("--without-builtin-controllers", arguments->without_builtin_controllers,
                 "Less than that: leave namespaces, garbage, service accounts and roles to a real "
                 "kube-controller-manager, too")
      ->excludes(record);
  command
      ->add_flag("--without-scheduler", arguments->without_scheduler, "Controllers, but another scheduler binds pods")
      ->excludes(record);
  command->add_flag("--without-kubelets", arguments->without_kubelets,
                    "No virtual machines: another program registers nodes and runs their pods");
  std::vector<std::string> operators;
  for (const operators::Operator& each : operators::all_operators()) operators.emplace_back(each.name);
  command
      ->add_option("--disable-operators", arguments->disabled_operators,
                   "Operators to leave out, where real ones work, or nobody is to: jobset,kuberay,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(operators));
  add_feature_gates(*command, arguments->gates);
  // An older name, to be gone with 0.2.
  command->add_flag("--without-housekeeping", arguments->without_builtin_controllers)->group("");
  const auto plugins = apiserver::default_plugin_names();
  command
      ->add_option("--disable-admission-plugins", arguments->disabled_admission_plugins,
                   "Admission plugins to leave out, by kube-apiserver's names: ServiceAccount,Priority,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(std::vector<std::string>(plugins.begin(), plugins.end())));
  command->callback([arguments, &console, &status] { status = host_cluster(*arguments, console); });
}

}  // namespace loadline::cli
