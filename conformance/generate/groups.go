package generate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"loadline/conformance/admission"
	"loadline/conformance/recording"
)

// Every so many-th seed has a group of many equal pods.
const seedsToLargeGroup = 60

// Grouped makes the cluster of a seed, and puts some of its pods into PodGroups. The groups are drawn from dice of their own:
// Case(seed) is what it is.
func Grouped(seed int64) *recording.Input {
	g := &grouper{dice: dice{rand.New(rand.NewPCG(uint64(seed), 0x6a46))}, input: Case(seed), seed: seed}
	g.input.Name = fmt.Sprintf("groups-%d", seed)
	for i := range g.between(1, 5) {
		g.makeGroup(fmt.Sprintf("g%d", i))
	}
	sort.SliceStable(g.input.Events, func(i, j int) bool { return g.input.Events[i].BeforeAttempt < g.input.Events[j].BeforeAttempt })
	return g.input
}

// Constrained makes the cluster of Grouped, and gives most of its groups topology constraints.
func Constrained(seed int64) *recording.Input {
	g := dice{rand.New(rand.NewPCG(uint64(seed), 0x70b0))}
	input := Grouped(seed)
	input.Name = fmt.Sprintf("topology-%d", seed)
	groups := slices.Clone(input.PodGroups)
	for _, event := range input.Events {
		if event.AddPodGroup != nil {
			groups = append(groups, event.AddPodGroup)
		}
	}
	nodes := slices.Clone(input.Nodes)
	for _, event := range input.Events {
		nodes = append(nodes, event.UpdateNode, event.AddNode)
	}
	for _, node := range nodes { // where a member is in a domain without a name, the real scheduler takes it to be nowhere
		if node != nil {
			maps.DeleteFunc(node.Labels, func(_, value string) bool { return value == "" })
		}
	}
	for _, node := range input.Nodes { // so that there are domains wherever the cluster has none
		if node.Labels["rack"] == "" && g.chance(70) {
			node.Labels["rack"] = fmt.Sprintf("rack%d", g.between(0, 4))
		}
	}
	for _, group := range groups {
		if g.chance(85) {
			key := pick(g, "rack", "rack", "rack", corev1.LabelTopologyZone, corev1.LabelHostname, "disk", "none")
			group.Spec.SchedulingConstraints = &schedulingv1alpha2.PodGroupSchedulingConstraints{
				Topology: []schedulingv1alpha2.TopologyConstraint{{Key: key}},
			}
		}
	}
	return input
}

type grouper struct {
	dice
	input *recording.Input
	seed  int64
}

// makeGroup puts pods into a group: some that were there, or some made alike, and now and then some that run already.
func (g *grouper) makeGroup(name string) {
	var members []*corev1.Pod
	if g.chance(60) {
		members = g.gathered()
	} else {
		members = g.alike(name)
	}
	if len(members) == 0 {
		return
	}
	namespace := members[0].Namespace
	if !g.chance(8) { // members that name two schedulers are refused
		for _, member := range members {
			member.Spec.SchedulerName = members[0].Spec.SchedulerName
		}
	}
	if g.chance(25) {
		for _, member := range members {
			member.Spec.Priority = members[0].Spec.Priority
		}
	}
	known := len(members)
	for _, running := range g.running(namespace) {
		running.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &name}
		known++
	}
	for _, member := range members {
		member.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &name}
	}
	if g.chance(15) {
		g.postpone(members)
	}
	g.makeObject(namespace, name, known)
}

// gathered takes pending pods of one namespace, whatever else they are.
func (g *grouper) gathered() []*corev1.Pod {
	var free []*corev1.Pod
	for _, pod := range g.input.PendingPods {
		if pod.Spec.SchedulingGroup == nil {
			free = append(free, pod)
		}
	}
	if len(free) == 0 {
		return nil
	}
	namespace := pick(g.dice, free...).Namespace
	free = slices.DeleteFunc(free, func(pod *corev1.Pod) bool { return pod.Namespace != namespace })
	return some(g.dice, 8, free...)
}

