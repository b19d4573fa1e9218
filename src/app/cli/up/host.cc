#include "app/cli/up/host.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/complaints.h"
#include "app/cli/input_configurations.h"
#include "app/cli/live/snapshot_file.h"
#include "app/cli/plan_input.h"
#include "app/cli/termination.h"
#include "app/cli/up/cluster_clock.h"
#include "app/cli/up/demo.h"
#include "app/cli/up/heartbeats.h"
#include "app/cli/up/host_endpoints.h"
#include "app/cli/up/manifests.h"
#include "app/cli/up/memory.h"
#include "app/cli/up/nodes.h"
#include "app/cli/up/restoring.h"
#include "app/cli/version.h"
#include "foundation/base/paced_loop.h"
#include "foundation/document/at.h"
#include "foundation/observe/log.h"
#include "hosts/embedded/cluster.h"
#include "hosts/embedded/creation.h"
#include "hosts/extension/http_extender.h"
#include "hosts/recording/recording.h"
#include "objects/kube/config/out_of_tree_plugins.h"
#include "objects/schema/quantity.h"
#include "server/apiserver/auth/kubeconfig.h"
#include "server/net/listener.h"
#include "server/net/loop.h"
#include "server/net/loop_thread.h"
#include "server/net/server.h"
#include "server/net/tls.h"

namespace loadline::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kContext = "loadline";
constexpr std::chrono::seconds kPluginRest(30);
constexpr Duration kGrace = Duration::seconds(2);
/// How long the end of the process waits for the end of what scheduler and controllers are doing.
constexpr std::chrono::seconds kControlGrace(3);
constexpr int kInterrupted = 130;

/// Each watcher is a connection: as many as the system allows, not as few as it begins with.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// What is kept, and does not do what its author expects.
struct IdleKind {
  std::string_view kind;
  std::string_view words;
  bool is_for_controllers = false;  ///< with --api-only a controller outside may act on it
};

constexpr std::string_view kNoPolicies = "is kept, but not enforced: Loadline evaluates no admission policies";
constexpr std::string_view kNoWebhooks = "is kept, but not enforced: Loadline calls no webhooks";
constexpr std::string_view kNoOperator = "is kept, but nothing runs it here yet";
constexpr IdleKind kIdleKinds[] = {
    {"HorizontalPodAutoscaler", "is kept, but no controller acts on it here: replicas stay as they are", true},
    {"RayJob", kNoOperator, true},
    {"RayCronJob", kNoOperator, true},
    {"ValidatingAdmissionPolicy", kNoPolicies},
    {"MutatingAdmissionPolicy", kNoPolicies},
    {"ValidatingWebhookConfiguration", kNoWebhooks},
    {"MutatingWebhookConfiguration", kNoWebhooks},
};

void warn_of_idle_kinds(const Manifests& manifests, bool runs_pods, Diagnostics& diagnostics) {
  for (const ManifestObject& each : manifests.objects) {
    const std::string_view kind = document::text_at(each.object, {"kind"});
    const auto* const found = std::ranges::find(kIdleKinds, kind, &IdleKind::kind);
    if (found == std::end(kIdleKinds) || (found->is_for_controllers && !runs_pods)) continue;
    diagnostics.push_back(each.diagnostic(std::string(found->words)));
    diagnostics.back().severity = Severity::kWarning;
  }
}

/// One run of the command: read, open, listen, tell, fill, serve, end.
class Host {
 public:
  Host(UpArguments arguments, Console& console) : arguments_(std::move(arguments)), console_(console) {}

