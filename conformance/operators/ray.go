package operators

import "fmt"

// generateRayCluster makes a case of a RayCluster.
func generateRayCluster(seed int64) *Case {
	d := newDice(seed)
	metadata := d.metadata(pick(d, "ray", "cluster-1", "a-longer-name-of-a-cluster"))
	spec := d.rayCluster(false)
	d.maybe(12, spec, "suspend", one(d, true, true, false))
	d.maybe(10, spec, "upgradeStrategy", func() any { return object{"type": pick(d, "Recreate", "None")} })
	d.maybe(5, spec, "managedBy", one(d, "ray.io/kuberay-operator", "kueue.x-k8s.io/multikueue"))
	annotations := object{}
	d.maybe(8, annotations, "ray.io/overwrite-container-cmd", one(d, "true"))
	d.maybe(8, annotations, "ray.io/enable-serve-service", one(d, "true"))
	d.maybe(4, annotations, "ray.io/ft-enabled", one(d, "true"))
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	out := &Case{Seed: seed, Object: object{"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": metadata, "spec": spec}}
	if d.chance(8) {
		d.spoilRayCluster(metadata, spec)
	}
	out.Steps = d.rayClusterScript(spec)
	return out
}

// rayCluster is the spec of one, for a RayJob perhaps.
func (d dice) rayCluster(ofJob bool) object {
	head := object{"rayStartParams": d.rayParameters(), "template": d.rayPods("ray-head")}
	d.maybe(15, head, "serviceType", one(d, "ClusterIP", "NodePort", "LoadBalancer"))
	d.maybe(10, head, "resources", func() any { return object{"CPU": "2", "custom": "1"} })
	d.maybe(10, head, "labels", func() any { return object{"ray.io/zone": "a"} })
	if head["resources"] != nil {
		head["rayStartParams"] = object{}
	}
	spec := object{"headGroupSpec": head}
	d.maybe(60, spec, "rayVersion", one(d, "2.46.0", "2.52.0"))
	var groups []any
	for i := range pick(d, 0, 1, 1, 1, 2) {
		groups = append(groups, d.rayGroup(i))
	}
	if groups != nil {
		spec["workerGroupSpecs"] = groups
	}
	d.maybe(15, spec, "headServiceAnnotations", func() any { return object{"example.com/lb": "internal"} })
	if !ofJob || d.chance(40) {
		d.maybe(25, spec, "enableInTreeAutoscaling", one(d, true))
		d.maybe(25, spec, "autoscalerOptions", func() any { return d.autoscaler() })
	}
	return spec
}

func (d dice) rayParameters() object {
	out := object{}
	d.maybe(30, out, "dashboard-host", one(d, "0.0.0.0"))
	d.maybe(15, out, "num-cpus", one(d, "0", "4"))
	d.maybe(10, out, "num-gpus", one(d, "1"))
	d.maybe(10, out, "port", one(d, "6380"))
	d.maybe(8, out, "block", one(d, "true", "false"))
	d.maybe(8, out, "memory", one(d, "1000000000"))
	d.maybe(8, out, "resources", one(d, `'"{\"custom\": 2}"'`))
	d.maybe(5, out, "no-monitor", one(d, "true"))
	return out
}

func (d dice) rayPods(container string) object {
	pods := d.podTemplate(template{container: container, gpus: true})
	spec := pods["spec"].(object)
	main := spec["containers"].([]any)[0].(object)
	d.maybe(6, spec, "restartPolicy", one(d, "Never", "Always", "OnFailure"))
	d.maybe(12, main, "ports", func() any {
		return []any{object{"name": "gcs", "containerPort": 6379}, object{"name": "dashboard", "containerPort": 8265}}
	})
	d.maybe(5, main, "command", func() any { return []any{"/bin/bash", "-c", "ray start --head --block"} })
	d.maybe(8, main, "livenessProbe", func() any { return object{"tcpSocket": object{"port": 6379}} })
	if d.chance(12) {
		limits := object{}
		switch d.IntN(4) {
		case 0:
			limits["nvidia.com/mig-1g.5gb"] = 2
		case 1:
			limits["google.com/tpu"] = 4
		case 2:
			limits["aws.amazon.com/neuroncore"] = 4
		case 3:
			limits["amd.com/gpu"] = 1
		}
		main["resources"] = object{"limits": limits}
	}
	return pods
}

