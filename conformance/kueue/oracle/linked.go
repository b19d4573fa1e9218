package oracle

import (
	"context"
	_ "unsafe" // go:linkname

	"k8s.io/apimachinery/pkg/util/sets"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/util/routine"
	"sigs.k8s.io/kueue/pkg/util/wait"
)

// Kueue exports how its scheduler and its requeuer run for ever; a virtual clock needs one turn of each.

//go:linkname schedule sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).schedule
func schedule(s *scheduler.Scheduler, ctx context.Context) wait.SpeedSignal

//go:linkname setAdmissionRoutineWrapper sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).setAdmissionRoutineWrapper
func setAdmissionRoutineWrapper(s *scheduler.Scheduler, wrapper routine.Wrapper)

//go:linkname requeueWorkloadsCQ sigs.k8s.io/kueue/pkg/cache/queue.requeueWorkloadsCQ
func requeueWorkloadsCQ(ctx context.Context, manager *qcache.Manager, queue kueue.ClusterQueueReference) int

//go:linkname requeueWorkloadsCohort sigs.k8s.io/kueue/pkg/cache/queue.requeueWorkloadsCohort
func requeueWorkloadsCohort(ctx context.Context, manager *qcache.Manager, cohort kueue.CohortReference) int

// waitForPodsReady returns a struct of core that nobody else can name: it is passed on as it is.
//
//go:linkname waitForPodsReady sigs.k8s.io/kueue/pkg/controller/core.waitForPodsReady
func waitForPodsReady(configuration *config.WaitForPodsReady) *podsReadyConfiguration

//go:linkname withWaitForPodsReady sigs.k8s.io/kueue/pkg/controller/core.WithWaitForPodsReady
func withWaitForPodsReady(value *podsReadyConfiguration) core.Option

type podsReadyConfiguration struct{ _ byte }

// notified has the layout of the requeuer that NewManagerForUnitTestsWithRequeuer returns: what it was told of.
type notified struct {
	_       *qcache.Manager
	queues  sets.Set[kueue.ClusterQueueReference]
	cohorts sets.Set[kueue.CohortReference]
}

// inPlace runs at once what the scheduler would leave to another goroutine.
type inPlace struct{}

func (inPlace) Run(f func()) { f() }
