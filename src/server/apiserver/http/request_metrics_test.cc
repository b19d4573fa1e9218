#include "server/apiserver/http/request_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "foundation/observe/log.h"
#include "server/apiserver/testing/test_server.h"
#include "server/store/testing/crash_disk.h"

namespace loadline::apiserver {
namespace {

/// The sum of all samples of that name with these texts among their labels.
double sum_of(const std::string& text, const std::string& name, std::initializer_list<std::string_view> labels) {
  double sum = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool fits = line.starts_with(name + "{") && std::all_of(labels.begin(), labels.end(), [&](auto label) {
                        return line.find(label) != std::string::npos;
                      });
    if (fits) sum += std::stod(line.substr(line.rfind(' ') + 1));
  }
  return sum;
}

TEST(RequestMetrics, RequestsAreCountedUnderUpstreamsLabels) {
  TestServer server;
  server.get("/api/v1/namespaces/default/configmaps");
  server.get("/api/v1/namespaces/default/configmaps/none");
  server.get("/api/v1/configmaps");
  server.post("/api/v1/namespaces/default/configmaps?dryRun=All",
              R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})");
  const std::string text = server.get("/metrics").body;
  const std::string name = "apiserver_request_total";
  EXPECT_EQ(sum_of(text, name, {"verb=\"LIST\"", "resource=\"configmaps\"", "scope=\"namespace\"", "\"200\""}), 1);
  EXPECT_EQ(sum_of(text, name, {"verb=\"LIST\"", "resource=\"configmaps\"", "scope=\"cluster\"", "\"200\""}), 1);
  EXPECT_EQ(sum_of(text, name, {"verb=\"GET\"", "resource=\"configmaps\"", "scope=\"resource\"", "\"404\""}), 1);
  EXPECT_EQ(sum_of(text, name, {"verb=\"POST\"", "dry_run=\"All\"", "version=\"v1\"", "\"201\""}), 1);
  EXPECT_EQ(sum_of(text, "apiserver_request_duration_seconds_count", {"resource=\"configmaps\""}), 4);
  EXPECT_EQ(sum_of(text, "apiserver_current_inflight_requests", {"readOnly"}), 1) << "the one for /metrics";
}

TEST(RequestMetrics, WhatIsNotServedHasNoLabelsOfItsOwn) {
  TestServer server;
  server.get("/api/v1/namespaces/default/made-up");
  server.get("/apis/made.up/v1/others");
  server.get("/made-up");
  EXPECT_EQ(server.get("/metrics").body.find("made"), std::string::npos);
}

TEST(RequestMetrics, DurationsAreRealTimeWhateverTheClockDoes) {
  TestServer server;
  server.open("/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=3600");
  server.loop().set_wall_offset(Duration::seconds(365 * 86'400));
  server.loop().advance(Duration::seconds(3601));
  const std::string text = server.get("/metrics").body;
  const std::string name = "apiserver_request_duration_seconds";
  EXPECT_EQ(sum_of(text, name + "_count", {"verb=\"WATCH\"", "resource=\"configmaps\""}), 1);
  EXPECT_GT(sum_of(text, name + "_sum", {"verb=\"WATCH\"", "resource=\"configmaps\""}), 0);
  EXPECT_LT(sum_of(text, name + "_sum", {"verb=\"WATCH\"", "resource=\"configmaps\""}), 600);
}

TEST(RequestMetrics, ObjectsAreCountedByResource) {
  TestServer server;
  const auto count = [&] {
    return sum_of(server.get("/metrics").body, "apiserver_resource_objects", {"group=\"\"", "resource=\"configmaps\""});
  };
  const double before = count();
  server.post("/api/v1/namespaces/default/configmaps",
              R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})");
  EXPECT_EQ(count(), before + 1);
}

TEST(RequestLog, TellsOfRequestsThatTheServerFailed) {
  store::CrashDisk disk(1);
  std::string told;
  ControlPlaneOptions options = TestServer::default_options();
  options.log.file_system = disk.name();
  options.log_to = std::make_shared<observe::Log>(
      observe::LogOptions(), [&](std::string_view line) { told += line; },
      [] { return *parse_rfc3339("2026-11-22T04:08:15Z"); });
  TestServer server(options);
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  EXPECT_EQ(server.post(maps, R"({"metadata":{"name":"a"}})").status, 201);
  EXPECT_EQ(server.get(maps + "/b").status, 404);
  EXPECT_EQ(told, "") << "what clients get wrong is their business";
  disk.fail_one_in(1);
  const int status = server.post(maps, R"({"metadata":{"name":"b"}})").status;
  EXPECT_GE(status, 500);
  EXPECT_EQ(told, "W1122 04:08:15.000000 apiserver] \"Request failed\" verb=\"create\" path=\"" + maps + "\" code=\"" +
                      std::to_string(status) + "\"\n");
  disk.fail_one_in(0);
  EXPECT_EQ(server.post(maps, R"({"metadata":{"name":"b"}})").status, 201);
}

}  // namespace
}  // namespace loadline::apiserver
