package generate

import (
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"loadline/conformance/kueue/scenario"
)

// fill has workloads of low priority admitted, to be preempted by those to come.
func (m *maker) fill() {
	count := 4 + m.Intn(10)
	if m.shares() {
		m.greedy = m.locals[m.Intn(len(m.locals))]
		defer func() { m.greedy = nil }()
		count += 4
	}
	for i := 0; i < count; i++ {
		m.makeWorkload(m.Intn(2))
		m.advance()
		m.do(scenario.Step{Op: scenario.Cycle})
		if m.has["checks"] || m.has["ready"] {
			m.special()
		}
	}
}

// step adds something that happens, most often a workload that comes or a cycle.
func (m *maker) step() {
	switch roll := m.Intn(100); {
	case roll < 32:
		for i, count := 0, pick(m, 1, 1, 2, 3); i < count; i++ {
			m.makeWorkload(3)
			if m.chance(70) {
				m.advance()
			}
		}
	case roll < 62:
		for i, count := 0, 1+m.Intn(3); i < count; i++ {
			m.do(scenario.Step{Op: scenario.Cycle})
		}
	case m.shares() && roll < 68:
		m.stopSome()
	case roll < 72:
		m.advance()
	case roll < 80:
		m.stopSome()
	case roll < 87:
		m.onWorkload(pick(m, scenario.Finish, scenario.Finish, scenario.Delete))
	case roll < 91:
		m.changeQueue()
	case roll < 94:
		m.onWorkload(pick(m, scenario.Priority, scenario.Reclaim))
	default:
		m.special()
	}
}

func (m *maker) advance() {
	m.do(scenario.Step{Op: scenario.Advance, Number: pick(m, int64(1000), 1000, 1000, 2000, 500, 5000)})
}

func (m *maker) stopSome() {
	for _, workload := range m.workloads {
		if m.chance(80) {
			m.do(scenario.Step{Op: scenario.Stop, Name: workload})
		}
	}
}

func (m *maker) onWorkload(op string) {
	if len(m.workloads) == 0 {
		return
	}
	name := m.workloads[m.Intn(len(m.workloads))]
	switch op {
	case scenario.Delete:
		m.do(scenario.Step{Op: op, Name: "Workload/" + name})
	case scenario.Priority:
		m.do(scenario.Step{Op: op, Name: name, Number: int64(m.Intn(4))})
	case scenario.Reclaim:
		m.do(scenario.Step{Op: op, Name: name, Text: pick(m, "main", "second"), Number: 1})
	case scenario.Active:
		m.do(scenario.Step{Op: op, Name: name, Number: int64(m.Intn(2))})
	case scenario.Queue:
		m.do(scenario.Step{Op: op, Name: name, Text: m.locals[m.Intn(len(m.locals))].Name})
	case scenario.Check:
		check := m.checks[m.Intn(len(m.checks))].Name
		m.do(scenario.Step{Op: op, Name: name, Text: check, More: pick(m, "Ready", "Ready", "Ready", "Retry", "Rejected", "Pending")})
	default:
		m.do(scenario.Step{Op: op, Name: name})
	}
}

// changeQueue gives a queue or a cohort other limits, or another place.
func (m *maker) changeQueue() {
	if m.of("hierarchy") && m.chance(40) {
		cohort := m.cohorts[m.Intn(len(m.cohorts))]
		if m.chance(30) {
			m.do(scenario.Step{Op: scenario.Delete, Name: "Cohort//" + cohort.Name})
			return
		}
		if m.chance(30) {
			cohort.Spec.ParentName = kueue.CohortReference(pick(m, "", m.cohorts[m.Intn(len(m.cohorts))].Name))
			if string(cohort.Spec.ParentName) == cohort.Name {
				cohort.Spec.ParentName = ""
			}
		}
		cohort.Spec.ResourceGroups = nil
		if m.chance(60) {
			cohort.Spec.ResourceGroups = m.groups(cohort.Spec.ParentName != "", 3)
		}
		m.put(cohort)
		return
	}
	queue := m.queues[m.Intn(len(m.queues))]
	switch {
	case m.chance(20):
		queue.Spec.CohortName = kueue.CohortReference(m.cohorts[m.Intn(len(m.cohorts))].Name)
	case m.chance(20):
		queue.Spec.Preemption = m.preemption(queue.Spec.CohortName != "")
	case m.chance(10):
		queue.Spec.FairSharing = m.fairness()
	default:
		queue.Spec.ResourceGroups = m.groups(queue.Spec.CohortName != "", 5)
		if !eachAlone(queue.Spec.ResourceGroups) {
			queue.Spec.FlavorFungibility.Preference = nil
		}
	}
	m.put(queue)
}

// special is what the kind is about.
func (m *maker) special() {
	switch {
	case len(m.checks) > 0 && m.chance(90):
		for i := 0; i < 3; i++ {
			m.onWorkload(scenario.Check)
		}
		if m.chance(10) {
			check := m.checks[m.Intn(len(m.checks))]
			m.setCheckActive(check, m.chance(50))
			m.put(check)
		}
	case m.of("ready") && m.chance(80):
		m.onWorkload(pick(m, scenario.Ready, scenario.Ready, scenario.NotReady))
		m.advance()
	case m.of("stop"):
		m.stopKind()
	default:
		m.onWorkload(pick(m, scenario.Active, scenario.Queue, scenario.Gate))
	}
}

func (m *maker) stopKind() {
	switch m.Intn(9) {
	case 0, 1:
		queue := m.queues[m.Intn(len(m.queues))]
		queue.Spec.StopPolicy = new(pick(m, kueue.None, kueue.None, kueue.Hold, kueue.HoldAndDrain))
		m.put(queue)
	case 2, 3:
		local := m.locals[m.Intn(len(m.locals))]
		local.Spec.StopPolicy = new(pick(m, kueue.None, kueue.None, kueue.Hold, kueue.HoldAndDrain))
		m.put(local)
	case 4:
		m.putNamespace(pick(m, "ns", "other"), pick(m, map[string]string{"team": "a"}, map[string]string{"team": "b"}, nil))
	case 5:
		m.put(m.flavors[m.Intn(len(m.flavors))])
	case 6:
		local := m.locals[m.Intn(len(m.locals))]
		if m.chance(50) {
			m.do(scenario.Step{Op: scenario.Delete, Name: "LocalQueue/" + local.Namespace + "/" + local.Name})
		} else {
			m.put(local)
		}
	case 7:
		queue := m.queues[m.Intn(len(m.queues))]
		if m.chance(60) {
			m.do(scenario.Step{Op: scenario.Delete, Name: "ClusterQueue//" + queue.Name})
		} else {
			m.put(queue)
		}
	default:
		flavor := m.flavors[m.Intn(len(m.flavors))]
		flavor.Spec.NodeLabels = pick(m, nil, map[string]string{"type": "x"})
		m.put(flavor)
	}
}
