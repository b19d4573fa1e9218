// Package generate makes a scenario of a seed: few objects and small numbers, so that borders and ties are met.
package generate

import (
	"encoding/json"
	"fmt"
	"math/rand"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/constants"

	"loadline/conformance/kueue/scenario"
)

// Kinds of scenarios. Each varies what the ones before it do, less often, and something of its own.
var Kinds = []string{"quota", "preemption", "hierarchy", "fair", "partial", "checks", "stop", "ready"}

const gpu = corev1.ResourceName("nvidia.com/gpu")

type maker struct {
	*rand.Rand
	kind      string
	has       map[string]bool // what of other kinds the scenario has something of
	scenario  *scenario.Scenario
	resources []corev1.ResourceName
	flavors   []*kueue.ResourceFlavor
	cohorts   []*kueue.Cohort
	checks    []*kueue.AdmissionCheck
	queues    []*kueue.ClusterQueue
	locals    []*kueue.LocalQueue
	workloads []string
	shapes    [][]kueue.PodSet
	greedy    *kueue.LocalQueue // most workloads that come come to it
}

// Scenario of a kind and a seed: always the same.
func Scenario(kind string, seed int64) *scenario.Scenario {
	m := &maker{Rand: rand.New(rand.NewSource(seed)), kind: kind, has: map[string]bool{}}
	for _, it := range Kinds {
		m.has[it] = it == kind || m.chance(4)
	}
	m.scenario = &scenario.Scenario{Name: fmt.Sprintf("%s-%d", kind, seed), Kind: kind, Seed: seed}
	m.makeSettings()
	m.makeNamespaces()
	m.makeResources()
	m.makeFlavors()
	m.makeCohorts()
	m.makeChecks()
	m.makeQueues()
	m.makeShapes()
	if m.shares() || m.chance(60) {
		m.fill()
	}
	for i, steps := 0, 15+m.Intn(40); i < steps; i++ {
		m.step()
	}
	return m.scenario
}

func (m *maker) chance(percent int) bool { return m.Intn(100) < percent }

// of: whether the scenario is of the kind, or, rarely, has something of it all the same.
func (m *maker) of(kind string) bool { return m.has[kind] }

// shares: the scenario is about fair sharing. Preemption by it takes a preemptor that is above its own quota, and others
// that borrow more: little quota that is a queue's own, much that is lent, few limits, and who came first is unimportant.
func (m *maker) shares() bool { return m.kind == "fair" }

func pick[T any](m *maker, from ...T) T { return from[m.Intn(len(from))] }

// ---- objects ---------------------------------------------------------------------------------------------------

func (m *maker) put(object any) {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	m.scenario.Steps = append(m.scenario.Steps, scenario.Step{Op: scenario.Put, Object: text})
}

func (m *maker) do(step scenario.Step) { m.scenario.Steps = append(m.scenario.Steps, step) }

func typed(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: kueue.SchemeGroupVersion.String(), Kind: kind}
}

func (m *maker) makeSettings() {
	it := &m.scenario.Settings
	if m.of("fair") {
		it.FairSharing = true
		it.Strategies = pick(m, nil, []string{"LessThanOrEqualToFinalShare", "LessThanInitialShare"},
			[]string{"LessThanOrEqualToFinalShare"}, []string{"LessThanInitialShare"})
	}
	if m.of("ready") {
		it.PodsReady = 5 + m.Intn(10)
		it.BackoffLimit = pick(m, 0, 0, 1, 2)
		it.CreationTimestamp = m.chance(30)
	}
}

func (m *maker) makeNamespaces() {
	m.putNamespace("ns", map[string]string{"team": "a"})
	if m.of("stop") {
		m.putNamespace("other", pick(m, map[string]string{"team": "b"}, nil))
	}
}

