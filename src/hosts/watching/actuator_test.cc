#include "hosts/watching/actuator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "hosts/watching/testing/scripted_client.h"

namespace loadline::watching {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::pod;
using testing::ScriptedClient;
using testing::yaml;

Event event_of(std::string reason, std::string message) {
  Event said;
  said.reason = std::move(reason);
  said.message = std::move(message);
  return said;
}

Action create(const std::string& name) {
  Action action = create(testing::pod_kind(), "default", yaml("{metadata: {name: " + name + "}}"));
  action.said_when_done = event_of("Created", "Created pod: ");
  action.names_the_object = true;
  action.said_if_failed = event_of("Failed", "Error creating: ");
  return action;
}

Action remove(const std::string& name) {
  Action action = remove(testing::pod_kind(), {"default", name}, "u1");
  action.said_when_done = event_of("Deleted", "Deleted pod: " + name);
  return action;
}

class ActuatorTest : public ::testing::Test {
 protected:
  void perform(std::vector<std::vector<Action>> steps) {
    actuator_->perform(std::move(steps),
                       [this](ReconciliationResult outcome) { outcomes_.push_back(std::move(outcome)); });
  }

  ScriptedClient client_;
  std::vector<std::string> said_;
  std::vector<ReconciliationResult> outcomes_;
  std::unique_ptr<Actuator> actuator_ = std::make_unique<Actuator>(
      client_, [this](const Event& event) { said_.push_back(event.reason + ": " + event.message); });
};

TEST_F(ActuatorTest, NothingToDoIsDone) {
  perform({});
  perform({{}, {}});
  EXPECT_EQ(outcomes_.size(), 2U);
}

TEST_F(ActuatorTest, TakesOneStepAfterTheOther) {
  perform({{create("a"), create("b")}, {}, {remove("c")}});
  EXPECT_EQ(client_.requests.size(), 2U) << "a step's requests are under way together";
  EXPECT_EQ(client_.answer(pod("a", 5)), "create pods");
  EXPECT_EQ(client_.requests.size(), 1U) << "the next step waits for all of this one";
  EXPECT_EQ(client_.answer(pod("b", 6)), "create pods");
  EXPECT_THAT(outcomes_, IsEmpty());
  EXPECT_EQ(client_.answer(pod("c", 7)), "delete pods/c");
  ASSERT_EQ(outcomes_.size(), 1U);
  EXPECT_THAT(outcomes_[0].failures, IsEmpty());
  ASSERT_EQ(outcomes_[0].written.size(), 3U);
  EXPECT_FALSE(outcomes_[0].written[1].is_deletion);
  EXPECT_TRUE(outcomes_[0].written[2].is_deletion);
  EXPECT_THAT(said_, ElementsAre("Created: Created pod: a", "Created: Created pod: b", "Deleted: Deleted pod: c"));
}

TEST_F(ActuatorTest, StopsAfterAStepThatFailed) {
  perform({{create("a"), create("b")}, {remove("c")}});
  client_.refuse(403, "Forbidden");
  client_.answer(pod("b", 6));
  EXPECT_THAT(client_.requests, IsEmpty());
  ASSERT_EQ(outcomes_.size(), 1U);
  ASSERT_EQ(outcomes_[0].failures.size(), 1U);
  EXPECT_EQ(outcomes_[0].failures[0].status.code, 403);
  EXPECT_EQ(document::text_at(outcomes_[0].failures[0].action.document, {"metadata", "name"}), "a");
  EXPECT_EQ(outcomes_[0].written.size(), 1U) << "what was done counts all the same";
  EXPECT_THAT(said_, ElementsAre("Failed: Error creating: refused: Forbidden", "Created: Created pod: b"));
}

TEST_F(ActuatorTest, WhatIsGoneCountsAsDeletedWithoutAnEvent) {
  perform({{remove("a")}, {create("b")}});
  client_.refuse(404, "NotFound");
  EXPECT_THAT(said_, IsEmpty());
  client_.answer(pod("b", 6));
  ASSERT_EQ(outcomes_.size(), 1U);
  EXPECT_THAT(outcomes_[0].failures, IsEmpty());
  EXPECT_EQ(outcomes_[0].written.size(), 1U);
}

TEST_F(ActuatorTest, NothingIsCreatedInANamespaceThatGoesAndThatIsNoFailure) {
  perform({{create("a")}});
  client_.refuse_with({403, "Forbidden", "forbidden",
                       yaml("{details: {causes: [{reason: NamespaceTerminating, field: metadata.namespace}]}}")});
  perform({{create("a")}});
  client_.refuse_with({403, "Forbidden", "forbidden", yaml("{details: {causes: [{reason: FieldValueInvalid}]}}")});
  ASSERT_EQ(outcomes_.size(), 2U);
  EXPECT_THAT(outcomes_[0].failures, IsEmpty());
  EXPECT_THAT(outcomes_[0].written, IsEmpty());
  EXPECT_EQ(outcomes_[1].failures.size(), 1U);
  EXPECT_THAT(said_, ElementsAre("Failed: Error creating: forbidden"));
}

TEST_F(ActuatorTest, ANewerObjectOfTheNameIsAFailure) {
  perform({{remove("a")}});
  client_.refuse(409, "Conflict");
  ASSERT_EQ(outcomes_.size(), 1U);
  EXPECT_EQ(outcomes_[0].failures.size(), 1U);
}

class PreconditionTest : public ActuatorTest {
 protected:
  void perform_with_precondition() {
    Action action = remove("web");
    for (const char* name : {"a", "b"}) action.precondition.objects.push_back({"", "v1", "pods", "default", name});
    action.precondition.is_violated_by = [](const document::Value& object) {
      return !document::text_at(object, {"spec", "nodeName"}).empty();
    };
    perform({{std::move(action)}, {create("next")}});
  }
};

TEST_F(PreconditionTest, LooksFirstAndActsIfItIsNotViolated) {
  perform_with_precondition();
  EXPECT_EQ(client_.answer(pod("a", 1)), "get pods/a");
  EXPECT_EQ(client_.refuse(404, "NotFound"), "get pods/b");
  EXPECT_EQ(client_.answer(pod("web", 2)), "delete pods/web");
  EXPECT_EQ(client_.answer(pod("next", 3)), "create pods");
  ASSERT_EQ(outcomes_.size(), 1U);
  EXPECT_THAT(outcomes_[0].failures, IsEmpty());
}

TEST_F(PreconditionTest, DoesNotActIfItIsViolated) {
  perform_with_precondition();
  EXPECT_EQ(client_.answer(pod("a", 1, "u1", "node-1")), "get pods/a");
  EXPECT_EQ(client_.answer(pod("next", 3)), "create pods") << "the other steps are taken";
  ASSERT_EQ(outcomes_.size(), 1U);
  EXPECT_THAT(outcomes_[0].failures, IsEmpty());
  EXPECT_EQ(outcomes_[0].written.size(), 1U);
}

TEST_F(PreconditionTest, DoesNotActIfItCannotLook) {
  perform_with_precondition();
  EXPECT_EQ(client_.refuse(500, "InternalError"), "get pods/a");
  EXPECT_THAT(client_.requests, IsEmpty());
  ASSERT_EQ(outcomes_.size(), 1U);
  EXPECT_EQ(outcomes_[0].failures.size(), 1U);
}

TEST_F(ActuatorTest, CallsNothingBackAfterItsEnd) {
  perform({{create("a")}});
  actuator_.reset();
  client_.answer(pod("a", 5));
  EXPECT_THAT(outcomes_, IsEmpty());
  EXPECT_THAT(said_, IsEmpty());
}

}  // namespace
}  // namespace loadline::watching
