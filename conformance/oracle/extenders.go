package oracle

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"loadline/conformance/extender"
	"loadline/conformance/recording"
)

// askExtenders returns the nodes that the extenders leave: none if one fails, for then the attempt does.
func (o *observer) askExtenders(pod *corev1.Pod, nodes []fwk.NodeInfo, refuse func(string, recording.Refusal)) []fwk.NodeInfo {
	for _, service := range o.Extenders {
		if len(nodes) == 0 || !service.IsInterested(pod) {
			continue
		}
		kept, failed, unresolvable, err := service.Filter(pod, nodes)
		if err != nil {
			if service.IsIgnorable() {
				continue
			}
			return nil
		}
		note := func(reasons extenderv1.FailedNodesMap, code fwk.Code, except extenderv1.FailedNodesMap) {
			for node, reason := range reasons {
				if _, is := except[node]; !is {
					refuse(node, recording.Refusal{Plugin: framework.ExtenderName, Code: code.String(), Reasons: []string{reason}})
				}
			}
		}
		note(unresolvable, fwk.UnschedulableAndUnresolvable, nil)
		note(failed, fwk.Unschedulable, unresolvable)
		nodes = kept
	}
	return nodes
}

// addExtenderScores adds the extenders' scores to every node's; the scheduler does not ask them about an only node.
func (o *observer) addExtenderScores(pod *corev1.Pod, nodes []fwk.NodeInfo, scored []fwk.NodePluginScores) {
	for _, service := range o.Extenders {
		if len(nodes) < 2 || !service.IsPrioritizer() || !service.IsInterested(pod) {
			continue
		}
		name := extender.ConfiguredName(service.Name())
		list, weight, err := service.Prioritize(pod, nodes)
		if err != nil {
			o.record.SkippedScore = sets.List(sets.New(o.record.SkippedScore...).Insert(name))
			continue
		}
		weighted := map[string]int64{}
		for _, priority := range *list {
			weighted[priority.Host] += priority.Score * weight * (fwk.MaxNodeScore / extenderv1.MaxExtenderPriority)
		}
		for i := range scored {
			scored[i].Scores = append(scored[i].Scores, fwk.PluginScore{Name: name, Score: weighted[scored[i].Name]})
			scored[i].TotalScore += weighted[scored[i].Name]
		}
	}
}
