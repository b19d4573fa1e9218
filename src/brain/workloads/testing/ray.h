#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "brain/workloads/expansion.h"
#include "brain/workloads/testing/objects.h"
#include "objects/kube/core/service.h"
#include "objects/kube/objects.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::workloads::testing {

/// An object of KubeRay; `spec` in YAML's flow form. "POD" stands for a pod template.
inline kube::Objects ray_object(std::string_view kind, std::string_view name, std::string spec,
                                std::string_view version = "v1") {
  constexpr std::string_view kPod =
      "{metadata: {labels: {team: ml}}, spec: {containers: [{name: ray, image: 'ray:2', resources: {limits: "
      "{x.y/gpu: 1}}}]}}";
  for (std::size_t at = spec.find("POD"); at != std::string::npos; at = spec.find("POD")) spec.replace(at, 3, kPod);
  kube::Decoding decoding =
      kube::decode_text("{apiVersion: ray.io/" + std::string(version) + ", kind: " + std::string(kind) +
                        ", metadata: {name: " + std::string(name) + ", namespace: default}, spec: " + spec + "}");
  for (const Diagnostic& each : decoding.diagnostics) {
    EXPECT_THAT(each.message, ::testing::HasSubstr("checked by the definition of")) << each.path;
  }
  return std::move(decoding.objects);
}

/// What is said of objects that make nothing.
inline std::string note_of(const kube::Objects& objects) {
  const Expansion expansion = expand(objects, kNow, kSeed);
  EXPECT_THAT(expansion.pods, ::testing::IsEmpty());
  EXPECT_THAT(expansion.made.of<kube::Service>(), ::testing::IsEmpty());
  return expansion.notes.empty() ? std::string() : expansion.notes.front().message;
}

}  // namespace loadline::workloads::testing
