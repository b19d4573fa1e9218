#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "recorded_decisions/replay.h"
#include "recorded_decisions/stream.h"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 20;

/// The folders named on the command line that hold a case, or the cases right below them.
std::vector<std::string> case_folders(int argc, char** argv) {
  std::vector<std::string> folders;
  for (int i = 1; i < argc; ++i) {
    const fs::path root = argv[i];
    std::error_code ignored;
    if (fs::exists(root / "input.json", ignored)) {
      folders.push_back(root.string());
      continue;
    }
    std::vector<std::string> below;
    for (const fs::directory_entry& entry : fs::directory_iterator(root, ignored)) {
      if (fs::exists(entry.path() / "input.json", ignored)) below.push_back(entry.path().string());
    }
    std::sort(below.begin(), below.end());
    folders.insert(folders.end(), below.begin(), below.end());
  }
  return folders;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(
        stderr,
        "usage: loadline-conformance DIR…\n"
        "       loadline-conformance --stream\n"
        "Replays recorded decisions of a real kube-scheduler: from folders, or one case a line of standard input,\n"
        "with one answer a line.\n");
    return 2;
  }
  if (std::string_view(argv[1]) == "--stream") {
    std::ios::sync_with_stdio(false);
    return loadline::recorded_decisions::serve(std::cin, std::cout) ? 0 : 2;
  }
  const std::vector<std::string> folders = case_folders(argc, argv);
  if (folders.empty()) {
    fmt::print(stderr, "no case found: expected folders with input.json and expected.json\n");
    return 2;
  }
  std::size_t attempts = 0;
  std::size_t divergences = 0;
  for (const std::string& folder : folders) {
    const auto recorded = loadline::recorded_decisions::load_case(folder);
    if (!recorded) {
      fmt::print(stderr, "{}\n", recorded.error().message);
      return 2;
    }
    const auto replay = loadline::recorded_decisions::replay(*recorded);
    if (!replay) {
      fmt::print(stderr, "{}\n", replay.error().message);
      return 2;
    }
    attempts += replay->attempts;
    for (const auto& divergence : replay->divergences) {
      if (divergences++ < kShown) fmt::print("{}\n", divergence.to_string());
    }
  }
  fmt::print("{} cases, {} attempts, {} divergences\n", folders.size(), attempts, divergences);
  return divergences == 0 ? 0 : 1;
}
