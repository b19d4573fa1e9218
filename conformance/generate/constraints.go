package generate

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func (g *generator) setNodeConstraints(spec *corev1.PodSpec) {
	if g.likely(nodeAffinity, 25, 3) {
		spec.NodeSelector = pick(g.dice,
			map[string]string{"disk": "ssd"}, map[string]string{"gen": "2"}, map[string]string{"disk": "hdd", "rack": "rack1"},
			map[string]string{corev1.LabelTopologyZone: zoneA}, map[string]string{"absent": "yes"})
	}
	if !g.likely(nodeAffinity, 75, 7) {
		return
	}
	affinity := &corev1.NodeAffinity{}
	if g.chance(60) {
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{}
		for range g.between(1, 3) {
			required := affinity.RequiredDuringSchedulingIgnoredDuringExecution
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, g.nodeTerm())
		}
	}
	if g.chance(65) {
		for range g.between(1, 3) {
			affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(affinity.PreferredDuringSchedulingIgnoredDuringExecution,
				corev1.PreferredSchedulingTerm{Weight: int32(pick(g.dice, 1, 10, 33, 100)), Preference: g.nodeTerm()})
		}
	}
	spec.Affinity = &corev1.Affinity{NodeAffinity: affinity}
}

func (g *generator) nodeTerm() corev1.NodeSelectorTerm {
	term := corev1.NodeSelectorTerm{}
	if g.chance(15) && len(g.input.Nodes) > 0 {
		operator := pick(g.dice, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn)
		term.MatchFields = []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: operator,
			Values: []string{pick(g.dice, pick(g.dice, g.input.Nodes...).Name, pick(g.dice, g.input.Nodes...).Name, departed)}}}
		if g.chance(70) {
			return term
		}
	}
	for range g.between(0, 2) {
		term.MatchExpressions = append(term.MatchExpressions, g.nodeRequirement())
	}
	return term
}

func (g *generator) nodeRequirement() corev1.NodeSelectorRequirement {
	key := pick(g.dice, "disk", "gen", corev1.LabelTopologyZone, "rack", corev1.LabelHostname)
	switch g.IntN(6) {
	case 0:
		return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpExists}
	case 1:
		return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpDoesNotExist}
	case 2:
		return corev1.NodeSelectorRequirement{Key: "gen", Operator: pick(g.dice, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt), Values: []string{pick(g.dice, "1", "2", "0", "9", "-5")}}
	default:
		values := map[string][]string{
			"disk": {"ssd", "hdd"}, "gen": {"1", "2", "10"}, corev1.LabelTopologyZone: {zoneA, zoneB, zoneC},
			"rack": {"rack0", "rack1", "rack2"}, corev1.LabelHostname: {"n00", "n01", "n02", "n03"},
		}[key]
		return corev1.NodeSelectorRequirement{Key: key, Operator: pick(g.dice, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn), Values: some(g.dice, 2, values...)}
	}
}

func (g *generator) setTolerations(spec *corev1.PodSpec) {
	if !g.likely(taints, 60, 20) {
		return
	}
	spec.Tolerations = some(g.dice, 3,
		corev1.Toleration{Operator: corev1.TolerationOpExists},
		corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: pick(g.dice, "gpu", "db"), Effect: corev1.TaintEffectNoSchedule},
		corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists},
		corev1.Toleration{Key: "drain", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To(int64(pick(g.dice, 0, 60, 300)))},
		corev1.Toleration{Key: "slow", Value: pick(g.dice, "a", ""), Effect: corev1.TaintEffectPreferNoSchedule},
		corev1.Toleration{Key: "slow", Operator: corev1.TolerationOpExists},
		corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: pick(g.dice, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)},
		corev1.Toleration{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
	if len(spec.Tolerations) > 0 && spec.Tolerations[0].Key == "" && spec.Tolerations[0].Effect == "" && g.chance(70) {
		spec.Tolerations = spec.Tolerations[1:]
	}
}

func (g *generator) topologyKey() string {
	return pick(g.dice, corev1.LabelHostname, corev1.LabelHostname, corev1.LabelTopologyZone, corev1.LabelTopologyZone, corev1.LabelTopologyRegion, "rack", "disk", pick(g.dice, "absent", "rack"))
}

