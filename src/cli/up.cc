#include "cli/up.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "apiserver/auth/kubeconfig.h"
#include "base/paced_loop.h"
#include "cli/termination.h"
#include "embedded/cluster.h"
#include "kubelet/node_shapes.h"
#include "net/loop.h"
#include "net/server.h"
#include "net/tls.h"

namespace loadline::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint16_t kDefaultPort = 6443;
constexpr std::string_view kContext = "loadline";
constexpr Duration kGrace = Duration::seconds(2);

constexpr std::string_view kExamples = R"(Examples:
  A cluster on this machine, kept in ~/.local/share/loadline, and a context "loadline" in your kubeconfig:
    loadline up
  A hundred nodes with eight A100 each in three zones, and twenty spot machines:
    loadline up --nodes 100:gpu=a100:8 --nodes 20:capacity-type=spot --zones 3
  One that is gone when it ends, on a free port, with a kubeconfig of its own:
    loadline up --in-memory --port 0 --kubeconfig ./kubeconfig
    kubectl --kubeconfig ./kubeconfig get namespaces)";

/// What a newcomer finds.
constexpr const char* kFirstNodes[] = {"2:cpu=32,memory=128Gi", "2:gpu=a100:8"};

struct UpArguments {
  std::string data_dir;
  bool in_memory = false;
  std::string address = "127.0.0.1";
  std::uint16_t port = kDefaultPort;
  std::string kubeconfig;
  std::vector<std::string> nodes;
  std::string gpu;
  std::size_t zones = 1;
  double speed = 1;
  bool api_only = false;
  bool without_housekeeping = false;
};

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// $XDG_DATA_HOME/loadline, else ~/.local/share/loadline.
std::string default_data_dir() {
  if (const std::string data = from_environment("XDG_DATA_HOME"); !data.empty()) return data + "/loadline";
  return from_environment("HOME") + "/.local/share/loadline";
}

/// The kubeconfig that kubectl would change: the first of $KUBECONFIG, else ~/.kube/config.
std::string default_kubeconfig() {
  const std::string listed = from_environment("KUBECONFIG");
  const std::string first = listed.substr(0, listed.find(':'));
  return first.empty() ? from_environment("HOME") + "/.kube/config" : first;
}

/// Each watcher is a connection: as many as the system allows, not as few as it begins with.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// "nodes            4 virtual, 16 nvidia.com/gpu".
std::string describe_nodes(const controllers::Caches& caches) {
  constexpr std::string_view kGpu = "nvidia.com/gpu";
  std::int64_t gpus = 0;
  for (const auto& [name, node] : caches.of<kube::Node>().in("")) {
    const auto found = node->view.allocatable.find(kGpu);
    if (found != node->view.allocatable.end()) gpus += found->second.value();
  }
  const std::size_t nodes = caches.of<kube::Node>().size();
  return fmt::format("nodes            {} virtual{}\n", nodes, gpus > 0 ? fmt::format(", {} {}", gpus, kGpu) : "");
}

/// One run of the command: open, listen, tell, serve, end.
class Up {
 public:
  Up(UpArguments arguments, Console& console) : arguments_(std::move(arguments)), console_(console) {}

  int run() {
    raise_file_limit();
    clock_.set_speed(arguments_.speed);
    if (const Result<void> started = start(); !started) {
      console_.err << "error: " << started.error().message << '\n';
      return kBadInput;
    }
    termination_.when_asked([this] { loop_.post([this] { stop(); }); });
    loop_.run();
    server_.reset();
    cluster_.reset();
    // A server that keeps nothing leaves no way to it behind.
    if (arguments_.in_memory) apiserver::remove_kubeconfig(arguments_.kubeconfig, std::string(kContext));
    return failed_ ? kBadInput : kDone;
  }

 private:
  Result<void> start() {
    embedded::ClusterOptions whole;
    apiserver::ControlPlaneOptions& options = whole.plane;
    whole.runs_pods = !arguments_.api_only && !arguments_.without_housekeeping;
    if (!arguments_.in_memory) {
      options.data_dir = arguments_.data_dir;
      std::error_code problem;
      // The folder itself is the store's to make, so that only its owner can look into it.
      const std::filesystem::path parent = std::filesystem::absolute(options.data_dir).parent_path();
      std::filesystem::create_directories(parent, problem);
      if (problem) return failure(fmt::format("cannot make {}: {}", parent.string(), problem.message()));
    }
    if (const Result<void> added = add_nodes(whole); !added) return added;
    options.names = {arguments_.address};
    options.keeps_house = !arguments_.without_housekeeping;
    Result<std::unique_ptr<embedded::Cluster>> cluster = embedded::Cluster::open(clock_, std::move(whole));
    if (!cluster) return tl::unexpected(cluster.error());
    cluster_ = std::move(*cluster);
    if (const Result<void> listening = listen(); !listening) return listening;
    cluster_->when_ready([this](const Result<void>& durable) { on_ready(durable); });
    return {};
  }

