package operators

// generateMPIJob makes a case of the MPI operator's job.
func generateMPIJob(seed int64) *Case {
	d := newDice(seed)
	name := pick(d, "mpi", "horovod", "a-longer-name-of-a-job")
	worker := object{"template": d.podTemplate(template{container: "worker", restartPolicy: true, gpus: true})}
	d.maybe(95, worker, "replicas", one(d, 1, 2, 2, 3))
	d.maybe(40, worker, "restartPolicy", one(d, "Never", "OnFailure"))
	launcher := object{"template": d.podTemplate(template{container: "launcher", restartPolicy: true})}
	d.maybe(60, launcher, "replicas", one(d, 1))
	d.maybe(60, launcher, "restartPolicy", one(d, "Never", "Never", "OnFailure"))
	specs := object{"Launcher": launcher}
	d.maybe(92, specs, "Worker", func() any { return worker })
	policy := object{}
	d.maybe(60, policy, "cleanPodPolicy", one(d, "None", "Running", "All"))
	d.maybe(12, policy, "ttlSecondsAfterFinished", one(d, 3600))
	d.maybe(12, policy, "activeDeadlineSeconds", one(d, 3600))
	policy["backoffLimit"] = 0 // when the launcher's next pod comes would depend on the clock
	d.maybe(15, policy, "suspend", one(d, true, true, false))
	d.maybe(6, policy, "managedBy", one(d, "kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue"))
	d.maybe(10, policy, "schedulingPolicy", func() any { return object{"minAvailable": 2, "queue": "research"} })
	spec := object{"mpiReplicaSpecs": specs, "runPolicy": policy}
	d.maybe(40, spec, "slotsPerWorker", one(d, 1, 2, 8))
	d.maybe(25, spec, "runLauncherAsWorker", one(d, true, false))
	d.maybe(15, spec, "sshAuthMountPath", one(d, "/home/mpiuser/.ssh"))
	d.maybe(35, spec, "launcherCreationPolicy", one(d, "AtStartup", "WaitForWorkersReady", "WaitForWorkersReady"))
	d.maybe(60, spec, "mpiImplementation", one(d, "OpenMPI", "Intel", "MPICH"))
	out := &Case{Seed: seed, Object: object{"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": d.metadata(name), "spec": spec}}
	if d.chance(7) {
		d.spoilMPIJob(out.Object, policy, specs)
	}
	out.Steps = d.mpiScript(specs["Worker"] != nil, policy["suspend"] == true)
	return out
}

func (d dice) spoilMPIJob(whole, policy, specs object) {
	launcher := specs["Launcher"].(object)
	switch d.IntN(6) {
	case 0:
		whole["metadata"].(object)["name"] = pick(d, "1job", "with.dots")
	case 1:
		launcher["replicas"] = 2
	case 2:
		launcher["restartPolicy"] = "Always"
	case 3:
		delete(specs, "Launcher")
	case 4:
		policy["managedBy"] = "somebody"
	case 5:
		if worker, ok := specs["Worker"].(object); ok {
			worker["replicas"] = 0
		}
	}
}

func (d dice) mpiScript(workers, suspended bool) []Step {
	const role = "training.kubeflow.org/job-role="
	var steps []Step
	add := func(step Step) { steps = append(steps, step) }
	suspend := func(on bool) {
		suspended = on
		add(Step{Do: "patch", Patch: object{"spec": object{"runPolicy": object{"suspend": on}}}})
	}
	all := func() { add(Step{Do: "run", choose: &choice{all: true}}) }
	launcher := func() *choice { return &choice{labels: role + "launcher", all: true} }
	if suspended && d.chance(90) {
		suspend(false)
	}
	if d.chance(20) {
		add(Step{Do: "run", choose: &choice{labels: role + "worker", all: true}})
	}
	all()
	if d.chance(50) {
		all() // a launcher that waited
	}
	for range d.between(1, 3) {
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
			add(Step{Do: "succeed", choose: launcher()})
		case n < 52:
			add(Step{Do: "fail", Code: pick(d, 1, 137), choose: launcher()})
		case n < 62:
			add(Step{Do: "fail", Code: pick(d, 1, 137), choose: one})
		case n < 68:
			add(Step{Do: "succeed", choose: one})
		case n < 74:
			add(Step{Do: "evict", choose: one})
		case n < 82 && workers:
			add(Step{Do: "delete", choose: &choice{labels: role + "worker", number: d.IntN(60)}})
		case n < 90:
			suspend(true)
		case workers:
			add(Step{Do: "patch", Patch: object{"spec": object{"mpiReplicaSpecs": object{"Worker": object{"replicas": d.between(1, 4)}}}}})
		}
	}
	if d.chance(35) {
		add(Step{Do: "succeed", choose: launcher()})
	}
	return steps
}

func canaryMPIJob(name string) object {
	pods := object{"spec": object{"containers": []any{object{"name": "c", "image": "c"}}}}
	return object{"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": object{"name": name}, "spec": object{"runPolicy": object{"suspend": true},
		"mpiReplicaSpecs": object{"Launcher": object{"template": pods}}}}
}
