#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "recorded_decisions/recorded_case.h"
#include "recorded_decisions/replay.h"

namespace loadline::recorded_decisions::testing {

/// The members of a node "n1" with that much cpu, that an object of the API has.
inline std::string node(const std::string& name, const std::string& cpu) {
  return R"({"metadata":{"name":")" + name + R"(","labels":{"kubernetes.io/hostname":")" + name +
         R"("}},"status":{"allocatable":{"cpu":")" + cpu + R"(","memory":"8Gi","pods":"10"}}})";
}

/// A pod of namespace "a" that requests one cpu; `more` are further members of its spec, each with a comma before it.
inline std::string pod(const std::string& name, const std::string& more = "") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"a"},"spec":{"containers":[{"name":"c","image":"i",)" +
         R"("resources":{"requests":{"cpu":"1"}}}])" + more + "}}";
}
inline std::string pod_on(const std::string& name, const std::string& node) {
  return pod(name, R"(,"nodeName":")" + node + '"');
}

/// A profile that runs these plugins and no others; `more` are further members of it, each with a comma before it.
inline std::string profile(const std::string& name, const std::vector<std::string>& plugins,
                           const std::string& more = "") {
  std::string enabled = R"({"name":"PrioritySort"},{"name":"DefaultBinder"})";
  for (const std::string& plugin : plugins) enabled += R"(,{"name":")" + plugin + R"("})";
  return R"({"schedulerName":")" + name + R"(","plugins":{"multiPoint":{"disabled":[{"name":"*"}],"enabled":[)" +
         enabled + "]}}" + more + "}";
}
inline std::string configuration(const std::string& profiles) {
  return R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[)" +
         profiles + "]}";
}

inline std::string case_text(const std::string& input, const std::string& expected) {
  return R"({"name":"tiny","input":)" + input + R"(,"expected":)" + expected + "}";
}

/// Every divergence as text, or the error; empty if all is as recorded.
inline std::string outcome_of(const std::string& text) {
  const Result<RecordedCase> recorded = parse_case(text, "case");
  if (!recorded) return recorded.error().message;
  const Result<Replay> replayed = replay(*recorded);
  if (!replayed) return replayed.error().message;
  EXPECT_EQ(replayed->attempts, recorded->attempts.size());
  std::string outcome;
  for (const Divergence& divergence : replayed->divergences) outcome += divergence.to_string();
  return outcome;
}

}  // namespace loadline::recorded_decisions::testing