func (d dice) rayGroup(i int) object {
	least := d.between(0, 1)
	group := object{"groupName": []string{"small", "gpu-group"}[i], "rayStartParams": d.rayParameters(), "template": d.rayPods("ray-worker"),
		"minReplicas": least, "maxReplicas": least + d.between(1, 3)}
	d.maybe(85, group, "replicas", one(d, 0, 1, 1, 2, 3))
	d.maybe(20, group, "numOfHosts", one(d, 1, 2, 2))
	d.maybe(10, group, "resources", func() any { return object{"CPU": "1"} })
	if group["resources"] != nil {
		group["rayStartParams"] = object{}
	}
	d.maybe(8, group, "labels", func() any { return object{"market": "spot"} })
	return group
}

func (d dice) autoscaler() object {
	out := object{}
	d.maybe(40, out, "upscalingMode", one(d, "Default", "Conservative", "Aggressive"))
	d.maybe(40, out, "idleTimeoutSeconds", one(d, 60, 120))
	d.maybe(25, out, "version", one(d, "v1", "v2"))
	d.maybe(20, out, "image", one(d, "example.com/autoscaler:1"))
	d.maybe(20, out, "imagePullPolicy", one(d, "Always"))
	d.maybe(25, out, "resources", func() any { return object{"limits": object{"cpu": "1", "memory": "1Gi"}} })
	d.maybe(15, out, "env", func() any { return []any{object{"name": "AUTOSCALER_LOG", "value": "debug"}} })
	return out
}

func (d dice) spoilRayCluster(metadata, spec object) {
	head := spec["headGroupSpec"].(object)
	switch d.IntN(7) {
	case 0:
		metadata["name"] = pick(d, "1ray", "a-name-of-a-cluster-that-has-more-than-the-fifty-three-it-may-have")
	case 1:
		spec["workerGroupSpecs"] = []any{d.rayGroup(0), d.rayGroup(0)}
	case 2:
		head["rayStartParams"], head["resources"] = object{"num-cpus": "1"}, object{"CPU": "1"}
	case 3:
		group := d.rayGroup(0)
		group["minReplicas"], group["maxReplicas"] = 3, 1
		spec["workerGroupSpecs"] = []any{group}
	case 4:
		head["rayStartParams"] = object{"labels": "a=b"}
	case 5:
		group := d.rayGroup(0)
		group["suspend"] = true
		spec["workerGroupSpecs"] = []any{group}
	case 6:
		head["template"].(object)["spec"].(object)["containers"] = []any{}
	}
}

func (d dice) rayClusterScript(spec object) []Step {
	const node = "ray.io/node-type="
	var steps []Step
	add := func(step Step) { steps = append(steps, step) }
	all := func() { add(Step{Do: "run", choose: &choice{all: true}}) }
	suspended := spec["suspend"] == true
	suspend := func(on bool) {
		suspended = on
		add(Step{Do: "patch", Patch: object{"spec": object{"suspend": on}}})
	}
	if suspended && d.chance(90) {
		suspend(false)
	}
	if d.chance(25) {
		add(Step{Do: "run", choose: &choice{labels: node + "head", all: true}})
	}
	all()
	groups, _ := spec["workerGroupSpecs"].([]any)
	for range d.between(1, 4) {
		if suspended && d.chance(75) {
			suspend(false)
			all()
			continue
		}
		one := &choice{number: d.IntN(60)}
		switch n := d.IntN(100); {
		case n < 20:
			all()
		case n < 38:
			add(Step{Do: "delete", choose: one})
		case n < 52:
			add(Step{Do: "fail", Code: pick(d, 1, 137), choose: one})
		case n < 58:
			add(Step{Do: "evict", choose: one})
		case n < 68:
			suspend(true)
		case n < 92 && len(groups) > 0:
			// Lists are replaced by merge patches: all of them are written anew.
			changed := make([]any, len(groups))
			copy(changed, groups)
			at := d.IntN(len(groups))
			group := object{}
			for key, value := range groups[at].(object) {
				group[key] = value
			}
			group["replicas"] = d.between(0, 4)
			changed[at], groups = group, changed
			if d.chance(15) {
				changed = changed[1:]
			}
			add(Step{Do: "patch", Patch: object{"spec": object{"workerGroupSpecs": changed}}})
			if d.chance(60) {
				all()
			}
		default:
			add(Step{Do: "patch", Patch: object{"spec": object{"headGroupSpec": object{"template": object{"metadata": object{"labels": object{"changed": "yes"}}}}}}})
		}
	}
	return steps
}

