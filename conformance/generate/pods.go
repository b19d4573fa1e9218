package generate

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"loadline/conformance/admission"
)

// firstStart is when the first bound pod started.
var firstStart = metav1.NewTime(time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC))

// attemptsAtValidity is how often a pod is made anew until the API server would take it.
const attemptsAtValidity = 50

// template is what pods of one kind have in common.
type template struct {
	pod *corev1.Pod
	// claims are volumes that each pod has of its own: names of classes.
	claims []string
}

func (g *generator) makeTemplates() {
	count := g.between(3, 12)
	if g.flavoured[alternation] || g.flavoured[runs] {
		count = g.between(2, 4)
	}
	for range count {
		g.templates = append(g.templates, g.template())
	}
}

// template returns one that makes valid pods.
func (g *generator) template() *template {
	var last error
	for range attemptsAtValidity {
		made := g.anyTemplate()
		if _, last = admission.AdmitPod(made.pod); last == nil {
			return made
		}
	}
	panic(fmt.Sprintf("%s: no valid pod: %v", g.input.Name, last))
}

func (g *generator) anyTemplate() *template {
	t := &template{pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace(), Name: "template", Labels: g.podLabels()}}}
	spec := &t.pod.Spec
	spec.SchedulerName = pick(g.dice, g.profiles...)
	g.setPriority(spec)
	g.setContainers(spec)
	g.setNodeConstraints(spec)
	g.setTolerations(spec)
	g.setPodAffinity(spec)
	g.setSpreading(spec)
	g.setOwner(t.pod)
	g.setVolumes(t)
	return t
}

func (g *generator) podLabels() map[string]string {
	labels := map[string]string{"app": pick(g.dice, "web", "web", "db", "cache")}
	if g.chance(50) {
		labels["tier"] = pick(g.dice, "front", "back")
	}
	if g.chance(40) {
		labels["version"] = pick(g.dice, "1", "2")
	}
	if g.chance(4) {
		return nil
	}
	return labels
}

func (g *generator) setPriority(spec *corev1.PodSpec) {
	if g.flavoured[preemption] {
		spec.Priority = ptr.To(int32(pick(g.dice, 0, 100, 100, 500, 1000, 1000000000)))
	} else if g.chance(30) {
		spec.Priority = ptr.To(int32(pick(g.dice, 0, 100, -2147483648)))
	}
	if g.chance(8) {
		spec.PreemptionPolicy = ptr.To(corev1.PreemptNever)
	}
}

func (g *generator) makeBoundPods() {
	count := g.between(0, 30)
	if g.flavoured[preemption] {
		count = g.between(2, 6) * len(g.input.Nodes)
	}
	if g.flavoured[manyNodes] {
		count = g.between(50, 400)
	}
	if len(g.input.Nodes) == 0 {
		return
	}
	onNode := map[string]int{} // pods of one node start one by one, or the order of victims would be open
	for i := range min(count, 400) {
		pod := g.podOf(pick(g.dice, g.templates...), fmt.Sprintf("e%02d", i))
		if pod == nil {
			continue
		}
		pod.Spec.SchedulingGates = nil
		if pod.Spec.NodeName = g.nodeFor(pod); pod.Spec.NodeName == "" {
			continue
		}
		onNode[pod.Spec.NodeName]++
		started := metav1.NewTime(firstStart.Add(time.Duration(onNode[pod.Spec.NodeName]*7919%1009) * time.Second))
		pod.Status.StartTime = &started
		if g.flavoured[preemption] && g.chance(85) {
			pod.Spec.Priority = ptr.To(int32(pick(g.dice, -10, 0, 0, 0, 50)))
		}
		if g.likely(preemption, 6, 3) {
			g.terminate(pod)
		}
		if g.likely(resources, 10, 1) {
			g.resize(pod)
		}
		g.input.Pods = append(g.input.Pods, pod)
	}
}

// nodeFor is a node where no other pod has the pod's host ports: with two of them, the real scheduler forgets the port when
// one goes. Empty: this time there is none.
func (g *generator) nodeFor(pod *corev1.Pod) string {
	node := pick(g.dice, g.input.Nodes...).Name
	if g.chance(1) {
		node = departed
	}
	for _, other := range g.input.Pods {
		if other.Spec.NodeName == node && sharePorts(pod, other) {
			return ""
		}
	}
	return node
}