func (m *maker) putNamespace(name string, labels map[string]string) {
	m.put(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
}

func (m *maker) makeResources() {
	all := []corev1.ResourceName{gpu, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}
	if m.shares() {
		m.resources = all[:pick(m, 1, 1, 1, 2)]
		return
	}
	m.resources = all[:pick(m, 1, 1, 2)]
	if m.chance(15) {
		m.resources = all[:3]
	}
	if m.chance(15) {
		m.resources = append(append([]corev1.ResourceName{}, m.resources...), corev1.ResourcePods)
	}
}

func (m *maker) makeFlavors() {
	most := 3
	if m.shares() {
		most = 2
	}
	for i, count := 0, 1+m.Intn(most); i < count; i++ {
		flavor := &kueue.ResourceFlavor{TypeMeta: typed("ResourceFlavor"), ObjectMeta: metav1.ObjectMeta{Name: string(rune('f' + i))}}
		if m.chance(25) {
			flavor.Spec.NodeLabels = map[string]string{"type": pick(m, "x", "y")}
		}
		if m.chance(10) {
			flavor.Spec.NodeTaints = []corev1.Taint{{Key: "spot", Value: "true",
				Effect: pick(m, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule)}}
		}
		if m.chance(5) {
			flavor.Spec.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
		}
		m.flavors = append(m.flavors, flavor)
		if !m.of("stop") || !m.chance(20) {
			m.put(flavor)
		}
	}
}

func (m *maker) amount(most int) resource.Quantity {
	return *resource.NewQuantity(int64(m.Intn(most+1)), resource.DecimalSI)
}

func (m *maker) quotas(resources []corev1.ResourceName, hasParent bool, most int) []kueue.ResourceQuota {
	var result []kueue.ResourceQuota
	for _, name := range resources {
		it := kueue.ResourceQuota{Name: name, NominalQuota: m.amount(most)}
		if m.shares() && m.chance(85) {
			if most > 3 { // a queue's, not a cohort's
				it.NominalQuota = m.amount(pick(m, 1, 2, 3))
			}
			result = append(result, it)
			continue
		}
		if most > 3 && m.chance(60) {
			it.NominalQuota = *resource.NewQuantity(int64(3+m.Intn(8)), resource.DecimalSI)
		}
		if name == corev1.ResourceCPU && m.chance(20) {
			it.NominalQuota.Add(resource.MustParse("500m"))
		}
		if hasParent && m.chance(25) {
			it.BorrowingLimit = new(m.amount(3))
		}
		if hasParent && m.chance(25) {
			it.LendingLimit = new(m.amount(int(it.NominalQuota.Value())))
			if it.LendingLimit.Cmp(it.NominalQuota) > 0 {
				it.LendingLimit = nil
			}
		}
		result = append(result, it)
	}
	return result
}

// groups divides resources and flavors among resource groups.
func (m *maker) groups(hasParent bool, most int) []kueue.ResourceGroup {
	resources := append([]corev1.ResourceName{}, m.resources...)
	flavors := append([]*kueue.ResourceFlavor{}, m.flavors...)
	if m.chance(30) {
		m.Shuffle(len(flavors), func(i, j int) { flavors[i], flavors[j] = flavors[j], flavors[i] })
	}
	var result []kueue.ResourceGroup
	add := func(resources []corev1.ResourceName, flavors []*kueue.ResourceFlavor) {
		group := kueue.ResourceGroup{CoveredResources: resources}
		for _, flavor := range flavors {
			group.Flavors = append(group.Flavors, kueue.FlavorQuotas{Name: kueue.ResourceFlavorReference(flavor.Name),
				Resources: m.quotas(resources, hasParent, most)})
		}
		result = append(result, group)
	}
	if len(resources) > 1 && len(flavors) > 1 && m.chance(35) {
		add(resources[:1], flavors[:1])
		add(resources[1:], flavors[1:])
		return result
	}
	add(resources, flavors[:1+m.Intn(len(flavors))])
	return result
}

func (m *maker) fairness() *kueue.FairSharing {
	if !m.scenario.Settings.FairSharing || m.chance(50) {
		return nil
	}
	return &kueue.FairSharing{Weight: new(resource.MustParse(pick(m, "0", "500m", "1", "2", "2", "3")))}
}

func (m *maker) makeCohorts() {
	count := 1 + m.Intn(2)
	deep := m.of("hierarchy")
	if deep {
		count = 2 + m.Intn(4)
	}
	for i := 0; i < count; i++ {
		cohort := &kueue.Cohort{TypeMeta: typed("Cohort"), ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("co%d", i)}}
		if deep && i > 0 && m.chance(75) {
			cohort.Spec.ParentName = kueue.CohortReference(m.cohorts[m.Intn(i)].Name)
		} else if deep && m.chance(5) {
			cohort.Spec.ParentName = "nowhere"
		}
		if deep && m.chance(40) {
			cohort.Spec.ResourceGroups = m.groups(cohort.Spec.ParentName != "", 3)
		}
		if m.shares() && m.chance(60) {
			cohort.Spec.ResourceGroups = m.groups(cohort.Spec.ParentName != "", 3)
			for _, group := range cohort.Spec.ResourceGroups {
				for _, flavor := range group.Flavors {
					for j := range flavor.Resources {
						flavor.Resources[j].NominalQuota.Add(m.amount(8))
					}
				}
			}
		}
		cohort.Spec.FairSharing = m.fairness()
		m.cohorts = append(m.cohorts, cohort)
		if deep || m.shares() || m.chance(30) {
			m.put(cohort)
		}
	}
}

