package main

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/workload"
)

// server takes the place of the API server: what Kueue writes is kept at once, without being encoded, and noted until the
// run delivers it to the queues and the cache. It costs Kueue less than any real API server could. Safe for several goroutines: preemptions are
// issued in parallel.
type server struct {
	client.Client // nil: Kueue's scheduler calls only the methods below

	mutex     sync.Mutex
	workloads map[workload.Reference]*kueue.Workload
	changes   []change
}

// change of a workload: both objects are only read.
type change struct{ before, after *kueue.Workload }

func newServer() *server { return &server{workloads: map[workload.Reference]*kueue.Workload{}} }

func (s *server) write(it *kueue.Workload) {
	key := workload.Key(it)
	s.changes = append(s.changes, change{s.workloads[key], it})
	s.workloads[key] = it
}

func (s *server) takeChanges() []change {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	taken := s.changes
	s.changes = nil
	return taken
}

// Get knows workloads, and namespaces, all of them.
func (s *server) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch into := into.(type) {
	case *kueue.Workload:
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.workloads[workload.NewReference(key.Namespace, key.Name)].DeepCopyInto(into)
	case *corev1.Namespace:
		into.SetName(key.Name)
	default:
		panic("nothing but workloads and namespaces is asked for")
	}
	return nil
}

// List finds nothing: there are no LimitRanges, and queues come before what stands in them.
func (s *server) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func (s *server) Status() client.SubResourceWriter { return statusWriter{server: s} }

func (s *server) Scheme() *runtime.Scheme { return nil }

type statusWriter struct {
	client.SubResourceWriter
	server *server
}

// Patch applies a workload's status as server-side apply would: the manager of admissions owns all of it that is used
// here, others own conditions.
func (w statusWriter) Patch(_ context.Context, object client.Object, _ client.Patch, options ...client.SubResourcePatchOption) error {
	wanted := object.(*kueue.Workload)
	var how client.SubResourcePatchOptions
	how.ApplyOptions(options)
	w.server.mutex.Lock()
	defer w.server.mutex.Unlock()
	after := w.server.workloads[workload.Key(wanted)].DeepCopy()
	if how.FieldManager == constants.AdmissionName {
		after.Status = *wanted.Status.DeepCopy()
	} else {
		for _, condition := range wanted.Status.Conditions {
			apimeta.SetStatusCondition(&after.Status.Conditions, condition)
		}
	}
	w.server.write(after)
	return nil
}

// silentRecorder drops events.
type silentRecorder struct{}

func (silentRecorder) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {
}
