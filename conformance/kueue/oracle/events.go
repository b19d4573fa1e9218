package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	"sigs.k8s.io/kueue/pkg/workload"
)

func (o *oracle) tellTime() {
	at := o.clock.Now().Sub(start).Milliseconds()
	o.trace.Steps = append(o.trace.Steps, Moment{At: &at})
}

const maximumRounds = 200

// settle delivers what was written and reconciles until nothing changes.
func (o *oracle) settle() {
	for round := 0; ; round++ {
		if round == maximumRounds {
			panic(restless)
		}
		changes := o.store.takeChanges(false)
		if len(changes) > 0 {
			o.deliver(changes)
			continue
		}
		if !o.reconcile() {
			return
		}
	}
}

// reconcile returns whether something was written.
func (o *oracle) reconcile() bool {
	for name := range o.changed {
		delete(o.changed, name)
		o.reconcileOne(o.clusters.Reconcile, "", name)
	}
	for _, workload := range o.store.workloads() {
		o.reconcileOne(o.workloads.Reconcile, workload.Namespace, workload.Name)
		if len(o.store.changes) > 0 {
			return true
		}
	}
	return len(o.store.changes) > 0
}

func (o *oracle) reconcileOne(reconcile func(context.Context, ctrl.Request) (ctrl.Result, error), namespace, name string) {
	request := ctrl.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
	_, _ = reconcile(o.ctx, request) // an error: it is tried again after the next step
	o.noteNotified()
}

func (o *oracle) deliver(changes []change) {
	for _, it := range changes {
		o.tell(it)
		o.deliverOne(it)
		o.noteNotified()
	}
}

// tell writes the change into the trace.
func (o *oracle) tell(it change) {
	if it.after == nil {
		o.trace.Steps = append(o.trace.Steps, Moment{Deleted: keyOf(it.before)})
		return
	}
	kinds, _, err := scheme.ObjectKinds(it.after)
	if err != nil {
		panic(err)
	}
	object := copyOf(it.after)
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	object.SetManagedFields(nil)
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	o.trace.Steps = append(o.trace.Steps, Moment{Put: text})
}

// typed calls the handler that fits: Kueue's are typed by object.
func typed[T client.Object](it change, create func(event.TypedCreateEvent[T]) bool, update func(event.TypedUpdateEvent[T]) bool,
	remove func(event.TypedDeleteEvent[T]) bool) bool {
	switch {
	case it.before == nil:
		return create(event.TypedCreateEvent[T]{Object: copyOf(it.after).(T)})
	case it.after == nil:
		return remove(event.TypedDeleteEvent[T]{Object: copyOf(it.before).(T)})
	default:
		return update(event.TypedUpdateEvent[T]{ObjectOld: copyOf(it.before).(T), ObjectNew: copyOf(it.after).(T)})
	}
}

func (o *oracle) deliverOne(it change) {
	name := it.object().GetName()
	switch it.object().(type) {
	case *kueue.Workload:
		if o.isBelowCircle(it.before) || o.isBelowCircle(it.after) {
			panic(endless)
		}
		typed(it, o.workloads.Create, o.workloads.Update, o.workloads.Delete)
		o.notifyFreed(it)
	case *kueue.ClusterQueue:
		if typed(it, o.clusters.Create, o.clusters.Update, o.clusters.Delete) {
			o.changed[name] = true
		}
	case *kueue.LocalQueue:
		typed(it, o.locals.Create, o.locals.Update, o.locals.Delete)
	case *kueue.ResourceFlavor:
		typed(it, o.flavors.Create, o.flavors.Update, o.flavors.Delete)
		o.allChanged()
	case *kueue.AdmissionCheck:
		typed(it, o.checks.Create, o.checks.Update, o.checks.Delete)
		o.allChanged()
	case *kueue.Cohort:
		if typed(it, o.cohorts.Create, o.cohorts.Update, o.cohorts.Delete) {
			o.reconcileCohort(name)
		}
		if it.after == nil {
			o.notifyAll()
		}
	case *corev1.Namespace:
		o.deliverNamespace(it)
	}
	// A queue that is being deleted goes when the last workload has left it.
	for _, key := range o.store.keys("ClusterQueue/") {
		if o.store.find(key).GetDeletionTimestamp() != nil {
			o.changed[o.store.find(key).GetName()] = true
		}
	}
}

