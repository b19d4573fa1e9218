package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/constants"
)

// change is what an informer would tell of one write: absent before: created, absent after: deleted.
type change struct {
	before, after client.Object
}

func (c change) object() client.Object {
	if c.after != nil {
		return c.after
	}
	return c.before
}

// store is an API server that answers at once: objects as their JSON keeps them, so times are whole seconds. It
// notes each write for whoever delivers it. Safe for several goroutines: preemptions are issued in parallel.
type store struct {
	client.Client // what is not below, nobody here calls

	mutex   sync.Mutex
	objects map[string]client.Object
	version int
	changes []change
}

func newStore() *store { return &store{objects: map[string]client.Object{}} }

func kindOf(object client.Object) string { return reflect.TypeOf(object).Elem().Name() }

func keyOf(object client.Object) string {
	return kindOf(object) + "/" + object.GetNamespace() + "/" + object.GetName()
}

// kept is the object as an API server would return it.
func kept(object client.Object) client.Object {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	result := reflect.New(reflect.TypeOf(object).Elem()).Interface().(client.Object)
	if err := json.Unmarshal(text, result); err != nil {
		panic(err)
	}
	return result
}

func copyOf(object client.Object) client.Object { return object.DeepCopyObject().(client.Object) }

func (s *store) find(key string) client.Object { return s.objects[key] }

// write stores the object if it differs from what is there.
func (s *store) write(object client.Object) {
	object = kept(object)
	key := keyOf(object)
	before := s.objects[key]
	if before != nil {
		object.SetResourceVersion(before.GetResourceVersion())
		if reflect.DeepEqual(before, object) {
			return
		}
	}
	if object.GetDeletionTimestamp() != nil && len(object.GetFinalizers()) == 0 {
		delete(s.objects, key)
		s.changes = append(s.changes, change{before: before})
		return
	}
	s.version++
	object.SetResourceVersion(fmt.Sprint(s.version))
	s.objects[key] = object
	s.changes = append(s.changes, change{before, object})
}

// put creates the object, or gives it another spec, or other labels; its status stays, but for a check's.
func (s *store) put(object client.Object) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	object = kept(object)
	before := s.objects[keyOf(object)]
	if before == nil {
		object.SetGeneration(1)
		s.write(object)
		return
	}
	if before.GetDeletionTimestamp() != nil {
		return // upstream does not look at what changes of a queue that is being deleted
	}
	result := copyOf(before)
	result.SetLabels(object.GetLabels())
	result.SetAnnotations(object.GetAnnotations())
	was := reflect.ValueOf(result).Elem().FieldByName("Spec")
	is := reflect.ValueOf(object).Elem().FieldByName("Spec")
	if !reflect.DeepEqual(was.Interface(), is.Interface()) {
		was.Set(is)
		result.SetGeneration(result.GetGeneration() + 1)
	}
	if check, ok := object.(*kueue.AdmissionCheck); ok {
		result.(*kueue.AdmissionCheck).Status = check.Status
	}
	s.write(result)
}

// remove deletes the object, or marks it if finalizers hold it.
func (s *store) remove(key string, now metav1.Time) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	before := s.objects[key]
	if before == nil {
		return
	}
	after := copyOf(before)
	after.SetDeletionTimestamp(&now)
	s.write(after)
}

// takeChanges returns what was written since it was called last. Writes of a cycle to different objects are made in
// parallel: they come by kind and name, those to one object in their order.
func (s *store) takeChanges(sorted bool) []change {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	taken := s.changes
	s.changes = nil
	if sorted {
		sort.SliceStable(taken, func(i, j int) bool { return keyOf(taken[i].object()) < keyOf(taken[j].object()) })
	}
	return taken
}

func (s *store) workloads() []*kueue.Workload {
	var result []*kueue.Workload
	for _, key := range s.keys("Workload/") {
		result = append(result, s.objects[key].(*kueue.Workload))
	}
	return result
}

func (s *store) keys(prefix string) []string {
	var keys []string
	for key := range s.objects {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	return keys
}

// ---- client.Client ---------------------------------------------------------------------------------------------

func (s *store) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	found := s.objects[kindOf(into)+"/"+key.Namespace+"/"+key.Name]
	if found == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: kindOf(into)}, key.Name)
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(copyOf(found)).Elem())
	return nil
}

// indexed are the fields by which Kueue's caches list objects.
func indexed(object client.Object, field string) string {
	switch it := object.(type) {
	case *kueue.LocalQueue:
		if field == "spec.clusterQueue" {
			return string(it.Spec.ClusterQueue)
		}
	case *kueue.Workload:
		switch field {
		case "spec.queueName":
			return string(it.Spec.QueueName)
		case "status.admission.clusterQueue":
			if it.Status.Admission == nil {
				return ""
			}
			return string(it.Status.Admission.ClusterQueue)
		}
	}
	panic("nothing is listed by the field " + field + " of a " + kindOf(object))
}

