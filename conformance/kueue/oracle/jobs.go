package oracle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"unsafe"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/workload"
	workloadevict "sigs.k8s.io/kueue/pkg/workload/evict"
	workloadfinish "sigs.k8s.io/kueue/pkg/workload/finish"
	workloadpatching "sigs.k8s.io/kueue/pkg/workload/patching"

	"loadline/conformance/kueue/scenario"
)

// setWorkloadClock sets a field that no option of Kueue's does.
func setWorkloadClock(reconciler *core.WorkloadReconciler, it clock.Clock) {
	field := reflect.ValueOf(reconciler).Elem().FieldByName("clock")
	*(*clock.Clock)(unsafe.Pointer(field.UnsafeAddr())) = it
}

// act does what jobs, users and the controllers of checks do to workloads.
func (o *oracle) act(step *scenario.Step) error {
	found := o.store.find("Workload/" + step.Name)
	if found == nil {
		return nil
	}
	it := copyOf(found).(*kueue.Workload)
	switch step.Op {
	case scenario.Finish:
		if workload.IsAdmitted(it) {
			return workloadfinish.Finish(o.ctx, o.store, it, "Succeeded", "the job has ended", o.clock)
		}
	case scenario.Stop:
		return o.stop(it)
	case scenario.Ready, scenario.NotReady:
		return o.setReady(it, step.Op == scenario.Ready)
	case scenario.Check:
		return o.setCheck(it, step)
	case scenario.Reclaim:
		return o.reclaim(it, step)
	default:
		return o.change(it, step)
	}
	return nil
}

// stop takes the quota of an evicted workload back, as the reconciler of its job does once that runs no more: only
// who was preempted may be requeued at once.
func (o *oracle) stop(it *kueue.Workload) error {
	evicted := apimeta.FindStatusCondition(it.Status.Conditions, kueue.WorkloadEvicted)
	if !workloadevict.IsEvicted(it) || !workload.HasQuotaReservation(it) || workloadfinish.IsFinished(it) {
		return nil
	}
	return workloadpatching.PatchAdmissionStatus(o.ctx, o.store, it, o.clock, func(it *kueue.Workload) (bool, error) {
		workload.SetRequeuedCondition(it, evicted.Reason, evicted.Message, evicted.Reason == kueue.WorkloadEvictedByPreemption)
		reason := workload.UnadmittedWorkloadReasonWithFallback(kueue.WorkloadQuotaReservedReasonPendingEvaluation, "Pending")
		workload.UnsetQuotaReservationWithCondition(it, reason, evicted.Message, o.clock.Now())
		return true, nil
	})
}

func (o *oracle) setReady(it *kueue.Workload, ready bool) error {
	if !workload.IsAdmitted(it) {
		return nil
	}
	condition := metav1.Condition{Type: kueue.WorkloadPodsReady, Status: metav1.ConditionTrue, LastTransitionTime: o.now(),
		Reason: kueue.WorkloadStarted, Message: "All pods reached readiness and the workload is running", ObservedGeneration: it.Generation}
	if !ready {
		condition.Status, condition.Reason = metav1.ConditionFalse, kueue.WorkloadWaitForRecovery
		condition.Message = "At least one pod has failed, waiting for recovery"
	}
	apimeta.SetStatusCondition(&it.Status.Conditions, condition)
	return o.store.Status().Update(o.ctx, it)
}

func (o *oracle) setCheck(it *kueue.Workload, step *scenario.Step) error {
	if !workload.HasQuotaReservation(it) || workloadevict.IsEvicted(it) {
		return nil
	}
	for _, check := range it.Status.AdmissionChecks {
		if string(check.Name) == step.Text {
			check.State, check.Message, check.LastTransitionTime = kueue.CheckState(step.More), "by the scenario", o.now()
			workloadpatching.SetAdmissionCheckState(&it.Status.AdmissionChecks, check, o.clock)
			return o.store.Status().Update(o.ctx, it)
		}
	}
	return nil
}

func (o *oracle) reclaim(it *kueue.Workload, step *scenario.Step) error {
	if !workload.IsAdmitted(it) {
		return nil
	}
	for _, set := range it.Status.Admission.PodSetAssignments {
		if string(set.Name) != step.Text {
			continue
		}
		for i := range it.Status.ReclaimablePods {
			pods := &it.Status.ReclaimablePods[i]
			if string(pods.Name) == step.Text {
				pods.Count = min(*set.Count, pods.Count+int32(step.Number))
				return o.store.Status().Update(o.ctx, it)
			}
		}
		it.Status.ReclaimablePods = append(it.Status.ReclaimablePods,
			kueue.ReclaimablePod{Name: set.Name, Count: min(*set.Count, int32(step.Number))})
		return o.store.Status().Update(o.ctx, it)
	}
	return nil
}

// change gives the workload another spec.
func (o *oracle) change(it *kueue.Workload, step *scenario.Step) error {
	switch step.Op {
	case scenario.Priority:
		if it.Spec.PriorityClassRef == nil {
			return nil
		}
		it.Spec.Priority = new(int32(step.Number))
	case scenario.Active:
		it.Spec.Active = new(step.Number != 0)
	case scenario.Queue:
		if workload.HasQuotaReservation(it) {
			return nil
		}
		it.Spec.QueueName = kueue.LocalQueueName(step.Text)
	case scenario.Gate:
		delete(it.Annotations, constants.AdmissionGatedByAnnotation) // which cannot come later
	default:
		return fmt.Errorf("nothing is called %q", step.Op)
	}
	kinds, _, err := scheme.ObjectKinds(it)
	if err != nil {
		return err
	}
	it.GetObjectKind().SetGroupVersionKind(kinds[0])
	text, err := json.Marshal(it)
	if err != nil {
		return err
	}
	return o.put(text)
}
