#include "foundation/observe/metrics.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

namespace loadline::observe {
namespace {

constexpr RequestLabels kGetPod{"GET", "", "v1", "pods", "", "resource", false};
constexpr RequestLabels kWatchPods{"WATCH", "", "v1", "pods", "", "cluster", false};

/// The value of the sample whose line begins so; -1 if there is none.
double sample(const std::string& text, const std::string& begin) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin + " ") || (line.starts_with(begin) && begin.ends_with("{")))
      return std::stod(line.substr(line.rfind(' ') + 1));
  }
  return -1;
}

double total(const std::string& text, const std::string& name, const std::string& label) {
  double sum = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + "{") && line.find(label) != std::string::npos)
      sum += std::stod(line.substr(line.rfind(' ') + 1));
  }
  return sum;
}

TEST(Metrics, CountsRequestsByCodeAndMeasuresThem) {
  Metrics metrics;
  Metrics::Requests& gets = metrics.requests(kGetPod);
  gets.begin();
  gets.end(200, 0.01);
  gets.begin();
  gets.end(404, 7);
  gets.begin();
  gets.end(0, 1);  // the client went away
  const std::string text = metrics.text({});
  EXPECT_EQ(total(text, "apiserver_request_total", "code=\"200\""), 1);
  EXPECT_EQ(total(text, "apiserver_request_total", "code=\"404\""), 1);
  EXPECT_EQ(total(text, "apiserver_request_total", "verb=\"GET\""), 2);
  EXPECT_EQ(total(text, "apiserver_request_duration_seconds_bucket", "le=\"0.025\""), 1);
  EXPECT_EQ(total(text, "apiserver_request_duration_seconds_bucket", "le=\"+Inf\""), 2);
  EXPECT_EQ(total(text, "apiserver_current_inflight_requests", "readOnly"), 0);
}

TEST(Metrics, LabelsAreUpstreams) {
  Metrics metrics;
  metrics.requests({"POST", "apps", "v1", "deployments", "status", "resource", true}).end(201, 0);
  const std::string text = metrics.text({});
  for (const std::string_view label :
       {"verb=\"POST\"", "group=\"apps\"", "version=\"v1\"", "resource=\"deployments\"", "subresource=\"status\"",
        "scope=\"resource\"", "component=\"apiserver\"", "code=\"201\"", "dry_run=\"All\""}) {
    EXPECT_EQ(total(text, "apiserver_request_total", std::string(label)), 1) << label;
  }
}

TEST(Metrics, TheSameLabelsAreTheSameRequests) {
  Metrics metrics;
  EXPECT_EQ(&metrics.requests(kGetPod), &metrics.requests(kGetPod));
  EXPECT_NE(&metrics.requests(kGetPod), &metrics.requests(kWatchPods));
  RequestLabels dry = kGetPod;
  dry.is_dry_run = true;
  EXPECT_NE(&metrics.requests(kGetPod), &metrics.requests(dry));
}

TEST(Metrics, WatchesAreLongRunningAndNotInFlight) {
  Metrics metrics;
  Metrics::Requests& watches = metrics.requests(kWatchPods);
  watches.begin();
  watches.begin();
  metrics.requests(kGetPod).begin();
  metrics.requests({"DELETE", "", "v1", "pods", "", "resource", false}).begin();
  std::string text = metrics.text({});
  EXPECT_EQ(total(text, "apiserver_longrunning_requests", "verb=\"WATCH\""), 2);
  EXPECT_EQ(total(text, "apiserver_current_inflight_requests", "readOnly"), 1);
  EXPECT_EQ(total(text, "apiserver_current_inflight_requests", "mutating"), 1);
  watches.end(200, 60);
  text = metrics.text({});
  EXPECT_EQ(total(text, "apiserver_longrunning_requests", "verb=\"WATCH\""), 1);
}

TEST(Metrics, CountsEventsAndObjects) {
  Metrics metrics;
  metrics.events("", "v1", "pods").sent += 3;
  std::string text = metrics.text({{"", "pods", 5}, {"apps", "deployments", 2}});
  EXPECT_EQ(total(text, "apiserver_watch_events_total", "resource=\"pods\""), 3);
  EXPECT_EQ(total(text, "apiserver_resource_objects", "group=\"apps\""), 2);
  EXPECT_EQ(sample(text, "apiserver_storage_objects{resource=\"deployments.apps\"}"), 2);
  metrics.events("", "v1", "pods").sent += 1;
  text = metrics.text({{"", "pods", 4}});
  EXPECT_EQ(total(text, "apiserver_watch_events_total", "resource=\"pods\""), 4);
  EXPECT_EQ(sample(text, "apiserver_storage_objects{resource=\"pods\"}"), 4);
}

TEST(Metrics, KnowsThisProcess) {
  const std::string text = Metrics().text({});
  EXPECT_GT(sample(text, "process_resident_memory_bytes"), 1e6);
  EXPECT_GT(sample(text, "process_open_fds"), 2);
  EXPECT_GT(sample(text, "process_start_time_seconds"), 1.7e9);
  EXPECT_GE(sample(text, "process_cpu_seconds_total"), 0);
}

TEST(Metrics, EveryLineIsPrometheusText) {
  Metrics metrics;
  metrics.requests(kGetPod).end(200, 0.1);
  metrics.events("", "v1", "pods").sent = 1;
  const std::regex line(
      R"(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z_]+="[^"]*",?)*\})? (-?[0-9.]+(e[+-]?[0-9]+)?|NaN|\+Inf))");
  std::istringstream lines(metrics.text({{"", "pods", 1}}));
  for (std::string text; std::getline(lines, text);) EXPECT_TRUE(std::regex_match(text, line)) << text;
}

}  // namespace
}  // namespace loadline::observe
