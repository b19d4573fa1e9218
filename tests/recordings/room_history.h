#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "foundation/base/rng.h"
#include "foundation/base/virtual_loop.h"
#include "hosts/embedded/cluster.h"
#include "hosts/recording/recording.h"
#include "objects/kube/client.h"
#include "simulation/faulty_client.h"
#include "simulation/trace.h"

namespace loadline::recording {

/// A small cluster in virtual time in which users reserve room, of both kinds, give it up and change their minds,
/// change the policy, and create pods of three priorities that consume the room, preempt each other, or wait; over a
/// bad line, with control loops that crash. All of it is drawn from a seed.
class RoomHistory {
 public:
  RoomHistory(std::uint64_t seed, std::shared_ptr<Recording> recording);

  void run();

 private:
  void act();
  void add_node();
  void add_pod();
  void reserve();
  void reserve_as_koordinator();
  void change_policy();
  void remove_one(std::set<std::string>& names, kube::ResourceReference of);
  void create(const kube::ResourceReference& of, const std::string& yaml);
  std::string new_name(const char* kind, std::set<std::string>& names);

  VirtualLoop loop_{Instant{} + Duration::seconds(1'767'225'600)};
  simulation::Trace trace_{loop_};
  Rng random_;
  simulation::Faults faults_;
  std::unique_ptr<embedded::Cluster> cluster_;
  std::unique_ptr<kube::Client> client_;
  std::uint64_t last_ = 0;
  std::set<std::string> nodes_;
  std::set<std::string> pods_;
  std::set<std::string> reservations_;
  std::set<std::string> of_koordinator_;
};

}  // namespace loadline::recording
