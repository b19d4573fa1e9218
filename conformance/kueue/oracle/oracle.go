// Package oracle drives the real Kueue: its caches, its queues, its scheduler and its reconcilers, over an API server
// that answers at once, cycle by cycle, by a virtual clock.
//
// Real are pkg/cache, pkg/scheduler, pkg/workload and the event handlers and reconcilers of pkg/controller/core.
// Replaced are the API server (store.go), the jobs behind workloads (jobs.go), and when things happen: events are
// delivered in the order of the writes, each workload is reconciled after each step until nothing changes, and what is
// inadmissible comes back a second after its queue or cohort was first notified.
package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sort"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/util/expectations"

	"loadline/conformance/kueue/linked"
	"loadline/conformance/kueue/scenario"
)

// start is later than any clock of a machine: some of Kueue compares with the machine's, and a backoff that is not
// over by the virtual clock is not over by that either.
var start = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

const requeueBatch = time.Second

var logger = logr.Discard()

func init() { ctrl.SetLogger(logger) }

// Log has Kueue's own log told, up to that verbosity.
func Log(verbosity int) {
	tell := func(prefix, arguments string) { fmt.Println(prefix, arguments) }
	logger = funcr.New(tell, funcr.Options{Verbosity: verbosity})
}

type oracle struct {
	ctx       context.Context
	store     *store
	clock     *testingclock.FakeClock
	recorder  *recorder
	cache     *schdcache.Cache
	queues    *qcache.Manager
	notified  *linked.Notified
	due       map[string]time.Time // "cq/NAME", "cohort/NAME"
	scheduler *scheduler.Scheduler

	workloads *core.WorkloadReconciler
	clusters  *core.ClusterQueueReconciler
	locals    *core.LocalQueueReconciler
	flavors   *core.ResourceFlavorReconciler
	cohorts   *core.CohortReconciler
	checks    *core.AdmissionCheckReconciler

	trace   Trace
	changed map[string]bool // ClusterQueues to be reconciled
}

// LeftOut: why what the real Kueue does with a scenario is not compared.
type LeftOut string

func (why LeftOut) Error() string { return string(why) }

const (
	restless = LeftOut("the reconcilers never come to rest")
	// Upstream goes on behind the flavor where it stopped, and takes it for a fit if its queue has fewer by now.
	unassigned = LeftOut("a workload is admitted without its flavors")
	// The same, where another pod set needs victims.
	broken = LeftOut("the real scheduler panics")
	// Upstream tells its metrics of each cohort on the way to a root that a circle does not have.
	endless = LeftOut("the real cache never returns: a workload has quota below a circle of cohorts")
)

// Run carries the scenario out. An error: it is none that an API server would have let happen, or a LeftOut.
func Run(it *scenario.Scenario) (trace *Trace, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if why, ok := fault.(LeftOut); ok {
				err = why
				return
			}
			err = fmt.Errorf("%s: %v\n%s", it.Name, fault, debug.Stack())
		}
	}()
	o := newOracle(it)
	o.tellTime()
	for i := range it.Steps {
		if err := o.do(&it.Steps[i]); err != nil {
			return nil, fmt.Errorf("%s: step %d: %w", it.Name, i, err)
		}
		o.settle()
	}
	return &o.trace, nil
}