// alike makes more pods like a pending one, most of them equal.
func (g *grouper) alike(name string) []*corev1.Pod {
	var patterns []*corev1.Pod
	for _, pod := range g.input.PendingPods {
		if pod.Spec.SchedulingGroup == nil && !hasClaimsOfItsOwn(pod) {
			patterns = append(patterns, pod)
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	pattern := pick(g.dice, patterns...)
	count := g.between(2, 8)
	if g.seed%seedsToLargeGroup == 0 {
		count = g.between(30, 80)
	}
	var made []*corev1.Pod
	for i := range count {
		pod := pattern.DeepCopy()
		pod.Name = fmt.Sprintf("%s-%02d", name, i)
		if pod.UID != "" {
			pod.UID = types.UID(nameOf(pod))
		}
		if g.chance(80) {
			pod.Status.NominatedNodeName = ""
		}
		if g.chance(12) {
			pod.Spec.Priority = ptr.To(int32(pick(g.dice, -5, 0, 100, 1000)))
		}
		if _, err := admission.AdmitPod(pod); err != nil {
			continue
		}
		made = append(made, pod)
	}
	at := g.between(0, len(g.input.PendingPods))
	g.input.PendingPods = slices.Insert(g.input.PendingPods, at, made...)
	return made
}

func hasClaimsOfItsOwn(pod *corev1.Pod) bool {
	for _, volume := range pod.Spec.Volumes {
		if volume.Ephemeral != nil || volume.PersistentVolumeClaim != nil && volume.PersistentVolumeClaim.ClaimName != "shared" && volume.PersistentVolumeClaim.ClaimName != "exclusive" {
			return true
		}
	}
	return false
}

// running are members that have their node from the beginning.
func (g *grouper) running(namespace string) []*corev1.Pod {
	if !g.chance(30) {
		return nil
	}
	var free []*corev1.Pod
	for _, pod := range g.input.Pods {
		if pod.Spec.SchedulingGroup == nil && pod.Namespace == namespace {
			free = append(free, pod)
		}
	}
	if len(free) == 0 {
		return nil
	}
	return some(g.dice, 3, free...)
}

// postpone lets some members come later.
func (g *grouper) postpone(members []*corev1.Pod) {
	for _, member := range some(g.dice, 3, members...) {
		g.input.PendingPods = slices.DeleteFunc(g.input.PendingPods, func(pod *corev1.Pod) bool { return pod == member })
		g.happen(recording.Event{AddPod: member})
	}
}

// makeObject makes the PodGroup; or none, or one that comes late, or goes again.
func (g *grouper) makeObject(namespace, name string, known int) {
	group := &schedulingv1alpha2.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	policy := &group.Spec.SchedulingPolicy
	if g.chance(15) {
		policy.Basic = &schedulingv1alpha2.BasicSchedulingPolicy{}
	} else {
		policy.Gang = &schedulingv1alpha2.GangSchedulingPolicy{MinCount: int32(g.minimum(known))}
	}
	switch chance := g.IntN(100); {
	case chance < 6:
	case chance < 16:
		g.happen(recording.Event{AddPodGroup: group})
	default:
		g.input.PodGroups = append(g.input.PodGroups, group)
		if chance < 20 {
			g.happen(recording.Event{DeletePodGroup: namespace + "/" + name})
		}
	}
}

// minimum is most often all that are known, or some of them; sometimes more.
func (g *grouper) minimum(known int) int {
	switch chance := g.IntN(100); {
	case chance < 40:
		return known
	case chance < 80:
		return g.between(1, known)
	case chance < 90:
		return 1
	default:
		return known + g.between(0, 2)
	}
}

func (g *grouper) happen(event recording.Event) {
	event.BeforeAttempt = g.between(0, 1+len(g.input.PendingPods))
	g.input.Events = append(g.input.Events, event)
}
