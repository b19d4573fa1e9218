// Package operators asks real operators what they make of generated objects, and other servers whether they make the same of them: pods, Jobs, Services
// and so on, and the object's status, after each step of a script. What the real ones made is recorded, so that they need not be built to ask.
package operators

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// operator is a project that has a program in this folder.
type operator struct {
	name        string        // its folder, and its program in build/conformance/operators
	module      string        // where its definitions are from
	definitions []string      // patterns of files in the module: CustomResourceDefinitions
	webhooks    string        // a file in the module with webhook configurations; empty: it has none
	podsWith    string        // the label of pods that the webhooks are asked about
	controllers []string      // of the kube-controller-manager, that it needs
	silence     time.Duration // how long nothing changes when all has happened, if not as long as everywhere
}

// kind is a custom resource, with the generator of its objects.
type kind struct {
	name     string
	operator *operator
	resource schema.GroupVersionResource
	generate func(seed int64) *Case
	canary   func(name string) object // an object of this kind that is suspended
}

var trainingOperator = &operator{
	name:        "training-operator",
	module:      "github.com/kubeflow/training-operator@v1.9.3",
	definitions: []string{"manifests/base/crds/kubeflow.org_*.yaml"},
	webhooks:    "manifests/base/webhook/manifests.yaml",
	controllers: []string{"garbage-collector-controller"},
}

var jobSetOperator = &operator{
	name:        "jobset",
	module:      "sigs.k8s.io/jobset@v0.12.0",
	definitions: []string{"config/components/crd/bases/*.yaml"},
	webhooks:    "config/components/webhook/manifests.yaml",
	podsWith:    "jobset.sigs.k8s.io/jobset-name",
	controllers: []string{"job-controller", "garbage-collector-controller"},
	silence:     2500 * time.Millisecond, // the Job controller collects what happens to pods for a second
}

var lwsOperator = &operator{
	name:        "lws",
	module:      "sigs.k8s.io/lws@v0.9.0",
	definitions: []string{"config/crd/bases/leaderworkerset*.yaml"},
	webhooks:    "config/webhook/manifests.yaml",
	podsWith:    "leaderworkerset.sigs.k8s.io/name",
	controllers: []string{"statefulset-controller", "garbage-collector-controller"},
	silence:     2 * time.Second,
}

var kubeRay = &operator{
	name:        "kuberay",
	module:      "github.com/ray-project/kuberay/ray-operator@v1.6.2",
	definitions: []string{"config/crd/bases/*.yaml"},
	webhooks:    "config/webhook/manifests.yaml",
	controllers: []string{"job-controller", "garbage-collector-controller"},
	silence:     4500 * time.Millisecond, // it asks again every three seconds
}

var mpiOperator = &operator{
	name:        "mpi-operator",
	module:      "github.com/kubeflow/mpi-operator@v0.7.0",
	definitions: []string{"manifests/base/kubeflow.org_mpijobs.yaml"},
	controllers: []string{"job-controller", "garbage-collector-controller", "ttl-after-finished-controller"},
	silence:     2500 * time.Millisecond,
}

// kinds in the order in which they are asked about.
var kinds = []kind{
	{"PyTorchJob", trainingOperator, kubeflow("v1", "pytorchjobs"), pytorch.generate, pytorch.canary},
	{"TFJob", trainingOperator, kubeflow("v1", "tfjobs"), tensorflow.generate, tensorflow.canary},
	{"XGBoostJob", trainingOperator, kubeflow("v1", "xgboostjobs"), xgboost.generate, xgboost.canary},
	{"PaddleJob", trainingOperator, kubeflow("v1", "paddlejobs"), paddle.generate, paddle.canary},
	{"JAXJob", trainingOperator, kubeflow("v1", "jaxjobs"), jax.generate, jax.canary},
	{"MPIJobV1", trainingOperator, kubeflow("v1", "mpijobs"), mpiV1.generate, mpiV1.canary},
	{"JobSet", jobSetOperator, schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}, generateJobSet, canaryJobSet},
	{"LeaderWorkerSet", lwsOperator, schema.GroupVersionResource{Group: "leaderworkerset.x-k8s.io", Version: "v1", Resource: "leaderworkersets"},
		generateLeaderWorkerSet, canaryLeaderWorkerSet},
	{"RayCluster", kubeRay, ray("rayclusters"), generateRayCluster, canaryRayCluster},
	{"RayJob", kubeRay, ray("rayjobs"), generateRayJob, canaryRayJob},
	{"RayCronJob", kubeRay, ray("raycronjobs"), generateRayCronJob, nil},
	{"MPIJob", mpiOperator, kubeflow("v2beta1", "mpijobs"), generateMPIJob, canaryMPIJob},
}

// objectKind is the kind that objects have: two operators make MPIJobs.
func (k kind) objectKind() string { return strings.TrimSuffix(k.name, "V1") }

func ray(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "ray.io", Version: "v1", Resource: resource}
}

func kubeflow(version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "kubeflow.org", Version: version, Resource: resource}
}

// namedKinds finds kinds by name, "all" for all of them, or those of an operator by its name.
func namedKinds(names string) ([]kind, error) {
	var chosen []kind
	for name := range strings.SplitSeq(names, ",") {
		before := len(chosen)
		for _, k := range kinds {
			if name == "all" || strings.EqualFold(name, k.name) || name == k.operator.name {
				chosen = append(chosen, k)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("no kind or operator is called %q", name)
		}
	}
	// An operator is started once for all its kinds.
	slices.SortStableFunc(chosen, func(a, b kind) int { return slices.Index(order(), a.operator) - slices.Index(order(), b.operator) })
	return chosen, nil
}

// order is that of the operators.
func order() []*operator {
	var found []*operator
	for _, k := range kinds {
		if !slices.Contains(found, k.operator) {
			found = append(found, k.operator)
		}
	}
	return found
}