func newOracle(it *scenario.Scenario) *oracle {
	o := &oracle{
		ctx:      ctrl.LoggerInto(context.Background(), logger),
		store:    newStore(),
		clock:    testingclock.NewFakeClock(start),
		recorder: &recorder{},
		due:      map[string]time.Time{},
		changed:  map[string]bool{},
		trace:    Trace{Name: it.Name, Kind: it.Kind, Seed: it.Seed, Settings: it.Settings},
	}
	var fairSharing *config.FairSharing
	if it.Settings.FairSharing {
		fairSharing = &config.FairSharing{}
		for _, strategy := range it.Settings.Strategies {
			fairSharing.PreemptionStrategies = append(fairSharing.PreemptionStrategies, config.PreemptionStrategy(strategy))
		}
	}
	timestamp := config.EvictionTimestamp
	if it.Settings.CreationTimestamp {
		timestamp = config.CreationTimestamp
	}
	expected := expectations.NewStore("preemption")
	o.cache = schdcache.New(o.store, schdcache.WithFairSharing(it.Settings.FairSharing))
	o.queues, o.notified = linked.NewManager(o.store, o.cache, qcache.WithClock(o.clock),
		qcache.WithPreemptionExpectations(expected), qcache.WithPodsReadyRequeuingTimestamp(timestamp))
	o.scheduler = scheduler.New(o.queues, o.cache, o.store, o.recorder, scheduler.WithClock(nil, o.clock),
		scheduler.WithFairSharing(fairSharing), scheduler.WithPreemptionExpectations(expected),
		scheduler.WithPodsReadyRequeuingTimestamp(timestamp))
	linked.AdmitInPlace(o.scheduler)

	options := []core.Option{core.WithPreemptionExpectations(expected)}
	if it.Settings.PodsReady > 0 {
		options = append(options, linked.WithWaitForPodsReady(podsReady(it.Settings)))
	}
	o.workloads = core.NewWorkloadReconciler(o.store, o.queues, o.cache, o.recorder, options...)
	setWorkloadClock(o.workloads, o.clock)
	o.clusters = core.NewClusterQueueReconciler(o.store, o.queues, o.cache, core.WithFairSharing(it.Settings.FairSharing))
	o.locals = core.NewLocalQueueReconciler(o.store, o.queues, o.cache)
	o.flavors = core.NewResourceFlavorReconciler(o.store, o.queues, o.cache, nil)
	o.cohorts = core.NewCohortReconciler(o.store, o.cache, o.queues, core.CohortReconcilerWithFairSharing(it.Settings.FairSharing))
	o.checks = core.NewAdmissionCheckReconciler(o.store, o.queues, o.cache, nil)
	return o
}

func podsReady(settings scenario.Settings) *config.WaitForPodsReady {
	timestamp := config.EvictionTimestamp
	if settings.CreationTimestamp {
		timestamp = config.CreationTimestamp
	}
	it := &config.WaitForPodsReady{
		Timeout:         metav1.Duration{Duration: time.Duration(settings.PodsReady) * time.Second},
		RecoveryTimeout: &metav1.Duration{Duration: time.Duration(settings.PodsReady) * time.Second},
		RequeuingStrategy: &config.RequeuingStrategy{
			Timestamp: &timestamp, BackoffBaseSeconds: new(int32(2)), BackoffMaxSeconds: new(int32(8))},
	}
	if settings.BackoffLimit > 0 {
		it.RequeuingStrategy.BackoffLimitCount = new(int32(settings.BackoffLimit))
	}
	return it
}

func (o *oracle) now() metav1.Time { return metav1.NewTime(o.clock.Now()) }

// ---- steps -----------------------------------------------------------------------------------------------------

func (o *oracle) do(step *scenario.Step) error {
	switch step.Op {
	case scenario.Put:
		return o.put(step.Object)
	case scenario.Delete:
		o.store.remove(step.Name, o.now())
	case scenario.Advance:
		o.advance(time.Duration(step.Number) * time.Millisecond)
	case scenario.Cycle:
		o.cycle()
	default:
		return o.act(step)
	}
	return nil
}

func (o *oracle) put(text json.RawMessage) error {
	var meta metav1.TypeMeta
	if err := json.Unmarshal(text, &meta); err != nil {
		return err
	}
	typed, err := scheme.New(meta.GroupVersionKind())
	if err != nil {
		return err
	}
	object := typed.(client.Object)
	if err := json.Unmarshal(text, object); err != nil {
		return err
	}
	if object.GetCreationTimestamp().Time.IsZero() {
		object.SetCreationTimestamp(o.now())
	}
	if object.GetUID() == "" {
		object.SetUID(types.UID("uid-" + object.GetName()))
	}
	if _, ok := object.(*kueue.ClusterQueue); ok {
		object.SetFinalizers([]string{kueue.ResourceInUseFinalizerName})
	}
	if object.GetNamespace() != "" && o.store.find("Namespace//"+object.GetNamespace()) == nil {
		return fmt.Errorf("there is no namespace %s", object.GetNamespace())
	}
	o.store.put(object)
	return nil
}

// advance lets the time pass, moment by moment: what was notified comes back a second later, timers fire.
func (o *oracle) advance(by time.Duration) {
	end := o.clock.Now().Add(by)
	for {
		next := end
		for _, at := range o.due {
			if at.Before(next) {
				next = at
			}
		}
		o.clock.SetTime(next)
		o.tellTime()
		o.requeue()
		o.settle()
		if !next.Before(end) {
			return
		}
	}
}

