// Several clients read and conditionally write one object at the same time, while commits fail now and then. Each
// answer leaves when what it was made from is durable. Is there an order of the operations, each between its request
// and its answer, that explains every answer? (Wing and Gong 1993, with Lowe's memory of what was tried.)

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/rng.h"
#include "server/store/store.h"
#include "server/store/testing/crash_disk.h"
#include "server/store/testing/manual_loop.h"

namespace loadline::store {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// One operation on the object, whose values are texts; empty: there is none.
struct Operation {
  std::uint64_t requested = 0;
  std::uint64_t answered = kNever;  ///< kNever: with an error, or not at all: it may have happened, or not
  bool writes = false;
  bool succeeded = false;
  std::string expected;  ///< of a write: what the client believes is there
  std::string written;   ///< of a write
  std::string found;     ///< of a read, and of a write that failed: what is there instead
};

class Linearization {
 public:
  explicit Linearization(const std::vector<Operation>& operations) : operations_(operations) {}

  bool exists() { return explain(0, ""); }

 private:
  /// Whether the operations that are not in `done` can follow each other from `value` on.
  bool explain(std::uint64_t done, const std::string& value) {
    std::uint64_t first_answer = kNever;
    bool is_complete = true;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if ((done >> i & 1) != 0 || operations_[i].answered == kNever) continue;
      is_complete = false;
      first_answer = std::min(first_answer, operations_[i].answered);
    }
    if (is_complete) return true;
    if (!tried_.emplace(done, value).second) return false;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      // Nothing that was requested after another's answer comes before it.
      if ((done >> i & 1) != 0 || operations_[i].requested > first_answer) continue;
      std::string next = value;
      if (takes_effect(operations_[i], next) && explain(done | std::uint64_t{1} << i, next)) return true;
    }
    return false;
  }

  static bool takes_effect(const Operation& operation, std::string& value) {
    const bool succeeds = operation.writes && operation.expected == value;
    // An operation that was not answered and changes nothing is left out.
    if (operation.answered == kNever && !succeeds) return false;
    if (operation.answered != kNever && operation.succeeded != succeeds) return false;
    if (!succeeds) return operation.found == value;
    value = operation.written;
    return true;
  }

  const std::vector<Operation>& operations_;
  std::set<std::pair<std::uint64_t, std::string>> tried_;
};

class ConcurrentClients {
 public:
  explicit ConcurrentClients(std::uint64_t seed) : rng_(seed), disk_(seed) {
    Options options;
    options.log.file_system = disk_.name();
    options.commits_on_loop = true;
    store_ = std::move(*Store::open(loop_, options));
    if (rng_.below(2) == 0) disk_.fail_one_in(3 + rng_.below(10));
    operations_.reserve(kOperations);
  }

  std::vector<Operation> run() {
    while (operations_.size() < kOperations) {
      ++time_;
      if (rng_.below(2) == 0) {
        request();
      } else {
        loop_.run_one();
      }
    }
    loop_.run();
    return operations_;
  }

 private:
  static constexpr std::size_t kOperations = 24;

  void request() {
    const std::size_t index = operations_.size();
    Operation& operation = operations_.emplace_back();
    operation.requested = time_;
    const ObjectPtr current = store_->get(key_);
    const std::string value = current == nullptr ? "" : std::string(current->text());
    operation.writes = rng_.below(3) != 0;
    operation.found = value;
    if (operation.writes) write(operation);
    found_revision_.push_back(current == nullptr ? 0 : current->revision());
    const Revision revision = store_->revision();
    store_->when_durable(revision, [this, index, revision](const Result<void>& result) {
      if (!result) return;
      operations_[index].answered = time_;
      if (!operations_[index].succeeded) {
        known_ = {operations_[index].found, found_revision_[index]};
      } else {
        known_ = {operations_[index].written, revision};
      }
    });
  }

  /// From what some client was last told, which may be old by now.
  void write(Operation& operation) {
    operation.expected = known_.first;
    operation.written = std::to_string(store_->next_revision()) + "-" + std::to_string(operations_.size());
    operation.succeeded = store_->put(key_, operation.written, known_.second).has_value();
  }

  const Key key_{"configmaps", "a", "x"};
  Rng rng_;
  CrashDisk disk_;
  ManualLoop loop_;
  std::vector<Operation> operations_;
  std::vector<Revision> found_revision_;
  std::pair<std::string, Revision> known_;  // the value that was answered last, and its revision
  std::uint64_t time_ = 0;
  std::unique_ptr<Store> store_;
};

TEST(StoreLinearizability, AnOrderExplainsWhatConcurrentClientsAreTold) {
  std::size_t succeeded = 0;
  std::size_t refused = 0;
  std::size_t failed = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    ConcurrentClients clients(seed);
    const std::vector<Operation> operations = clients.run();
    EXPECT_TRUE(Linearization(operations).exists()) << "seed " << seed;
    for (const Operation& operation : operations) {
      if (!operation.writes) continue;
      ++(operation.answered == kNever ? failed : operation.succeeded ? succeeded : refused);
    }
  }
  EXPECT_GT(succeeded, 400u);
  EXPECT_GT(refused, 400u);
  EXPECT_GT(failed, 400u);
}

TEST(StoreLinearizability, TheCheckSeesWhatNoOrderExplains) {
  const Operation write{
      .requested = 1, .answered = 2, .writes = true, .succeeded = true, .expected = "", .written = "a", .found = ""};
  const Operation lost{
      .requested = 3, .answered = 4, .writes = false, .succeeded = false, .expected = "", .written = "", .found = ""};
  const Operation seen{
      .requested = 3, .answered = 4, .writes = false, .succeeded = false, .expected = "", .written = "", .found = "a"};
  const Operation again{
      .requested = 3, .answered = 4, .writes = true, .succeeded = true, .expected = "", .written = "b", .found = ""};
  EXPECT_TRUE(Linearization({write, seen}).exists());
  EXPECT_FALSE(Linearization({write, lost}).exists()) << "a read missed a write that was answered";
  EXPECT_FALSE(Linearization({write, again}).exists()) << "two writers won against each other";
}

}  // namespace
}  // namespace loadline::store
