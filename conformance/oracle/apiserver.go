package oracle

import (
	"encoding/json"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// apiServer is as much of an API server as a scheduler talks to: a store whose changes reach the informers at once.
type apiServer struct {
	client    *fake.Clientset
	informers *stillInformers
	version   int64
	created   map[types.UID]int // the order of everything

	// condition is the PodScheduled=False that was last written.
	condition *corev1.PodCondition
	// evicted are the pods the scheduler deleted, in that order.
	evicted []string
	// volumes are the claims and volumes the scheduler wrote, in that order.
	volumes []runtime.Object
}

func newAPIServer() *apiServer {
	server := &apiServer{client: &fake.Clientset{}, created: map[types.UID]int{}}
	server.client.AddReactor("*", "*", server.react)
	server.informers = newStillInformers(server.client)
	return server
}

// forget what was written before an attempt.
func (s *apiServer) forget() { s.condition, s.evicted, s.volumes = nil, nil, nil }

// store puts an object as its next version.
func (s *apiServer) store(object runtime.Object) error {
	s.version++
	meta := object.(metav1.Object)
	meta.SetResourceVersion(strconv.FormatInt(s.version, 10))
	if meta.GetUID() == "" {
		meta.SetUID(types.UID(meta.GetNamespace() + "/" + meta.GetName()))
	}
	if _, known := s.created[meta.GetUID()]; !known {
		s.created[meta.GetUID()] = len(s.created)
	}
	informer := s.informers.of(object)
	if informer == nil {
		return nil // nothing in the scheduler looks at objects of that kind
	}
	return informer.put(object)
}

func (s *apiServer) pod(name types.NamespacedName) (*corev1.Pod, error) {
	return s.informers.Core().V1().Pods().Lister().Pods(name.Namespace).Get(name.Name)
}

func (s *apiServer) react(action clienttesting.Action) (bool, runtime.Object, error) {
	switch action := action.(type) {
	case clienttesting.PatchActionImpl:
		if action.GetResource().Resource == "pods" && action.GetSubresource() == "status" {
			pod, err := s.patchStatus(types.NamespacedName{Namespace: action.GetNamespace(), Name: action.GetName()}, action.GetPatch())
			return true, pod, err
		}
		if action.GetResource().Resource == "podgroups" && action.GetSubresource() == "status" {
			group, err := s.patchGroup(action.GetNamespace(), action.GetName(), action.GetPatch())
			return true, group, err
		}
	case clienttesting.DeleteActionImpl:
		if action.GetResource().Resource == "pods" {
			return true, nil, s.evict(types.NamespacedName{Namespace: action.GetNamespace(), Name: action.GetName()})
		}
	case clienttesting.UpdateActionImpl:
		switch object := action.GetObject().(type) {
		case *corev1.PersistentVolume, *corev1.PersistentVolumeClaim:
			stored := object.DeepCopyObject()
			s.volumes = append(s.volumes, stored)
			return true, stored, s.store(stored)
		}
	}
	return true, nil, fmt.Errorf("the scheduler did something unexpected: %s %s", action.GetVerb(), action.GetResource())
}

// evict lets a pod vanish at once.
func (s *apiServer) evict(name types.NamespacedName) error {
	pod, err := s.pod(name)
	if err != nil {
		return err
	}
	s.evicted = append(s.evicted, name.String())
	return s.informers.of(pod).remove(pod)
}

// patchStatus understands the two fields of a pod's status that the scheduler writes.
func (s *apiServer) patchStatus(name types.NamespacedName, patch []byte) (*corev1.Pod, error) {
	stored, err := s.pod(name)
	if err != nil {
		return nil, errors.NewNotFound(schema.GroupResource{Resource: "pods"}, name.Name)
	}
	var change struct {
		Status struct {
			Conditions        []json.RawMessage `json:"conditions"`
			NominatedNodeName json.RawMessage   `json:"nominatedNodeName"`
		} `json:"status"`
	}
	if err := json.Unmarshal(patch, &change); err != nil {
		return nil, err
	}
	pod := stored.DeepCopy()
	for _, fields := range change.Status.Conditions {
		condition, err := patchCondition(&pod.Status, fields)
		if err != nil {
			return nil, err
		}
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			s.condition = condition
		}
	}
	if change.Status.NominatedNodeName != nil {
		pod.Status.NominatedNodeName = ""
		if err := json.Unmarshal(change.Status.NominatedNodeName, &pod.Status.NominatedNodeName); err != nil {
			return nil, err
		}
	}
	return pod, s.store(pod)
}

// patchGroup changes a group's status as a strategic merge does.
func (s *apiServer) patchGroup(namespace, name string, patch []byte) (*schedulingv1alpha2.PodGroup, error) {
	stored, err := s.informers.Scheduling().V1alpha2().PodGroups().Lister().PodGroups(namespace).Get(name)
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, patch, stored)
	if err != nil {
		return nil, err
	}
	group := &schedulingv1alpha2.PodGroup{}
	if err := json.Unmarshal(after, group); err != nil {
		return nil, err
	}
	return group, s.store(group)
}

// patchCondition changes those fields of the condition of a type that are given, and returns the whole condition.
func patchCondition(status *corev1.PodStatus, fields json.RawMessage) (*corev1.PodCondition, error) {
	var patched corev1.PodCondition
	if err := json.Unmarshal(fields, &patched); err != nil {
		return nil, err
	}
	index, _ := podutil.GetPodCondition(status, patched.Type)
	if index < 0 {
		status.Conditions = append(status.Conditions, patched)
		return &patched, nil
	}
	condition := &status.Conditions[index]
	return condition, json.Unmarshal(fields, condition)
}
