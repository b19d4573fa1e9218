#pragma once

#include "brain/cluster/ledgers/quota_tree.h"

namespace loadline::queue::kueue {

/// As long as it lives, usage of the tree is tentative: its end undoes what was added and removed since. It takes the
/// place of upstream's snapshots.
class Trial {
 public:
  explicit Trial(cluster::QuotaTree& tree) : tree_(tree) { tree_.begin(); }
  ~Trial() {
    tree_.roll_back();
    tree_.end();
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// The usage since the beginning never was.
  void undo() { tree_.roll_back(); }

 private:
  cluster::QuotaTree& tree_;
};

}  // namespace loadline::queue::kueue