func (m *maker) makeChecks() {
	if !m.of("checks") {
		return
	}
	for i, count := 0, 1+m.Intn(2); i < count; i++ {
		check := &kueue.AdmissionCheck{TypeMeta: typed("AdmissionCheck"), ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("check%d", i)},
			Spec: kueue.AdmissionCheckSpec{ControllerName: "example.com/checker"}}
		m.setCheckActive(check, !m.chance(5))
		m.checks = append(m.checks, check)
		m.put(check)
	}
}

func (m *maker) setCheckActive(check *kueue.AdmissionCheck, active bool) {
	status := metav1.ConditionTrue
	if !active {
		status = metav1.ConditionFalse
	}
	check.Status.Conditions = []metav1.Condition{{Type: kueue.AdmissionCheckActive, Status: status, Reason: "Said",
		LastTransitionTime: metav1.Unix(4102444800, 0)}}
}

func (m *maker) countsPods() bool { return m.resources[len(m.resources)-1] == corev1.ResourcePods }

func (m *maker) policy() kueue.PreemptionPolicy {
	return pick(m, kueue.PreemptionPolicyNever, kueue.PreemptionPolicyLowerPriority, kueue.PreemptionPolicyLowerOrNewerEqualPriority)
}

func (m *maker) preemption(hasCohort bool) *kueue.ClusterQueuePreemption {
	it := &kueue.ClusterQueuePreemption{WithinClusterQueue: kueue.PreemptionPolicyNever,
		ReclaimWithinCohort: kueue.PreemptionPolicyNever,
		BorrowWithinCohort:  &kueue.BorrowWithinCohort{Policy: kueue.BorrowWithinCohortPolicyNever}}
	// What upstream makes room for leaves the resource "pods" out, so it may find too few victims: docs/differences.md.
	if m.countsPods() || m.kind == "quota" && !m.chance(10) {
		return it
	}
	it.WithinClusterQueue = m.policy()
	if hasCohort || m.chance(20) {
		it.ReclaimWithinCohort = pick(m, kueue.PreemptionPolicyNever, kueue.PreemptionPolicyAny, kueue.PreemptionPolicyAny,
			kueue.PreemptionPolicyLowerPriority)
	}
	if m.shares() && m.chance(75) {
		it.WithinClusterQueue = pick(m, kueue.PreemptionPolicyNever, kueue.PreemptionPolicyNever, it.WithinClusterQueue)
		it.ReclaimWithinCohort = pick(m, kueue.PreemptionPolicyAny, kueue.PreemptionPolicyAny, kueue.PreemptionPolicyLowerPriority)
	}
	if it.ReclaimWithinCohort != kueue.PreemptionPolicyNever && !m.scenario.Settings.FairSharing && m.chance(35) {
		it.BorrowWithinCohort.Policy = kueue.BorrowWithinCohortPolicyLowerPriority
		if m.chance(50) {
			it.BorrowWithinCohort.MaxPriorityThreshold = new(int32(m.Intn(4) - 1))
		}
	}
	return it
}

func (m *maker) makeQueues() {
	count := 1 + m.Intn(5)
	if m.shares() {
		count = max(count, 2+m.Intn(3))
	}
	for i := 0; i < count; i++ {
		m.makeQueue(fmt.Sprintf("q%d", i))
	}
}

// eachAlone: with PreemptionOverBorrowing, and two resources in a group of which one borrows and the other needs
// victims, upstream takes the flavor to fit, and then finds out that it does not, for ever: docs/differences.md.
func eachAlone(groups []kueue.ResourceGroup) bool {
	for _, group := range groups {
		if len(group.CoveredResources) > 1 {
			return false
		}
	}
	return true
}