// generateRayJob makes a case of a RayJob.
func generateRayJob(seed int64) *Case {
	d := newDice(seed)
	spec := d.rayJob()
	d.maybe(10, spec, "suspend", one(d, true))
	if spec["suspend"] == true && d.chance(85) {
		spec["shutdownAfterJobFinishes"] = true
	}
	d.maybe(4, spec, "managedBy", one(d, "ray.io/kuberay-operator", "kueue.x-k8s.io/multikueue"))
	metadata := d.metadata(pick(d, "rayjob", "tune", "a-longer-name-of-a-job"))
	out := &Case{Seed: seed, Object: object{"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": metadata, "spec": spec}}
	if d.chance(7) {
		d.spoilRayJob(metadata, spec)
	}
	out.Steps = d.rayJobScript(spec)
	return out
}

func (d dice) rayJob() object {
	spec := object{"entrypoint": pick(d, "python train.py", `python -c "print('a')"`, "sleep 1 && echo $HOME"), "rayClusterSpec": d.rayCluster(true)}
	mode := pick(d, "", "K8sJobMode", "K8sJobMode", "HTTPMode", "SidecarMode", "InteractiveMode")
	if mode != "" {
		spec["submissionMode"] = mode
	}
	if mode == "InteractiveMode" {
		delete(spec, "entrypoint")
	}
	if mode == "" || mode == "K8sJobMode" {
		d.maybe(20, spec, "submitterPodTemplate", func() any {
			pods := d.podTemplate(template{container: "submitter"})
			pods["spec"].(object)["restartPolicy"] = pick(d, "Never", "OnFailure")
			return pods
		})
		// When the submitter's next pod comes would depend on the clock.
		spec["submitterConfig"] = object{"backoffLimit": 0}
	}
	if mode != "InteractiveMode" {
		d.maybe(30, spec, "backoffLimit", one(d, 0, 1, 2))
	}
	d.maybe(25, spec, "runtimeEnvYAML", one(d, "pip:\n- torch\n", "env_vars:\n  A: b\n"))
	d.maybe(10, spec, "jobId", one(d, "chosen-id"))
	d.maybe(15, spec, "metadata", func() any { return object{"owner": "me"} })
	d.maybe(15, spec, "entrypointNumCpus", one(d, 1, 2))
	d.maybe(10, spec, "entrypointNumGpus", one(d, 1))
	d.maybe(10, spec, "entrypointResources", one(d, `{"custom": 1}`))
	d.maybe(30, spec, "shutdownAfterJobFinishes", one(d, true, true, false))
	if spec["shutdownAfterJobFinishes"] == true {
		d.maybe(40, spec, "ttlSecondsAfterFinished", one(d, 0, 3600))
	}
	d.maybe(10, spec, "activeDeadlineSeconds", one(d, 3600))
	d.maybe(8, spec, "preRunningDeadlineSeconds", one(d, 3600))
	if spec["shutdownAfterJobFinishes"] == nil {
		d.maybe(15, spec, "deletionStrategy", func() any {
			return object{"deletionRules": []any{object{"policy": pick(d, "DeleteCluster", "DeleteWorkers", "DeleteSelf", "DeleteNone"),
				"condition": object{"jobStatus": pick(d, "SUCCEEDED", "FAILED"), "ttlSeconds": pick(d, 0, 3600)}}}}
		})
	}
	return spec
}

