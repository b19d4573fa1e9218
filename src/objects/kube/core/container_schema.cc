#include "objects/kube/core/container_schema.h"

#include "objects/kube/core/security_schema.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

constexpr std::string_view kPullPolicyNames[] = {"Always", "IfNotPresent", "Never"};
constexpr Enumeration kPullPolicy{kPullPolicyNames};

constexpr Field kConfigMapKeySelectorFields[] = {
    known("key", kString).required(),
    known("name", kString),
    known("optional", kBoolean),
};
constexpr Schema kConfigMapKeySelectorSchema{"ConfigMapKeySelector", kConfigMapKeySelectorFields};

constexpr Field kObjectFieldSelectorFields[] = {
    known("apiVersion", kString),
    known("fieldPath", kString).required(),
};
constinit const Schema kObjectFieldSelectorSchema{"ObjectFieldSelector", kObjectFieldSelectorFields};

constexpr Field kFileKeySelectorFields[] = {
    known("key", kString).required(),
    known("optional", kBoolean),
    known("path", kString).required(),
    known("volumeName", kString).required(),
};
constexpr Schema kFileKeySelectorSchema{"FileKeySelector", kFileKeySelectorFields};

constexpr Field kResourceFieldSelectorFields[] = {
    known("containerName", kString),
    known("divisor", kQuantity),
    known("resource", kString).required(),
};
constinit const Schema kResourceFieldSelectorSchema{"ResourceFieldSelector", kResourceFieldSelectorFields};

constexpr Field kSecretKeySelectorFields[] = {
    known("key", kString).required(),
    known("name", kString),
    known("optional", kBoolean),
};
constexpr Schema kSecretKeySelectorSchema{"SecretKeySelector", kSecretKeySelectorFields};

constexpr Field kEnvVarSourceFields[] = {
    known("configMapKeyRef", object(kConfigMapKeySelectorSchema)),
    known("fieldRef", object(kObjectFieldSelectorSchema)),
    known("fileKeyRef", object(kFileKeySelectorSchema)),
    known("resourceFieldRef", object(kResourceFieldSelectorSchema)),
    known("secretKeyRef", object(kSecretKeySelectorSchema)),
};
constexpr Schema kEnvVarSourceSchema{"EnvVarSource", kEnvVarSourceFields};

constexpr Field kEnvVarFields[] = {
    known("name", kString).required(),
    known("value", kString),
    known("valueFrom", object(kEnvVarSourceSchema)),
};
constexpr Schema kEnvVarSchema{"EnvVar", kEnvVarFields};

constexpr Field kConfigMapEnvSourceFields[] = {
    known("name", kString),
    known("optional", kBoolean),
};
constexpr Schema kConfigMapEnvSourceSchema{"ConfigMapEnvSource", kConfigMapEnvSourceFields};

constexpr Field kSecretEnvSourceFields[] = {
    known("name", kString),
    known("optional", kBoolean),
};
constexpr Schema kSecretEnvSourceSchema{"SecretEnvSource", kSecretEnvSourceFields};

constexpr Field kEnvFromSourceFields[] = {
    known("configMapRef", object(kConfigMapEnvSourceSchema)),
    known("prefix", kString),
    known("secretRef", object(kSecretEnvSourceSchema)),
};
constexpr Schema kEnvFromSourceSchema{"EnvFromSource", kEnvFromSourceFields};

constexpr Field kExecActionFields[] = {
    known("command", list_of(kString)),
};
constexpr Schema kExecActionSchema{"ExecAction", kExecActionFields};

constexpr Field kHttpHeaderFields[] = {
    known("name", kString).required(),
    known("value", kString).required(),
};
constexpr Schema kHttpHeaderSchema{"HTTPHeader", kHttpHeaderFields};

