#include "linearizability/linearization.h"

#include <gtest/gtest.h>

namespace loadline::linearizability {
namespace {

Operation asked(Verb verb, std::uint64_t requested, std::uint64_t answered, int status) {
  Operation operation;
  operation.verb = verb;
  operation.requested = requested;
  operation.answered = answered;
  operation.status = status;
  return operation;
}

Operation created(std::uint64_t requested, std::uint64_t answered, std::int64_t version) {
  Operation operation = asked(Verb::kCreate, requested, answered, 201);
  operation.key = "a";
  operation.value = "1";
  operation.found = Data{{"a", "1"}};
  operation.version = version;
  return operation;
}

Operation merged(const std::string& value, std::uint64_t requested, std::uint64_t answered) {
  Operation operation = asked(Verb::kMerge, requested, answered, answered == kNever ? 0 : 200);
  operation.key = "a";
  operation.value = value;
  return operation;
}

Operation seen(const std::string& value, std::uint64_t requested, std::uint64_t answered, std::int64_t version) {
  Operation operation = asked(Verb::kGet, requested, answered, 200);
  operation.found = Data{{"a", value}};
  operation.version = version;
  return operation;
}

Operation expecting(Operation operation, const std::string& value) {
  operation.expected = Data{{"a", value}};
  return operation;
}

TEST(Linearization, AcceptsWhatAnOrderExplains) {
  EXPECT_TRUE(is_linearizable({}));
  EXPECT_TRUE(is_linearizable({created(1, 2, 5), seen("1", 3, 4, 5)}));
  EXPECT_TRUE(is_linearizable({created(1, 4, 5), asked(Verb::kGet, 2, 3, 404)})) << "it was created after the read";
  EXPECT_TRUE(is_linearizable({created(1, 2, 5), merged("2", 3, 6), merged("3", 4, 7), seen("2", 8, 9, 7)}));
  EXPECT_TRUE(is_linearizable({created(1, 2, 5), asked(Verb::kDelete, 3, 4, 200), created(5, 6, 8)}));
}

TEST(Linearization, RefusesWhatNoOrderExplains) {
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), asked(Verb::kGet, 3, 4, 404)})) << "a lost write";
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), created(3, 4, 6)})) << "two won";
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), merged("2", 3, 4), seen("1", 5, 6, 5)})) << "a stale read";
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), seen("1", 3, 4, 6)})) << "two versions for one state";
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), merged("2", 3, 4), seen("2", 5, 6, 5)})) << "versions must grow";
  EXPECT_FALSE(
      is_linearizable({created(1, 2, 5), expecting(merged("2", 3, 8), "1"), expecting(merged("3", 4, 9), "1")}))
      << "both had the same precondition";
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), merged("2", 3, 9), seen("2", 4, 5, 6), seen("1", 6, 7, 5)}))
      << "time went backwards between two reads";
}

TEST(Linearization, NamesTheFirstAnswerThatDoesNotFit) {
  const std::vector<Operation> operations = {created(1, 2, 5), merged("2", 3, 6), seen("1", 7, 8, 5),
                                             seen("2", 9, 10, 7)};
  EXPECT_EQ(first_unexplained(operations), &operations[2]);
  EXPECT_EQ(first_unexplained({created(1, 2, 5)}), nullptr);
}

TEST(Linearization, UnknownOutcomesMayTakeEffectOnceOrNever) {
  const Operation lost = merged("2", 3, kNever);
  EXPECT_TRUE(is_linearizable({created(1, 2, 5), lost, seen("1", 5, 6, 5)})) << "never";
  EXPECT_TRUE(is_linearizable({created(1, 2, 5), lost, seen("2", 5, 6, 7)})) << "at once";
  EXPECT_TRUE(is_linearizable({created(1, 2, 5), lost, seen("1", 5, 6, 5), seen("2", 7, 8, 7)})) << "late";
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), lost, seen("2", 5, 6, 7), seen("1", 7, 8, 5)})) << "undone";
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), lost, seen("2", 5, 6, 7), merged("3", 7, 8), seen("2", 9, 10, 9)}))
      << "twice";
  Operation of_a_past_life = lost;
  of_a_past_life.until = 6;
  EXPECT_TRUE(is_linearizable({created(1, 2, 5), of_a_past_life, seen("2", 7, 8, 7)}));
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), of_a_past_life, seen("1", 7, 8, 5), seen("2", 9, 10, 7)}))
      << "after the server had died";
}

TEST(Linearization, DryRunsAreAnsweredAndChangeNothing) {
  Operation dry = merged("2", 3, 4);
  dry.is_dry_run = true;
  dry.found = Data{{"a", "2"}};
  EXPECT_TRUE(is_linearizable({created(1, 2, 5), dry, seen("1", 5, 6, 5)}));
  EXPECT_FALSE(is_linearizable({created(1, 2, 5), dry, seen("2", 5, 6, 6)}));
}

}  // namespace
}  // namespace loadline::linearizability
