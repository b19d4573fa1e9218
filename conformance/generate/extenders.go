package generate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"loadline/conformance/extender"
)

// extenders are services that filter and score. None is asked about preemption: see oracle/preemption.go.
func (g *generator) extenders() list {
	made := list{}
	managed := []corev1.ResourceName{"nvidia.com/gpu", "example.com/fpga"}
	for i := range g.between(1, 3) {
		settings := object{"urlPrefix": fmt.Sprintf("%s/%d-%d", extender.Host, g.input.Seed, i), "nodeCacheCapable": g.chance(60), "ignorable": g.chance(40)}
		if g.chance(75) {
			settings["filterVerb"] = extender.FilterVerb
		}
		if g.chance(75) {
			settings["prioritizeVerb"], settings["weight"] = extender.PrioritizeVerb, g.between(1, 12)
		}
		if g.chance(35) && i < len(managed) { // no two may manage the same
			settings["managedResources"] = list{object{"name": managed[i], "ignoredByScheduler": g.chance(40)}}
		}
		made = append(made, settings)
	}
	return made
}
