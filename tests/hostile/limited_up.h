#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command/up.h"
#include "hostile/rest.h"

namespace loadline::hostile {

/// `loadline up` over one data directory, with 2 GB of address space and no more, which may be started again.
class LimitedUp {
 public:
  LimitedUp();

  /// Starts it, and waits until it says that it is there. False: it does not.
  bool start();
  /// Ctrl-C, and what it ended with.
  int end();
  /// Whether it answers.
  [[nodiscard]] bool is_alive();
  /// Whether `loadline status` can tell what there is, which reads everything.
  [[nodiscard]] bool tells_its_status();
  /// All that this run has said.
  [[nodiscard]] std::string log();

  [[nodiscard]] std::string kubeconfig() const { return up_->kubeconfig(); }

 private:
  command::Folder folder_;
  std::string program_;
  int starts_ = 0;
  std::string asked_;  // what it said when it was asked last
  std::unique_ptr<command::UpProcess> up_;
};

}  // namespace loadline::hostile