  int run() {
    raise_file_limit();
    keep_reserve();
    // Until it serves there is nothing that would have to be brought to an end.
    termination_.when_asked([this] {
      if (!serves_) termination_.end_now(kInterrupted);
      loop_.post([this] { stop(); });
    });
    // In range: the option was checked.
    static_cast<void>(cluster_clock_.set_speed(arguments_.speed));
    if (!read_files()) return kBadInput;
    if (const Result<void> started = start(); !started) {
      console_.err << "error: " << started.error().message << '\n';
      return kBadInput;
    }
    if (!check_kinds()) return kBadInput;
    serves_ = true;
    loop_.run();
    serves_ = false;
    server_.reset();
    demo_.reset();
    restoring_.reset();
    const bool has_ended = cluster_->end_control(kControlGrace);
    if (has_ended) {
      cluster_.reset();
    } else {
      cluster_->close_store();
    }
    // A server that keeps nothing leaves no way to it behind.
    if (arguments_.in_memory) {
      termination_.finish_first(
          [this] { static_cast<void>(apiserver::remove_kubeconfig(arguments_.kubeconfig, std::string(kContext))); });
    }
    const int status = failed_ ? kBadInput : kDone;
    if (has_ended) return status;
    console_.err << "warning: scheduler and controllers are busy, and were ended where they are; all that was written "
                    "is kept\n"
                 << std::flush;
    console_.out << std::flush;
    termination_.end_now(status);
  }

 private:
  bool read_files() {
    Diagnostics diagnostics;
    if (!arguments_.snapshots.empty()) {
      snapshot_ = read_snapshot(arguments_.snapshots, console_.in, clock_.now());
      diagnostics = std::move(snapshot_.diagnostics);
      // An API server accepted these objects, so its warnings about them are not repeated.
      std::erase_if(diagnostics, [](const Diagnostic& each) { return each.severity != Severity::kError; });
    }
    if (!arguments_.files.empty()) {
      manifests_ = read_manifests(arguments_.files, as_planned().reading("-f"), console_.in);
      std::ranges::move(manifests_.diagnostics, std::back_inserter(diagnostics));
      warn_of_idle_kinds(manifests_, arguments_.runs_pods(), diagnostics);
    }
    read_scheduler(diagnostics);
    return report(std::move(diagnostics));
  }

  /// How files are read here and by `plan` alike.
  [[nodiscard]] PlanFiles as_planned() const {
    PlanFiles files;
    files.command = "up";
    files.accept_retired = arguments_.accept_retired;
    files.scope = arguments_.scope;
    return files;
  }

  /// What --config, --policy and --plugin name.
  void read_scheduler(Diagnostics& diagnostics) {
    PlanFiles files = as_planned();
    files.configuration = arguments_.configuration;
    files.policy = arguments_.policy;
    files.plugins = arguments_.plugins;
    files.plugins.rest = kPluginRest;
    scheduler_ = read_plan_input(files, console_.in);
    std::ranges::move(scheduler_.diagnostics, std::back_inserter(diagnostics));
    if (!arguments_.configuration.empty() || !manifests_.scheduler) return;
    scheduler_.configuration = *manifests_.scheduler;
    distrust_files(diagnostics);
    std::ranges::move(kube::unknown_plugins(scheduler_.configuration, scheduler_.plugins.names()),
                      std::back_inserter(diagnostics));
  }

  /// The author of the files need not be who starts the cluster.
  void distrust_files(Diagnostics& diagnostics) {
    if (arguments_.trusts_files) return;
    const std::vector<std::string_view> plugins = scheduler_.plugins.names();
    ConfigurationRights rights;
    rights.tells_of_extenders = !arguments_.without_extenders;
    rights.plugins = plugins;
    distrust(scheduler_.configuration, rights, diagnostics);
  }

  void add_scheduler(embedded::ClusterOptions& options) const {
    options.scheduler = scheduler_.configuration;
    options.configurations = arguments_.scope;
    if (!arguments_.policy.empty()) options.policy = scheduler_.policy.policy;
    scheduler_.plugins.add_to(options.extensions);
    if (arguments_.without_extenders) return;
    // While one is asked, everything waits but the API server.
    const extension::ExtenderPatience patience{Duration::seconds(5), Duration::seconds(30)};
    options.extensions.extenders = std::make_shared<extension::HttpExtenders>(patience);
  }

  Result<void> add_recording(embedded::ClusterOptions& options) const {
    if (arguments_.record.empty()) return {};
    Result<recording::Write> write =
        recording::open_recording_file(arguments_.record, [log = options.log](const std::string& why) {
          log->write(observe::LogLevel::kError, "recording", "The recording ends here", {{"error", why}});
        });
    if (!write) return tl::unexpected(write.error());
    options.recording = std::make_shared<recording::Recording>(
        *std::move(write), recording::RecordedProgram{version_text(), arguments_.gates});
    return {};
  }

