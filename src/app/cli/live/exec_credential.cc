#include "app/cli/live/exec_credential.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::cli {
namespace {

using document::Object;
using document::Value;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of what it prints

std::string said_at(const Value& value, document::Names names) { return std::string(document::text_at(value, names)); }

/// $KUBERNETES_EXEC_INFO: who asks, and for which cluster.
std::string exec_info(const Value& exec, const Value& cluster) {
  Object spec{{"interactive", Value(false), {}}};
  const Value* provides = exec.find("provideClusterInfo");
  if (provides != nullptr && provides->is_boolean() && provides->boolean()) {
    Object info;
    for (const std::string_view member :
         {"server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url"}) {
      if (const Value* value = cluster.find(member)) info.push_back({std::string(member), *value, {}});
    }
    spec.push_back({"cluster", Value(std::move(info)), {}});
  }
  return document::write_json(Value(Object{{"kind", Value("ExecCredential"), {}},
                                           {"apiVersion", Value(document::text_at(exec, {"apiVersion"})), {}},
                                           {"spec", Value(std::move(spec)), {}}}));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Of two variables of one name the last counts, wherever the program looks.
void set_variable(std::vector<std::string>& all, const std::string& name, const std::string& value) {
  std::erase_if(all, [&](const std::string& each) { return each.starts_with(name + "="); });
  all.push_back(name + "=" + value);
}

struct Output {
  std::string text;
  int status = 0;  ///< of waitpid()
};

/// A pipe, both of whose ends are closed in programs that are started.
struct Pipe {
  Pipe() { is_open = ::pipe2(ends.data(), O_CLOEXEC) == 0; }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_one(0);
    close_one(1);
  }
  void close_one(std::size_t end) {
    if (is_open && ends.at(end) >= 0) ::close(std::exchange(ends.at(end), -1));
  }
  /// All that comes, up to `most` bytes.
  std::string read(std::size_t most) {
    std::string text;
    std::array<char, 4096> part{};
    while (text.size() <= most) {
      const ssize_t size = ::read(ends[0], part.data(), part.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

  std::array<int, 2> ends = {-1, -1};  // to read from, to write to
  bool is_open = false;
};

/// In the new process: becomes the program, or tells errno why not. Only calls that are safe after a fork.
[[noreturn]] void become(const std::vector<char*>& words, const std::vector<char*>& variables, int output, int told) {
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0) {
    ::execvpe(words.front(), words.data(), variables.data());
  }
  const int error = errno;
  const ssize_t written = ::write(told, &error, sizeof(error));
  ::_exit(written < 0 ? 126 : 127);
}

/// Errors: errno's words.
Result<Output> run(std::vector<std::string> words, std::vector<std::string> variables) {
  Pipe printed;
  Pipe failed;
  if (!printed.is_open || !failed.is_open) return failure(std::generic_category().message(errno));
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment = pointers(variables);
  const pid_t process = ::fork();
  if (process < 0) return failure(std::generic_category().message(errno));
  if (process == 0) become(arguments, environment, printed.ends[1], failed.ends[1]);
  printed.close_one(1);
  failed.close_one(1);
  int error = 0;
  const std::string told = failed.read(sizeof(error));  // ends when the program begins
  if (told.size() == sizeof(error)) std::memcpy(&error, told.data(), sizeof(error));
  Output output;
  if (error == 0) output.text = printed.read(kMostBytes);
  printed.close_one(0);  // a program that goes on writing ends
  while (::waitpid(process, &output.status, 0) < 0 && errno == EINTR) {
  }
  if (error != 0) return failure(std::generic_category().message(error));
  return output;
}

}  // namespace

Result<ExecCredential> run_exec_plugin(const Value& exec, const Value& cluster, const std::filesystem::path& folder) {
  const std::string command = said_at(exec, {"command"});
  if (command.empty()) return failure("the kubeconfig's exec names no command");
  const std::string api_version = said_at(exec, {"apiVersion"});
  if (api_version != "client.authentication.k8s.io/v1" && api_version != "client.authentication.k8s.io/v1beta1") {
    return failure(fmt::format("the kubeconfig's exec says apiVersion \"{}\"; expected client.authentication.k8s.io/v1",
                               api_version));
  }
  if (document::text_at(exec, {"interactiveMode"}) == "Always") {
    return failure(
        fmt::format("the program \"{}\", which the kubeconfig's user gets its credentials from, wants to ask "
                    "on a terminal (interactiveMode: Always), which is not done here",
                    command));
  }
  const bool is_path = command.find('/') != std::string::npos;
  std::vector<std::string> words = {is_path ? (folder / command).string() : command};
  for (const Value& argument : document::items_at(exec, {"args"})) {
    if (argument.is_string()) words.push_back(argument.string());
  }
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
  for (const Value& each : document::items_at(exec, {"env"})) {
    set_variable(variables, said_at(each, {"name"}), said_at(each, {"value"}));
  }
  set_variable(variables, "KUBERNETES_EXEC_INFO", exec_info(exec, cluster));

  const Result<Output> output = run(std::move(words), std::move(variables));
  if (!output) {
    const std::string hint = said_at(exec, {"installHint"});
    return failure(
        fmt::format("cannot run the program \"{}\", which the kubeconfig's user gets its credentials from: {}{}",
                    command, output.error().message, hint.empty() ? "" : "\n" + hint));
  }
  if (!WIFEXITED(output->status) || WEXITSTATUS(output->status) != 0) {
    const std::string how = WIFEXITED(output->status) ? fmt::format("exit status {}", WEXITSTATUS(output->status))
                                                      : std::string("a signal ended it");
    return failure(fmt::format("the program \"{}\", which the kubeconfig's user gets its credentials from, failed: {}",
                               command, how));
  }
  const document::Reading reading = document::read_json(output->text, command, document::EqualKeys::kRefused);
  const Value printed = reading.documents.size() == 1 ? reading.documents.front() : Value();
  ExecCredential credential{said_at(printed, {"status", "token"}),
                            said_at(printed, {"status", "clientCertificateData"}),
                            said_at(printed, {"status", "clientKeyData"})};
  const bool is_one = document::text_at(printed, {"kind"}) == "ExecCredential" &&
                      (!credential.token.empty() || !credential.certificate_pem.empty());
  if (!is_one) {
    return failure(
        fmt::format("the program \"{}\", which the kubeconfig's user gets its credentials from, prints no "
                    "ExecCredential with a token or a client's certificate",
                    command));
  }
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return failure(fmt::format("the program \"{}\" prints a client's certificate or its key, and not both", command));
  }
  return credential;
}

}  // namespace loadline::cli
