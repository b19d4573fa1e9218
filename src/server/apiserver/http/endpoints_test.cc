#include "server/apiserver/http/endpoints.h"

#include <gtest/gtest.h>

#include "server/apiserver/testing/test_server.h"
#include "server/store/testing/crash_disk.h"

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

TEST(Readiness, KnowsThatWritesFailAndWhenTheyDoNotAnyMore) {
  store::CrashDisk disk(1);
  ControlPlaneOptions options = TestServer::default_options();
  options.log.file_system = disk.name();
  TestServer server(options);
  const auto write = [&](const std::string& name) {
    return server
        .post("/api/v1/namespaces/default/configmaps",
              R"({"metadata":{"name":")" + name + R"("},"data":{"a":")" + std::string(300'000, 'x') + "\"}}")
        .status;
  };
  EXPECT_EQ(write("a"), 201);
  EXPECT_EQ(server.get("/readyz").body, "ok");
  disk.set_size(disk.used());
  EXPECT_EQ(write("b"), 500);
  const Reply full = server.get("/readyz?verbose");
  EXPECT_EQ(full.status, 500);
  EXPECT_EQ(full.body, "[+]ping ok\n[+]log ok\n[-]store failed: reason withheld\nreadyz check failed\n");
  EXPECT_EQ(server.get("/readyz/store").body,
            "internal server error: store: writes fail: database or disk is full (SQLite error 13)\n");
  EXPECT_EQ(server.get("/livez").body, "ok") << "starting it anew would not help";
  EXPECT_EQ(server.get("/api/v1/namespaces/default/configmaps/a").status, 200);
  disk.set_size(~std::uint64_t{0});
  EXPECT_EQ(server.get("/readyz").body, "ok") << "nobody has written since, but for the check";
  EXPECT_EQ(write("b"), 201);
}

}  // namespace
}  // namespace loadline::apiserver