func (o *oracle) requeue() {
	var keys []string
	for key, at := range o.due {
		if !at.After(o.clock.Now()) {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	for _, key := range keys {
		delete(o.due, key)
		kind, name, _ := strings.Cut(key, "/")
		if kind == "cq" {
			linked.RequeueQueue(o.ctx, o.queues, kueue.ClusterQueueReference(name))
		} else {
			linked.RequeueCohort(o.ctx, o.queues, kueue.CohortReference(name))
		}
	}
}

// noteNotified starts the second of whatever was notified, unless it runs already.
func (o *oracle) noteNotified() {
	note := func(key string) {
		if _, runs := o.due[key]; !runs {
			o.due[key] = o.clock.Now().Add(requeueBatch)
		}
	}
	for queue := range o.notified.Queues {
		note("cq/" + string(queue))
	}
	for cohort := range o.notified.Cohorts {
		note("cohort/" + string(cohort))
	}
	o.notified.Queues.Clear()
	o.notified.Cohorts.Clear()
}

func (o *oracle) cycle() {
	result := &Cycle{Events: []string{}, Admitted: map[string][]PodSet{}}
	if o.hasHeads() {
		o.recorder.take()
		o.schedule()
		result.Events = o.recorder.take()
		for _, workload := range o.store.workloads() {
			o.noteAdmission(workload, result)
		}
	}
	result.Ready, result.Waiting = o.state()
	o.trace.Steps = append(o.trace.Steps, Moment{Cycle: result})
	o.deliver(o.store.takeChanges(true))
}

func (o *oracle) schedule() {
	defer func() {
		if recover() != nil {
			panic(broken)
		}
	}()
	linked.Schedule(o.scheduler, o.ctx)
}

func (o *oracle) hasHeads() bool {
	for queue := range o.queues.Dump() {
		if o.cache.ClusterQueueActive(queue) {
			return true
		}
	}
	return false
}

func (o *oracle) noteAdmission(workload *kueue.Workload, cycle *Cycle) {
	key := workload.Namespace + "/" + workload.Name
	for _, told := range cycle.Events {
		if !strings.HasPrefix(told, key+" QuotaReserved: ") {
			continue
		}
		if !o.hasFlavors(workload) {
			panic(unassigned)
		}
		sets := []PodSet{}
		for _, assigned := range workload.Status.Admission.PodSetAssignments {
			set := PodSet{Name: string(assigned.Name), Count: *assigned.Count, Flavors: map[string]string{}, Usage: map[string]int64{}}
			for resource, flavor := range assigned.Flavors {
				set.Flavors[string(resource)] = string(flavor)
			}
			for resource, amount := range assigned.ResourceUsage {
				if resource == corev1.ResourceCPU {
					set.Usage[string(resource)] = amount.MilliValue()
				} else {
					set.Usage[string(resource)] = amount.Value()
				}
			}
			sets = append(sets, set)
		}
		cycle.Admitted[key] = sets
	}
}

// hasFlavors: each pod set has one, if it asks for something of which the queue has quota.
func (o *oracle) hasFlavors(workload *kueue.Workload) bool {
	admission := workload.Status.Admission
	if len(admission.PodSetAssignments) != len(workload.Spec.PodSets) {
		return false
	}
	queue := o.store.find("ClusterQueue//" + string(admission.ClusterQueue)).(*kueue.ClusterQueue)
	for i, assigned := range admission.PodSetAssignments {
		requests := workload.Spec.PodSets[i].Template.Spec.Containers[0].Resources.Requests
		for _, group := range queue.Spec.ResourceGroups {
			for _, resource := range group.CoveredResources {
				if _, asks := requests[resource]; asks && len(assigned.Flavors) == 0 {
					return false
				}
			}
		}
	}
	return true
}

func (o *oracle) state() (ready, waiting map[string][]string) {
	ready, waiting = map[string][]string{}, map[string][]string{}
	for queue, workloads := range o.queues.Dump() {
		for _, workload := range workloads {
			ready[string(queue)] = append(ready[string(queue)], string(workload))
		}
		sort.Strings(ready[string(queue)])
	}
	for queue, workloads := range o.queues.DumpInadmissible() {
		for _, workload := range workloads {
			waiting[string(queue)] = append(waiting[string(queue)], string(workload))
		}
		sort.Strings(waiting[string(queue)])
	}
	return ready, waiting
}