func (m *maker) makeQueue(name string) {
	queue := &kueue.ClusterQueue{TypeMeta: typed("ClusterQueue"), ObjectMeta: metav1.ObjectMeta{Name: name}}
	spec := &queue.Spec
	if m.shares() && m.chance(80) || m.chance(80) {
		spec.CohortName = kueue.CohortReference(m.cohorts[m.Intn(len(m.cohorts))].Name)
	}
	hasCohort := spec.CohortName != ""
	spec.ResourceGroups = m.groups(hasCohort, 5)
	spec.QueueingStrategy = pick(m, kueue.BestEffortFIFO, kueue.BestEffortFIFO, kueue.StrictFIFO)
	spec.NamespaceSelector = &metav1.LabelSelector{}
	if m.of("stop") && m.chance(25) {
		spec.NamespaceSelector.MatchLabels = map[string]string{"team": pick(m, "a", "b")}
	}
	spec.FlavorFungibility = &kueue.FlavorFungibility{
		WhenCanBorrow:  pick(m, kueue.MayStopSearch, kueue.TryNextFlavor),
		WhenCanPreempt: pick(m, kueue.MayStopSearch, kueue.TryNextFlavor, kueue.TryNextFlavor)}
	if spec.FlavorFungibility.WhenCanBorrow == kueue.TryNextFlavor && spec.FlavorFungibility.WhenCanPreempt == kueue.TryNextFlavor && m.chance(50) {
		spec.FlavorFungibility.Preference = new(kueue.BorrowingOverPreemption)
		if m.chance(60) && eachAlone(spec.ResourceGroups) {
			spec.FlavorFungibility.Preference = new(kueue.PreemptionOverBorrowing)
		}
	}
	spec.Preemption = m.preemption(hasCohort)
	spec.FairSharing = m.fairness()
	spec.StopPolicy = new(kueue.None)
	if len(m.checks) > 0 && m.chance(70) {
		spec.AdmissionChecksStrategy = &kueue.AdmissionChecksStrategy{}
		for _, check := range m.checks {
			rule := kueue.AdmissionCheckStrategyRule{Name: kueue.AdmissionCheckReference(check.Name)}
			if m.chance(30) {
				rule.OnFlavors = []kueue.ResourceFlavorReference{spec.ResourceGroups[0].Flavors[0].Name}
			}
			if m.chance(70) {
				spec.AdmissionChecksStrategy.AdmissionChecks = append(spec.AdmissionChecksStrategy.AdmissionChecks, rule)
			}
		}
	}
	m.queues = append(m.queues, queue)
	m.put(queue)
	m.makeLocal("lq-"+name, "ns", name)
	if m.of("stop") {
		m.makeLocal("lq-"+name, "other", name)
	}
}

func (m *maker) makeLocal(name, namespace, queue string) {
	local := &kueue.LocalQueue{TypeMeta: typed("LocalQueue"), ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
	local.Spec.ClusterQueue = kueue.ClusterQueueReference(queue)
	local.Spec.StopPolicy = new(kueue.None)
	m.locals = append(m.locals, local)
	m.put(local)
}

// ---- workloads -------------------------------------------------------------------------------------------------

// makeShapes: few, so that workloads are alike.
func (m *maker) makeShapes() {
	for i, count := 0, 2+m.Intn(4); i < count; i++ {
		sets := []kueue.PodSet{m.podSet("main")}
		if m.chance(25) && (!m.shares() || m.chance(30)) {
			sets = append(sets, m.podSet("second"))
		}
		if m.of("partial") && m.chance(70) {
			set := &sets[m.Intn(len(sets))]
			set.Count = int32(2 + m.Intn(5))
			set.MinCount = new(int32(1 + m.Intn(int(set.Count))))
		}
		m.shapes = append(m.shapes, sets)
	}
}

func (m *maker) podSet(name string) kueue.PodSet {
	requests := corev1.ResourceList{}
	for _, resource := range m.resources {
		if resource == corev1.ResourcePods || m.chance(15) {
			continue
		}
		requests[resource] = m.amount(3)
	}
	if m.chance(2) && len(requests) > 0 { // alone, and of nothing, upstream leaves out the pod sets behind it
		requests["example.com/other"] = m.amount(1)
	}
	set := kueue.PodSet{Name: kueue.PodSetReference(name), Count: int32(1 + m.Intn(3))}
	if m.shares() && m.chance(70) {
		set.Count = 1
	}
	set.Template.Spec.Containers = []corev1.Container{{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{Requests: requests}}}
	set.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	if m.chance(8) {
		set.Template.Spec.NodeSelector = map[string]string{"type": pick(m, "x", "y")}
	}
	if m.chance(8) {
		set.Template.Spec.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
	}
	return set
}

func (m *maker) makeWorkload(mostPriority int) {
	local := m.locals[m.Intn(len(m.locals))]
	if m.greedy != nil && m.chance(75) {
		local = m.greedy
	}
	name := fmt.Sprintf("w%d", len(m.workloads))
	it := &kueue.Workload{TypeMeta: typed("Workload"), ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: local.Namespace,
		UID:             types.UID(fmt.Sprintf("%02d-%s", m.Intn(100), name)), // another order than that of names
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: "job"}}}}
	it.Spec.QueueName = kueue.LocalQueueName(local.Name)
	it.Spec.PodSets = m.shapes[m.Intn(len(m.shapes))]
	it.Spec.Priority = new(int32(m.Intn(mostPriority + 1)))
	if m.chance(80) {
		it.Spec.PriorityClassRef = kueue.NewWorkloadPriorityClassRef("class")
	}
	it.Spec.Active = new(true)
	if !m.has["stop"] && m.chance(3) { // of a gated one whose queue is inactive, the reconciler never comes to rest
		it.Annotations = map[string]string{constants.AdmissionGatedByAnnotation: "example.com/gate"}
	}
	m.workloads = append(m.workloads, local.Namespace+"/"+name)
	m.put(it)
}
