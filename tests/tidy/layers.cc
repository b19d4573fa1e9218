#include "tidy/layers.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

namespace loadline::tidy {
namespace {

struct Layer {
  std::string_view room;
  std::array<std::string_view, 6> may_include;  // what these may include goes without saying
};

/// The rooms from the ground up, wing by wing, as ARCHITECTURE.md draws them.
constexpr std::array kLayers = {
    Layer{"foundation/base", {}},
    Layer{"foundation/document", {"foundation/base"}},
    Layer{"foundation/observe", {"foundation/document"}},

    Layer{"objects/schema", {"foundation/document"}},
    Layer{"objects/kube", {"objects/schema"}},

    Layer{"brain/cluster", {"objects/kube"}},
    Layer{"brain/admission", {"brain/cluster"}},
    Layer{"brain/workloads", {"brain/cluster"}},
    Layer{"brain/placement", {"brain/cluster"}},
    Layer{"brain/gang", {"brain/placement"}},
    Layer{"brain/capacity", {"brain/cluster"}},
    Layer{"brain/decision", {"brain/gang"}},
    Layer{"brain/queue", {"brain/decision", "brain/workloads"}},
    Layer{"brain/engine", {"brain/decision", "brain/queue", "brain/workloads"}},

    Layer{"server/net", {"foundation/base"}},
    Layer{"server/store", {"foundation/document"}},
    Layer{"server/api", {"objects/kube"}},
    Layer{"server/apiserver", {"foundation/observe", "server/store", "server/net", "server/api", "brain/admission"}},

    Layer{"hosts/extension", {"brain/engine", "server/net"}},
    Layer{"hosts/simulator",
          {"brain/admission", "brain/capacity", "brain/engine", "brain/queue", "hosts/extension", "brain/workloads"}},
    Layer{"hosts/advice", {"hosts/simulator"}},
    Layer{"hosts/trace", {"brain/workloads"}},
    Layer{"hosts/replay", {"hosts/trace", "hosts/simulator"}},
    Layer{"hosts/watching", {"brain/workloads"}},
    Layer{"hosts/controllers", {"hosts/watching", "brain/decision", "brain/workloads"}},
    Layer{"hosts/kubelet", {"brain/capacity", "hosts/controllers"}},
    Layer{"hosts/operators", {"brain/queue", "hosts/controllers", "hosts/kubelet", "server/apiserver"}},
    Layer{"hosts/scheduler",
          {"foundation/observe", "brain/admission", "brain/engine", "brain/queue", "hosts/watching"}},
    Layer{"hosts/control",
          {"foundation/observe", "brain/engine", "hosts/scheduler", "hosts/controllers", "hosts/extension"}},
    Layer{"hosts/recording", {"hosts/control", "hosts/trace"}},
    Layer{"hosts/embedded", {"hosts/operators", "hosts/control", "hosts/kubelet", "hosts/recording"}},
    Layer{"hosts/timeline", {"hosts/embedded"}},

    Layer{"app/page", {"foundation/document"}},
    Layer{"app/report", {"app/page", "hosts/advice", "hosts/replay", "hosts/timeline"}},
    Layer{"app/cli", {"app/page", "app/report", "hosts/embedded", "hosts/replay", "hosts/timeline"}},
};

constexpr auto kPureHeaders = std::to_array<std::string_view>(
    {"algorithm",    "array",          "bit",           "bitset",  "charconv", "cmath",       "compare",
     "concepts",     "cstddef",        "cstdint",       "cstdlib", "deque",    "functional",  "initializer_list",
     "iterator",     "limits",         "list",          "map",     "memory",   "numeric",     "optional",
     "queue",        "ranges",         "set",           "span",    "string",   "string_view", "tuple",
     "type_traits",  "unordered_map",  "unordered_set", "utility", "variant",  "vector",      "fmt/format.h",
     "fmt/ranges.h", "tl/expected.hpp"});

/// Our headers that act, or that exist for code that acts.
constexpr auto kActing = std::to_array<std::string_view>(
    {"foundation/base/event_loop.h", "foundation/base/mailbox.h", "foundation/base/paced_loop.h",
     "foundation/base/timer_queue.h", "foundation/base/virtual_loop.h", "foundation/document/byte_source.h",
     "foundation/document/source.h", "foundation/document/folder_listing.h", "foundation/observe/",
     "objects/kube/client.h", "objects/kube/batch/time_zone.h"});

const Layer* find_layer(std::string_view room) {
  const auto found =
      std::find_if(kLayers.begin(), kLayers.end(), [&](const Layer& layer) { return layer.room == room; });
  return found == kLayers.end() ? nullptr : &*found;
}

/// "brain/placement" for "placement"; empty if there is no such room.
std::string_view with_wing(std::string_view name) {
  for (const Layer& layer : kLayers) {
    if (layer.room.substr(wing_of(layer.room).size() + 1) == name) return layer.room;
  }
  return {};
}

}  // namespace

std::string_view wing_of(std::string_view room) { return room.substr(0, room.find('/')); }

bool is_known_room(std::string_view room) { return find_layer(room) != nullptr; }

bool may_include(std::string_view room, std::string_view other) {
  if (room == other) return true;
  const Layer* layer = find_layer(room);
  return layer != nullptr && std::any_of(layer->may_include.begin(), layer->may_include.end(),
                                         [&](std::string_view below) { return may_include(below, other); });
}

std::string table_fault() {
  std::set<std::string_view> rooms;
  std::set<std::string_view> wings;
  std::string_view wing;
  for (const Layer& layer : kLayers) {
    if (wing_of(layer.room) != wing && !wings.insert(wing_of(layer.room)).second) {
      return std::string(wing_of(layer.room)) + " is begun twice";
    }
    wing = wing_of(layer.room);
    for (const std::string_view below : layer.may_include) {
      if (!below.empty() && !rooms.contains(below)) {
        return std::string(layer.room) + " names " + std::string(below) + ", which does not stand before it";
      }
    }
    rooms.insert(layer.room);
  }
  return {};
}

bool is_pure(std::string_view header) {
  return std::find(kPureHeaders.begin(), kPureHeaders.end(), header) != kPureHeaders.end();
}

bool is_acting(std::string_view path) {
  return std::any_of(kActing.begin(), kActing.end(), [&](std::string_view acting) { return path.starts_with(acting); });
}

std::vector<std::string> linked_rooms(std::string_view cmake_text) {
  std::string words(cmake_text);
  std::replace_if(words.begin(), words.end(), [](char letter) { return letter == '(' || letter == ')'; }, ' ');
  std::istringstream stream(words);
  std::vector<std::string> rooms;
  bool is_listing = false;
  for (std::string word; stream >> word;) {
    const std::string_view room = with_wing(word);
    if (room.empty()) is_listing = false;
    if (is_listing) rooms.emplace_back(room);
    if (word == "DEPENDS") is_listing = true;
  }
  return rooms;
}

}  // namespace loadline::tidy
