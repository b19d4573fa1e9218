package oracle

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// orderedQueue orders the members of a group that are of one priority. The real scheduler tries them in the order in which
// they were first let into the queue. When the last that was missing comes, all are let in, in the order of a map; here, where
// that takes no time, the order among them is, by seed, one or another, or that of creation.
type orderedQueue struct {
	internalqueue.SchedulingQueue
	world *world
}

func (q *orderedQueue) PopSpecificPod(logger klog.Logger, pod *corev1.Pod) *framework.QueuedPodInfo {
	info := q.SchedulingQueue.PopSpecificPod(logger, pod)
	if info != nil {
		q.order(info)
	}
	return info
}

// order gives a member its place when it leaves the queue for the first time.
func (q *orderedQueue) order(info *framework.QueuedPodInfo) {
	if info.Attempts == 1 {
		entered := info.InitialAttemptTimestamp.Add(time.Duration(q.place(info.Pod)))
		info.InitialAttemptTimestamp = &entered
	}
}

// place is much less than the nanoseconds until the next pod may enter.
func (q *orderedQueue) place(pod *corev1.Pod) int {
	if q.world.seed%2 == 0 {
		return q.world.server.created[pod.UID]
	}
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%d %s", q.world.seed, key(pod))
	return int(hash.Sum32() % 1e5)
}

// groupNominator hides the nominations of a group's members while the group has its cycle. The real queue then knows no more
// than their names, and hands out pods without containers, labels or priority. So a sibling's nomination holds no room; but it
// counts as one pod more on the node for members whose priority is not above 0, which is no more than an accident.
type groupNominator struct {
	fwk.PodNominator
	world *world
}

func (n *groupNominator) NominatedPodsForNode(node string) []fwk.PodInfo {
	nominated := n.PodNominator.NominatedPodsForNode(node)
	if n.world.cycle == nil || !n.world.repairs {
		return nominated
	}
	return slices.DeleteFunc(nominated, func(info fwk.PodInfo) bool { return len(info.GetPod().Spec.Containers) == 0 })
}
