package main

import (
	"container/heap"
	"context"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/event"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/util/expectations"
	"sigs.k8s.io/kueue/pkg/workload"
	workloadevict "sigs.k8s.io/kueue/pkg/workload/evict"
	workloadfinish "sigs.k8s.io/kueue/pkg/workload/finish"
	workloadpatching "sigs.k8s.io/kueue/pkg/workload/patching"

	"loadline/conformance/kueue/linked"
)

// start is later than any clock of a machine: some of Kueue compares with the machine's.
var start = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// result is what bench/queue prints of its own runs, too.
type result struct {
	Name       string        `json:"name"`
	BatchMs    int64         `json:"batch_ms"`
	Workloads  int           `json:"workloads"`
	Queues     int           `json:"queues"`
	Admissions int           `json:"admissions"`
	Evictions  int           `json:"evictions"`
	Rounds     int           `json:"rounds"`
	Finished   int           `json:"finished"`
	Makespan   float64       `json:"makespan_s"`
	CPU        float64       `json:"cpu_s"`
	PeakMB     float64       `json:"peak_mb"`
	Classes    []classResult `json:"classes"`
}

// classResult: how long workloads waited that have finished, from when they came to their last admission.
type classResult struct {
	Name     string  `json:"name"`
	MeanWait float64 `json:"mean_wait_s"`
	MaxWait  float64 `json:"max_wait_s"`
}

// finish is when an admitted workload will have run, unless it is admitted anew before.
type finish struct {
	at       time.Duration
	workload int // its place among the arrivals
	number   int // of its admission
}

type finishes []finish

func (f finishes) Len() int { return len(f) }
func (f finishes) Less(i, j int) bool {
	return f[i].at < f[j].at || f[i].at == f[j].at && f[i].workload < f[j].workload
}
func (f finishes) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *finishes) Push(it any)  { *f = append(*f, it.(finish)) }
func (f *finishes) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// run is one measurement.
type run struct {
	ctx        context.Context
	server     *server
	clock      *testingclock.FakeClock
	cache      *schdcache.Cache
	queues     *qcache.Manager
	lines      []*qcache.ClusterQueue
	notified   *linked.Notified
	due        map[kueue.CohortReference]time.Duration
	scheduler  *scheduler.Scheduler
	reconciler *core.WorkloadReconciler

	generator *generator
	batch     time.Duration
	limit     time.Duration // of processor time
	arrivals  []arrival
	places    map[workload.Reference]int
	admitted  []admission // by arrival
	finishes  finishes
	result    result
}

type admission struct {
	number int
	at     time.Duration
	holds  bool
}

func newRun(generator *generator, batch, limit time.Duration) (*run, error) {
	r := &run{ctx: ctrl.LoggerInto(context.Background(), logr.Discard()), server: newServer(), clock: testingclock.NewFakeClock(start),
		due: map[kueue.CohortReference]time.Duration{}, generator: generator, batch: batch, limit: limit, places: map[workload.Reference]int{}}
	expected := expectations.NewStore("preemption")
	r.cache = schdcache.New(r.server)
	r.queues, r.notified = linked.NewManager(r.server, r.cache, qcache.WithClock(r.clock), qcache.WithPreemptionExpectations(expected))
	r.scheduler = scheduler.New(r.queues, r.cache, r.server, silentRecorder{}, scheduler.WithClock(nil, r.clock),
		scheduler.WithPreemptionExpectations(expected))
	linked.AdmitInPlace(r.scheduler)
	r.reconciler = core.NewWorkloadReconciler(r.server, r.queues, r.cache, silentRecorder{}, core.WithPreemptionExpectations(expected))
	if err := r.makeQueues(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *run) makeQueues() error {
	r.cache.AddOrUpdateResourceFlavor(logr.Discard(), &kueue.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: flavor}})
	names, cohorts := r.generator.queueNames()
	for i, name := range names {
		queue := r.generator.Queue.clusterQueue(name, cohorts[i])
		local := &kueue.LocalQueue{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: name}}
		local.Spec.ClusterQueue = kueue.ClusterQueueReference(name)
		local.Spec.StopPolicy = new(kueue.None)
		for _, add := range []func() error{
			func() error { return r.cache.AddClusterQueue(r.ctx, queue) },
			func() error { return r.queues.AddClusterQueue(r.ctx, queue) },
			func() error { return r.cache.AddLocalQueue(local) },
			func() error { return r.queues.AddLocalQueue(r.ctx, local) },
		} {
			if err := add(); err != nil {
				return err
			}
		}
		r.lines = append(r.lines, linked.QueueOf(r.queues, kueue.ClusterQueueReference(name)))
	}
	r.noteNotified(0)
	r.arrivals = r.generator.arrivals(names)
	r.admitted = make([]admission, len(r.arrivals))
	for i, arrival := range r.arrivals {
		r.places[workload.Key(arrival.object)] = i
	}
	r.result = result{Name: r.generator.Name, BatchMs: r.batch.Milliseconds(), Workloads: len(r.arrivals), Queues: len(names)}
	return nil
}

// processorTime of this process so far, of all threads, and the most memory that it had.
func processorTime() (time.Duration, float64) {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0, 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), float64(usage.Maxrss) * 1024 / 1e6
}

