package oracle

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"loadline/conformance/recording"
)

// observer evaluates a pod on every node through the profile's own plugins and writes it all down.
type observer struct {
	*world
	profile framework.Framework
	numbers map[string]int // of nodes
	columns []string       // plugins that score
	record  *recording.Attempt
}

func (o *observer) observe(pod *corev1.Pod) error {
	state := framework.NewCycleState()
	narrowed, status, _ := o.profile.RunPreFilterPlugins(o.ctx, state, pod)
	o.record.SkippedFilter = sets.List(state.GetSkipFilterPlugins())
	o.record.Feasible = []int{}
	if !status.IsSuccess() {
		o.record.PreFilter = &recording.Refusal{Plugin: status.Plugin(), Code: status.Code().String(), Reasons: status.Reasons()}
		return nil
	}
	nodes, err := o.nodes(narrowed)
	if err != nil {
		return err
	}
	feasible := o.filter(pod, state, nodes)
	if len(feasible) == 0 {
		return nil
	}
	return o.score(pod, state, feasible)
}

// nodes are those PreFilter leaves.
func (o *observer) nodes(narrowed *fwk.PreFilterResult) ([]fwk.NodeInfo, error) {
	all, err := o.snapshot.ListNodesInPlacement() // all of them, but in the cycle of a group with a topology constraint
	if err != nil || narrowed.AllNodes() {
		return all, err
	}
	var left []fwk.NodeInfo
	numbers := []int{}
	for _, node := range all {
		if narrowed.NodeNames.Has(node.Node().Name) {
			left = append(left, node)
			numbers = append(numbers, o.numbers[node.Node().Name])
		}
	}
	sort.Ints(numbers)
	o.record.PreFilterNodes = &numbers
	return left, nil
}

func (o *observer) filter(pod *corev1.Pod, state fwk.CycleState, nodes []fwk.NodeInfo) []fwk.NodeInfo {
	var feasible []fwk.NodeInfo
	groups := map[string]*recording.Refusal{}
	for _, node := range nodes {
		number := o.numbers[node.Node().Name]
		status := o.profile.RunFilterPluginsWithNominatedPods(o.ctx, state, pod, node)
		if status.IsSuccess() {
			feasible = append(feasible, node)
			continue
		}
		// Reasons of several extended resources come in the order of a map.
		reasons := slices.Sorted(slices.Values(status.Reasons()))
		refusal := recording.Refusal{Plugin: status.Plugin(), Code: status.Code().String(), Reasons: reasons}
		id := fmt.Sprint(refusal)
		if groups[id] == nil {
			groups[id] = &refusal
		}
		groups[id].Nodes = append(groups[id].Nodes, number)
	}
	feasible = o.askExtenders(pod, feasible, func(node string, refusal recording.Refusal) {
		id := fmt.Sprint(refusal)
		if groups[id] == nil {
			groups[id] = &refusal
		}
		groups[id].Nodes = append(groups[id].Nodes, o.numbers[node])
	})
	for _, node := range feasible {
		o.record.Feasible = append(o.record.Feasible, o.numbers[node.Node().Name])
	}
	sort.Ints(o.record.Feasible)
	for _, group := range groups {
		sort.Ints(group.Nodes)
		o.record.Infeasible = append(o.record.Infeasible, *group)
	}
	sort.Slice(o.record.Infeasible, func(i, j int) bool {
		a, b := o.record.Infeasible[i], o.record.Infeasible[j]
		return a.Plugin+a.Code+strings.Join(a.Reasons, ",") < b.Plugin+b.Code+strings.Join(b.Reasons, ",")
	})
	return feasible
}

func (o *observer) score(pod *corev1.Pod, state fwk.CycleState, nodes []fwk.NodeInfo) error {
	var scored []fwk.NodePluginScores
	if o.profile.HasScorePlugins() {
		if status := o.profile.RunPreScorePlugins(o.ctx, state, pod, nodes); !status.IsSuccess() {
			return status.AsError()
		}
		var status *fwk.Status
		if scored, status = o.profile.RunScorePlugins(o.ctx, state, pod, nodes); !status.IsSuccess() {
			return status.AsError()
		}
	} else { // then every node scores 1
		for _, node := range nodes {
			scored = append(scored, fwk.NodePluginScores{Name: node.Node().Name, TotalScore: 1})
		}
	}
	o.record.SkippedScore = sets.List(state.GetSkipScorePlugins().Intersection(o.scorers()))
	o.addExtenderScores(pod, nodes, scored)
	highest := scored[0].TotalScore
	for _, node := range scored {
		row := make([]int64, 2+len(o.columns))
		row[0], row[1] = int64(o.numbers[node.Name]), node.TotalScore
		for _, score := range node.Scores {
			for i, column := range o.columns {
				if column == score.Name {
					row[2+i] = score.Score
				}
			}
		}
		o.record.Scores = append(o.record.Scores, row)
		highest = max(highest, node.TotalScore)
	}
	sort.Slice(o.record.Scores, func(i, j int) bool { return o.record.Scores[i][0] < o.record.Scores[j][0] })
	for _, row := range o.record.Scores {
		if row[1] == highest {
			o.record.MaxNodes = append(o.record.MaxNodes, int(row[0]))
		}
	}
	o.record.MaxScore = &highest
	return nil
}

// scorers are the plugins that score in this profile. Others may have prepared to, for nothing.
func (o *observer) scorers() sets.Set[string] {
	names := sets.New[string]()
	for _, plugin := range o.profile.ListPlugins().Score.Enabled {
		names.Insert(plugin.Name)
	}
	return names
}

// others lists the pods that are nominated to a node, without the one being scheduled.
func (w *world) others(pod *corev1.Pod, nodes []string) []string {
	var nominated []string
	for _, node := range nodes {
		for _, info := range w.nominator.NominatedPodsForNode(node) {
			if other := key(info.GetPod()); other != key(pod) {
				nominated = append(nominated, other+"@"+node)
			}
		}
	}
	sort.Strings(nominated)
	return nominated
}