func (o *oracle) allChanged() {
	for _, key := range o.store.keys("ClusterQueue/") {
		o.changed[o.store.find(key).GetName()] = true
	}
}

// reconcileCohort repairs that the queues do not hear of a parent that closes a circle, and have workloads of it tried
// again and again, though none can be admitted: the reconciler stops at what the cache has against it.
func (o *oracle) reconcileCohort(name string) {
	request := ctrl.Request{NamespacedName: types.NamespacedName{Name: name}}
	_, err := o.cohorts.Reconcile(o.ctx, request)
	if cohort, ok := o.store.find("Cohort//" + name).(*kueue.Cohort); ok && err != nil {
		o.queues.AddOrUpdateCohort(o.ctx, cohort.DeepCopy())
	}
	o.noteNotified()
}

// notifyAll repairs that nobody hears of a Cohort that is deleted, though its queues may have lost those who borrowed
// from them.
func (o *oracle) notifyAll() {
	qcache.NotifyRetryInadmissible(o.queues, sets.New(o.queues.GetClusterQueueNames()...))
}

// notifyFreed repairs that nobody hears of quota that becomes free while the LocalQueue of its workload is stopped, or
// gone.
func (o *oracle) notifyFreed(it change) {
	before, had := it.before.(*kueue.Workload)
	if !had || !workload.HasActiveQuotaReservation(before) || o.queues.QueueForWorkloadExists(before) {
		return
	}
	if after, is := it.after.(*kueue.Workload); !is || !workload.HasActiveQuotaReservation(after) {
		qcache.NotifyRetryInadmissible(o.queues, sets.New(before.Status.Admission.ClusterQueue))
	}
}

// deliverNamespace helps those queues that take the namespace only now.
func (o *oracle) deliverNamespace(it change) {
	if it.before == nil || it.after == nil {
		return
	}
	before := o.cache.MatchingClusterQueues(it.before.GetLabels())
	after := o.cache.MatchingClusterQueues(it.after.GetLabels())
	qcache.NotifyRetryInadmissible(o.queues, after.Difference(before))
}

// ---- what is told ----------------------------------------------------------------------------------------------

// recorder keeps Kueue's events as text. Safe for several goroutines.
type recorder struct {
	mutex sync.Mutex
	told  []string
}

func (r *recorder) Eventf(about runtime.Object, _ runtime.Object, _, reason, _, note string, arguments ...any) {
	object := about.(client.Object)
	if len(arguments) > 0 {
		note = fmt.Sprintf(note, arguments...)
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.told = append(r.told, fmt.Sprintf("%s/%s %s: %s", object.GetNamespace(), object.GetName(), reason, note))
}

func (r *recorder) take() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	taken := []string{}
	for _, told := range r.told {
		_, rest, _ := strings.Cut(told, " ")
		if reason, _, _ := strings.Cut(rest, ":"); decided[reason] {
			taken = append(taken, waited.ReplaceAllString(told, "since queued was 0s"))
		}
	}
	r.told = nil
	sort.Strings(taken)
	return taken
}

// isBelowCircle: the object is a workload that has quota of a queue whose cohorts are each other's parents.
func (o *oracle) isBelowCircle(object client.Object) bool {
	it, ok := object.(*kueue.Workload)
	if !ok || it.Status.Admission == nil {
		return false
	}
	queue, ok := o.store.find("ClusterQueue//" + string(it.Status.Admission.ClusterQueue)).(*kueue.ClusterQueue)
	if !ok {
		return false
	}
	met := map[kueue.CohortReference]bool{}
	for name := queue.Spec.CohortName; name != ""; {
		if met[name] {
			return true
		}
		met[name] = true
		cohort, ok := o.store.find("Cohort//" + string(name)).(*kueue.Cohort)
		if !ok {
			return false
		}
		name = cohort.Spec.ParentName
	}
	return false
}

// decided are the events that tell what a cycle decided.
var decided = map[string]bool{"QuotaReserved": true, "Pending": true, "Preempted": true, "PreemptedWorkload": true, "EvictedDueToPreempted": true}

// waited: conditions that Kueue sets without a time get the machine's.
var waited = regexp.MustCompile(`since queued was -?\d+s`)