constexpr Field kHttpGetActionFields[] = {
    known("host", kString),   known("httpHeaders", list_of(object(kHttpHeaderSchema))),
    known("path", kString),   known("port", kIntOrString).required(),
    known("scheme", kString),
};
constexpr Schema kHttpGetActionSchema{"HTTPGetAction", kHttpGetActionFields};

constexpr Field kSleepActionFields[] = {
    known("seconds", kInt64).required(),
};
constexpr Schema kSleepActionSchema{"SleepAction", kSleepActionFields};

constexpr Field kTcpSocketActionFields[] = {
    known("host", kString),
    known("port", kIntOrString).required(),
};
constexpr Schema kTcpSocketActionSchema{"TCPSocketAction", kTcpSocketActionFields};

constexpr Field kLifecycleHandlerFields[] = {
    known("exec", object(kExecActionSchema)),
    known("httpGet", object(kHttpGetActionSchema)),
    known("sleep", object(kSleepActionSchema)),
    known("tcpSocket", object(kTcpSocketActionSchema)),
};
constexpr Schema kLifecycleHandlerSchema{"LifecycleHandler", kLifecycleHandlerFields};

constexpr Field kLifecycleFields[] = {
    known("postStart", object(kLifecycleHandlerSchema)),
    known("preStop", object(kLifecycleHandlerSchema)),
    known("stopSignal", kString),
};
constexpr Schema kLifecycleSchema{"Lifecycle", kLifecycleFields};

constexpr Field kGrpcActionFields[] = {
    known("port", kInt32).required(),
    known("service", kString),
};
constexpr Schema kGrpcActionSchema{"GRPCAction", kGrpcActionFields};

constexpr Field kProbeFields[] = {
    known("exec", object(kExecActionSchema)),
    known("failureThreshold", kInt32),
    known("grpc", object(kGrpcActionSchema)),
    known("httpGet", object(kHttpGetActionSchema)),
    known("initialDelaySeconds", kInt32),
    known("periodSeconds", kInt32),
    known("successThreshold", kInt32),
    known("tcpSocket", object(kTcpSocketActionSchema)),
    known("terminationGracePeriodSeconds", kInt64),
    known("timeoutSeconds", kInt32),
};
constexpr Schema kProbeSchema{"Probe", kProbeFields};

constexpr Field kContainerPortFields[] = {
    field<&ContainerPort::container_port>("containerPort").required(),
    field<&ContainerPort::host_ip>("hostIP"),
    field<&ContainerPort::host_port>("hostPort"),
    field<&ContainerPort::name>("name"),
    field<&ContainerPort::protocol>("protocol"),
};
constexpr Schema kContainerPortSchema{"ContainerPort", kContainerPortFields};

constexpr Field kContainerResizePolicyFields[] = {
    known("resourceName", kString).required(),
    known("restartPolicy", kString).required(),
};
constexpr Schema kContainerResizePolicySchema{"ContainerResizePolicy", kContainerResizePolicyFields};

constexpr Field kResourceClaimFields[] = {
    field<&ResourceClaimUse::name>("name").required(),
    field<&ResourceClaimUse::request>("request"),
};
constexpr Schema kResourceClaimSchema{"ResourceClaim", kResourceClaimFields};

constexpr Field kResourceRequirementsFields[] = {
    field<&ResourceRequirements::claims>("claims", list_of(object(kResourceClaimSchema))),
    field<&ResourceRequirements::limits>("limits"),
    field<&ResourceRequirements::requests>("requests"),
};
constinit const Schema kResourceRequirementsSchema{"ResourceRequirements", kResourceRequirementsFields};

constexpr Field kContainerRestartRuleOnExitCodesFields[] = {
    known("operator", kString).required(),
    known("values", list_of(kInt32)),
};
constexpr Schema kContainerRestartRuleOnExitCodesSchema{"ContainerRestartRuleOnExitCodes",
                                                        kContainerRestartRuleOnExitCodesFields};

