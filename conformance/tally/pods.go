package tally

import (
	corev1 "k8s.io/api/core/v1"
)

// constraints are what pending pods may have.
var constraints = []struct {
	name string
	has  func(*corev1.Pod) bool
}{
	{"node selector", func(p *corev1.Pod) bool { return len(p.Spec.NodeSelector) > 0 }},
	{"required node affinity", func(p *corev1.Pod) bool {
		a := nodeAffinity(p)
		return a != nil && a.RequiredDuringSchedulingIgnoredDuringExecution != nil
	}},
	{"preferred node affinity", func(p *corev1.Pod) bool {
		a := nodeAffinity(p)
		return a != nil && len(a.PreferredDuringSchedulingIgnoredDuringExecution) > 0
	}},
	{"tolerations", func(p *corev1.Pod) bool { return len(p.Spec.Tolerations) > 0 }},
	{"required pod affinity", func(p *corev1.Pod) bool { return len(podTerms(p).required) > 0 }},
	{"required pod anti-affinity", func(p *corev1.Pod) bool { return len(podTerms(p).forbidden) > 0 }},
	{"preferred pod affinity", func(p *corev1.Pod) bool { return podTerms(p).preferred }},
	{"preferred pod anti-affinity", func(p *corev1.Pod) bool { return podTerms(p).avoided }},
	{"namespace selector", func(p *corev1.Pod) bool {
		return anyTerm(p, func(t corev1.PodAffinityTerm) bool { return t.NamespaceSelector != nil })
	}},
	{"label keys in affinity", func(p *corev1.Pod) bool {
		return anyTerm(p, func(t corev1.PodAffinityTerm) bool { return len(t.MatchLabelKeys)+len(t.MismatchLabelKeys) > 0 })
	}},
	{"hard spreading", func(p *corev1.Pod) bool {
		return anySpread(p, func(c corev1.TopologySpreadConstraint) bool { return c.WhenUnsatisfiable == corev1.DoNotSchedule })
	}},
	{"soft spreading", func(p *corev1.Pod) bool {
		return anySpread(p, func(c corev1.TopologySpreadConstraint) bool { return c.WhenUnsatisfiable == corev1.ScheduleAnyway })
	}},
	{"minDomains", func(p *corev1.Pod) bool {
		return anySpread(p, func(c corev1.TopologySpreadConstraint) bool { return c.MinDomains != nil })
	}},
	{"inclusion policies", func(p *corev1.Pod) bool {
		return anySpread(p, func(c corev1.TopologySpreadConstraint) bool {
			return c.NodeAffinityPolicy != nil || c.NodeTaintsPolicy != nil
		})
	}},
	{"label keys in spreading", func(p *corev1.Pod) bool {
		return anySpread(p, func(c corev1.TopologySpreadConstraint) bool { return len(c.MatchLabelKeys) > 0 })
	}},
	{"controller", func(p *corev1.Pod) bool { return len(p.OwnerReferences) > 0 }},
	{"host ports", func(p *corev1.Pod) bool {
		return anyContainer(p, func(c corev1.Container) bool { return len(c.Ports) > 0 && c.Ports[0].HostPort > 0 })
	}},
	{"init containers", func(p *corev1.Pod) bool { return len(p.Spec.InitContainers) > 0 }},
	{"sidecars", func(p *corev1.Pod) bool {
		return anyContainer(p, func(c corev1.Container) bool { return c.RestartPolicy != nil })
	}},
	{"overhead", func(p *corev1.Pod) bool { return len(p.Spec.Overhead) > 0 }},
	{"pod-level resources", func(p *corev1.Pod) bool { return p.Spec.Resources != nil }},
	{"no requests", func(p *corev1.Pod) bool {
		return !anyContainer(p, func(c corev1.Container) bool { return len(c.Resources.Requests) > 0 })
	}},
	{"claims", func(p *corev1.Pod) bool {
		return anyVolume(p, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil })
	}},
	{"ephemeral claims", func(p *corev1.Pod) bool {
		return anyVolume(p, func(v corev1.Volume) bool { return v.Ephemeral != nil })
	}},
	{"inline disks", func(p *corev1.Pod) bool {
		return anyVolume(p, func(v corev1.Volume) bool { return v.PersistentVolumeClaim == nil && v.Ephemeral == nil })
	}},
	{"priority", func(p *corev1.Pod) bool { return p.Spec.Priority != nil && *p.Spec.Priority != 0 }},
	{"preemptionPolicy Never", func(p *corev1.Pod) bool {
		return p.Spec.PreemptionPolicy != nil && *p.Spec.PreemptionPolicy == corev1.PreemptNever
	}},
	{"nomination", func(p *corev1.Pod) bool { return p.Status.NominatedNodeName != "" }},
	{"another profile", func(p *corev1.Pod) bool { return p.Spec.SchedulerName != "" }},
}

// constraintNames are those of constraints, in order.
func constraintNames() []string {
	names := make([]string, len(constraints))
	for i, constraint := range constraints {
		names[i] = constraint.name
	}
	return names
}

func nodeAffinity(p *corev1.Pod) *corev1.NodeAffinity {
	if p.Spec.Affinity == nil {
		return nil
	}
	return p.Spec.Affinity.NodeAffinity
}

type terms struct {
	required, forbidden []corev1.PodAffinityTerm
	preferred, avoided  bool
}

func podTerms(p *corev1.Pod) terms {
	var found terms
	if p.Spec.Affinity == nil {
		return found
	}
	if a := p.Spec.Affinity.PodAffinity; a != nil {
		found.required = a.RequiredDuringSchedulingIgnoredDuringExecution
		found.preferred = len(a.PreferredDuringSchedulingIgnoredDuringExecution) > 0
	}
	if a := p.Spec.Affinity.PodAntiAffinity; a != nil {
		found.forbidden = a.RequiredDuringSchedulingIgnoredDuringExecution
		found.avoided = len(a.PreferredDuringSchedulingIgnoredDuringExecution) > 0
	}
	return found
}

func anyTerm(p *corev1.Pod, has func(corev1.PodAffinityTerm) bool) bool {
	found := podTerms(p)
	for _, list := range [][]corev1.PodAffinityTerm{found.required, found.forbidden} {
		for _, term := range list {
			if has(term) {
				return true
			}
		}
	}
	return false
}

func anySpread(p *corev1.Pod, has func(corev1.TopologySpreadConstraint) bool) bool {
	for _, constraint := range p.Spec.TopologySpreadConstraints {
		if has(constraint) {
			return true
		}
	}
	return false
}

func anyContainer(p *corev1.Pod, has func(corev1.Container) bool) bool {
	for _, list := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for _, container := range list {
			if has(container) {
				return true
			}
		}
	}
	return false
}

func anyVolume(p *corev1.Pod, has func(corev1.Volume) bool) bool {
	for _, volume := range p.Spec.Volumes {
		if has(volume) {
			return true
		}
	}
	return false
}
