// Package recording holds the format of a conformance case: what a scheduler saw, and what it decided.
package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	storagev1 "k8s.io/api/storage/v1"
)

// Case is one cluster with the decisions taken on it.
type Case struct {
	Name     string    `json:"name"`
	Input    *Input    `json:"input"`
	Expected *Expected `json:"expected"`
}

// Input is what the scheduler saw. Pods are as the API server stores them: defaulted, admitted, valid.
type Input struct {
	Name string `json:"name"`
	// Seed breaks the ties that the scheduler breaks by chance.
	Seed int64 `json:"seed"`
	// Flavours names what the generator put emphasis on.
	Flavours []string `json:"flavours,omitempty"`
	// Configuration is a KubeSchedulerConfiguration; absent means the default.
	Configuration json.RawMessage `json:"configuration,omitempty"`

	Namespaces []*corev1.Namespace `json:"namespaces"`
	Nodes      []*corev1.Node      `json:"nodes"`
	// Pods are bound, or claim to be.
	Pods []*corev1.Pod `json:"pods"`
	// PendingPods stand in order of creation.
	PendingPods []*corev1.Pod `json:"pendingPods"`

	// PodGroups are those that exist from the beginning.
	PodGroups []*schedulingv1alpha2.PodGroup `json:"podGroups,omitempty"`

	Services               []*corev1.Service               `json:"services,omitempty"`
	PDBs                   []*policyv1.PodDisruptionBudget `json:"pdbs,omitempty"`
	ReplicationControllers []*corev1.ReplicationController `json:"replicationControllers,omitempty"`
	ReplicaSets            []*appsv1.ReplicaSet            `json:"replicaSets,omitempty"`
	StatefulSets           []*appsv1.StatefulSet           `json:"statefulSets,omitempty"`

	PersistentVolumes      []*corev1.PersistentVolume      `json:"persistentVolumes,omitempty"`
	PersistentVolumeClaims []*corev1.PersistentVolumeClaim `json:"persistentVolumeClaims,omitempty"`
	StorageClasses         []*storagev1.StorageClass       `json:"storageClasses,omitempty"`
	CSINodes               []*storagev1.CSINode            `json:"csiNodes,omitempty"`
	CSIDrivers             []*storagev1.CSIDriver          `json:"csiDrivers,omitempty"`
	CSIStorageCapacities   []*storagev1.CSIStorageCapacity `json:"csiStorageCapacities,omitempty"`
	VolumeAttachments      []*storagev1.VolumeAttachment   `json:"volumeAttachments,omitempty"`

	Events []Event `json:"events,omitempty"`
}

// Event is one change of the cluster, just before the attempt with that sequence number. One of the changes is set.
type Event struct {
	BeforeAttempt   int                          `json:"beforeAttempt"`
	DeletePod       string                       `json:"deletePod,omitempty"`
	AddPod          *corev1.Pod                  `json:"addPod,omitempty"`
	UpdateNode      *corev1.Node                 `json:"updateNode,omitempty"`
	AddNode         *corev1.Node                 `json:"addNode,omitempty"`
	UpdateNamespace *corev1.Namespace            `json:"updateNamespace,omitempty"`
	AddPodGroup     *schedulingv1alpha2.PodGroup `json:"addPodGroup,omitempty"`
	DeletePodGroup  string                       `json:"deletePodGroup,omitempty"`
}

// Expected is what the real scheduler decided. Numbers of nodes index NodeNames; pods are "namespace/name".
type Expected struct {
	Name              string            `json:"name"`
	KubernetesVersion string            `json:"kubernetesVersion"`
	FeatureGates      string            `json:"featureGates"`
	ScorePlugins      []string          `json:"scorePlugins"`
	NodeNames         []string          `json:"nodeNames"`
	Attempts          []*Attempt        `json:"attempts"`
	GroupCycles       []*GroupCycle     `json:"groupCycles,omitempty"`
	Final             map[string]string `json:"final"`
	Gated             []string          `json:"gated,omitempty"`
	Nominated         map[string]string `json:"nominated,omitempty"`
	Evicted           []string          `json:"evicted,omitempty"`
}

// Results of an attempt.
const (
	Scheduled     = "scheduled"
	Unschedulable = "unschedulable"
	Failed        = "error"
)

// Attempt is one scheduling cycle, or one member's part in the cycle of its group.
type Attempt struct {
	Seq             int      `json:"seq"`
	Pod             string   `json:"pod"`
	PodAttempt      int      `json:"podAttempt"`
	Priority        int32    `json:"priority"`
	NominatedBefore string   `json:"nominatedBefore,omitempty"`
	OtherNominated  []string `json:"otherNominated,omitempty"`

	// PreFilter is set if a plugin refused the pod before any node was looked at.
	PreFilter      *Refusal  `json:"preFilter,omitempty"`
	PreFilterNodes *[]int    `json:"preFilterNodes,omitempty"`
	Feasible       []int     `json:"feasible"`
	Infeasible     []Refusal `json:"infeasible,omitempty"`
	SkippedFilter  []string  `json:"skippedFilter"`
	SkippedScore   []string  `json:"skippedScore,omitempty"`
	// Scores has a row a feasible node: its number, the total, one weighted score a column of ScorePlugins.
	Scores   [][]int64 `json:"scores,omitempty"`
	MaxScore *int64    `json:"maxScore,omitempty"`
	MaxNodes []int     `json:"maxNodes,omitempty"`

	Result      string `json:"result"`
	Node        *int   `json:"node,omitempty"`
	NodeName    string `json:"nodeName,omitempty"`
	ChosenIsMax *bool  `json:"chosenIsMax,omitempty"`

	// GroupCycle is the index of the cycle that this is part of. Then Result and Node are what the member's turn came to,
	// and what became of the pod stands in the cycle.
	GroupCycle *int `json:"groupCycle,omitempty"`
	// Assumed is where the members after this one see it: its node, or the one it is nominated to.
	Assumed *int `json:"assumed,omitempty"`
	// Permit is the code that the Permit plugins answered with; empty: they were not asked.
	Permit string `json:"permit,omitempty"`

	Reason               string      `json:"reason,omitempty"`
	Message              string      `json:"message,omitempty"`
	UnschedulablePlugins []string    `json:"unschedulablePlugins,omitempty"`
	Preemption           *Preemption `json:"preemption,omitempty"`
	NominatedNode        string      `json:"nominatedNode,omitempty"`
	Victims              []string    `json:"victims,omitempty"`

	VolumeUpdates *VolumeUpdates `json:"volumeUpdates,omitempty"`
}

