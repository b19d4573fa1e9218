#include "brain/gang/search/room_flow.h"

#include <algorithm>
#include <limits>

namespace loadline::gang {

// Vertices: the kinds, the classes, the source, the sink.

RoomFlow::RoomFlow(std::vector<std::int64_t> kinds, std::vector<std::int64_t> classes)
    : kinds_(kinds.size()), classes_(classes.size()), out_(kinds.size() + classes.size() + 2) {
  const std::size_t source = kinds_ + classes_;
  for (std::size_t k = 0; k < kinds_; ++k) connect(source, k, kinds[k]);
  for (std::size_t c = 0; c < classes_; ++c) connect(kinds_ + c, source + 1, classes[c]);
}

void RoomFlow::allow(std::size_t kind, std::size_t room_class, std::int64_t members) {
  connect(kind, kinds_ + room_class, members);
}

void RoomFlow::connect(std::size_t from, std::size_t to, std::int64_t capacity) {
  out_[from].push_back(edges_.size());
  edges_.push_back({to, capacity});
  out_[to].push_back(edges_.size());
  edges_.push_back({from, 0});
}

std::int64_t RoomFlow::run() {
  constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  std::int64_t total = 0;
  while (layer()) {
    next_.assign(out_.size(), 0);
    while (const std::int64_t pushed = push(kinds_ + classes_, kUnlimited)) total += pushed;
  }
  return total;
}

/// The distance of every vertex from the source. False: the sink is out of reach.
bool RoomFlow::layer() {
  const std::size_t source = kinds_ + classes_;
  constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();
  depth_.assign(out_.size(), kFar);
  depth_[source] = 0;
  std::vector<std::size_t> line = {source};
  for (std::size_t i = 0; i < line.size(); ++i) {
    for (const std::size_t e : out_[line[i]]) {
      if (edges_[e].left <= 0 || depth_[edges_[e].to] != kFar) continue;
      depth_[edges_[e].to] = depth_[line[i]] + 1;
      line.push_back(edges_[e].to);
    }
  }
  return depth_[source + 1] != kFar;
}

std::int64_t RoomFlow::push(std::size_t at, std::int64_t most) {
  if (at == kinds_ + classes_ + 1) return most;
  for (std::size_t& i = next_[at]; i < out_[at].size(); ++i) {
    Edge& edge = edges_[out_[at][i]];
    if (edge.left <= 0 || depth_[edge.to] != depth_[at] + 1) continue;
    const std::int64_t pushed = push(edge.to, std::min(most, edge.left));
    if (pushed == 0) continue;
    edge.left -= pushed;
    edges_[out_[at][i] ^ 1].left += pushed;
    return pushed;
  }
  return 0;
}

std::vector<RoomFlow::Sent> RoomFlow::sent() const {
  std::vector<Sent> all;
  for (std::size_t k = 0; k < kinds_; ++k) {
    for (const std::size_t e : out_[k]) {
      if (edges_[e].to >= kinds_ + classes_) continue;  // back to the source
      if (const std::int64_t members = edges_[e ^ 1].left; members > 0)
        all.push_back({k, edges_[e].to - kinds_, members});
    }
  }
  return all;
}

std::vector<std::size_t> RoomFlow::starved() const {
  std::vector<std::size_t> kinds;
  for (std::size_t k = 0; k < kinds_; ++k) {
    if (depth_[k] != std::numeric_limits<std::size_t>::max()) kinds.push_back(k);
  }
  return kinds;
}

}  // namespace loadline::gang
