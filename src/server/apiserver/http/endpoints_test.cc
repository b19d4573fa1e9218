#include "server/apiserver/http/endpoints.h"

#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"

namespace loadline::apiserver {
namespace {

TEST(Readiness, IsMadeOfNamedChecks) {
  TestServer server;
  bool is_synced = false;
  server.plane().add_readiness("informer-sync", [&] { return is_synced; });
  const Reply early = server.get("/readyz");
  EXPECT_EQ(early.status, 500);
  EXPECT_EQ(early.body,
            "[+]ping ok\n[+]log ok\n[+]store ok\n[-]informer-sync failed: reason withheld\nreadyz check failed\n");
  EXPECT_EQ(server.get("/readyz/informer-sync").status, 500);
  EXPECT_EQ(server.get("/readyz/ping").body, "ok");
  EXPECT_EQ(server.get("/livez").body, "ok") << "it lives, though it is not ready";
  EXPECT_EQ(server.get("/livez/informer-sync").status, 404);
  EXPECT_EQ(server.get("/readyz?exclude=informer-sync").body, "ok");
  is_synced = true;
  EXPECT_EQ(server.get("/readyz").body, "ok");
  EXPECT_EQ(server.get("/readyz?verbose&exclude=store&exclude=x").body,
            "[+]ping ok\n[+]log ok\n[+]store excluded: ok\n[+]informer-sync ok\n"
            "warn: some health checks cannot be excluded: no matches for \"x\"\nreadyz check passed\n");
}

}  // namespace
}  // namespace loadline::apiserver