// Outcomes of a group's cycle.
const (
	GroupScheduled     = "scheduled"
	GroupUnschedulable = "unschedulable"
	GroupWaiting       = "waiting for preemption"
	GroupFailed        = "error"
)

// GroupCycle is what the scheduler made of a PodGroup's pods in one go.
type GroupCycle struct {
	PodGroup string `json:"podGroup"`
	// MinCount is absent if the policy is basic.
	MinCount *int32 `json:"minCount,omitempty"`
	// Gone says that no object describes the group any more.
	Gone bool `json:"gone,omitempty"`
	// ScheduledBefore counts the members that have a node already.
	ScheduledBefore int `json:"scheduledBefore"`
	// FirstAttempt is the number of the first member's attempt. Those of the others follow, up to the first error.
	FirstAttempt int    `json:"firstAttempt"`
	Outcome      string `json:"outcome"`
	// Members stand in the order in which they were tried.
	Members []*GroupMember `json:"members"`
	// Topology is set where the gate TopologyAwareWorkloadScheduling is on.
	Topology *GroupTopology `json:"topology,omitempty"`
	// Condition is the group's PodGroupScheduled afterwards.
	Condition *Condition `json:"condition,omitempty"`
}

// GroupTopology is what a group's constraint makes of the cluster, and what was tried of it.
type GroupTopology struct {
	// Key is the label that the constraint names; empty: there is no constraint.
	Key string `json:"key,omitempty"`
	// Placements stand in the order in which they were tried, up to an error. Each has all nodes if there is no constraint.
	Placements []*GroupPlacement `json:"placements,omitempty"`
}

// GroupPlacement is a domain that a group was tried in.
type GroupPlacement struct {
	Name  string `json:"name"`
	Nodes []int  `json:"nodes"`
	// Attempts of the cycle that are part of it.
	Attempts int `json:"attempts"`
	// Score is the sum of the plugins' weighted scores, where several placements were feasible.
	Score *int64 `json:"score,omitempty"`
}

// AttemptsOf are the attempts that are part of a cycle of a group.
func (e *Expected) AttemptsOf(cycle int) []*Attempt {
	var found []*Attempt
	for _, attempt := range e.Attempts[e.GroupCycles[cycle].FirstAttempt:] {
		if attempt.GroupCycle == nil || *attempt.GroupCycle != cycle {
			break
		}
		found = append(found, attempt)
	}
	return found
}

// GroupMember is what became of a pod in its group's cycle.
type GroupMember struct {
	Pod string `json:"pod"`
	// Node is set if the pod was bound to it.
	Node *int `json:"node,omitempty"`
	// Reason and Message are those of the condition PodScheduled of a pod that was not.
	Reason        string         `json:"reason,omitempty"`
	Message       string         `json:"message,omitempty"`
	NominatedNode string         `json:"nominatedNode,omitempty"`
	VolumeUpdates *VolumeUpdates `json:"volumeUpdates,omitempty"`
}

// Condition is what does not depend on the clock of a condition.
type Condition struct {
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Refusal is a group of nodes that one plugin refused for the same reasons.
type Refusal struct {
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons"`
	Nodes   []int    `json:"nodes,omitempty"`
}

// Preemption is the search for pods to evict that follows a failed attempt.
type Preemption struct {
	Eligible   bool        `json:"eligible"`
	Why        string      `json:"why,omitempty"`
	Candidates []Candidate `json:"candidates,omitempty"`
	// Best are the nodes that no rule tells apart.
	Best []int `json:"best,omitempty"`
}

// Candidate is a node that would take the pod without the victims.
type Candidate struct {
	Node          int      `json:"node"`
	Victims       []string `json:"victims"`
	PDBViolations int64    `json:"pdbViolations"`
}

// VolumeUpdates are volumes and claims as they stand once the pod is bound.
type VolumeUpdates struct {
	PersistentVolumes      []*corev1.PersistentVolume      `json:"persistentVolumes,omitempty"`
	PersistentVolumeClaims []*corev1.PersistentVolumeClaim `json:"persistentVolumeClaims,omitempty"`
}

// Write stores a case as a folder with input.json and expected.json.
func (c *Case) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for file, content := range map[string]any{"input.json": c.Input, "expected.json": c.Expected} {
		text, err := Marshal(content)
		if err != nil {
			return err
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", " "); err != nil {
			return err
		}
		indented.WriteByte('\n')
		if err := os.WriteFile(filepath.Join(folder, file), indented.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ReadInput reads the input of a case's folder.
func ReadInput(folder string) (*Input, error) {
	path := filepath.Join(folder, "input.json")
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	input := &Input{}
	if err := json.Unmarshal(content, input); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return input, nil
}