  /// The nodes that were asked for; else, in a cluster without any, a few to begin with.
  Result<void> add_nodes(embedded::ClusterOptions& options) {
    if (!options.runs_pods) return {};
    options.nodes_only_if_empty = arguments_.nodes.empty();
    kubelet::NodeGeneration generation;
    generation.zones = arguments_.zones;
    generation.now = clock_.now();
    const std::vector<std::string> first(std::begin(kFirstNodes), std::end(kFirstNodes));
    for (const std::string& text : arguments_.nodes.empty() ? first : arguments_.nodes) {
      Result<kubelet::NodeShape> shape = kubelet::parse_node_shape(text);
      if (!shape) return tl::unexpected(shape.error());
      if (!arguments_.gpu.empty() && shape->gpu == nullptr) {
        if (const Result<void> parsed = kubelet::parse_gpu(arguments_.gpu, *shape); !parsed) return parsed;
      }
      generation.shapes.push_back(std::move(*shape));
    }
    options.nodes = kubelet::generate_nodes(generation);
    return {};
  }

  Result<void> listen() {
    const apiserver::ServerSecrets& secrets = cluster_->plane().secrets();
    Result<std::shared_ptr<const net::TlsContext>> tls = net::TlsContext::for_server(
        {secrets.server.certificate_pem, secrets.server.key_pem, secrets.authority.certificate_pem, true});
    if (!tls) return tl::unexpected(tls.error());
    server_ = std::make_unique<net::Server>(loop_, net::ServerOptions{*tls, {}}, cluster_->plane().handler());
    const Result<std::uint16_t> port = server_->listen(loop_, arguments_.address, arguments_.port);
    if (!port) {
      const bool is_taken = port.error().message.find("in use") != std::string::npos;
      return failure(port.error().message + (is_taken ? " (--port 0 takes a free one)" : ""));
    }
    address_ = fmt::format("{}:{}", arguments_.address, *port);
    cluster_->plane().set_address(address_);
    return {};
  }

  void on_ready(const Result<void>& durable) {
    Result<void> written = durable;
    if (written) {
      const apiserver::ServerSecrets& secrets = cluster_->plane().secrets();
      written = apiserver::write_kubeconfig(arguments_.kubeconfig, {std::string(kContext),
                                                                    "https://" + address_,
                                                                    secrets.authority.certificate_pem,
                                                                    secrets.owner_token,
                                                                    {},
                                                                    {}});
    }
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
    if (cluster_->caches() != nullptr) console_.out << describe_nodes(*cluster_->caches());
    if (arguments_.speed != 1)
      console_.out << fmt::format("clock            {:g} times the wall's\n", arguments_.speed);
    console_.out << std::flush;
  }

  void stop() {
    if (cluster_ != nullptr) cluster_->stop();
    if (server_ == nullptr) return loop_.stop();
    server_->stop(kGrace, [this] { loop_.stop(); });
  }

  UpArguments arguments_;
  Console& console_;
  Clock::time_point began_ = Clock::now();
  Termination termination_;
  net::Loop loop_;
  PacedLoop clock_{loop_};  // the cluster's: what runs in it; sockets keep the wall's
  std::unique_ptr<embedded::Cluster> cluster_;
  std::unique_ptr<net::Server> server_;
  std::string address_;
  bool failed_ = false;
};

}  // namespace

void add_up(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("up", "Start a Kubernetes cluster on this machine, with virtual nodes");
  command->footer(std::string(kExamples));
  auto arguments = std::make_shared<UpArguments>();
  arguments->data_dir = default_data_dir();
  arguments->kubeconfig = default_kubeconfig();
  CLI::Option* data =
      command->add_option("--data-dir", arguments->data_dir, "Where everything is kept")->capture_default_str();
  command->add_flag("--in-memory", arguments->in_memory, "Keep nothing")->excludes(data);
  command->add_option("--address", arguments->address, "The address to listen on")->capture_default_str();
  command->add_option("--port", arguments->port, "The port to listen on; 0: a free one")->capture_default_str();
  command->add_option("--kubeconfig", arguments->kubeconfig, "Where to write how to reach it")->capture_default_str();
  command->add_option("--nodes", arguments->nodes,
                      "Virtual nodes: COUNT, or COUNT:KEY=VALUE,... as in 50:gpu=a100:8 or "
                      "20:cpu=64,memory=256Gi,capacity-type=spot,taint=spot=true:NoSchedule; may be repeated");
  command->add_option("--gpu", arguments->gpu, "GPUs of those nodes: MODEL:COUNT, as in a100:8");
  command->add_option("--zones", arguments->zones, "How many zones the nodes are dealt out to")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--speed", arguments->speed, "How fast the cluster's clock runs; 0: it stands still")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  command->add_flag("--api-only", arguments->api_only,
                    "Only the API server: no controllers, no scheduler, nothing runs pods");
  command->add_flag("--without-housekeeping", arguments->without_housekeeping,
                    "Less than that: leave namespaces, garbage, service accounts and roles to a real "
                    "kube-controller-manager, too");
  command->callback([arguments, &console, &status] { status = Up(*arguments, console).run(); });
}

}  // namespace loadline::cli
