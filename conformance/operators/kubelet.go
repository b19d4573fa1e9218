package operators

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// kubelet writes what the kubelets of all nodes would write, when a script says so; and pods that are deleted end at once.
type kubelet struct {
	client kubernetes.Interface
	known  func(namespace, name string) (*corev1.Pod, error) // a copy of what was last seen of a pod: asked while things are quiet, it is the newest
}

const (
	nodeCount  = 4
	podAddress = "10.1.0.1" // of all pods
)

// racks are the topology that pods may ask for: two nodes in each.
const rackLabel = "example.com/rack"

func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }

func rackOf(i int) string { return fmt.Sprintf("rack-%d", i/2) }

// addNodes makes nodes that are ready.
func (k *kubelet) addNodes(ctx context.Context) error {
	for i := range nodeCount {
		node := &corev1.Node{ObjectMeta: v1.ObjectMeta{Name: nodeName(i), Labels: map[string]string{"kubernetes.io/hostname": nodeName(i), rackLabel: rackOf(i)}}}
		if _, err := k.client.CoreV1().Nodes().Create(ctx, node, v1.CreateOptions{}); err != nil {
			return err
		}
		if err := k.beat(ctx, node.Name); err != nil {
			return err
		}
	}
	go k.keepBeating(ctx)
	return nil
}

// beat says that a node is ready, by a patch, since controllers of nodes may write, too.
func (k *kubelet) beat(ctx context.Context, node string) error {
	now := time.Now().UTC().Format(time.RFC3339)
	status := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","lastHeartbeatTime":%q,"lastTransitionTime":%q}]}}`, now, now)
	_, err := k.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, []byte(status), v1.PatchOptions{}, "status")
	return err
}

// keepBeating says it again and again, before a controller takes the nodes for lost.
func (k *kubelet) keepBeating(ctx context.Context) {
	ticker := time.NewTicker(10 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			for i := range nodeCount {
				_ = k.beat(ctx, nodeName(i)) // the server may be ending
			}
		}
	}
}

// nodeFor is the node of a pod by the name that recordings know it by, so that it is the same in each run. A selector that names a rack or a node is obeyed.
func nodeFor(canonical string, pod *corev1.Pod) int {
	if host := pod.Spec.NodeSelector["kubernetes.io/hostname"]; host != "" {
		for i := range nodeCount {
			if nodeName(i) == host {
				return i
			}
		}
	}
	hash := fnv.New32a()
	hash.Write([]byte(canonical))
	chosen := int(hash.Sum32() % nodeCount)
	if rack := pod.Spec.NodeSelector[rackLabel]; rack != "" && rackOf(chosen) != rack {
		return (chosen + 2) % nodeCount
	}
	return chosen
}

// end removes a pod that is to end.
func (k *kubelet) end(ctx context.Context, namespace, name string) {
	now := int64(0)
	_ = k.client.CoreV1().Pods(namespace).Delete(ctx, name, v1.DeleteOptions{GracePeriodSeconds: &now}) // Gone already is as good.
}

// delete is what a user does.
func (k *kubelet) delete(ctx context.Context, namespace, name string) error {
	atOnce := int64(0) // whether an operator sees it end would depend on who is faster
	return k.client.CoreV1().Pods(namespace).Delete(ctx, name, v1.DeleteOptions{GracePeriodSeconds: &atOnce})
}

// run binds a pod that is not bound, and reports it as running and ready. Others are left as they are.
func (k *kubelet) run(ctx context.Context, namespace, name, canonical string) error {
	pod, err := k.known(namespace, name)
	if err != nil {
		return err
	}
	if pod.Status.Phase != corev1.PodPending || pod.DeletionTimestamp != nil || len(pod.Spec.SchedulingGates) > 0 {
		return nil
	}
	if pod.Spec.NodeName == "" {
		binding := &corev1.Binding{ObjectMeta: v1.ObjectMeta{Name: name, Namespace: namespace}, Target: corev1.ObjectReference{Kind: "Node", Name: nodeName(nodeFor(canonical, pod))}}
		if err := k.client.CoreV1().Pods(namespace).Bind(ctx, binding, v1.CreateOptions{}); err != nil {
			return err
		}
	}
	return k.report(ctx, namespace, name, running)
}

