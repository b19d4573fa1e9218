package generate

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"loadline/conformance/recording"
)

func (g *generator) makeBudgets() {
	if !g.likely(budgets, 95, 10) {
		return
	}
	for i := range g.between(1, 4) {
		most := intstr.FromInt32(1)
		budget := &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace(), Name: fmt.Sprintf("pdb%d", i)},
			Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &most, Selector: g.labelSelector()},
			Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(pick(g.dice, 0, 0, 1, 1, 2, 5))},
		}
		if len(g.input.Pods) > 0 && g.chance(20) {
			processed := pick(g.dice, g.input.Pods...)
			budget.Namespace = processed.Namespace
			budget.Status.DisruptedPods = map[string]metav1.Time{processed.Name: firstStart}
		}
		g.input.PDBs = append(g.input.PDBs, budget)
	}
}

func (g *generator) makeEvents() {
	if !g.likely(events, 95, 15) {
		return
	}
	before := 0
	for range g.between(1, 10) {
		before += g.between(0, 1+len(g.input.PendingPods)/4)
		event := recording.Event{BeforeAttempt: before}
		switch {
		case len(g.input.Pods) > 0 && g.chance(45):
			event.DeletePod = nameOf(pick(g.dice, g.input.Pods...))
		case len(g.input.PendingPods) > 0 && g.chance(30):
			event.DeletePod = nameOf(pick(g.dice, g.input.PendingPods...))
		case len(g.input.Nodes) > 0 && g.chance(60):
			event.UpdateNode = g.changedNode(pick(g.dice, g.input.Nodes...))
		case g.chance(70):
			index := len(g.input.Nodes) + len(g.input.Events)
			event.AddNode = g.node("added"+strconv.Itoa(index), index)
			event.AddNode.Status.Images = nil // see changedNode
			if g.chance(30) {
				event.AddNode = sameNode(event.AddNode, departed)
			}
		default:
			event.UpdateNamespace = pick(g.dice, g.input.Namespaces...).DeepCopy()
			event.UpdateNamespace.Labels["env"] = pick(g.dice, "prod", "dev", "test")
		}
		g.input.Events = append(g.input.Events, event)
	}
}

func nameOf(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// changedNode is the node with some of it new.
func (g *generator) changedNode(node *corev1.Node) *corev1.Node {
	changed, other := node.DeepCopy(), g.node(node.Name, g.IntN(4))
	switch g.IntN(4) { // not images: on how many nodes they are, the real scheduler knows late
	case 0:
		changed.Labels = other.Labels
	case 1:
		changed.Spec.Taints = other.Spec.Taints
	case 2:
		changed.Spec.Unschedulable = !changed.Spec.Unschedulable
	case 3:
		changed.Status.Allocatable, changed.Status.Capacity = other.Status.Allocatable, other.Status.Capacity
	}
	return changed
}
