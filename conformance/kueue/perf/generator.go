package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/yaml"
)

// generator is what a file of bench/queue says.
type generator struct {
	Name            string  `json:"name"`
	Cohorts         int     `json:"cohorts"`
	QueuesPerCohort int     `json:"queuesPerCohort"`
	Queue           quota   `json:"queue"`
	Classes         []class `json:"classes"`
}

type quota struct {
	Nominal             int64                  `json:"nominalQuota"`
	BorrowingLimit      int64                  `json:"borrowingLimit"`
	ReclaimWithinCohort kueue.PreemptionPolicy `json:"reclaimWithinCohort"`
	WithinClusterQueue  kueue.PreemptionPolicy `json:"withinClusterQueue"`
}

// class: of each queue, Count workloads come, one every EveryMs.
type class struct {
	Name      string `json:"name"`
	Count     int    `json:"count"`
	EveryMs   int64  `json:"everyMs"`
	RuntimeMs int64  `json:"runtimeMs"`
	Priority  int32  `json:"priority"`
	CPUs      int64  `json:"cpus"`
}

func readGenerator(file string) (*generator, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	it := &generator{}
	if err := yaml.UnmarshalStrict(text, it); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return it, nil
}

// shrink leaves a tenth of the workloads of each class, at least one.
func (g *generator) shrink() {
	for i := range g.Classes {
		g.Classes[i].Count = max(1, g.Classes[i].Count/10)
	}
}

// arrival is a workload that comes at a time.
type arrival struct {
	at     time.Duration
	class  int
	object *kueue.Workload
}

// arrivals in order: by time, then queue by queue, class by class. Their uids grow in that order.
func (g *generator) arrivals(queues []string) []arrival {
	all := make([]arrival, 0, 1024)
	for _, queue := range queues {
		for c, class := range g.Classes {
			for i := range class.Count {
				at := time.Duration(class.EveryMs*int64(i+1)) * time.Millisecond
				all = append(all, arrival{at, c, class.workload(queue, i, at)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	for i := range all {
		all[i].object.UID = types.UID(fmt.Sprintf("%08d", i))
	}
	return all
}

func (c *class) workload(queue string, number int, at time.Duration) *kueue.Workload {
	it := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: queue, Name: c.Name + "-" + strconv.Itoa(number),
		Generation: 1, CreationTimestamp: metav1.NewTime(start.Add(at))}}
	it.Spec.QueueName = kueue.LocalQueueName(queue)
	it.Spec.Priority = &c.Priority
	it.Spec.Active = new(true)
	set := kueue.PodSet{Name: "main", Count: 1}
	set.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	set.Template.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(c.CPUs, resource.DecimalSI)}}}}
	it.Spec.PodSets = []kueue.PodSet{set}
	return it
}

// queueNames with the cohort of each, in order.
func (g *generator) queueNames() (names, cohorts []string) {
	for cohort := range g.Cohorts {
		for queue := range g.QueuesPerCohort {
			names = append(names, fmt.Sprintf("queue-%03d-%03d", cohort, queue))
			cohorts = append(cohorts, fmt.Sprintf("cohort-%03d", cohort))
		}
	}
	return names, cohorts
}

const flavor = "default"

func (q *quota) clusterQueue(name, cohort string) *kueue.ClusterQueue {
	it := &kueue.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
	it.Spec = kueue.ClusterQueueSpec{
		CohortName:        kueue.CohortReference(cohort),
		QueueingStrategy:  kueue.BestEffortFIFO,
		NamespaceSelector: &metav1.LabelSelector{},
		StopPolicy:        new(kueue.None),
		FlavorFungibility: &kueue.FlavorFungibility{WhenCanBorrow: kueue.MayStopSearch, WhenCanPreempt: kueue.TryNextFlavor},
		Preemption: &kueue.ClusterQueuePreemption{ReclaimWithinCohort: q.ReclaimWithinCohort, WithinClusterQueue: q.WithinClusterQueue,
			BorrowWithinCohort: &kueue.BorrowWithinCohort{Policy: kueue.BorrowWithinCohortPolicyNever}},
		ResourceGroups: []kueue.ResourceGroup{{CoveredResources: []corev1.ResourceName{corev1.ResourceCPU},
			Flavors: []kueue.FlavorQuotas{{Name: flavor, Resources: []kueue.ResourceQuota{{Name: corev1.ResourceCPU,
				NominalQuota:   *resource.NewQuantity(q.Nominal, resource.DecimalSI),
				BorrowingLimit: resource.NewQuantity(q.BorrowingLimit, resource.DecimalSI)}}}}}},
	}
	return it
}
