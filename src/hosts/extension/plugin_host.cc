#include "hosts/extension/plugin_host.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <loadline/plugin.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/extension/channel.h"
#include "hosts/extension/child_process.h"
#include "hosts/extension/frame.h"
#include "hosts/extension/object_copies.h"
#include "hosts/extension/plugin_protocol.h"

namespace loadline::extension {
namespace {

std::atomic<bool> can_host = false;

/// A struct of version 1 ends here at least.
constexpr std::size_t kLeastPluginSize = offsetof(loadline_plugin, score) + sizeof(loadline_plugin::score);
constexpr std::string_view kEntryPoint = "loadline_plugin_v";

/// Where plugins write why they failed.
class ErrorText {
 public:
  loadline_error* to_fill() {
    text_[0] = '\0';
    return &view_;
  }
  [[nodiscard]] std::string text() const {
    const std::string text(text_, strnlen(text_, sizeof text_));
    return text.empty() ? "it did not say why" : text;
  }

 private:
  char text_[4096] = "";
  loadline_error view_{text_, sizeof text_};
};

void reply(FrameWriter& frame, PluginReply kind) {
  frame.clear();
  frame.add(kind);
}

void fail(FrameWriter& frame, std::string_view why) {
  reply(frame, PluginReply::kFailed);
  frame.add(why);
}

/// The entry point of a version of the interface that is not ours; 0: there is none.
int other_version(void* library) {
  constexpr int kLatest = 99;
  for (int version = LOADLINE_PLUGIN_ABI + 1; version <= kLatest; ++version) {
    if (dlsym(library, (std::string(kEntryPoint) + std::to_string(version)).c_str()) != nullptr) return version;
  }
  return 0;
}

std::string made_for(std::uint32_t version) {
  return "it is made for version " + std::to_string(version) + " of the plugin interface, and this Loadline knows " +
         "version " + std::to_string(LOADLINE_PLUGIN_ABI);
}

/// The library's plugin, or null and why not.
const loadline_plugin* load(const char* file, std::string& why) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why = std::string("it cannot be loaded: ") + dlerror();
    return nullptr;
  }
  const std::string entry_point = std::string(kEntryPoint) + std::to_string(LOADLINE_PLUGIN_ABI);
  const auto function = reinterpret_cast<loadline_plugin_v1_function>(dlsym(library, entry_point.c_str()));
  if (function == nullptr) {
    const int version = other_version(library);
    why = version > 0 ? made_for(static_cast<std::uint32_t>(version))
                      : "it does not export " + entry_point + ", so it is no plugin";
    return nullptr;
  }
  const loadline_plugin* plugin = function();
  if (plugin == nullptr) {
    why = entry_point + " returned null";
  } else if (plugin->abi != LOADLINE_PLUGIN_ABI) {
    why = made_for(plugin->abi);
  } else if (plugin->struct_size < kLeastPluginSize) {
    why = "its struct_size is " + std::to_string(plugin->struct_size) + ", and " + std::to_string(kLeastPluginSize) +
          " is the least";
  } else if (plugin->name == nullptr || plugin->score == nullptr) {
    why = std::string("it has no ") + (plugin->name == nullptr ? "name" : "score function");
  } else if (plugin->normalization < LOADLINE_SCORES_ARE_FINAL || plugin->normalization > LOADLINE_HIGHEST_GETS_0) {
    why = "its normalization is " + std::to_string(plugin->normalization) + ", which means nothing";
  }
  return why.empty() ? plugin : nullptr;
}