  /// A snapshot says which StorageClasses there are, be it none; files, if they name one.
  [[nodiscard]] bool brings_storage() const {
    return !arguments_.snapshots.empty() || std::ranges::any_of(manifests_.objects, [](const ManifestObject& each) {
      return document::text_at(each.object, {"kind"}) == "StorageClass";
    });
  }

  /// A dump that was made without ServiceAccounts: every cluster has some.
  [[nodiscard]] bool lacks_accounts() const {
    return !arguments_.snapshots.empty() && std::ranges::none_of(snapshot_.objects, [](const document::Value& each) {
      return document::text_at(each, {"kind"}) == "ServiceAccount";
    });
  }

  /// Whether a cluster may be started with what was read.
  bool report(Diagnostics diagnostics) {
    const Complaints complaints = sorted_complaints(std::move(diagnostics), Warnings::kShown);
    for (const std::string& line : complaints.lines) console_.err << line << '\n';
    if (complaints.errors == 0) return true;
    console_.err << complaint_count(complaints) << "; nothing was started.\n";
    return false;
  }

  Result<void> start() {
    embedded::ClusterOptions whole;
    apiserver::ControlPlaneOptions& options = whole.plane;
    whole.runs_pods = arguments_.runs_pods();
    whole.has_scheduler = !arguments_.without_scheduler;
    whole.has_machines = !arguments_.without_kubelets;
    whole.disabled_operators = arguments_.disabled_operators;
    whole.gates = arguments_.gates;
    whole.lease_period = lease_period_;
    if (whole.runs_pods) whole.control_loop = control_clock_.get();
    whole.log = std::make_shared<observe::Log>(
        observe::LogOptions{*observe::parse_log_level(arguments_.log_level),
                            *observe::parse_log_format(arguments_.log_format)},
        [this](std::string_view line) { console_.err << line << std::flush; }, [this] { return loop_.now(); });
    // Whatever comes of one object there, all others go on.
    control_.loop().post([loop = &control_.loop(), log = whole.log] {
      loop->survive([log](std::string_view why) {
        log->write(observe::LogLevel::kError, "control", "A task failed and was given up", {{"err", std::string(why)}});
      });
    });
    add_scheduler(whole);
    if (const Result<void> recorded = add_recording(whole); !recorded) return recorded;
    whole.provides_storage = !brings_storage();
    // Before anything is left behind.
    if (const Result<void> listening = can_listen(); !listening) return listening;
    if (!arguments_.in_memory) {
      options.data_dir = arguments_.data_dir;
      std::error_code problem;
      // The folder itself is the store's to make, so that only its owner can look into it.
      const std::filesystem::path parent = std::filesystem::absolute(options.data_dir).parent_path();
      std::filesystem::create_directories(parent, problem);
      if (problem) return failure(fmt::format("cannot make {}: {}", parent.string(), problem.message()));
    }
    if (const Result<void> added = choose_nodes(arguments_, manifests_.nodes, clock_.now(), whole); !added) {
      return added;
    }
    options.names = {arguments_.address};
    options.bounds = bounds();
    options.runs_builtin_controllers = !arguments_.without_builtin_controllers;
    options.disabled_admission_plugins = arguments_.disabled_admission_plugins;
    if (lacks_accounts()) {
      console_.err
          << "warning: the snapshot holds no ServiceAccounts, so it is not checked whether those of its pods exist; "
             "make the dump with loadline dump, which takes them along\n";
      options.disabled_admission_plugins.emplace_back("ServiceAccount");
    }
    Result<std::unique_ptr<embedded::Cluster>> cluster = embedded::Cluster::open(clock_, std::move(whole));
    if (!cluster) return tl::unexpected(cluster.error());
    cluster_ = std::move(*cluster);
    cluster_->plane().set_wall(loop_);
    clock_.settle_with([this](const EventLoop::Task& then) { cluster_->when_idle(then); });
    restoring_ = std::make_unique<Restoring>(*cluster_, loop_);
    endpoints_ = std::make_unique<HostEndpoints>(cluster_->plane(), cluster_clock_,
                                                 [this](std::vector<document::Value> objects, bool more, auto done) {
                                                   restoring_->load(std::move(objects), more, std::move(done));
                                                 });
    if (const Result<void> listening = listen(); !listening) return listening;
    cluster_->when_ready([this](const Result<void>& durable) { on_ready(durable); });
    return {};
  }

