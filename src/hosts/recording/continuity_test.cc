#include "hosts/recording/continuity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosts/recording/header.h"
#include "hosts/recording/recording_reader.h"

namespace loadline::recording {
namespace {

std::string input(std::string_view rest) {
  return fmt::format(R"({{"at":"2026-01-01T00:00:00.000000000Z",{}}})", rest);
}

/// A pod in its N-th version.
std::string pod(int version, std::string_view metadata = "", std::string_view spec = "") {
  return input(fmt::format(
      R"("put":"pods","object":{{"metadata":{{"namespace":"a","name":"p","uid":"u1","resourceVersion":"{}"{}}},"spec":{{"schedulerName":"s","containers":[{{"name":"c"}}]{}}}}})",
      version, metadata, spec));
}

/// What is wrong with the last line, "path: message"; empty: nothing. What is before it is right.
std::string fault(const std::vector<std::string>& lines) {
  std::string text = header_line({"loadline of this test", {}}, {}) + "\n" +
                     R"({"section":1,"at":"2026-01-01T00:00:00.000000000Z"})" + '\n';
  for (const std::string& line : lines) text += line + '\n';
  std::istringstream stream(text);
  RecordingReader reader(stream, "r.jsonl");
  EXPECT_TRUE(reader.header());
  Continuity continuity;
  std::string found;
  while (true) {
    const auto line = reader.next();
    EXPECT_TRUE(line) << line.error().front().to_string();
    if (!line || !*line) return found;
    EXPECT_EQ(found, "") << "a line before the last";
    if (const std::optional<Fault> wrong = continuity.take(**line)) found = wrong->path + ": " + wrong->message;
  }
}

TEST(Continuity, WhatAServerTellsFollows) {
  EXPECT_EQ(fault({pod(1, "", R"(,"schedulingGates":[{"name":"g"}],"affinity":{})"),
                   pod(2, "", R"(,"affinity":{"nodeAffinity":{}},"nodeSelector":{"a":"b"})"),
                   pod(5, "", R"(,"affinity":{"nodeAffinity":{}},"nodeSelector":{"a":"b"},"nodeName":"n")"),
                   pod(7, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")",
                       R"(,"affinity":{"nodeAffinity":{}},"nodeSelector":{"a":"b"},"nodeName":"n")"),
                   input(R"("gone":"pods","namespace":"a","name":"p")"), pod(2),
                   R"({"section":2,"at":"2026-01-01T00:00:00.000000000Z"})", pod(1), input(R"("start":true)")}),
            "");
}

TEST(Continuity, WhatNoServerTellsContradicts) {
  const std::string bound = pod(2, "", R"(,"nodeName":"n")");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{bound, pod(3)},
       "object.spec.nodeName: the recording contradicts itself: pods a/p is on the node n, where a pod stays"},
      {{bound, pod(3, "", R"(,"nodeName":"m")")},
       "object.spec.nodeName: the recording contradicts itself: pods a/p is on the node n, where a pod stays"},
      {{pod(2), pod(1)},
       "object.metadata.resourceVersion: the recording contradicts itself: pods a/p was at 2 already, and this is 1"},
      {{pod(2), pod(2)},
       "object.metadata.resourceVersion: the recording contradicts itself: pods a/p was at 2 already, and this is 2"},
      {{pod(1, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"), pod(2)},
       "object.metadata: the recording contradicts itself: the deletion of pods a/p was taken back"},
      {{pod(1), pod(2, "", R"(,"priority":7)")},
       "object.spec.priority: the recording contradicts itself: pods a/p was another one, and no update changes that "
       "of "
       "a pod"},
      {{pod(1), pod(2, "", R"(,"schedulingGates":[{"name":"g"}])")},
       "object.spec.schedulingGates: the recording contradicts itself: pods a/p was another one, and no update changes "
       "that of a pod"},
      {{pod(1), pod(2, "", R"(,"initContainers":[{"name":"i"}])")},
       "object.spec.initContainers: the recording contradicts itself: pods a/p was another one, and no update changes "
       "that of a pod"},
      {{input(R"("put":"nodes","object":{"metadata":{"name":"n","resourceVersion":"1"}})")},
       "object.metadata.uid: the recording contradicts itself: an API server gives each object a uid"},
      {{input(R"("put":"nodes","object":{"metadata":{"name":"n","uid":"u"}})")},
       "object.metadata.resourceVersion: the recording contradicts itself: an API server gives each version of an "
       "object a number"},
      {{input(R"("put":"nodes","object":{"metadata":{"name":"n","uid":"u","resourceVersion":"1"}})"),
        input(R"("put":"nodes","object":{"metadata":{"name":"n","uid":"v","resourceVersion":"2"}})")},
       "object.metadata.uid: the recording contradicts itself: nodes n has the uid u, and has not gone"},
      {{input(R"("put":"nodes","object":{"metadata":{"name":"n","namespace":"a","uid":"u","resourceVersion":"1"}})")},
       "object.metadata.namespace: the recording contradicts itself: nodes a/n is of a kind without namespaces"},
      {{input(R"("put":"jobs.batch","object":{"metadata":{"name":"n","uid":"u","resourceVersion":"1"}})")},
       "object.metadata.namespace: the recording contradicts itself: jobs.batch n has no namespace"},
      {{input(R"("gone":"nodes","name":"n")")}, "gone: the recording contradicts itself: nodes n is not there"},
      {{input(R"("start":true)"), input(R"("start":true)")},
       "start: the recording contradicts itself: this scheduler has started before"},
      {{R"({"section":3,"at":"2026-01-01T00:00:00.000000000Z"})"},
       "section: the recording contradicts itself: this is section 3, and 1 stand before it"}};
  for (const auto& [lines, expected] : cases) EXPECT_EQ(fault(lines), expected);
}

}  // namespace
}  // namespace loadline::recording
