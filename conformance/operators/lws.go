package operators

const lwsPrefix = "leaderworkerset.sigs.k8s.io/"

// generateLeaderWorkerSet makes a case of a LeaderWorkerSet.
func generateLeaderWorkerSet(seed int64) *Case {
	d := newDice(seed)
	name := pick(d, "serve", "lws", "a-longer-name-of-a-set")
	metadata := d.metadata(name)
	annotations := object{}
	template := object{"workerTemplate": d.lwsPods()}
	size := d.between(1, 4)
	d.maybe(90, template, "size", one(d, size))
	d.maybe(50, template, "leaderTemplate", func() any { return d.lwsPods() })
	d.maybe(55, template, "restartPolicy", one(d, "RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None", "None", "Default"))
	if size > 1 && template["size"] != nil && d.chance(25) {
		d.subGroups(template, annotations, size)
	}
	d.maybe(8, template, "volumeClaimTemplates", func() any {
		return []any{object{"metadata": object{"name": "cache"}, "spec": object{"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}}}}}
	})
	spec := object{"leaderWorkerTemplate": template}
	d.maybe(85, spec, "replicas", one(d, 0, 1, 1, 2, 2, 3))
	d.maybe(40, spec, "startupPolicy", one(d, "LeaderReady", "LeaderCreated"))
	d.maybe(35, spec, "networkConfig", func() any { return object{"subdomainPolicy": pick(d, "Shared", "UniquePerReplica")} })
	d.maybe(30, spec, "rolloutStrategy", func() any {
		update := object{}
		d.maybe(50, update, "partition", one(d, 0, 1))
		update["maxUnavailable"], update["maxSurge"] = pick[any](d, 1, 2, "50%"), pick[any](d, 0, 0, 1, "30%")
		return object{"type": "RollingUpdate", "rollingUpdateConfiguration": update}
	})
	if d.chance(10) {
		annotations[lwsPrefix+"exclusive-topology"] = rackLabel
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	out := &Case{Seed: seed, Object: object{"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": metadata, "spec": spec}}
	if d.chance(7) {
		d.spoilLeaderWorkerSet(metadata, spec, template)
	}
	out.Steps = d.lwsScript(spec, template)
	return out
}

// lwsPods is a template of pods, which may want TPUs.
func (d dice) lwsPods() object {
	pods := d.podTemplate(template{gpus: true})
	if !d.chance(20) {
		return pods
	}
	for _, c := range pods["spec"].(object)["containers"].([]any) {
		if container := c.(object); d.chance(70) {
			container["resources"] = object{"limits": object{"google.com/tpu": pick(d, 4, 8)}}
			d.maybe(15, container, "env", func() any { return []any{object{"name": "TPU_WORKER_HOSTNAMES", "value": "mine"}} })
		}
	}
	return pods
}

func (d dice) subGroups(template, annotations object, size int) {
	var sizes []int
	for n := 1; n <= size; n++ {
		if size%n == 0 || (size-1)%n == 0 {
			sizes = append(sizes, n)
		}
	}
	policy := object{"subGroupSize": pick(d, sizes...)}
	d.maybe(50, policy, "subGroupPolicyType", one(d, "LeaderWorker", "LeaderExcluded"))
	template["subGroupPolicy"] = policy
	if d.chance(25) {
		annotations[lwsPrefix+"subgroup-exclusive-topology"] = rackLabel
	}
}

func (d dice) spoilLeaderWorkerSet(metadata, spec, template object) {
	switch d.IntN(7) {
	case 0:
		metadata["name"] = pick(d, "1set", "Upper", "with.dots")
	case 1:
		template["size"] = 0
	case 2:
		template["size"], template["subGroupPolicy"] = 5, object{"subGroupSize": 3}
	case 3:
		spec["rolloutStrategy"] = object{"type": "RollingUpdate", "rollingUpdateConfiguration": object{"maxUnavailable": 0, "maxSurge": 0}}
	case 4:
		spec["replicas"] = -1
	case 5:
		spec["startupPolicy"] = "Never"
	case 6:
		template["size"], template["subGroupPolicy"] = 4, object{"subGroupSize": 2, "subGroupPolicyType": "LeaderExcluded"}
	}
}

func (d dice) lwsScript(spec, template object) []Step {
	var steps []Step
	add := func(step Step) { steps = append(steps, step) }
	all := func() { add(Step{Do: "run", choose: &choice{all: true}}) }
	change := func(spec object) { add(Step{Do: "patch", Patch: object{"spec": spec}}) }
	if d.chance(85) {
		all()
		all() // workers may have waited for leaders
	} else {
		add(Step{Do: "run", choose: &choice{labels: lwsPrefix + "worker-index=0", all: true}})
	}
	for range d.between(1, 4) {
		one := &choice{number: d.IntN(60)}
		switch n := d.IntN(100); {
		case n < 25:
			all()
		case n < 40:
			add(Step{Do: "delete", choose: one})
		case n < 52:
			add(Step{Do: "fail", Code: pick(d, 1, 137), choose: one}) // the container starts again
		case n < 56:
			add(Step{Do: "evict", choose: one})
		case n < 72:
			change(object{"replicas": d.between(0, 4)})
			if d.chance(60) {
				all()
			}
		case n < 88:
			// A new revision. Lists are replaced by merge patches: all of it is written anew.
			pods := d.lwsPods()
			which := "workerTemplate"
			if template["leaderTemplate"] != nil && d.chance(50) {
				which = "leaderTemplate"
			}
			change(object{"leaderWorkerTemplate": object{which: pods}})
			all()
			if d.chance(60) {
				all()
			}
		case n < 93:
			change(object{"leaderWorkerTemplate": object{"size": d.between(1, 4)}})
		default:
			change(object{"rolloutStrategy": object{"rollingUpdateConfiguration": object{"partition": d.between(0, 2)}}})
		}
	}
	return steps
}

func canaryLeaderWorkerSet(name string) object {
	pods := object{"spec": object{"containers": []any{object{"name": "c", "image": "c"}}}}
	return object{"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": object{"name": name},
		"spec": object{"replicas": 0, "leaderWorkerTemplate": object{"size": 1, "workerTemplate": pods}}}
}