func (d dice) spoilRayJob(metadata, spec object) {
	switch d.IntN(7) {
	case 0:
		metadata["name"] = pick(d, "1job", "a-name-of-a-job-that-has-more-than-the-forty-seven")
	case 1:
		spec["suspend"], spec["shutdownAfterJobFinishes"] = true, false
	case 2:
		delete(spec, "rayClusterSpec")
	case 3:
		spec["activeDeadlineSeconds"] = 0
	case 4:
		spec["backoffLimit"] = -1
	case 5:
		spec["runtimeEnvYAML"] = "a: [b"
	case 6:
		spec["submissionMode"], spec["submitterPodTemplate"] = "SidecarMode", d.podTemplate(template{})
	}
}

func (d dice) rayJobScript(spec object) []Step {
	var steps []Step
	add := func(step Step) { steps = append(steps, step) }
	all := func() { add(Step{Do: "run", choose: &choice{all: true}}) }
	ray := func(status string) { add(Step{Do: "ray", Status: status}) }
	suspended := spec["suspend"] == true
	suspend := func(on bool) {
		suspended = on
		add(Step{Do: "patch", Patch: object{"spec": object{"suspend": on}}})
	}
	if suspended && d.chance(90) {
		suspend(false)
	}
	all()
	if spec["submissionMode"] == "InteractiveMode" && d.chance(85) {
		add(Step{Do: "patch", Patch: object{"spec": object{"jobId": "typed-by-a-user"}}})
	}
	if d.chance(70) {
		all() // the submitter
	}
	if d.chance(80) {
		ray("RUNNING")
	}
	if d.chance(15) {
		suspend(true)
		suspend(false)
		all()
	}
	submitter := &choice{labels: "job-name", all: true}
	end := pick(d, "SUCCEEDED", "SUCCEEDED", "FAILED", "STOPPED", "")
	if end != "" && d.chance(70) {
		ray(end)
	}
	switch n := d.IntN(100); {
	case n < 45 && end != "FAILED":
		add(Step{Do: "succeed", choose: submitter})
	case n < 75:
		add(Step{Do: "fail", Code: 1, choose: submitter})
	case n < 85:
		add(Step{Do: "delete", choose: &choice{number: d.IntN(60)}})
	case n < 90:
		add(Step{Do: "patch", Patch: object{"spec": object{"activeDeadlineSeconds": 1}}})
	}
	if d.chance(40) {
		all()
	}
	return steps
}

// generateRayCronJob makes a case of a RayCronJob. What it does at a time depends on the clock: it is asked what it makes of schedules that are far away.
func generateRayCronJob(seed int64) *Case {
	d := newDice(seed)
	spec := object{"jobTemplate": d.rayJob(), "schedule": pick(d, "0 0 1 1 *", "0 0 29 2 *", "@yearly", "15 3 31 12 *", fmt.Sprintf("%d 4 30 11 *", d.IntN(60)))}
	d.maybe(25, spec, "suspend", one(d, true, false))
	metadata := d.metadata(pick(d, "nightly", "cron", "a-longer-name"))
	if d.chance(20) {
		spec["schedule"] = pick(d, "every day", "61 * * * *", "", "TZ=UTC 0 0 1 1 *", "* * *")
	}
	out := &Case{Seed: seed, Object: object{"apiVersion": "ray.io/v1", "kind": "RayCronJob", "metadata": metadata, "spec": spec}}
	if d.chance(7) {
		d.spoilRayJob(metadata, spec["jobTemplate"].(object))
	}
	for range d.between(0, 2) {
		out.Steps = append(out.Steps, Step{Do: "patch", Patch: object{"spec": object{"suspend": d.chance(50)}}})
	}
	return out
}

func canaryRayCluster(name string) object {
	pods := object{"spec": object{"containers": []any{object{"name": "c", "image": "c"}}}}
	return object{"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": object{"name": name},
		"spec": object{"suspend": true, "headGroupSpec": object{"rayStartParams": object{}, "template": pods}}}
}

func canaryRayJob(name string) object {
	return object{"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": object{"name": name}, "spec": object{"suspend": true, "shutdownAfterJobFinishes": true,
		"entrypoint": "true", "rayClusterSpec": canaryRayCluster(name)["spec"]}}
}
