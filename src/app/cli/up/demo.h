#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/up/demo_work.h"
#include "foundation/base/event_loop.h"
#include "foundation/base/rng.h"
#include "foundation/document/value.h"
#include "hosts/embedded/cluster.h"
#include "objects/kube/client.h"

namespace loadline::cli {

/// The nodes of a demonstration, where the user named none: see capacity::parse_node_template.
std::vector<std::string> demo_nodes();

/// Work that arrives for ever, as in a company that trains and serves models: services that are scaled up and down,
/// training Jobs, experiments on spot machines; some fail, some are preempted, and now and then a spot machine is taken
/// away and comes back later. How much of it comes follows from the size of the cluster: see demo_work.h. Finished Jobs
/// go after a minute, and no new ones come while too many are there, so that it may run for weeks.
///
/// What comes when is drawn from the seed, in the cluster's time.
class Demo {
 public:
  /// Both outlive it; `clock` is the cluster's.
  Demo(embedded::Cluster& cluster, EventLoop& clock, std::uint64_t seed);

  void start();

 private:
  void wait();
  void begin();
  void turn();
  void act();
  void add_job();
  void scale();
  void interrupt();
  void bring_back();
  /// Calls `then` with what `question` finds in what the controllers know; with nothing while a snapshot is being
  /// loaded, when there are none.
  template <class Question, class Then>
  void look(Question question, Then then);
  void create(const kube::ResourceReference& of, const std::string& yaml);

  embedded::Cluster& cluster_;
  EventLoop& clock_;
  Rng rng_;
  DemoRoom room_;
  DemoPace pace_ = demo_pace({});
  Instant measured_;
  bool has_begun_ = false;
  std::size_t jobs_ = 0;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<EventLoop::Timer> timer_;
  std::map<std::string, document::Value> taken_away_;      // nodes, by name
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // what is called back looks at it
};

}  // namespace loadline::cli
