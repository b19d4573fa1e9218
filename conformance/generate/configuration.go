package generate

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

type object = map[string]any
type list = []any

// makeConfiguration makes the scheduler's profiles.
func (g *generator) makeConfiguration() {
	g.profiles = []string{corev1.DefaultSchedulerName}
	configured, extended := g.likely(profiles, 100, 6), g.likely(extenders, 100, 2)
	if !configured && !extended {
		return
	}
	made := list{}
	names := g.profiles
	if configured {
		for i := range g.between(0, 2) {
			names = append(names, fmt.Sprintf("profile-%d", i))
		}
	}
	for _, name := range names {
		profile := object{"schedulerName": name}
		if configured {
			if plugins := g.plugins(); len(plugins) > 0 {
				profile["plugins"] = plugins
			}
			if arguments := g.arguments(); len(arguments) > 0 {
				profile["pluginConfig"] = arguments
			}
		}
		made = append(made, profile)
	}
	g.profiles = names
	configuration := object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": made}
	if extended {
		configuration["extenders"] = g.extenders()
	}
	text, err := json.Marshal(configuration)
	if err != nil {
		panic(err)
	}
	g.input.Configuration = text
}

var scorers = []string{"TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodeResourcesBalancedAllocation", "ImageLocality"}

// Not NodePorts: see nodeFor.
var filters = []string{"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity"}

// removable are plugins that a profile may do without altogether. Not NodePorts either.
var removable = []string{"DefaultPreemption", "ImageLocality", "InterPodAffinity", "PodTopologySpread", "TaintToleration", "NodeUnschedulable", "NodeAffinity",
	"VolumeZone", "NodeVolumeLimits", "VolumeRestrictions", "VolumeBinding", "NodeResourcesBalancedAllocation"}

// plugins switches some off, or gives them another weight.
func (g *generator) plugins() object {
	plugins := object{}
	if g.chance(35) {
		chosen, disabled, enabled := some(g.dice, 3, scorers...), list{}, list{}
		for _, name := range chosen {
			disabled = append(disabled, object{"name": name})
			if g.chance(65) {
				enabled = append(enabled, object{"name": name, "weight": g.between(1, 9)})
			}
		}
		plugins["score"] = object{"disabled": disabled, "enabled": enabled}
	}
	if g.chance(12) {
		plugins["filter"] = object{"disabled": list{object{"name": pick(g.dice, filters...)}}}
	}
	if g.chance(12) {
		plugins["multiPoint"] = object{"disabled": list{object{"name": pick(g.dice, append(removable, "DynamicResources")...)}}}
	} else if g.chance(8) {
		plugins["multiPoint"] = object{"enabled": list{object{"name": pick(g.dice, scorers...), "weight": g.between(2, 7)}}}
	}
	if g.chance(5) { // then a plugin filters or scores without having prepared
		plugins[pick(g.dice, "preFilter", "preScore")] = object{"disabled": list{object{"name": pick(g.dice, append(removable, scorers...)...)}}}
	}
	if g.chance(4) {
		plugins["postFilter"] = object{"disabled": list{object{"name": "*"}}}
	}
	return plugins
}

func (g *generator) arguments() list {
	arguments := list{}
	add := func(plugin string, args object) { arguments = append(arguments, object{"name": plugin, "args": args}) }
	if g.chance(55) {
		add("NodeResourcesFit", g.fitArguments())
	}
	if g.chance(30) {
		add("NodeResourcesBalancedAllocation", object{"resources": g.weighed(func() int { return 1 })})
	}
	if g.chance(30) {
		args := object{"hardPodAffinityWeight": pick(g.dice, 0, 1, 10, 100)}
		if g.chance(40) {
			args["ignorePreferredTermsOfExistingPods"] = true
		}
		add("InterPodAffinity", args)
	}
	if g.chance(30) {
		add("NodeAffinity", object{"addedAffinity": g.addedAffinity()})
	}
	if g.chance(40) {
		add("PodTopologySpread", g.spreadArguments())
	}
	return arguments
}

func (g *generator) weighed(weight func() int) list {
	resources := list{}
	for _, name := range some(g.dice, 4, "cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "example.com/fpga") {
		resources = append(resources, object{"name": name, "weight": weight()})
	}
	return resources
}

func (g *generator) fitArguments() object {
	strategy := object{"type": pick(g.dice, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"),
		"resources": g.weighed(func() int { return pick(g.dice, 1, 1, 2, 5, 100) })}
	if strategy["type"] == "RequestedToCapacityRatio" {
		shape := list{}
		for _, utilization := range some(g.dice, 4, 0, 20, 50, 77, 100) {
			shape = append(shape, object{"utilization": utilization, "score": g.between(0, 10)})
		}
		strategy["requestedToCapacityRatio"] = object{"shape": shape}
	}
	args := object{"scoringStrategy": strategy}
	if g.chance(20) {
		args["ignoredResources"] = list{"nvidia.com/gpu"}
	}
	if g.chance(15) {
		args["ignoredResourceGroups"] = list{"example.com"}
	}
	return args
}

func (g *generator) addedAffinity() object {
	requirement := object{"matchExpressions": list{object{"key": pick(g.dice, "disk", "gen"), "operator": pick(g.dice, "Exists", "DoesNotExist")}}}
	added := object{}
	if g.chance(50) {
		added["requiredDuringSchedulingIgnoredDuringExecution"] = object{"nodeSelectorTerms": list{requirement}}
	}
	if g.chance(70) {
		added["preferredDuringSchedulingIgnoredDuringExecution"] = list{
			object{"weight": g.between(1, 100), "preference": object{"matchExpressions": list{object{"key": "disk", "operator": "In", "values": list{"ssd"}}}}}}
	}
	return added
}

func (g *generator) spreadArguments() object {
	if g.chance(30) {
		return object{"defaultingType": "System"}
	}
	constraints := list{}
	for _, key := range some(g.dice, 2, "topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack") {
		constraints = append(constraints, object{"maxSkew": g.between(1, 3), "topologyKey": key, "whenUnsatisfiable": pick(g.dice, "DoNotSchedule", "ScheduleAnyway", "ScheduleAnyway")})
	}
	return object{"defaultingType": "List", "defaultConstraints": constraints}
}