// labelSelector selects some of the labels that pods have.
func (g *generator) labelSelector() *metav1.LabelSelector {
	selector := &metav1.LabelSelector{}
	switch g.IntN(10) {
	case 0:
		return nil
	case 1: // all pods, or none, depending on the constraint that has it
	case 2:
		selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "tier", Operator: pick(g.dice, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)}}
	case 3:
		selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "app", Operator: pick(g.dice, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn), Values: some(g.dice, 2, "web", "db", "cache")}}
	default:
		selector.MatchLabels = map[string]string{"app": pick(g.dice, "web", "web", "db", "cache")}
		if g.chance(15) {
			selector.MatchLabels["tier"] = "front"
		}
	}
	return selector
}

func (g *generator) podTerm() corev1.PodAffinityTerm {
	term := corev1.PodAffinityTerm{TopologyKey: g.topologyKey(), LabelSelector: g.labelSelector()}
	switch g.IntN(8) {
	case 0:
		term.Namespaces = some(g.dice, 2, "default", "team-a", "team-b", "elsewhere")
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{}
	case 2:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"env": pick(g.dice, "prod", "dev")}}
	case 3:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}}
		term.Namespaces = []string{"default"}
	}
	if g.chance(15) && term.LabelSelector != nil {
		term.MatchLabelKeys = []string{pick(g.dice, "version", "absent")}
	} else if g.chance(10) && term.LabelSelector != nil {
		term.MismatchLabelKeys = []string{"version"}
	}
	return term
}

func (g *generator) podTerms(most int) []corev1.PodAffinityTerm {
	var terms []corev1.PodAffinityTerm
	for range g.between(1, most) {
		terms = append(terms, g.podTerm())
	}
	return terms
}

func (g *generator) preferredPodTerms() []corev1.WeightedPodAffinityTerm {
	var terms []corev1.WeightedPodAffinityTerm
	for range g.between(1, 3) {
		terms = append(terms, corev1.WeightedPodAffinityTerm{Weight: int32(pick(g.dice, 1, 7, 50, 100)), PodAffinityTerm: g.podTerm()})
	}
	return terms
}

func (g *generator) setPodAffinity(spec *corev1.PodSpec) {
	if !g.likely(podAffinity, 75, 8) {
		return
	}
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	if g.chance(50) {
		spec.Affinity.PodAffinity = &corev1.PodAffinity{}
		if g.chance(50) {
			spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = g.podTerms(2)
		} else {
			spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = g.preferredPodTerms()
		}
	}
	if g.chance(60) {
		spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{}
		if g.chance(50) {
			spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = g.podTerms(2)
		} else {
			spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = g.preferredPodTerms()
		}
	}
}

func (g *generator) setSpreading(spec *corev1.PodSpec) {
	if !g.likely(spreading, 75, 8) {
		return
	}
	for range g.between(1, 3) {
		spec.TopologySpreadConstraints = append(spec.TopologySpreadConstraints, g.spreadConstraint())
	}
}

func (g *generator) spreadConstraint() corev1.TopologySpreadConstraint {
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew: int32(pick(g.dice, 1, 1, 2, 5)), TopologyKey: g.topologyKey(), LabelSelector: g.labelSelector(),
		WhenUnsatisfiable: pick(g.dice, corev1.DoNotSchedule, corev1.ScheduleAnyway),
	}
	if constraint.WhenUnsatisfiable == corev1.DoNotSchedule && g.chance(25) {
		constraint.MinDomains = ptr.To(int32(pick(g.dice, 1, 2, 3, 5)))
	}
	if g.chance(25) {
		constraint.NodeAffinityPolicy = ptr.To(pick(g.dice, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore))
	}
	if g.chance(25) {
		constraint.NodeTaintsPolicy = ptr.To(pick(g.dice, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore))
	}
	if g.chance(20) && constraint.LabelSelector != nil {
		constraint.MatchLabelKeys = []string{pick(g.dice, "version", "absent")}
	}
	return constraint
}
