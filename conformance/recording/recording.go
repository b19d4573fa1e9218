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
	BeforeAttempt   int               `json:"beforeAttempt"`
	DeletePod       string            `json:"deletePod,omitempty"`
	UpdateNode      *corev1.Node      `json:"updateNode,omitempty"`
	AddNode         *corev1.Node      `json:"addNode,omitempty"`
	UpdateNamespace *corev1.Namespace `json:"updateNamespace,omitempty"`
}

// Expected is what the real scheduler decided. Numbers of nodes index NodeNames; pods are "namespace/name".
type Expected struct {
	Name              string            `json:"name"`
	KubernetesVersion string            `json:"kubernetesVersion"`
	FeatureGates      string            `json:"featureGates"`
	ScorePlugins      []string          `json:"scorePlugins"`
	NodeNames         []string          `json:"nodeNames"`
	Attempts          []*Attempt        `json:"attempts"`
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

// Attempt is one scheduling cycle.
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

	Reason               string      `json:"reason,omitempty"`
	Message              string      `json:"message,omitempty"`
	UnschedulablePlugins []string    `json:"unschedulablePlugins,omitempty"`
	Preemption           *Preemption `json:"preemption,omitempty"`
	NominatedNode        string      `json:"nominatedNode,omitempty"`
	Victims              []string    `json:"victims,omitempty"`

	VolumeUpdates *VolumeUpdates `json:"volumeUpdates,omitempty"`
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
