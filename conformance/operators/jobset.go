package operators

import "fmt"

const jobNameLabel = "jobset.sigs.k8s.io/replicatedjob-name"

// generateJobSet makes a case of a JobSet.
func generateJobSet(seed int64) *Case {
	d := newDice(seed)
	name := pick(d, "train", "js", "set-1", "a-longer-name-of-a-set")
	names := []string{"leader", "workers", "w-2"}[:d.between(1, 3)]
	spec := object{}
	metadata := d.metadata(name)
	exclusive := d.chance(8)
	if exclusive {
		metadata["annotations"] = object{"alpha.jobset.sigs.k8s.io/exclusive-topology": rackLabel}
	}
	inOrder := d.chance(25)
	var jobs []any
	for i, job := range names {
		replicated := object{"name": job, "template": d.jobTemplate(exclusive)}
		d.maybe(80, replicated, "replicas", one(d, 1, 1, 2, 2, 3))
		d.maybe(15, replicated, "groupName", one(d, "group-a", "group-b"))
		if i > 0 && !inOrder {
			d.maybe(30, replicated, "dependsOn", func() any {
				return []any{object{"name": names[d.IntN(i)], "status": pick(d, "Ready", "Complete")}}
			})
		}
		jobs = append(jobs, replicated)
	}
	spec["replicatedJobs"] = jobs
	if inOrder {
		spec["startupPolicy"] = object{"startupPolicyOrder": "InOrder"}
	}
	d.jobSetPolicies(spec, names)
	d.maybe(12, spec, "suspend", one(d, true, true, false))
	d.maybe(5, spec, "managedBy", one(d, "jobset.sigs.k8s.io/jobset-controller", "kueue.x-k8s.io/multikueue"))
	d.maybe(10, spec, "ttlSecondsAfterFinished", one(d, 3600, 0))
	d.maybe(12, spec, "coordinator", func() any { return d.coordinator(jobs[d.IntN(len(jobs))].(object)) })
	out := &Case{Seed: seed, Object: object{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": spec}}
	if d.chance(7) {
		d.spoilJobSet(out.Object, spec, jobs)
	}
	out.Steps = d.jobSetScript(names, spec["suspend"] == true)
	return out
}

func (d dice) jobSetPolicies(spec object, names []string) {
	d.maybe(30, spec, "network", func() any {
		network := object{}
		d.maybe(50, network, "enableDNSHostnames", one(d, true, false))
		d.maybe(40, network, "subdomain", one(d, "mesh"))
		d.maybe(40, network, "publishNotReadyAddresses", one(d, true, false))
		return network
	})
	d.maybe(30, spec, "successPolicy", func() any {
		policy := object{"operator": pick(d, "All", "Any")}
		d.maybe(60, policy, "targetReplicatedJobs", func() any { return []any{pick(d, names...)} })
		return policy
	})
	d.maybe(60, spec, "failurePolicy", func() any {
		policy := object{}
		d.maybe(80, policy, "maxRestarts", one(d, 0, 1, 2, 3))
		d.maybe(30, policy, "restartStrategy", one(d, "Recreate", "BlockingRecreate"))
		d.maybe(50, policy, "rules", func() any { return d.failureRules(names) })
		return policy
	})
}

func (d dice) failureRules(names []string) []any {
	var rules []any
	for i := range d.between(1, 2) {
		rule := object{"action": pick(d, "FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts")}
		d.maybe(50, rule, "name", one(d, fmt.Sprintf("rule_%d", i)))
		d.maybe(50, rule, "onJobFailureReasons", func() any {
			return []any{pick(d, "BackoffLimitExceeded", "PodFailurePolicy", "DeadlineExceeded", "FailedIndexes")}
		})
		d.maybe(25, rule, "onJobFailureMessagePatterns", func() any { return []any{pick(d, "exit code 4[0-9]", "^Job has reached", "nothing")} })
		d.maybe(40, rule, "targetReplicatedJobs", func() any { return []any{pick(d, names...)} })
		rules = append(rules, rule)
	}
	return rules
}

// jobTemplate is one whose pods may fail once: when they are made again would depend on the clock.
func (d dice) jobTemplate(indexed bool) object {
	pods := d.podTemplate(template{gpus: true})
	pods["spec"].(object)["restartPolicy"] = pick(d, "Never", "Never", "Never", "OnFailure")
	if d.chance(20) {
		delete(pods["spec"].(object), "restartPolicy")
	}
	spec := object{"template": pods, "backoffLimit": 0}
	d.maybe(60, spec, "parallelism", one(d, 1, 2, 3))
	d.maybe(92, spec, "completions", one(d, 1, 2, 3)) // without, an indexed Job is refused
	if !indexed {
		d.maybe(20, spec, "completionMode", one(d, "Indexed", "NonIndexed"))
	}
	d.maybe(10, spec, "activeDeadlineSeconds", one(d, 3600))
	d.maybe(10, spec, "ttlSecondsAfterFinished", one(d, 3600))
	if pods["spec"].(object)["restartPolicy"] == "Never" {
		d.maybe(20, spec, "podFailurePolicy", func() any {
			return object{"rules": []any{object{"action": "FailJob", "onExitCodes": object{"operator": "In", "values": []any{42, 43}}}}}
		})
	}
	out := object{"spec": spec}
	d.maybe(25, out, "metadata", func() any {
		return object{"labels": object{"job-label": "x"}, "annotations": object{"example.com/job": "y"}}
	})
	return out
}

func (d dice) coordinator(job object) object {
	out := object{"replicatedJob": job["name"]}
	spec := job["template"].(object)["spec"].(object)
	spec["completionMode"], spec["completions"] = "Indexed", 2
	d.maybe(50, out, "podIndex", one(d, 0, 1))
	d.maybe(30, out, "jobIndex", one(d, 0, 0, 1))
	return out
}

func (d dice) spoilJobSet(whole, spec object, jobs []any) {
	first, last := jobs[0].(object), jobs[len(jobs)-1].(object)
	switch d.IntN(9) {
	case 0:
		first["dependsOn"] = []any{object{"name": "other", "status": "Ready"}}
	case 1:
		last["dependsOn"] = []any{object{"name": last["name"], "status": "Ready"}}
	case 2:
		spec["successPolicy"] = object{"operator": "All", "targetReplicatedJobs": []any{"nobody"}}
	case 3:
		whole["metadata"].(object)["name"] = "a-name-that-is-so-long-that-the-names-of-its-jobs-are-too-long"
	case 4:
		spec["network"] = object{"subdomain": pick(d, "1digit", "Upper", "with.dots")}
	case 5:
		spec["coordinator"] = object{"replicatedJob": "nobody"}
	case 6:
		spec["failurePolicy"] = object{"rules": []any{object{"name": "twice", "action": "FailJobSet"}, object{"name": "twice", "action": "FailJobSet"}}}
	case 7:
		spec["failurePolicy"] = object{"restartStrategy": "InPlaceRestart"}
	case 8:
		spec["startupPolicy"] = object{"startupPolicyOrder": "InOrder"}
		last["dependsOn"] = []any{object{"name": first["name"], "status": "Ready"}}
	}
}

func (d dice) jobSetScript(names []string, suspended bool) []Step {
	var steps []Step
	add := func(step Step) { steps = append(steps, step) }
	suspend := func(on bool) {
		suspended = on
		add(Step{Do: "patch", Patch: object{"spec": object{"suspend": on}}})
	}
	all := func() { add(Step{Do: "run", choose: &choice{all: true}}) }
	if suspended && d.chance(90) {
		suspend(false)
	}
	if d.chance(92) {
		all()
	}
	if len(names) > 1 && d.chance(60) {
		all() // those that waited for the first ones
	}
	for range d.between(1, 4) {
		if suspended && d.chance(75) {
			suspend(false)
			all()
			continue
		}
		one := &choice{number: d.IntN(60)}
		role := &choice{labels: jobNameLabel + "=" + pick(d, names...), all: true}
		switch n := d.IntN(100); {
		case n < 22:
			all()
		case n < 32:
			add(Step{Do: "succeed", choose: one})
		case n < 56:
			add(Step{Do: "succeed", choose: role})
		case n < 82:
			add(Step{Do: "fail", Code: pick(d, 1, 1, 42, 137), choose: one})
			if d.chance(70) {
				all()
			}
		case n < 86:
			add(Step{Do: "evict", choose: one})
		case n < 90:
			add(Step{Do: "delete", choose: one})
		case n < 97:
			suspend(true)
		default:
			add(Step{Do: "patch", Patch: object{"spec": object{"successPolicy": object{"operator": "Any"}}}})
		}
	}
	if d.chance(40) {
		add(Step{Do: "succeed", choose: &choice{all: true}})
	}
	return steps
}

func canaryJobSet(name string) object {
	job := object{"spec": object{"completions": 1, "template": object{"spec": object{"containers": []any{object{"name": "c", "image": "c"}}}}}}
	return object{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": object{"name": name},
		"spec": object{"suspend": true, "replicatedJobs": []any{object{"name": "j", "template": job}}}}
}
