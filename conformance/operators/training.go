package operators

import (
	"maps"
	"slices"
	"strings"
)

// training is a kind of the training-operator.
type training struct {
	kind      string
	replicas  string // the field with the roles
	container string
	port      string
	roles     func(d dice) []string
	single    map[string]bool // roles with one replica, which must be written
	more      func(d dice, spec object, roles []string)
}

// main is the role that may be scaled.
const mainRole = "Worker"

var pytorch = &training{
	kind: "PyTorchJob", replicas: "pytorchReplicaSpecs", container: "pytorch", port: "pytorchjob-port",
	roles: func(d dice) []string {
		return pick(d, []string{"Master", "Worker"}, []string{"Master", "Worker"}, []string{"Master", "Worker"}, []string{"Worker"}, []string{"Master"})
	},
	single: map[string]bool{"Master": true},
	more: func(d dice, spec object, roles []string) {
		d.maybe(35, spec, "nprocPerNode", one(d, "auto", "gpu", "cpu", "1", "4", "8"))
		if slices.Contains(roles, "Worker") {
			d.maybe(35, spec, "elasticPolicy", func() any { return d.elastic(spec) })
		}
	},
}

var tensorflow = &training{
	kind: "TFJob", replicas: "tfReplicaSpecs", container: "tensorflow", port: "tfjob-port",
	roles: func(d dice) []string {
		roles := []string{"Worker"}
		d.append(&roles, 25, "Chief")
		if len(roles) == 1 {
			d.append(&roles, 15, "Master")
		}
		d.append(&roles, 40, "PS")
		d.append(&roles, 25, "Evaluator")
		if len(roles) > 1 && d.chance(6) {
			return roles[1:]
		}
		return roles
	},
	single: map[string]bool{"Chief": true, "Master": true},
	more: func(d dice, spec object, _ []string) {
		d.maybe(30, spec, "successPolicy", one(d, "AllWorkers", ""))
		d.maybe(20, spec, "enableDynamicWorker", one(d, true, false))
	},
}

var xgboost = &training{
	kind: "XGBoostJob", replicas: "xgbReplicaSpecs", container: "xgboost", port: "xgboostjob-port",
	roles: func(d dice) []string {
		roles := []string{"Master"}
		d.append(&roles, 85, "Worker")
		return roles
	},
	single: map[string]bool{"Master": true},
}

var paddle = &training{
	kind: "PaddleJob", replicas: "paddleReplicaSpecs", container: "paddle", port: "master",
	roles: func(d dice) []string {
		return pick(d, []string{"Worker"}, []string{"Worker"}, []string{"Master", "Worker"}, []string{"Master", "Worker"}, []string{"Master"})
	},
	more: func(d dice, spec object, roles []string) {
		if slices.Contains(roles, "Worker") {
			d.maybe(25, spec, "elasticPolicy", func() any {
				out := object{"minReplicas": d.between(1, 2), "maxReplicas": d.between(2, 4)}
				d.maybe(50, out, "maxRestarts", one(d, 0, 3, 100))
				d.maybe(40, out, "metrics", func() any { return d.metrics() })
				return out
			})
		}
	},
}

var jax = &training{
	kind: "JAXJob", replicas: "jaxReplicaSpecs", container: "jax", port: "jaxjob-port",
	roles: func(dice) []string { return []string{"Worker"} },
}

var mpiV1 = &training{
	kind: "MPIJob", replicas: "mpiReplicaSpecs", container: "mpi",
	roles: func(d dice) []string {
		roles := []string{"Launcher"}
		d.append(&roles, 92, "Worker")
		return roles
	},
	single: map[string]bool{"Launcher": true},
	more: func(d dice, spec object, _ []string) {
		d.maybe(40, spec, "slotsPerWorker", one(d, 1, 2, 8))
		d.maybe(20, spec, "mainContainer", one(d, "mpi", "sidecar"))
		d.maybe(20, spec, "cleanPodPolicy", one(d, "None", "Running", "All"))
	},
}

