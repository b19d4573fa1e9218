#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

inline constexpr std::string_view kProtocolNames[] = {"TCP", "UDP", "SCTP"};
inline constexpr Enumeration kProtocol{kProtocolNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<Protocol> = &kProtocol;

inline constexpr std::string_view kContainerRestartPolicyNames[] = {"", "Always", "OnFailure", "Never"};
inline constexpr Enumeration kContainerRestartPolicy{kContainerRestartPolicyNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<ContainerRestartPolicy> = &kContainerRestartPolicy;

extern const Schema kResourceRequirementsSchema;
extern const Schema kContainerSchema;
extern const Schema kEphemeralContainerSchema;

}  // namespace loadline::kube