  /// How much it takes in.
  [[nodiscard]] apiserver::Bounds bounds() const {
    apiserver::Bounds bounds;
    const auto wanted = kube::Quantity::parse(arguments_.most_memory);
    bounds.memory = wanted ? static_cast<std::size_t>(wanted->value()) : memory_to_take();
    bounds.memory_now = memory_meter();
    bounds.pods = arguments_.most_pods.value_or(bounds.memory == 0 ? 0 : pods_in(bounds.memory));
    return bounds;
  }

  /// Whether the server knows the kinds of all objects in the files; it does not accept connections yet.
  bool check_kinds() {
    Diagnostics diagnostics;
    for (const std::size_t index : embedded::unknown_kinds(cluster_->plane().context().catalog, objects())) {
      const ManifestObject& object = manifests_.objects[index];
      diagnostics.push_back(object.diagnostic(embedded::unknown_kind_text(object.object)));
    }
    return report(std::move(diagnostics));
  }

  [[nodiscard]] std::vector<document::Value> objects() const {
    std::vector<document::Value> objects;
    objects.reserve(manifests_.objects.size());
    for (const ManifestObject& object : manifests_.objects) objects.push_back(object.object);
    return objects;
  }

  /// Whether the address can be listened on.
  Result<void> can_listen() {
    const auto trial = net::Listener::open(loop_, arguments_.address, arguments_.port, [](const auto&) {});
    return trial ? Result<void>() : not_listening(trial.error());
  }

  static Result<void> not_listening(const Error& why) {
    const bool is_taken = why.message.find("in use") != std::string::npos;
    return failure(why.message + (is_taken ? " (--port 0 takes a free one)" : ""));
  }

  Result<void> listen() {
    const apiserver::ServerSecrets& secrets = cluster_->plane().secrets();
    Result<std::shared_ptr<const net::TlsContext>> tls = net::TlsContext::for_server(
        {secrets.server.certificate_pem, secrets.server.key_pem, secrets.authority.certificate_pem, true});
    if (!tls) return tl::unexpected(tls.error());
    server_ = std::make_unique<net::Server>(loop_, net::ServerOptions{*tls, {}}, *endpoints_);
    const Result<std::uint16_t> port = server_->listen(loop_, arguments_.address, arguments_.port);
    if (!port) return not_listening(port.error());
    address_ = fmt::format("{}:{}", arguments_.address, *port);
    cluster_->plane().set_address(address_);
    return {};
  }

  void on_ready(const Result<void>& durable) {
    if (is_stopping_) return;
    const Result<void> written = durable ? write_kubeconfig() : durable;
    if (!written) {
      console_.err << "error: " << written.error().message << '\n';
      failed_ = true;
      return stop();
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began_);
    console_.out << fmt::format("Kubernetes API   https://{} (ready in {} ms)\n", address_, took.count())
                 << fmt::format("kubeconfig       {} (context {})\n", arguments_.kubeconfig, kContext)
                 << fmt::format("data             {}\n",
                                arguments_.in_memory ? "in memory: gone when this ends" : arguments_.data_dir);
    console_.out << std::flush;
    cluster_->look(describe_nodes, [this](const std::optional<std::string>& nodes) {
      if (nodes && arguments_.snapshots.empty()) console_.out << *nodes;
      describe_clock();
      // Later, for it ends the controllers that are calling us.
      loop_.post([this] { put_back(); });
    });
  }

  void describe_clock() {
    if (arguments_.speed == 0) console_.out << "clock            stands still\n";
    if (arguments_.speed != 0 && arguments_.speed != 1) {
      console_.out << fmt::format("clock            {:g} times the wall's\n", arguments_.speed);
    }
    console_.out << std::flush;
  }

  Result<void> write_kubeconfig() {
    const apiserver::ServerSecrets& secrets = cluster_->plane().secrets();
    const apiserver::KubeconfigEntry entry{
        std::string(kContext), "https://" + address_, secrets.authority.certificate_pem, secrets.owner_token, {}, {}};
    Result<void> written;
    termination_.finish_first([&] { written = apiserver::write_kubeconfig(arguments_.kubeconfig, entry); });
    return written;
  }

