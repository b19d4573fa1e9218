#include "tidy/layers.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace loadline::tidy {
namespace {

struct Layer {
  std::string_view folder;
  std::array<std::string_view, 5> may_include;  // what these may include goes without saying
};

/// The folders from the ground up, as ARCHITECTURE.md draws them.
constexpr std::array kLayers = {
    Layer{"base", {}},
    Layer{"document", {"base"}},
    Layer{"observe", {"base"}},
    Layer{"net", {"base"}},
    Layer{"store", {"document"}},
    Layer{"kube", {"document"}},
    Layer{"api", {"kube"}},
    Layer{"cluster", {"kube"}},
    Layer{"admission", {"cluster"}},
    Layer{"apiserver", {"observe", "store", "net", "api", "admission"}},
    Layer{"placement", {"cluster"}},
    Layer{"extension", {"placement", "net"}},
    Layer{"workloads", {"cluster"}},
    Layer{"controllers", {"workloads"}},
    Layer{"kubelet", {"controllers"}},
    Layer{"control", {"observe", "controllers", "extension"}},
    Layer{"embedded", {"apiserver", "control", "kubelet"}},
    Layer{"simulator", {"admission", "extension", "workloads"}},
    Layer{"conformance", {"simulator"}},
    Layer{"advice", {"simulator"}},
    Layer{"report", {"advice"}},
    Layer{"cli", {"report", "conformance", "embedded"}},
};

const Layer* find_layer(std::string_view folder) {
  const auto found =
      std::find_if(kLayers.begin(), kLayers.end(), [&](const Layer& layer) { return layer.folder == folder; });
  return found == kLayers.end() ? nullptr : &*found;
}

}  // namespace

bool is_known_folder(std::string_view folder) { return find_layer(folder) != nullptr; }

bool may_include(std::string_view folder, std::string_view other) {
  if (folder == other) return true;
  const Layer* layer = find_layer(folder);
  return layer != nullptr && std::any_of(layer->may_include.begin(), layer->may_include.end(),
                                         [&](std::string_view below) { return may_include(below, other); });
}

std::vector<std::string> linked_folders(std::string_view cmake_text) {
  std::string words(cmake_text);
  std::replace_if(words.begin(), words.end(), [](char letter) { return letter == '(' || letter == ')'; }, ' ');
  std::istringstream stream(words);
  std::vector<std::string> folders;
  bool listing = false;
  for (std::string word; stream >> word;) {
    if (listing && !is_known_folder(word)) listing = false;
    if (listing) folders.push_back(word);
    if (word == "DEPENDS") listing = true;
  }
  return folders;
}

}  // namespace loadline::tidy