func sharePorts(a, b *corev1.Pod) bool {
	taken := map[string]bool{}
	for _, port := range hostPorts(a) {
		taken[port] = true
	}
	for _, port := range hostPorts(b) {
		if taken[port] {
			return true
		}
	}
	return false
}

func hostPorts(pod *corev1.Pod) []string {
	var ports []string
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for _, container := range list {
			for _, port := range container.Ports {
				if port.HostPort > 0 {
					ports = append(ports, fmt.Sprint(port.HostPort, port.Protocol))
				}
			}
		}
	}
	return ports
}

// terminate marks a pod as going, perhaps because a scheduler evicted it.
func (g *generator) terminate(pod *corev1.Pod) {
	pod.DeletionTimestamp = ptr.To(metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC)))
	pod.DeletionGracePeriodSeconds = ptr.To(int64(30))
	if g.chance(50) {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler}}
	}
}

// resize lets a running pod's containers have got other resources than its specification now asks for.
func (g *generator) resize(pod *corev1.Pod) {
	for _, container := range pod.Spec.Containers {
		allocated := corev1.ResourceList{corev1.ResourceCPU: g.quantity("50m", "300m", "1", "3"), corev1.ResourceMemory: g.quantity("128Mi", "3Gi")}
		status := corev1.ContainerStatus{Name: container.Name, Resources: &corev1.ResourceRequirements{Requests: allocated.DeepCopy()}}
		if g.chance(70) {
			status.AllocatedResources = allocated
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
	if g.chance(40) {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodResizePending, Status: corev1.ConditionTrue,
			Reason: pick(g.dice, corev1.PodReasonInfeasible, corev1.PodReasonDeferred)})
	}
}

func (g *generator) makePendingPods() {
	count := g.between(5, 30)
	if g.chance(25) {
		count = g.between(31, 60)
	}
	if g.flavoured[manyPods] {
		count = g.between(100, 250)
	}
	var current *template
	for i := 0; i < count; i++ {
		switch {
		case g.flavoured[alternation]:
			current = g.templates[i%len(g.templates)]
		case current == nil || !g.likely(runs, 88, 30):
			current = pick(g.dice, g.templates...)
		}
		pod := g.podOf(current, fmt.Sprintf("p%02d", i))
		if pod == nil {
			continue
		}
		if g.likely(nominations, 25, 1) && len(g.input.Nodes) > 0 && len(pod.Spec.SchedulingGates) == 0 {
			pod.Status.NominatedNodeName = pick(g.dice, g.input.Nodes...).Name
			if g.chance(3) {
				pod.Status.NominatedNodeName = departed
			}
		}
		g.input.PendingPods = append(g.input.PendingPods, pod)
	}
}

// podOf makes a pod of a template, as the API server stores it; nil if it would not.
func (g *generator) podOf(t *template, name string) *corev1.Pod {
	pod := t.pod.DeepCopy()
	pod.Name = name
	if g.likely(gates, 20, 1) {
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
	}
	g.addClaims(pod, t.claims)
	stored, err := admission.AdmitPod(pod)
	if err != nil {
		return nil
	}
	if pod.UID != "" {
		stored.UID = pod.UID
	} else {
		stored.UID = types.UID("")
	}
	dropIrrelevant(stored)
	return stored
}

// dropIrrelevant removes what defaulting has added and no scheduler reads.
func dropIrrelevant(pod *corev1.Pod) {
	spec := &pod.Spec
	pod.Generation, pod.CreationTimestamp = 0, metav1.Time{}
	pod.Status = corev1.PodStatus{}
	spec.RestartPolicy, spec.DNSPolicy, spec.TerminationGracePeriodSeconds = "", "", nil
	spec.SecurityContext, spec.EnableServiceLinks = nil, nil
	if spec.SchedulerName == corev1.DefaultSchedulerName {
		spec.SchedulerName = ""
	}
	for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range list {
			list[i].TerminationMessagePath, list[i].TerminationMessagePolicy, list[i].ImagePullPolicy = "", "", ""
		}
	}
}
