#include "bench/subjects/subject.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "server/net/crypto.h"

namespace loadline::bench {
namespace {

constexpr std::chrono::milliseconds kPause{1};
constexpr std::chrono::seconds kStartLimit{120};

/// A port that no process listens on now.
std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket, general, size) != 0 || getsockname(socket, general, &size) != 0) address.sin_port = 0;
  close(socket);
  return ntohs(address.sin_port);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Waits for a file that a server writes soon after it is ready.
std::string await_file(const std::filesystem::path& path) {
  const Clock::time_point start = Clock::now();
  while (Clock::now() - start < kStartLimit) {
    if (std::string text = read_file(path); !text.empty()) return text;
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

std::string token_in(const std::string& kubeconfig) {
  const std::vector<document::Value> documents = document::read_yaml(kubeconfig, "kubeconfig").documents;
  if (documents.empty()) return {};
  const document::Value* users = documents.front().find("users");
  if (users == nullptr || !users->is_array() || users->array().empty()) return {};
  return std::string(document::text_at(users->array().front(), {"user", "token"}));
}

}  // namespace

std::string_view name_of(Variant variant) {
  switch (variant) {
    case Variant::kDisk:
      return "DISK";
    case Variant::kMemory:
      return "MEMORY";
    case Variant::kPeerDisk:
      return "PEER";
    case Variant::kPeerMemory:
      return "PEER NO FSYNC";
  }
  return "";
}

Result<std::unique_ptr<Subject>> Subject::start(Variant variant, const Programs& programs,
                                                const std::filesystem::path& folder) {
  std::filesystem::path own = folder / std::to_string(static_cast<int>(variant));
  std::error_code problem;
  std::filesystem::remove_all(own, problem);
  std::filesystem::create_directories(own, problem);
  if (problem) return failure(fmt::format("cannot make {}: {}", own.string(), problem.message()));
  std::unique_ptr<Subject> subject(new Subject(variant, programs, std::move(own)));
  if (is_peer(variant)) {
    if (const Result<void> made = subject->make_peer_secrets(); !made) return tl::unexpected(made.error());
  }
  if (const Result<void> ready = subject->launch(); !ready) return tl::unexpected(ready.error());
  return subject;
}

Subject::~Subject() {
  session_.reset();
  while (!children_.empty()) children_.pop_back();  // the last first
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

double Subject::resident_megabytes() const {
  double sum = 0;
  for (const Child& child : children_) sum += child.resident_megabytes().value_or(0);
  return sum;
}

double Subject::cpu_seconds() const {
  double sum = 0;
  for (const Child& child : children_) sum += child.cpu_seconds().value_or(0);
  return sum;
}

Result<void> Subject::run_beside(const std::string& name, const std::vector<std::string>& options) {
  const std::filesystem::path kubeconfig = folder_ / "peer-kubeconfig";
  std::ofstream(kubeconfig) << fmt::format(
      R"({{"apiVersion":"v1","kind":"Config","current-context":"c","clusters":[{{"name":"c","cluster":{{"server":"https://127.0.0.1:{}","insecure-skip-tls-verify":true}}}}],"users":[{{"name":"c","user":{{"token":"{}"}}}}],"contexts":[{{"name":"c","context":{{"cluster":"c","user":"c"}}}}]}})",
      port_, token_);
  std::vector<std::string> command = {programs_.kubernetes, name, "--kubeconfig=" + kubeconfig.string()};
  command.insert(command.end(), options.begin(), options.end());
  return run(name, command);
}

Result<void> Subject::restart() {
  session_.reset();
  while (!children_.empty()) children_.pop_back();
  return launch();
}

Result<void> Subject::launch() {
  port_ = free_port();
  const Clock::time_point start = Clock::now();
  const Result<void> launched = is_peer(variant_) ? launch_peer() : launch_loadline();
  if (!launched) return launched;
  if (const Result<void> ready = wait_until_ready(); !ready) return ready;
  ready_ms_ = milliseconds_since(start);
  return open_session();
}

Result<void> Subject::launch_loadline() {
  std::vector<std::string> command = {programs_.loadline,    "up",           "--port",
                                      std::to_string(port_), "--kubeconfig", (folder_ / "kubeconfig").string()};
  command.insert(command.end(), programs_.up_options.begin(), programs_.up_options.end());
  if (variant_ == Variant::kMemory) {
    command.emplace_back("--in-memory");
  } else {
    command.insert(command.end(), {"--data-dir", (folder_ / "data").string()});
  }
  return run("loadline", command);
}

/// A user's token, and a key for those of service accounts; the real server reads none of the variant that we make.
Result<void> Subject::make_peer_secrets() {
  token_ = net::random_token();
  std::ofstream(folder_ / "tokens.csv") << token_ << ",admin,admin-uid,system:masters\n";
  Result<Child> openssl =
      Child::start({"openssl", "genrsa", "-traditional", "-out", (folder_ / "accounts.key").string(), "2048"},
                   folder_ / "openssl.log");
  if (!openssl) return tl::unexpected(openssl.error());
  if (!openssl->wait()) return failure("openssl made no key");
  return {};
}

/// As `conformance/server` starts them, without what waits for controllers that do not run here. A user of
/// system:masters is exempt from its limits of requests in flight.
Result<void> Subject::launch_peer() {
  const std::string clients = fmt::format("http://127.0.0.1:{}", free_port());
  const std::string peers = fmt::format("http://127.0.0.1:{}", free_port());
  std::vector<std::string> etcd = {programs_.kubernetes,
                                   "etcd",
                                   "--name=default",
                                   "--data-dir=" + (folder_ / "etcd").string(),
                                   "--listen-client-urls=" + clients,
                                   "--advertise-client-urls=" + clients,
                                   "--listen-peer-urls=" + peers,
                                   "--initial-advertise-peer-urls=" + peers,
                                   "--initial-cluster=default=" + peers};
  if (variant_ == Variant::kPeerMemory) etcd.emplace_back("--unsafe-no-fsync");
  if (const Result<void> started = run("etcd", etcd); !started) return started;
  const std::string key = (folder_ / "accounts.key").string();
  return run(
      "kube-apiserver",
      {programs_.kubernetes, "kube-apiserver", "--etcd-servers=" + clients, "--bind-address=127.0.0.1",
       fmt::format("--secure-port={}", port_), "--cert-dir=" + (folder_ / "certificates").string(),
       "--advertise-address=192.0.2.2", "--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24",
       "--authorization-mode=RBAC", "--token-auth-file=" + (folder_ / "tokens.csv").string(),
       "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
       "--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + key,
       "--service-account-signing-key-file=" + key, "--allow-privileged=true", "--v=0"});
}

Result<void> Subject::run(const std::string& name, const std::vector<std::string>& command) {
  Result<Child> child = Child::start(command, folder_ / (name + ".log"));
  if (!child) return tl::unexpected(child.error());
  children_.push_back(std::move(*child));
  return {};
}

Result<void> Subject::wait_until_ready() {
  auto probe = Session::make(port_, {});
  if (!probe) return tl::unexpected(probe.error());
  const net::Request request = (*probe)->request("GET", "/readyz");
  const Clock::time_point start = Clock::now();
  while (Clock::now() - start < kStartLimit) {
    const Result<net::Response> answer = (*probe)->ask(request);
    if (answer && answer->status == 200) return {};
    for (const Child& child : children_) {
      if (!child.resident_megabytes()) return failure(fmt::format("{} ended: {}", name_of(variant_), last_words()));
    }
    std::this_thread::sleep_for(kPause);
  }
  return failure(fmt::format("{} is not ready: {}", name_of(variant_), last_words()));
}

std::string Subject::last_words() const {
  constexpr std::size_t kEnough = 600;
  const std::string log = read_file(folder_ / (is_peer(variant_) ? "kube-apiserver.log" : "loadline.log"));
  return log.size() > kEnough ? log.substr(log.size() - kEnough) : log;
}

Result<void> Subject::open_session() {
  if (!is_peer(variant_)) token_ = token_in(await_file(folder_ / "kubeconfig"));
  auto session = Session::make(port_, token_);
  if (!session) return tl::unexpected(session.error());
  session_ = std::move(*session);
  return {};
}

}  // namespace loadline::bench
