package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
)

// server takes the place of the API server and of the watches on it: what the scheduler writes (bindings, evictions,
// conditions) is answered at once, and its event handlers have heard of a change when the writing call returns.
// It costs the scheduler less than any real API server could.
type server struct {
	informers.SharedInformerFactory // kinds outside the core group stay empty
	client                          *fake.Clientset
	mutex                           sync.Mutex
	byKind                          map[reflect.Type]*directInformer
	version                         int
	bound                           func(pod *corev1.Pod)
}

func newServer(bound func(pod *corev1.Pod)) *server {
	s := &server{client: &fake.Clientset{}, byKind: map[reflect.Type]*directInformer{}, bound: bound}
	s.SharedInformerFactory = informers.NewSharedInformerFactory(s.client, 0)
	s.client.AddReactor("*", "*", s.react)
	return s
}

func (s *server) Core() core.Interface { return core.New(s, "", nil) }

func (s *server) InformerFor(object runtime.Object, create internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	kind := reflect.TypeOf(object)
	if s.byKind[kind] == nil {
		s.byKind[kind] = &directInformer{SharedIndexInformer: create(kubernetes.Interface(s.client), 0)}
	}
	return s.byKind[kind]
}

// put creates or replaces an object.
func (s *server) put(object metav1.Object) {
	s.version++
	object.SetResourceVersion(strconv.Itoa(s.version))
	if object.GetUID() == "" {
		object.SetUID(types.UID(strconv.Itoa(s.version)))
		object.SetCreationTimestamp(metav1.Now())
	}
	s.byKind[reflect.TypeOf(object)].put(object)
}

// create puts objects that the scheduler did not write.
func (s *server) create(object metav1.Object) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.put(object)
}

func (s *server) react(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if action.GetResource().Resource != "pods" {
		return true, nil, fmt.Errorf("unexpected: %s %s", action.GetVerb(), action.GetResource().Resource)
	}
	switch action := action.(type) {
	case clienttesting.CreateActionImpl:
		if binding, is := action.GetObject().(*corev1.Binding); is {
			return true, binding, s.bind(binding)
		}
	case clienttesting.PatchActionImpl:
		pod, err := s.patch(action)
		return true, pod, err
	case clienttesting.DeleteActionImpl:
		pod, err := s.pod(action.GetNamespace(), action.GetName())
		if err == nil {
			s.byKind[reflect.TypeOf(pod)].remove(pod)
		}
		return true, nil, err
	}
	return true, nil, fmt.Errorf("unexpected: %s pods", action.GetVerb())
}

func (s *server) pod(namespace, name string) (*corev1.Pod, error) {
	return s.Core().V1().Pods().Lister().Pods(namespace).Get(name)
}

func (s *server) bind(binding *corev1.Binding) error {
	stored, err := s.pod(binding.Namespace, binding.Name)
	if err != nil {
		return err
	}
	pod := stored.DeepCopy()
	pod.Spec.NodeName = binding.Target.Name
	s.put(pod)
	s.bound(pod)
	return nil
}

func (s *server) patch(action clienttesting.PatchActionImpl) (*corev1.Pod, error) {
	stored, err := s.pod(action.GetNamespace(), action.GetName())
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, action.GetPatch(), corev1.Pod{})
	if err != nil {
		return nil, err
	}
	pod := &corev1.Pod{}
	if err := json.Unmarshal(after, pod); err != nil {
		return nil, err
	}
	s.put(pod)
	return pod, nil
}

// directInformer calls its handlers itself instead of queueing for them; its store and indexes are an ordinary
// informer's that is never started.
type directInformer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

func (i *directInformer) put(object any) {
	old, existed, _ := i.GetIndexer().Get(object)
	_ = i.GetIndexer().Update(object)
	for _, handler := range i.handlers {
		if existed {
			handler.OnUpdate(old, object)
		} else {
			handler.OnAdd(object, false)
		}
	}
}

func (i *directInformer) remove(object any) {
	_ = i.GetIndexer().Delete(object)
	for _, handler := range i.handlers {
		handler.OnDelete(object)
	}
}

func (i *directInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, handler)
	return nil, nil
}

func (i *directInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

func (i *directInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}