func (s *store) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var how client.ListOptions
	how.ApplyOptions(options)
	kind := strings.TrimSuffix(reflect.TypeOf(into).Elem().Name(), "List")
	var found []runtime.Object
	for _, key := range s.keys(kind + "/") {
		object := s.objects[key]
		if how.Namespace != "" && object.GetNamespace() != how.Namespace {
			continue
		}
		matches := true
		if how.FieldSelector != nil {
			for _, requirement := range how.FieldSelector.Requirements() {
				matches = matches && indexed(object, requirement.Field) == requirement.Value
			}
		}
		if matches {
			found = append(found, copyOf(object))
		}
	}
	return apimeta.SetList(into, found)
}

func (s *store) Update(_ context.Context, object client.Object, _ ...client.UpdateOption) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	before := s.objects[keyOf(object)]
	if before == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: kindOf(object)}, object.GetName())
	}
	after := copyOf(object)
	status := reflect.ValueOf(after).Elem().FieldByName("Status")
	if status.IsValid() {
		status.Set(reflect.ValueOf(copyOf(before)).Elem().FieldByName("Status"))
	}
	was, is := reflect.ValueOf(before).Elem().FieldByName("Spec"), reflect.ValueOf(after).Elem().FieldByName("Spec")
	after.SetGeneration(before.GetGeneration())
	if is.IsValid() && !reflect.DeepEqual(was.Interface(), is.Interface()) {
		after.SetGeneration(before.GetGeneration() + 1)
	}
	s.write(after)
	return nil
}

func (s *store) Status() client.SubResourceWriter { return statusWriter{store: s} }

func (s *store) Scheme() *runtime.Scheme { return scheme }

type statusWriter struct {
	client.SubResourceWriter
	store *store
}

func (w statusWriter) Update(_ context.Context, object client.Object, _ ...client.SubResourceUpdateOption) error {
	w.store.mutex.Lock()
	defer w.store.mutex.Unlock()
	return w.store.writeStatus(object)
}

// writeStatus gives the object that is there the status of this one.
func (s *store) writeStatus(object client.Object) error {
	before := s.objects[keyOf(object)]
	if before == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: kindOf(object)}, object.GetName())
	}
	after := copyOf(before)
	reflect.ValueOf(after).Elem().FieldByName("Status").Set(reflect.ValueOf(copyOf(object)).Elem().FieldByName("Status"))
	s.write(after)
	return nil
}

// Patch applies a workload's status as server-side apply would: the manager of admissions owns the admission, the
// requeue state, the checks and its conditions, so what it leaves out is gone; others own single conditions.
func (w statusWriter) Patch(_ context.Context, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
	s := w.store
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if patch.Type() != types.ApplyPatchType {
		return s.writeStatus(object)
	}
	wanted, ok := object.(*kueue.Workload)
	if !ok {
		panic("no status of a " + kindOf(object) + " is applied")
	}
	before := s.objects[keyOf(object)]
	if before == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "workloads"}, object.GetName())
	}
	var how client.SubResourcePatchOptions
	how.ApplyOptions(options)
	after := copyOf(before).(*kueue.Workload)
	if how.FieldManager == constants.AdmissionName {
		conditions := wanted.DeepCopy().Status.Conditions
		for _, there := range after.Status.Conditions {
			if !managed[there.Type] && apimeta.FindStatusCondition(conditions, there.Type) == nil {
				conditions = append(conditions, there)
			}
		}
		after.Status = *wanted.Status.DeepCopy()
		after.Status.Conditions = conditions
	} else {
		for _, condition := range wanted.Status.Conditions {
			apimeta.SetStatusCondition(&after.Status.Conditions, condition)
		}
	}
	after.Status.ReclaimablePods = before.(*kueue.Workload).Status.ReclaimablePods
	s.write(after)
	return nil
}

// managed are the conditions that the manager of admissions applies.
var managed = map[string]bool{
	kueue.WorkloadQuotaReserved: true, kueue.WorkloadBlockedOnPreemptionGates: true, kueue.WorkloadEvicted: true,
	kueue.WorkloadAdmitted: true, kueue.WorkloadPreempted: true, kueue.WorkloadRequeued: true,
	kueue.WorkloadDeactivationTarget: true, kueue.WorkloadFinished: true, kueue.WorkloadPodsReady: true,
}

var scheme = func() *runtime.Scheme {
	it := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{kueue.AddToScheme, corev1.AddToScheme} {
		if err := add(it); err != nil {
			panic(err)
		}
	}
	return it
}()