// report changes a pod's status.
func (k *kubelet) report(ctx context.Context, namespace, name string, change func(*corev1.Pod)) error {
	pod, err := k.known(namespace, name)
	if err != nil {
		return err
	}
	change(pod)
	pod.ResourceVersion = "" // whatever it is by now: binding it was a change, too
	_, err = k.client.CoreV1().Pods(namespace).UpdateStatus(ctx, pod, v1.UpdateOptions{})
	return err
}

func running(pod *corev1.Pod) {
	now := v1.Now()
	pod.Status.Phase, pod.Status.StartTime = corev1.PodRunning, &now
	pod.Status.PodIP, pod.Status.PodIPs = podAddress, []corev1.PodIP{{IP: podAddress}}
	pod.Status.InitContainerStatuses = nil
	for _, c := range pod.Spec.InitContainers {
		status := corev1.ContainerStatus{Name: c.Name, Image: c.Image, Ready: true, State: ended(0)}
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
		}
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, status)
	}
	pod.Status.ContainerStatuses = nil
	started := true
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: c.Name, Image: c.Image, Ready: true, Started: &started,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}})
	}
	for _, condition := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		setCondition(pod, condition, corev1.ConditionTrue, "")
	}
}

func setCondition(pod *corev1.Pod, kind corev1.PodConditionType, status corev1.ConditionStatus, reason string) {
	condition := corev1.PodCondition{Type: kind, Status: status, Reason: reason, LastTransitionTime: v1.Now()}
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			pod.Status.Conditions[i] = condition
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, condition)
}

func ended(code int) corev1.ContainerState {
	reason := "Completed"
	if code != 0 {
		reason = "Error"
	}
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: int32(code), Reason: reason, StartedAt: v1.NewTime(time.Now().Add(-time.Second)),
		FinishedAt: v1.Now()}}
}

// exited is what a kubelet reports when a container has ended with a code, and the others with 0: where the restart policy says so, it starts again at once.
func exited(container string, code int) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		if pod.Status.Phase != corev1.PodRunning {
			return
		}
		if container == "" || !hasContainer(pod, container) {
			container = pod.Spec.Containers[0].Name
		}
		if pod.Spec.RestartPolicy == corev1.RestartPolicyAlways || pod.Spec.RestartPolicy == corev1.RestartPolicyOnFailure && code != 0 {
			for i := range pod.Status.ContainerStatuses {
				if status := &pod.Status.ContainerStatuses[i]; status.Name == container {
					status.RestartCount++
					status.LastTerminationState = ended(code)
				}
			}
			return
		}
		pod.Status.Phase = corev1.PodSucceeded
		if code != 0 {
			pod.Status.Phase = corev1.PodFailed
		}
		for i := range pod.Status.ContainerStatuses {
			status := &pod.Status.ContainerStatuses[i]
			started := false
			status.Ready, status.Started, status.State = false, &started, ended(0)
			if status.Name == container {
				status.State = ended(code)
			}
		}
		setCondition(pod, corev1.PodReady, corev1.ConditionFalse, "PodCompleted")
		setCondition(pod, corev1.ContainersReady, corev1.ConditionFalse, "PodCompleted")
	}
}

func hasContainer(pod *corev1.Pod, name string) bool {
	for _, c := range pod.Spec.Containers {
		if c.Name == name {
			return true
		}
	}
	return false
}

// evicted is what a kubelet reports when its node runs out of something.
func evicted(pod *corev1.Pod) {
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return
	}
	pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, "Evicted", "The node was low on resource: memory."
	for i := range pod.Status.ContainerStatuses {
		status := &pod.Status.ContainerStatuses[i]
		status.Ready, status.State = false, ended(137)
	}
	setCondition(pod, corev1.PodReady, corev1.ConditionFalse, "PodFailed")
	setCondition(pod, corev1.ContainersReady, corev1.ConditionFalse, "PodFailed")
}
