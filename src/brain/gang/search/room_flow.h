#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loadline::gang {

/// How many members can go to nodes at most, if a class of nodes takes so many in all, and so many of each kind.
///
/// A flow from kinds to classes. What the two limits leave out (that large members take more room) makes it an upper
/// bound of any placement; where a node takes one member it is exact.
/// Source: E. A. Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation" (1970).
class RoomFlow {
 public:
  RoomFlow(std::vector<std::int64_t> kinds, std::vector<std::int64_t> classes);
  /// So many members of the kind fit into the class, if nothing else is there. Each pair at most once.
  void allow(std::size_t kind, std::size_t room_class, std::int64_t members);

  /// The largest flow. To be called once.
  std::int64_t run();

  // ---- after run() -------------------------------------------------------------------------------------------------
  /// How many members of the kind it sends to the class: (kind, class, members), without zeros.
  struct Sent {
    std::size_t kind = 0;
    std::size_t room_class = 0;
    std::int64_t members = 0;
  };
  [[nodiscard]] std::vector<Sent> sent() const;
  /// The kinds on the source's side of the smallest cut: together they find too little room. Empty: all find room.
  [[nodiscard]] std::vector<std::size_t> starved() const;

 private:
  struct Edge {
    std::size_t to = 0;
    std::int64_t left = 0;
  };
  void connect(std::size_t from, std::size_t to, std::int64_t capacity);
  bool layer();
  std::int64_t push(std::size_t at, std::int64_t most);

  std::size_t kinds_, classes_;
  std::vector<Edge> edges_;  // an edge and its reverse stand side by side
  std::vector<std::vector<std::size_t>> out_;
  std::vector<std::size_t> depth_, next_;
};

}  // namespace loadline::gang