// measure lets the time pass from one moment at which something happens to the next: what has run ends, in the order of
// arrivals; what comes, comes; then there are cycles as long as there are heads. They take no time.
func (r *run) measure() (*result, error) {
	before, _ := processorTime()
	next, ended := 0, false
	for !ended {
		now, is := r.nextMoment(next)
		if !is {
			break
		}
		r.clock.SetTime(start.Add(now))
		for len(r.finishes) > 0 && r.finishes[0].at <= now {
			if err := r.end(heap.Pop(&r.finishes).(finish), now); err != nil {
				return nil, err
			}
		}
		for ; next < len(r.arrivals) && r.arrivals[next].at <= now; next++ {
			r.server.write(r.arrivals[next].object)
		}
		if err := r.deliver(now); err != nil {
			return nil, err
		}
		for r.requeue(now); r.hasHeads() && !ended; r.requeue(now) {
			linked.Schedule(r.scheduler, r.ctx)
			r.result.Rounds++
			if err := r.deliver(now); err != nil {
				return nil, err
			}
			spent, _ := processorTime()
			ended = r.limit > 0 && spent-before > r.limit
		}
	}
	spent, peak := processorTime()
	r.result.CPU, r.result.PeakMB = (spent - before).Seconds(), peak
	r.conclude()
	return &r.result, nil
}

func (r *run) nextMoment(next int) (time.Duration, bool) {
	var first time.Duration
	is := false
	offer := func(at time.Duration) {
		if !is || at < first {
			first, is = at, true
		}
	}
	if next < len(r.arrivals) {
		offer(r.arrivals[next].at)
	}
	if len(r.finishes) > 0 {
		offer(r.finishes[0].at)
	}
	for _, at := range r.due {
		offer(at)
	}
	return first, is
}

func (r *run) hasHeads() bool {
	for _, line := range r.lines {
		if ready, _ := line.Pending(); ready > 0 {
			return true
		}
	}
	return false
}

func (r *run) requeue(now time.Duration) {
	for cohort, at := range r.due {
		if at <= now {
			delete(r.due, cohort)
			linked.RequeueCohort(r.ctx, r.queues, cohort)
		}
	}
}

// end finishes what was admitted and has run.
func (r *run) end(it finish, now time.Duration) error {
	admitted := &r.admitted[it.workload]
	if !admitted.holds || admitted.number != it.number {
		return nil
	}
	admitted.holds = false
	r.result.Finished++
	r.result.Makespan = now.Seconds()
	object := r.server.workloads[workload.Key(r.arrivals[it.workload].object)].DeepCopy()
	return workloadfinish.Finish(r.ctx, r.server, object, "Succeeded", "it has run", r.clock)
}

// deliver tells Kueue what was written, and stops what it evicted.
func (r *run) deliver(now time.Duration) error {
	for changes := r.server.takeChanges(); len(changes) > 0; changes = r.server.takeChanges() {
		for _, it := range changes {
			if it.before == nil {
				r.reconciler.Create(event.TypedCreateEvent[*kueue.Workload]{Object: it.after})
				continue
			}
			r.reconciler.Update(event.TypedUpdateEvent[*kueue.Workload]{ObjectOld: it.before, ObjectNew: it.after})
			r.noteNotified(now)
			if err := r.follow(it.after, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteNotified: who is told that something may help its cohort hears of it once a batch.
func (r *run) noteNotified(now time.Duration) {
	for cohort := range r.notified.Cohorts {
		if _, is := r.due[cohort]; !is {
			r.due[cohort] = now + r.batch
		}
	}
	r.notified.Cohorts.Clear()
}

// follow does what the runner of Kueue's performance test does: admitted workloads run, evicted ones stop at once.
func (r *run) follow(it *kueue.Workload, now time.Duration) error {
	place := r.places[workload.Key(it)]
	admitted := &r.admitted[place]
	if workloadfinish.IsFinished(it) {
		return nil
	}
	if workload.IsAdmitted(it) && !admitted.holds {
		*admitted = admission{number: admitted.number + 1, at: now, holds: true}
		r.result.Admissions++
		runtime := time.Duration(r.generator.Classes[r.arrivals[place].class].RuntimeMs) * time.Millisecond
		heap.Push(&r.finishes, finish{now + runtime, place, admitted.number})
		return nil
	}
	if !workloadevict.IsEvicted(it) || !workload.HasQuotaReservation(it) || !admitted.holds {
		return nil
	}
	admitted.holds = false
	r.result.Evictions++
	return workloadpatching.PatchAdmissionStatus(r.ctx, r.server, it.DeepCopy(), r.clock, func(it *kueue.Workload) (bool, error) {
		return workload.UnsetQuotaReservationWithCondition(it, "Pending", "it was evicted", r.clock.Now()), nil
	})
}

func (r *run) conclude() {
	for c, class := range r.generator.Classes {
		it := classResult{Name: class.Name}
		count := 0
		for i, arrival := range r.arrivals {
			if arrival.class != c || r.admitted[i].number == 0 || r.admitted[i].holds {
				continue
			}
			wait := (r.admitted[i].at - arrival.at).Seconds()
			it.MeanWait += wait
			it.MaxWait = max(it.MaxWait, wait)
			count++
		}
		it.MeanWait /= float64(max(1, count))
		r.result.Classes = append(r.result.Classes, it)
	}
}
