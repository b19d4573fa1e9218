package operators

import "fmt"

// template is what a generator asks of a pod template.
type template struct {
	container     string // the name of the container that the operator looks for; empty: any
	port          string // the name that the operator looks for
	restartPolicy bool   // may the template name one
	gpus          bool
}

// metadata is that of an object that a user writes.
func (d dice) metadata(name string) object {
	metadata := object{"name": name}
	d.maybe(30, metadata, "labels", func() any { return object{"team": pick(d, "vision", "speech"), "app.kubernetes.io/name": name} })
	d.maybe(20, metadata, "annotations", func() any { return object{"example.com/note": pick(d, "a", "a longer note, with \"quotes\"")} })
	return metadata
}

// podTemplate is a valid pod template.
func (d dice) podTemplate(wanted template) object {
	spec := object{}
	out := object{"spec": spec}
	metadata := object{}
	d.maybe(30, metadata, "labels", func() any { return object{"tier": pick(d, "gold", "silver")} })
	d.maybe(25, metadata, "annotations", func() any { return object{"sidecar.istio.io/inject": "false"} })
	if len(metadata) > 0 {
		out["metadata"] = metadata
	}
	d.containers(spec, wanted)
	d.maybe(20, spec, "tolerations", func() any {
		return []any{object{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}}
	})
	d.maybe(15, spec, "nodeSelector", func() any { return object{"example.com/pool": pick(d, "a100", "h100")} })
	d.maybe(8, spec, "affinity", func() any { return d.affinity() })
	d.maybe(10, spec, "schedulerName", one(d, "default-scheduler", "loadline"))
	d.maybe(8, spec, "terminationGracePeriodSeconds", one(d, 0, 5, 60))
	d.maybe(6, spec, "hostNetwork", one(d, true))
	d.maybe(6, spec, "dnsPolicy", one(d, "ClusterFirstWithHostNet", "Default"))
	d.maybe(8, spec, "serviceAccountName", one(d, "trainer"))
	d.maybe(8, spec, "securityContext", func() any { return object{"runAsUser": 1000, "fsGroup": 2000} })
	d.maybe(6, spec, "imagePullSecrets", func() any { return []any{object{"name": "registry"}} })
	d.maybe(5, spec, "enableServiceLinks", one(d, false))
	if wanted.restartPolicy {
		d.maybe(8, spec, "restartPolicy", one(d, "Always", "OnFailure", "Never"))
	}
	return out
}

func (d dice) affinity() object {
	return object{"podAffinity": object{"preferredDuringSchedulingIgnoredDuringExecution": []any{object{"weight": d.between(1, 100),
		"podAffinityTerm": object{"topologyKey": rackLabel, "labelSelector": object{"matchLabels": object{"tier": "gold"}}}}}}}
}

func (d dice) containers(spec object, wanted template) {
	main := d.container(wanted.container, wanted)
	containers := []any{main}
	if d.chance(25) {
		sidecar := d.container(pick(d, "sidecar", "logs"), template{})
		if d.chance(30) {
			containers = []any{sidecar, main}
		} else {
			containers = append(containers, sidecar)
		}
	}
	spec["containers"] = containers
	if d.chance(20) {
		init := []any{d.container("fetch", template{})}
		if d.chance(25) {
			init = append(init, d.container("unpack", template{}))
		}
		spec["initContainers"] = init
	}
	if d.chance(20) {
		spec["volumes"] = []any{object{"name": "shm", "emptyDir": object{"medium": "Memory"}}}
		main["volumeMounts"] = []any{object{"name": "shm", "mountPath": "/dev/shm"}}
	}
}

func (d dice) container(name string, wanted template) object {
	if name == "" {
		name = pick(d, "main", "trainer")
	}
	out := object{"name": name, "image": pick(d, "example.com/train:1", "example.com/train:2", "ghcr.io/example/run@sha256:"+fmt.Sprintf("%064d", 7))}
	d.maybe(50, out, "command", func() any { return []any{"python", "train.py"} })
	d.maybe(30, out, "args", func() any { return []any{"--epochs", fmt.Sprint(d.between(1, 9)), "--name=$(NAME)"} })
	d.maybe(35, out, "env", func() any { return d.environment() })
	d.maybe(6, out, "envFrom", func() any { return []any{object{"configMapRef": object{"name": "settings", "optional": true}}} })
	d.maybe(55, out, "resources", func() any { return d.resources(wanted.gpus) })
	d.maybe(15, out, "imagePullPolicy", one(d, "IfNotPresent", "Always"))
	d.maybe(8, out, "workingDir", one(d, "/work"))
	d.maybe(6, out, "securityContext", func() any { return object{"capabilities": object{"add": []any{"IPC_LOCK"}}} })
	if wanted.port != "" {
		d.maybe(30, out, "ports", func() any { return d.ports(wanted.port) })
	}
	return out
}

// environment may hold what an operator sets, too.
func (d dice) environment() []any {
	all := []any{
		object{"name": "NAME", "value": pick(d, "bert", "")},
		object{"name": "POD_IP", "valueFrom": object{"fieldRef": object{"fieldPath": "status.podIP"}}},
		object{"name": "NCCL_DEBUG", "value": "INFO"},
		object{"name": "MASTER_ADDR", "value": "example.com"},
		object{"name": "WORLD_SIZE", "value": "99"},
	}
	out := []any{all[d.IntN(3)]}
	if d.chance(30) {
		out = append(out, object{"name": "SECOND", "value": "2"})
	}
	if d.chance(12) {
		out = append(out, all[d.between(3, 4)])
	}
	return out
}

func (d dice) resources(gpus bool) object {
	out := object{}
	limits := object{}
	d.maybe(60, limits, "cpu", one(d, "4", "1500m", "0.5"))
	d.maybe(50, limits, "memory", one(d, "8Gi", "512Mi", "1500M"))
	if gpus {
		d.maybe(40, limits, "nvidia.com/gpu", one(d, 1, 8))
	}
	if len(limits) > 0 {
		out["limits"] = limits
	}
	if d.chance(60) || len(limits) == 0 {
		requests := object{"cpu": pick(d, "250m", "0.5")}
		d.maybe(40, requests, "memory", one(d, "256Mi", "100M"))
		out["requests"] = requests
	}
	return out
}

func (d dice) ports(name string) []any {
	var out []any
	if d.chance(60) {
		out = append(out, object{"name": name, "containerPort": pick(d, 23456, 5555)})
	}
	if d.chance(40) || len(out) == 0 {
		out = append(out, object{"name": "metrics", "containerPort": 9090})
	}
	if d.chance(5) {
		out = append(out, object{"containerPort": 7777})
	}
	return out
}
