#include "hosts/watching/cross_thread_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "hosts/watching/testing/scripted_client.h"

namespace loadline::watching {
namespace {

using document::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::pod;
using testing::ScriptedClient;

const kube::ResourceReference kPodsOfDefault{"", "v1", "pods", "default"};
const kube::ResourceReference kWeb{"", "v1", "pods", "default", "web"};

/// Two loops for two threads, which take turns when a test says so.
class CrossThreadClientTest : public ::testing::Test {
 protected:
  CrossThreadClientTest() {
    auto scripted = std::make_unique<ScriptedClient>();
    server_ = scripted.get();
    client_ = std::make_unique<CrossThreadClient>(mailboxes_, std::move(scripted));
  }

  kube::Client::OnObject note() {
    return [this](const kube::Answer<Value>& answer) {
      heard_.push_back(answer ? std::string(document::text_at(*answer, {"metadata", "name"})) : answer.error().reason);
    };
  }
  std::unique_ptr<kube::Watch> watch() {
    return client_->watch(kPodsOfDefault, {}, [this](const kube::WatchEvent& event) {
      heard_.emplace_back(document::text_at(event.object, {"metadata", "name"}));
    });
  }

  VirtualLoop here_{Instant{}};
  VirtualLoop there_{Instant{}};
  ThreadMailboxes mailboxes_{there_, here_};
  ScriptedClient* server_ = nullptr;
  std::unique_ptr<CrossThreadClient> client_;
  std::vector<std::string> heard_;
};

TEST_F(CrossThreadClientTest, AsksThereAndHearsHere) {
  client_->create(kPodsOfDefault, pod("web", 1), note());
  client_->patch(kWeb, {kube::PatchType::kMerge, Value()}, note());
  EXPECT_THAT(server_->requests, IsEmpty());
  there_.run_until_idle();
  EXPECT_EQ(server_->answer(pod("web", 1)), "create pods");
  EXPECT_EQ(server_->refuse(409, "Conflict"), "patch pods/web");
  EXPECT_THAT(heard_, IsEmpty());
  here_.run_until_idle();
  EXPECT_THAT(heard_, ElementsAre("web", "Conflict"));
}

TEST_F(CrossThreadClientTest, AllVerbsCross) {
  client_->get(kWeb, note());
  client_->update(kWeb, pod("web", 1), note());
  client_->remove(kWeb, {}, {});
  std::size_t listed = 0;
  client_->list(kPodsOfDefault, {}, [&](const kube::Answer<kube::ObjectList>& list) { listed = list->items.size(); });
  there_.run_until_idle();
  EXPECT_EQ(server_->answer(pod("web", 1)), "get pods/web");
  EXPECT_EQ(server_->answer(pod("web", 1)), "update pods/web");
  EXPECT_EQ(server_->answer(pod("web", 1)), "delete pods/web");
  server_->list_answer({pod("a", 1), pod("b", 2)}, "2");
  here_.run_until_idle();
  EXPECT_EQ(heard_.size(), 2U);
  EXPECT_EQ(listed, 2U);
}

TEST_F(CrossThreadClientTest, AWatchThatHasEndedIsNotCalled) {
  auto watch = this->watch();
  there_.run_until_idle();
  server_->added(pod("a", 1));
  here_.run_until_idle();
  EXPECT_THAT(heard_, ElementsAre("a"));
  server_->added(pod("b", 2));
  watch.reset();
  here_.run_until_idle();
  EXPECT_THAT(heard_, ElementsAre("a"));
  EXPECT_TRUE(server_->is_watched());
  there_.run_until_idle();
  EXPECT_FALSE(server_->is_watched());
}

TEST_F(CrossThreadClientTest, AWatchMayEndBeforeItsServerHearsOfIt) {
  watch().reset();
  there_.run_until_idle();
  EXPECT_FALSE(server_->is_watched());
}

TEST_F(CrossThreadClientTest, ACallbackMayEndItsWatch) {
  std::unique_ptr<kube::Watch> watch;
  watch = client_->watch(
      kPodsOfDefault, {},
      [&, text = std::string("a text that is not kept in the callback itself")](const kube::WatchEvent&) {
        watch.reset();
        heard_.push_back(text);
      });
  there_.run_until_idle();
  server_->added(pod("a", 1));
  server_->added(pod("b", 2));
  here_.run_until_idle();
  EXPECT_EQ(heard_.size(), 1U);
}

TEST_F(CrossThreadClientTest, NoCallbackRunsOnceItIsGone) {
  client_->get(kWeb, note());
  client_->get(kWeb, note());
  there_.run_until_idle();
  server_->answer(pod("web", 1));
  client_.reset();
  here_.run_until_idle();
  EXPECT_THAT(heard_, IsEmpty());
  mailboxes_.to_server.drain();  // takes the server's side with it
  here_.run_until_idle();
  EXPECT_THAT(heard_, IsEmpty());
}

}  // namespace
}  // namespace loadline::watching