constexpr Field kContainerRestartRuleFields[] = {
    known("action", kString).required(),
    known("exitCodes", object(kContainerRestartRuleOnExitCodesSchema)),
};
constexpr Schema kContainerRestartRuleSchema{"ContainerRestartRule", kContainerRestartRuleFields};

constexpr Field kVolumeDeviceFields[] = {
    known("devicePath", kString).required(),
    known("name", kString).required(),
};
constexpr Schema kVolumeDeviceSchema{"VolumeDevice", kVolumeDeviceFields};

constexpr Field kVolumeMountFields[] = {
    known("mountPath", kString).required(), known("mountPropagation", kString),
    known("name", kString).required(),      known("readOnly", kBoolean),
    known("recursiveReadOnly", kString),    known("subPath", kString),
    known("subPathExpr", kString),
};
constexpr Schema kVolumeMountSchema{"VolumeMount", kVolumeMountFields};

constexpr Field kContainerFields[] = {
    known("args", list_of(kString)),
    known("command", list_of(kString)),
    known("env", list_of(object(kEnvVarSchema))),
    known("envFrom", list_of(object(kEnvFromSourceSchema))),
    field<&Container::image>("image"),
    known("imagePullPolicy", one_of(kPullPolicy)),
    known("lifecycle", object(kLifecycleSchema)),
    known("livenessProbe", object(kProbeSchema)),
    field<&Container::name>("name").required(),
    field<&Container::ports>("ports", list_of(object(kContainerPortSchema))),
    known("readinessProbe", object(kProbeSchema)),
    known("resizePolicy", list_of(object(kContainerResizePolicySchema))),
    field<&Container::resources>("resources", object(kResourceRequirementsSchema)),
    field<&Container::restart_policy>("restartPolicy"),
    known("restartPolicyRules", list_of(object(kContainerRestartRuleSchema))),
    known("securityContext", object(kSecurityContextSchema)),
    known("startupProbe", object(kProbeSchema)),
    known("stdin", kBoolean),
    known("stdinOnce", kBoolean),
    known("terminationMessagePath", kString),
    known("terminationMessagePolicy", kString),
    known("tty", kBoolean),
    known("volumeDevices", list_of(object(kVolumeDeviceSchema))),
    known("volumeMounts", list_of(object(kVolumeMountSchema))),
    known("workingDir", kString),
};
constinit const Schema kContainerSchema{"Container", kContainerFields};

constexpr Field kEphemeralContainerFields[] = {
    known("args", list_of(kString)),
    known("command", list_of(kString)),
    known("env", list_of(object(kEnvVarSchema))),
    known("envFrom", list_of(object(kEnvFromSourceSchema))),
    known("image", kString),
    known("imagePullPolicy", one_of(kPullPolicy)),
    known("lifecycle", object(kLifecycleSchema)),
    known("livenessProbe", object(kProbeSchema)),
    known("name", kString).required(),
    known("ports", list_of(object(kContainerPortSchema))),
    known("readinessProbe", object(kProbeSchema)),
    known("resizePolicy", list_of(object(kContainerResizePolicySchema))),
    known("resources", object(kResourceRequirementsSchema)),
    known("restartPolicy", kString),
    known("restartPolicyRules", list_of(object(kContainerRestartRuleSchema))),
    known("securityContext", object(kSecurityContextSchema)),
    known("startupProbe", object(kProbeSchema)),
    known("stdin", kBoolean),
    known("stdinOnce", kBoolean),
    known("targetContainerName", kString),
    known("terminationMessagePath", kString),
    known("terminationMessagePolicy", kString),
    known("tty", kBoolean),
    known("volumeDevices", list_of(object(kVolumeDeviceSchema))),
    known("volumeMounts", list_of(object(kVolumeMountSchema))),
    known("workingDir", kString),
};
constinit const Schema kEphemeralContainerSchema{"EphemeralContainer", kEphemeralContainerFields};

}  // namespace loadline::kube
