#include "linearizability/faulty_server.h"

#include <stdexcept>
#include <utility>

#include "server/apiserver/credentials.h"
#include "server/net/memory_stream.h"

namespace loadline::linearizability {
namespace {

constexpr std::int64_t kDelayUnit = 1'000'000;

Instant start_of_tests() { return parse_rfc3339("2026-11-21T12:00:00Z").value(); }

/// The same for all servers of this process: a server that comes back has what it had.
std::shared_ptr<const apiserver::ServerSecrets> secrets() {
  using Shared = std::shared_ptr<const apiserver::ServerSecrets>;
  static const auto* const made =
      new Shared(std::make_shared<apiserver::ServerSecrets>(std::move(*apiserver::make_secrets({}, start_of_tests()))));
  return *made;
}

}  // namespace

FaultyServer::FaultyServer(std::uint64_t seed) : loop_(start_of_tests()), random_(seed), disk_(seed) {
  if (!start()) throw std::runtime_error("the server does not start");
}

FaultyServer::~FaultyServer() { end(); }

bool FaultyServer::start() {
  apiserver::ControlPlaneOptions options;
  options.seed = random_.next();
  options.log.file_system = disk_.name();
  options.log.checkpoint_pages = 8;
  options.commits_on_loop = true;
  options.secrets = secrets();
  Result<std::unique_ptr<apiserver::ControlPlane>> plane = apiserver::ControlPlane::open(loop_, options);
  if (!plane) return false;
  plane_ = std::move(*plane);
  bool is_ready = false;
  plane_->when_ready([&is_ready](const Result<void>& ready) { is_ready = ready.has_value(); });
  loop_.run_until_idle();
  if (!is_ready) return false;
  server_ = std::make_unique<net::Server>(loop_, net::ServerOptions{}, plane_->handler());
  return true;
}

void FaultyServer::end() {
  server_.reset();
  plane_.reset();
  loop_.run_until_idle();
}

void FaultyServer::restart() {
  if (disk_.has_power()) disk_.lose_power_at(disk_.steps());
  end();
  disk_.fail_one_in(0);
  disk_.restart();
  // The power may fail again while the server starts.
  if (random_.below(4) == 0) {
    disk_.lose_power_at(disk_.steps() + random_.below(20));
    if (start() && !is_dying()) return;
    end();
    disk_.restart();
  }
  if (!start()) throw std::runtime_error("the server does not come back");
}

std::unique_ptr<Line> FaultyServer::connect(bool is_sound) {
  const bool is_http2 = random_.below(2) == 0;
  net::MemoryStreamOptions options;
  if (is_http2) options.protocol = "h2";
  options.peer = {"memory", true, net::CertificateSubject{"kubernetes-admin", {"system:masters"}}};
  for (net::MemoryFaults* faults : {&options.first_to_second, &options.second_to_first}) {
    faults->delay = {static_cast<std::int64_t>(random_.below(4)) * kDelayUnit};
    if (random_.below(3) == 0) faults->seed = random_.next();
    if (!is_sound && random_.below(3) == 0) faults->cut_after = random_.below(8000);
  }
  auto [client, server] = net::connected_streams(loop_, std::move(options));
  server_->serve(std::move(server));
  return is_http2 ? http2_line(std::move(client)) : http1_line(loop_, std::move(client));
}

}  // namespace loadline::linearizability
