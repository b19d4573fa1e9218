package oracle

import (
	"context"
	"fmt"
	"math"
	"sort"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	schedulerutil "k8s.io/kubernetes/pkg/scheduler/util"

	"loadline/conformance/recording"
)

// dryRun is one node's outcome in a search for victims.
type dryRun struct {
	node    string
	victims *extenderv1.Victims
}

// preemptionWitness stands between the real DefaultPreemption plugin and its evaluator. It writes down what passes, has
// every node tried from the first on (the real one starts anywhere and stops early), and breaks the last tie by seed
// (the real one: by map order).
type preemptionWitness struct {
	preemption.Interface
	evaluator *preemption.Evaluator
	pick      func(n int) int

	asked      bool
	eligible   bool
	why        string
	candidates []dryRun
	best       []string
	problem    error
}

// witness places a preemptionWitness into a profile's DefaultPreemption; nil if the profile has none.
func witness(profile framework.Framework, pick func(n int) int) *preemptionWitness {
	for _, plugin := range profile.EnqueueExtensions() {
		if real, is := plugin.(*defaultpreemption.DefaultPreemption); is {
			watching := &preemptionWitness{Interface: real.Evaluator.Interface, evaluator: real.Evaluator, pick: pick}
			real.Evaluator.Interface = watching
			return watching
		}
	}
	return nil
}

func (w *preemptionWitness) reset() {
	w.asked, w.eligible, w.why = false, false, ""
	w.candidates, w.best, w.problem = nil, nil, nil
}

func (w *preemptionWitness) GetOffsetAndNumCandidates(nodes int32) (int32, int32) { return 0, nodes }

func (w *preemptionWitness) PodEligibleToPreemptOthers(ctx context.Context, pod *corev1.Pod, status *fwk.Status) (bool, string) {
	w.asked = true
	w.eligible, w.why = w.Interface.PodEligibleToPreemptOthers(ctx, pod, status)
	return w.eligible, w.why
}

func (w *preemptionWitness) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo, pdbs []*policyv1.PodDisruptionBudget) ([]*corev1.Pod, int, *fwk.Status) {
	pods, violations, status := w.Interface.SelectVictimsOnNode(ctx, state, pod, node, pdbs)
	if status.IsSuccess() && len(pods) > 0 {
		w.candidates = append(w.candidates, dryRun{node.Node().Name, &extenderv1.Victims{Pods: pods, NumPDBViolations: int64(violations)}})
		w.best = bestOf(w.candidates)
	}
	return pods, violations, status
}

// CandidatesToVictimsMap is where the evaluator learns among which nodes to choose. First it chooses freely, which
// proves our idea of the best nodes; then it is given one of them.
func (w *preemptionWitness) CandidatesToVictimsMap(candidates []preemption.Candidate) map[string]*extenderv1.Victims {
	all := w.Interface.CandidatesToVictimsMap(candidates)
	w.evaluator.Interface = w.Interface
	free := w.evaluator.SelectCandidate(context.Background(), candidates).Name()
	w.evaluator.Interface = w
	chosen := w.best[w.pick(len(w.best))]
	if !contains(w.best, free) {
		w.problem = fmt.Errorf("the real scheduler evicts from %s, which is not among the best nodes %v", free, w.best)
	}
	return map[string]*extenderv1.Victims{chosen: all[chosen]}
}

// bestOf returns the nodes that the documented criteria do not tell apart, by name.
func bestOf(candidates []dryRun) []string {
	criteria := []func(*extenderv1.Victims) int64{
		func(v *extenderv1.Victims) int64 { return -v.NumPDBViolations },
		func(v *extenderv1.Victims) int64 { return -int64(corev1helpers.PodPriority(v.Pods[0])) },
		func(v *extenderv1.Victims) int64 {
			sum := int64(0)
			for _, pod := range v.Pods {
				sum -= int64(corev1helpers.PodPriority(pod)) + math.MaxInt32 + 1
			}
			return sum
		},
		func(v *extenderv1.Victims) int64 { return -int64(len(v.Pods)) },
		func(v *extenderv1.Victims) int64 {
			if earliest := schedulerutil.GetEarliestPodStartTime(v); earliest != nil {
				return earliest.UnixNano()
			}
			return math.MinInt64
		},
	}
	left := candidates
	for _, criterion := range criteria {
		highest := int64(math.MinInt64)
		for _, c := range left {
			highest = max(highest, criterion(c.victims))
		}
		var kept []dryRun
		for _, c := range left {
			if criterion(c.victims) == highest {
				kept = append(kept, c)
			}
		}
		left = kept
	}
	names := make([]string, len(left))
	for i, c := range left {
		names[i] = c.node
	}
	sort.Strings(names)
	return names
}

func (r *run) noteVictims(record *recording.Attempt, evicted []string) {
	record.Victims = append([]string(nil), evicted...)
	sort.Strings(record.Victims)
	for _, victim := range record.Victims {
		r.gone[victim], r.changed = true, true
		r.expected.Evicted = append(r.expected.Evicted, victim)
	}
}

func (r *run) preemption(watching *preemptionWitness) *recording.Preemption {
	found := &recording.Preemption{Eligible: watching.eligible, Why: watching.why}
	for _, candidate := range watching.candidates {
		victims := make([]string, len(candidate.victims.Pods))
		for i, pod := range candidate.victims.Pods {
			victims[i] = key(pod)
		}
		found.Candidates = append(found.Candidates, recording.Candidate{
			Node: r.numbers[candidate.node], Victims: victims, PDBViolations: candidate.victims.NumPDBViolations})
	}
	sort.Slice(found.Candidates, func(i, j int) bool { return found.Candidates[i].Node < found.Candidates[j].Node })
	for _, node := range watching.best {
		found.Best = append(found.Best, r.numbers[node])
	}
	sort.Ints(found.Best)
	return found
}

func contains(list []string, wanted string) bool {
	for _, item := range list {
		if item == wanted {
			return true
		}
	}
	return false
}