func (d dice) append(list *[]string, percent int, item string) {
	if d.chance(percent) {
		*list = append(*list, item)
	}
}

// elastic is PyTorch's policy.
func (d dice) elastic(spec object) object {
	out := object{}
	d.maybe(70, out, "minReplicas", one(d, 1, 2))
	d.maybe(70, out, "maxReplicas", one(d, 2, 3, 5))
	d.maybe(50, out, "rdzvBackend", one(d, "c10d", "etcd", "etcd-v2"))
	d.maybe(25, out, "rdzvPort", one(d, 29400, 2379))
	d.maybe(25, out, "rdzvHost", one(d, "etcd.default", "rendezvous"))
	d.maybe(25, out, "rdzvId", one(d, "run-1"))
	d.maybe(20, out, "rdzvConf", func() any {
		return []any{object{"key": "timeout", "value": "300"}, object{"key": "is_host", "value": "true"}}
	})
	d.maybe(15, out, "standalone", one(d, true, false))
	d.maybe(40, out, "maxRestarts", one(d, 0, 3, 100))
	d.maybe(30, out, "metrics", func() any { return d.metrics() })
	if spec["nprocPerNode"] == nil {
		d.maybe(25, out, "nProcPerNode", one(d, 1, 4))
	}
	return out
}

func (d dice) metrics() []any {
	return []any{object{"type": "Resource", "resource": object{"name": pick(d, "cpu", "memory"), "target": object{"type": "Utilization", "averageUtilization": 80}}}}
}

// generate makes a case.
func (t *training) generate(seed int64) *Case {
	d := newDice(seed)
	name := pick(d, "train", "bert", "job-1", "resnet50", "a", "a-much-longer-name-of-a-job")
	roles := t.roles(d)
	specs := object{}
	for _, role := range roles {
		specs[role] = t.role(d, role)
	}
	spec := object{t.replicas: specs}
	if t.more != nil {
		t.more(d, spec, roles)
	}
	policy := d.runPolicy()
	spec["runPolicy"] = policy
	out := &Case{Seed: seed, Object: object{"apiVersion": "kubeflow.org/v1", "kind": t.kind, "metadata": d.metadata(name), "spec": spec}}
	if d.chance(6) {
		t.spoil(d, out.Object, spec, specs)
	}
	out.Steps = t.script(d, roles, policy["suspend"] == true)
	return out
}

func (t *training) role(d dice, role string) object {
	out := object{"template": d.podTemplate(template{container: t.container, port: t.port, restartPolicy: true, gpus: true})}
	switch {
	case t.single[role]:
		out["replicas"] = 1
	case !d.chance(12):
		out["replicas"] = pick(d, 1, 2, 2, 3)
	}
	d.maybe(75, out, "restartPolicy", one(d, "Never", "OnFailure", "ExitCode", "ExitCode", "Always"))
	return out
}

func (d dice) runPolicy() object {
	policy := object{}
	d.maybe(60, policy, "cleanPodPolicy", one(d, "None", "Running", "All", "All"))
	d.maybe(15, policy, "ttlSecondsAfterFinished", one(d, 0, 3600))
	d.maybe(15, policy, "activeDeadlineSeconds", one(d, 3600))
	d.maybe(30, policy, "backoffLimit", one(d, 0, 1, 2, 6))
	d.maybe(15, policy, "suspend", one(d, true, true, false))
	d.maybe(8, policy, "managedBy", one(d, "kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue"))
	d.maybe(15, policy, "schedulingPolicy", func() any {
		scheduling := object{}
		d.maybe(60, scheduling, "minAvailable", one(d, 1, 2))
		d.maybe(50, scheduling, "queue", one(d, "research"))
		d.maybe(30, scheduling, "priorityClass", one(d, "high"))
		d.maybe(30, scheduling, "scheduleTimeoutSeconds", one(d, 60))
		return scheduling
	})
	return policy
}