/// One instance of a plugin, and what it sees of the cluster.
class Host {
 public:
  explicit Host(const loadline_plugin& plugin) : plugin_(plugin) {}
  ~Host() {
    if (created_ && plugin_.destroy != nullptr) plugin_.destroy(instance_);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// False: the request is none.
  bool serve(std::string_view request, FrameWriter& answer) {
    FrameReader frame(request);
    switch (frame.number<PluginRequest>()) {
      case PluginRequest::kCreate:
        return create(frame, answer);
      case PluginRequest::kScore:
        return score(frame, answer);
    }
    return false;
  }

 private:
  bool create(FrameReader& frame, FrameWriter& answer) {
    loadline_arguments arguments{sizeof(loadline_arguments), frame.c_text(), {}};
    PairList values;
    values.read(frame);
    arguments.values = values.view();
    if (!frame.complete()) return false;
    if (plugin_.create != nullptr && plugin_.create(&arguments, &instance_, error_.to_fill()) != 0) {
      fail(answer, error_.text());
    } else {
      created_ = true;
      reply(answer, PluginReply::kDone);
    }
    return true;
  }

  bool score(FrameReader& frame, FrameWriter& answer) {
    const PodCopy pod(frame.bytes());
    if (!update_nodes(frame)) return false;
    candidates_.clear();
    for (auto count = frame.number<std::uint32_t>(); count > 0 && !frame.spoilt(); --count) {
      const auto index = frame.number<std::uint32_t>();
      if (index >= nodes_.size() || nodes_[index] == nullptr) return false;
      candidates_.push_back(&nodes_[index]->view());
    }
    if (!frame.complete()) return false;
    scores_.assign(candidates_.size(), 0);
    if (plugin_.score(instance_, &pod.view(), candidates_.data(), candidates_.size(), scores_.data(),
                      error_.to_fill()) != 0) {
      fail(answer, error_.text());
      return true;
    }
    reply(answer, PluginReply::kScores);
    for (const std::int64_t score : scores_) answer.add(score);
    return true;
  }

  bool update_nodes(FrameReader& frame) {
    for (auto count = frame.number<std::uint32_t>(); count > 0; --count) {
      const auto index = frame.number<std::uint32_t>();
      if (frame.spoilt()) return false;
      if (nodes_.size() <= index) nodes_.resize(index + 1);
      if (nodes_[index] == nullptr) nodes_[index] = std::make_unique<NodeCopy>();
      if (!nodes_[index]->update(index, frame)) return false;
    }
    return true;
  }

  const loadline_plugin& plugin_;
  void* instance_ = nullptr;
  bool created_ = false;
  ErrorText error_;
  std::vector<std::unique_ptr<NodeCopy>> nodes_;  // by index
  std::vector<const loadline_node*> candidates_;
  std::vector<std::int64_t> scores_;
};

/// What goes wrong in the plugin shall end this process alone, by the signal that says what it was, even where a
/// sanitizer would rather explain it; the process does not outlive its parent, and is the first to go when memory is
/// short.
void prepare_process() {
  for (const int fatal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(fatal, SIG_DFL);
  std::signal(SIGINT, SIG_IGN);  // the parent hears it too, and decides
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
    [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
    close(file);
  }
}

int serve(const char* file) {
  prepare_process();
  Channel channel(ChildProcess::kSocket);
  FrameWriter answer;
  std::string why;
  const loadline_plugin* plugin = load(file, why);
  if (plugin == nullptr) {
    fail(answer, why);
    channel.send(answer.bytes(), Deadline::max());
    return 1;
  }
  reply(answer, PluginReply::kLoaded);
  answer.add(std::string_view(plugin->name));
  answer.add(std::string_view(plugin->version == nullptr ? "" : plugin->version));
  answer.add(plugin->normalization);
  Host host(*plugin);
  std::string request;
  while (channel.send(answer.bytes(), Deadline::max()) == Channel::Transfer::kDone &&
         channel.receive(request, Deadline::max()) == Channel::Transfer::kDone) {
    if (!host.serve(request, answer)) return 1;
  }
  return 0;
}

}  // namespace

std::optional<int> run_plugin_host(int argc, char** argv) {
  can_host = true;
  if (argc < 1 || std::strcmp(argv[0], kPluginHostName) != 0) return std::nullopt;
  if (argc != 2 || fcntl(ChildProcess::kSocket, F_GETFD) < 0) {
    std::fputs("error: loadline-plugin-host is started by loadline itself\n", stderr);
    return 2;
  }
  return serve(argv[1]);
}

bool can_host_plugins() { return can_host; }

}  // namespace loadline::extension
