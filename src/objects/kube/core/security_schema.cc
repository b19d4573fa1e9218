#include "objects/kube/core/security_schema.h"

#include "objects/kube/decoder.h"

namespace loadline::kube {

constexpr Field kAppArmorProfileFields[] = {
    known("localhostProfile", kString),
    known("type", kString).required(),
};
constexpr Schema kAppArmorProfileSchema{"AppArmorProfile", kAppArmorProfileFields};

constexpr Field kCapabilitiesFields[] = {
    known("add", list_of(kString)),
    known("drop", list_of(kString)),
};
constexpr Schema kCapabilitiesSchema{"Capabilities", kCapabilitiesFields};

constexpr Field kSeLinuxOptionsFields[] = {
    known("level", kString),
    known("role", kString),
    known("type", kString),
    known("user", kString),
};
constexpr Schema kSeLinuxOptionsSchema{"SELinuxOptions", kSeLinuxOptionsFields};

constexpr Field kSeccompProfileFields[] = {
    known("localhostProfile", kString),
    known("type", kString).required(),
};
constexpr Schema kSeccompProfileSchema{"SeccompProfile", kSeccompProfileFields};

constexpr Field kWindowsSecurityContextOptionsFields[] = {
    known("gmsaCredentialSpec", kString),
    known("gmsaCredentialSpecName", kString),
    known("hostProcess", kBoolean),
    known("runAsUserName", kString),
};
constexpr Schema kWindowsSecurityContextOptionsSchema{"WindowsSecurityContextOptions",
                                                      kWindowsSecurityContextOptionsFields};

constexpr Field kSecurityContextFields[] = {
    known("allowPrivilegeEscalation", kBoolean),
    known("appArmorProfile", object(kAppArmorProfileSchema)),
    known("capabilities", object(kCapabilitiesSchema)),
    known("privileged", kBoolean),
    known("procMount", kString),
    known("readOnlyRootFilesystem", kBoolean),
    known("runAsGroup", kInt64),
    known("runAsNonRoot", kBoolean),
    known("runAsUser", kInt64),
    known("seLinuxOptions", object(kSeLinuxOptionsSchema)),
    known("seccompProfile", object(kSeccompProfileSchema)),
    known("windowsOptions", object(kWindowsSecurityContextOptionsSchema)),
};
constinit const Schema kSecurityContextSchema{"SecurityContext", kSecurityContextFields};

constexpr Field kSysctlFields[] = {
    known("name", kString).required(),
    known("value", kString).required(),
};
constexpr Schema kSysctlSchema{"Sysctl", kSysctlFields};

constexpr Field kPodSecurityContextFields[] = {
    known("appArmorProfile", object(kAppArmorProfileSchema)),
    known("fsGroup", kInt64),
    known("fsGroupChangePolicy", kString),
    known("runAsGroup", kInt64),
    known("runAsNonRoot", kBoolean),
    known("runAsUser", kInt64),
    known("seLinuxChangePolicy", kString),
    known("seLinuxOptions", object(kSeLinuxOptionsSchema)),
    known("seccompProfile", object(kSeccompProfileSchema)),
    known("supplementalGroups", list_of(kInt64)),
    known("supplementalGroupsPolicy", kString),
    known("sysctls", list_of(object(kSysctlSchema))),
    known("windowsOptions", object(kWindowsSecurityContextOptionsSchema)),
};
constinit const Schema kPodSecurityContextSchema{"PodSecurityContext", kPodSecurityContextFields};

}  // namespace loadline::kube