// spoil makes the object one that may be refused.
func (t *training) spoil(d dice, whole, spec, specs object) {
	var some string
	for _, role := range []string{"Worker", "Master", "Chief", "Launcher", "PS"} {
		if specs[role] != nil {
			some = role
			break
		}
	}
	role := specs[some].(object)
	pod := role["template"].(object)["spec"].(object)
	containers := pod["containers"].([]any)
	switch d.IntN(8) {
	case 0:
		whole["metadata"].(object)["name"] = pick(d, "1job", "Bad_Name", "ends-")
	case 1:
		containers[0].(object)["name"] = "other"
	case 2:
		delete(containers[0].(object), "image")
	case 3:
		role["replicas"] = 0
	case 4:
		specs["Boss"] = maps.Clone(role)
	case 5:
		spec["runPolicy"].(object)["managedBy"] = "somebody"
	case 6:
		role["restartPolicy"] = "Sometimes"
	case 7:
		delete(specs, some)
		specs["worker"] = role
	}
}

var exitCodes = []int{1, 2, 127, 128, 130, 137, 138, 139, 143, 255}

// script is what happens to the job and its pods.
func (t *training) script(d dice, roles []string, suspended bool) []Step {
	var steps []Step
	add := func(step Step) { steps = append(steps, step) }
	suspend := func(on bool) {
		suspended = on
		add(Step{Do: "patch", Patch: object{"spec": object{"runPolicy": object{"suspend": on}}}})
	}
	if suspended && d.chance(90) {
		suspend(false)
	}
	if d.chance(90) {
		add(Step{Do: "run", choose: &choice{all: true}})
	}
	for range d.between(1, 5) {
		if suspended && d.chance(70) {
			suspend(false)
			add(Step{Do: "run", choose: &choice{all: true}})
			continue
		}
		one := &choice{number: d.IntN(60)}
		chosen := &choice{labels: "training.kubeflow.org/replica-type=" + strings.ToLower(pick(d, roles...)), all: true}
		container := t.container
		if d.chance(15) {
			container = "sidecar"
		}
		switch n := d.IntN(100); {
		case n < 18:
			add(Step{Do: "run", choose: &choice{all: true}})
		case n < 24:
			add(Step{Do: "run", choose: one})
		case n < 36:
			add(Step{Do: "succeed", choose: one})
		case n < 50:
			add(Step{Do: "succeed", choose: chosen})
		case n < 70:
			add(Step{Do: "fail", Container: container, Code: pick(d, exitCodes...), choose: one})
		case n < 74:
			add(Step{Do: "fail", Container: container, Code: pick(d, exitCodes...), choose: chosen})
		case n < 78:
			add(Step{Do: "evict", choose: one})
		case n < 85:
			add(Step{Do: "delete", choose: one})
		case n < 91:
			suspend(true)
		case n < 98 && slices.Contains(roles, mainRole):
			add(Step{Do: "patch", Patch: object{"spec": object{t.replicas: object{mainRole: object{"replicas": d.between(1, 4)}}}}})
		default:
			add(Step{Do: "patch", Patch: object{"spec": object{"runPolicy": object{"activeDeadlineSeconds": 1}}}})
		}
	}
	if d.chance(35) {
		add(Step{Do: "succeed", choose: &choice{all: true}})
	}
	return steps
}

// canary is a job that is suspended.
func (t *training) canary(name string) object {
	role := "Worker"
	if t.single["Master"] {
		role = "Master"
	}
	if t.single["Launcher"] {
		role = "Launcher"
	}
	if t == tensorflow {
		role = "Worker"
	}
	pods := object{"spec": object{"containers": []any{object{"name": t.container, "image": "c"}}}}
	return object{"apiVersion": "kubeflow.org/v1", "kind": t.kind, "metadata": object{"name": name}, "spec": object{"runPolicy": object{"suspend": true},
		t.replicas: object{role: object{"replicas": 1, "template": pods}}}}
}