  void put_back() {
    if (arguments_.snapshots.empty()) return fill();
    restoring_->load(snapshot_.objects, false, [this](const std::vector<embedded::Creation>& creations) {
      Diagnostics refusals;
      for (const embedded::Creation& creation : creations) {
        const ManifestObject object{creation.object, nullptr};
        if (!creation.why.empty()) refusals.push_back(object.diagnostic(creation.why));
      }
      tell("snapshot", creations, refusals);
      fill();
    });
  }

  void fill() {
    if (arguments_.files.empty()) return demonstrate();
    embedded::create_objects(*cluster_, loop_, objects(), embedded::Entry::kNew,
                             [this](const std::vector<embedded::Creation>& creations) { on_filled(creations); });
  }

  /// Says what became of the files' objects. What was refused is no reason to end: it can be applied again.
  void on_filled(const std::vector<embedded::Creation>& creations) {
    Diagnostics refusals;
    for (std::size_t i = 0; i < creations.size(); ++i) {
      if (creations[i].why.empty()) continue;
      refusals.push_back(manifests_.objects[i].diagnostic(creations[i].why));
    }
    tell("objects", creations, refusals);
    demonstrate();
  }

  void demonstrate() {
    if (!arguments_.demo || !arguments_.runs_pods()) return;
    demo_ = std::make_unique<Demo>(*cluster_, clock_, arguments_.seed);
    demo_->start();
    console_.out << "demo             jobs arrive for ever; watch them with: kubectl get pods -A --watch\n"
                 << std::flush;
  }

  void tell(std::string_view what, const std::vector<embedded::Creation>& creations, const Diagnostics& refusals) {
    const auto count = [&](embedded::CreationResult result) {
      return std::ranges::count(creations, result, &embedded::Creation::result);
    };
    const auto there = count(embedded::CreationResult::kWasThere);
    console_.out << fmt::format("{:<17}{} created{}{}\n", what, count(embedded::CreationResult::kCreated),
                                there > 0 ? fmt::format(", {} there already", there) : "",
                                refusals.empty() ? "" : fmt::format(", {} refused", refusals.size()))
                 << std::flush;
    for (const std::string& line : sorted_complaints(with_repetitions_counted(refusals), Warnings::kShown).lines) {
      console_.err << line << '\n';
    }
    console_.err << std::flush;
  }

  void stop() {
    is_stopping_ = true;
    if (cluster_ != nullptr) cluster_->stop();
    if (server_ == nullptr) return loop_.stop();
    server_->stop(kGrace, [this] { loop_.stop(); });
  }

  UpArguments arguments_;
  Console& console_;
  Clock::time_point began_ = Clock::now();
  Manifests manifests_;
  PlanInput scheduler_;  // its configuration, policy and plugins
  SnapshotFile snapshot_;
  Termination termination_;
  net::Loop loop_;
  net::LoopThread control_;  // where controllers, scheduler and machines work
  PacedLoop clock_{loop_};   // the cluster's: what runs in it; sockets keep the wall's
  std::unique_ptr<EventLoop> control_clock_ = clock_.lane(control_.loop());
  std::shared_ptr<std::atomic<Duration>> lease_period_ = std::make_shared<std::atomic<Duration>>(kLeasePeriod);
  ClusterClock cluster_clock_{clock_,
                              [this](double speed, Duration step) { *lease_period_ = lease_period(speed, step); }};
  std::unique_ptr<embedded::Cluster> cluster_;
  std::unique_ptr<Restoring> restoring_;
  std::unique_ptr<Demo> demo_;
  std::unique_ptr<HostEndpoints> endpoints_;
  std::unique_ptr<net::Server> server_;
  std::string address_;
  std::atomic<bool> serves_ = false;  // the loop runs, and has to end
  bool is_stopping_ = false;
  bool failed_ = false;
};

}  // namespace

int host_cluster(UpArguments arguments, Console& console) { return Host(std::move(arguments), console).run(); }

}  // namespace loadline::cli
