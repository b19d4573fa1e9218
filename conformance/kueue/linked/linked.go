// Package linked has single turns of what Kueue exports as running for ever: a virtual clock needs one of each.
package linked

import (
	"context"
	"unsafe" // go:linkname

	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/util/routine"
	"sigs.k8s.io/kueue/pkg/util/wait"
)

// Schedule is one cycle. It blocks while there are no heads.
//
//go:linkname Schedule sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).schedule
func Schedule(s *scheduler.Scheduler, ctx context.Context) wait.SpeedSignal

//go:linkname setAdmissionRoutineWrapper sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).setAdmissionRoutineWrapper
func setAdmissionRoutineWrapper(s *scheduler.Scheduler, wrapper routine.Wrapper)

// AdmitInPlace has it run at once what it would leave to another goroutine.
func AdmitInPlace(s *scheduler.Scheduler) { setAdmissionRoutineWrapper(s, inPlace{}) }

type inPlace struct{}

func (inPlace) Run(f func()) { f() }

// RequeueQueue brings back what is inadmissible in a queue without a cohort.
//
//go:linkname RequeueQueue sigs.k8s.io/kueue/pkg/cache/queue.requeueWorkloadsCQ
func RequeueQueue(ctx context.Context, manager *qcache.Manager, queue kueue.ClusterQueueReference) int

// RequeueCohort does so in all queues below a root.
//
//go:linkname RequeueCohort sigs.k8s.io/kueue/pkg/cache/queue.requeueWorkloadsCohort
func RequeueCohort(ctx context.Context, manager *qcache.Manager, cohort kueue.CohortReference) int

// QueueOf is the line of that name.
//
//go:linkname QueueOf sigs.k8s.io/kueue/pkg/cache/queue.(*Manager).getClusterQueue
func QueueOf(manager *qcache.Manager, name kueue.ClusterQueueReference) *qcache.ClusterQueue

//go:linkname waitForPodsReady sigs.k8s.io/kueue/pkg/controller/core.waitForPodsReady
func waitForPodsReady(configuration *config.WaitForPodsReady) *podsReadyConfiguration

//go:linkname withWaitForPodsReady sigs.k8s.io/kueue/pkg/controller/core.WithWaitForPodsReady
func withWaitForPodsReady(value *podsReadyConfiguration) core.Option

// podsReadyConfiguration stands for a struct that the package core does not export: it is passed on as it is.
type podsReadyConfiguration struct{ _ byte }

// WithWaitForPodsReady is the reconciler's option.
func WithWaitForPodsReady(configuration *config.WaitForPodsReady) core.Option {
	return withWaitForPodsReady(waitForPodsReady(configuration))
}

// Notified has the layout of the requeuer that NewManagerForUnitTestsWithRequeuer returns: what it was told of.
type Notified struct {
	_       *qcache.Manager
	Queues  sets.Set[kueue.ClusterQueueReference]
	Cohorts sets.Set[kueue.CohortReference]
}

// NewManager returns the queues, and what they are told of to bring back.
func NewManager(client client.Client, cache *schdcache.Cache, options ...qcache.Option) (*qcache.Manager, *Notified) {
	manager, requeuer := qcache.NewManagerForUnitTestsWithRequeuer(client, cache, options...)
	return manager, (*Notified)(unsafe.Pointer(requeuer))
}
