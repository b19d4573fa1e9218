#include "bench/up/cluster.h"

#include <utility>

#include "bench/up/rollout.h"

namespace loadline::bench {

Result<std::unique_ptr<Cluster>> Cluster::start(Variant variant, Programs programs, const std::filesystem::path& folder,
                                                std::size_t nodes) {
  std::unique_ptr<Cluster> cluster(new Cluster);
  cluster->nodes_ = nodes;
  programs.up_options = {"--nodes", std::to_string(nodes)};
  const Clock::time_point start = Clock::now();
  auto subject = Subject::start(variant, programs, folder);  // ours writes its kubeconfig once all is there
  if (!subject) return tl::unexpected(subject.error());
  cluster->subject_ = std::move(*subject);
  if (is_peer(variant)) {
    if (const Result<void> started = cluster->start_companions(); !started) return tl::unexpected(started.error());
  }
  cluster->ready_ms_ = milliseconds_since(start);
  return cluster;
}

Result<void> Cluster::start_companions() {
  const std::vector<std::string> unplaced = {"--leader-elect=false", "--secure-port=0", "--kube-api-qps=100000",
                                             "--kube-api-burst=100000", "--v=0"};
  if (const Result<void> started = subject_->run_beside("kube-scheduler", unplaced); !started) return started;
  std::vector<std::string> controllers = unplaced;
  controllers.emplace_back("--controllers=deployment-controller,replicaset-controller");
  if (const Result<void> started = subject_->run_beside("kube-controller-manager", controllers); !started) {
    return started;
  }
  auto kubelets = Kubelets::start(session(), nodes_);
  if (!kubelets) return tl::unexpected(kubelets.error());
  kubelets_ = std::move(*kubelets);
  // Whether all of them have begun to work, only work tells.
  const Result<double> worked = roll_out(session(), "default", "first", 1);
  if (!worked) return tl::unexpected(worked.error());
  return {};
}

}  // namespace loadline::bench
