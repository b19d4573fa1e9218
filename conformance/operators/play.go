package operators

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	corev1 "k8s.io/api/core/v1"
)

// player plays one case in a namespace of its own.
type player struct {
	stage   *stage
	kind    kind
	outcome *Outcome
	hashes  map[string]string
	told    map[string]bool
	failed  error
}

const (
	hands        = 8                       // how many cases are served at the same time
	silence      = 1200 * time.Millisecond // without a change: all has happened
	restlessness = 25 * time.Second        // with changes all the time: it never ends
)

// playAll plays cases step by step, each step of all of them together: so all of them are waited for at once.
func (s *stage) playAll(ctx context.Context, k kind, cases []Case) ([]*Outcome, error) {
	players := make([]*player, len(cases))
	steps := 0
	s.canaries = newCanaries(s, k)
	for i, c := range cases {
		c.Steps = slices.Clone(c.Steps)
		players[i] = &player{stage: s, kind: k, outcome: &Outcome{Case: c}, hashes: map[string]string{}, told: map[string]bool{}}
		steps = max(steps, len(c.Steps))
	}
	for step := -1; step < steps; step++ {
		each(players, func(p *player) {
			if p.failed == nil && step < len(p.outcome.Steps) {
				p.act(ctx, step)
			}
		})
		if err := s.settle(ctx, k, players); err != nil {
			return nil, err
		}
		each(players, func(p *player) {
			if p.failed == nil && p.outcome.Refused == "" && step < len(p.outcome.Steps) {
				p.takeDown()
			}
		})
	}
	each(players, func(p *player) { p.clear(ctx) })
	outcomes := make([]*Outcome, len(players))
	for i, p := range players {
		if p.failed != nil {
			return nil, fmt.Errorf("case %d: %w", p.outcome.Seed, p.failed)
		}
		outcomes[i] = p.outcome
	}
	return outcomes, nil
}

// each does something with each player, several at a time.
func each(players []*player, do func(*player)) {
	var group sync.WaitGroup
	next := make(chan *player)
	for range hands {
		group.Go(func() {
			for p := range next {
				do(p)
			}
		})
	}
	for _, p := range players {
		next <- p
	}
	close(next)
	group.Wait()
}

func (s *stage) settle(ctx context.Context, k kind, players []*player) error {
	var waiting []string
	for _, p := range players {
		if p.failed == nil && !p.outcome.Restless {
			waiting = append(waiting, p.namespace())
		}
	}
	quiet := silence
	if k.operator.silence > 0 {
		quiet = k.operator.silence
	}
	var restless []string
	for tries := 0; ; tries++ {
		var err error
		restless, err = s.observer.quiet(ctx, waiting, quiet, restlessness+time.Duration(len(players))*50*time.Millisecond)
		if err != nil {
			return err
		}
		// Without news, the operator is done, or it lacks the time: what it is given last, it does last.
		begin := time.Now()
		if err := s.canaries.fly(ctx); err != nil {
			return err
		}
		if changed := without(s.observer.changedAfter(waiting, begin), restless); len(changed) == 0 || tries == 10 {
			break
		}
	}
	for _, p := range players {
		if slices.Contains(restless, p.namespace()) {
			p.outcome.Restless = true
		}
	}
	return s.server.Crashed()
}

func (p *player) namespace() string { return fmt.Sprintf("%s%d", namespacePrefix, p.outcome.Seed) }

func (p *player) name() string {
	name, _, _ := unstructured.NestedString(p.outcome.Object, "metadata", "name")
	return name
}

// act plays a step; -1 is the creation of the object.
func (p *player) act(ctx context.Context, step int) {
	if p.outcome.Refused != "" {
		return
	}
	var err error
	if step < 0 {
		err = p.create(ctx)
	} else {
		err = p.play(ctx, &p.outcome.Steps[step])
	}
	if err != nil {
		p.failed = fmt.Errorf("step %d: %w", step, err)
	}
}

func (p *player) create(ctx context.Context) error {
	space := &corev1.Namespace{ObjectMeta: v1.ObjectMeta{Name: p.namespace()}}
	if _, err := p.stage.typed.CoreV1().Namespaces().Create(ctx, space, v1.CreateOptions{}); err != nil {
		return err
	}
	if p.kind.operator == kubeRay {
		// Without it, Loadline says what becomes of a job.
		if err := p.say(ctx, ""); err != nil {
			return err
		}
	}
	object, err := asUnstructured(p.outcome.Object)
	if err != nil {
		return err
	}
	err = patiently(func() error {
		_, err := p.stage.dynamic.Resource(p.kind.resource).Namespace(p.namespace()).Create(ctx, object, v1.CreateOptions{})
		return err
	})
	if refusal := errors.APIStatus(nil); err != nil && asStatus(err, &refusal) {
		p.outcome.Refused = learn(nil, nil).refusal(refusal.Status().Message)
		return nil
	}
	return err
}

// asUnstructured is a copy, with the types of numbers that clients expect.
func asUnstructured(value object) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{}
	return out, out.UnmarshalJSON(text)
}

func asStatus(err error, status *errors.APIStatus) bool {
	found, ok := err.(errors.APIStatus)
	if ok {
		*status = found
	}
	return ok
}

func (p *player) play(ctx context.Context, step *Step) error {
	switch step.Do {
	case "patch":
		return p.patch(ctx, step)
	case "wait":
		time.Sleep(time.Duration(step.Seconds) * time.Second)
		return nil
	case "ray":
		return p.say(ctx, step.Status)
	}
	known, err := p.find(step)
	if err != nil {
		return err
	}
	pods := slices.Clone(step.Pods)
	if step.Do == "succeed" || step.Do == "fail" {
		// The last first: workers before the one that decides for all, so that an operator that is quick sees what a slow one sees.
		slices.Reverse(pods)
	}
	for _, canonical := range pods {
		name := canonical
		if generated, ok := known.actual[canonical]; ok {
			name = generated
		}
		if err := p.report(ctx, step, name, canonical); err != nil && !hasGone(err) {
			return fmt.Errorf("%s %s: %w", step.Do, canonical, err)
		}
	}
	return nil
}

func (p *player) patch(ctx context.Context, step *Step) error {
	text, err := json.Marshal(step.Patch)
	if err != nil {
		return err
	}
	err = patiently(func() error {
		_, err := p.stage.dynamic.Resource(p.kind.resource).Namespace(p.namespace()).Patch(ctx, p.name(), types.MergePatchType, text, v1.PatchOptions{})
		return err
	})
	if refusal := errors.APIStatus(nil); err != nil && asStatus(err, &refusal) {
		p.told["refused: "+refusal.Status().Message] = false // told with the next state
		return nil
	}
	return err
}

// say writes what the dashboard of Ray is to say where those who stand for it read it.
func (p *player) say(ctx context.Context, status string) error {
	said := &corev1.ConfigMap{ObjectMeta: v1.ObjectMeta{Name: dashboard, Namespace: p.namespace()}, Data: map[string]string{"status": status, "endTime": "2023-11-14T22:14:20Z"}}
	maps := p.stage.typed.CoreV1().ConfigMaps(p.namespace())
	_, err := maps.Create(ctx, said, v1.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		_, err = maps.Update(ctx, said, v1.UpdateOptions{})
	}
	return err
}

func (p *player) report(ctx context.Context, step *Step, name, canonical string) error {
	kubelet := p.stage.kubelet
	switch step.Do {
	case "run":
		return kubelet.run(ctx, p.namespace(), name, canonical)
	case "succeed":
		return kubelet.report(ctx, p.namespace(), name, exited(step.Container, 0))
	case "fail":
		return kubelet.report(ctx, p.namespace(), name, exited(step.Container, step.Code))
	case "evict":
		return kubelet.report(ctx, p.namespace(), name, evicted)
	case "delete":
		return kubelet.delete(ctx, p.namespace(), name)
	}
	return fmt.Errorf("nobody knows how to %s", step.Do)
}

// find fills in which pods a step means, if no earlier run did.
func (p *player) find(step *Step) (*names, error) {
	objects, known := p.stage.observer.get(p.namespace())
	if step.choose == nil {
		return known, nil
	}
	selector, err := labels.Parse(step.choose.labels)
	if err != nil {
		return nil, err
	}
	var found []string
	for key, object := range objects {
		phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
		if strings.HasPrefix(key, "Pod/") && selector.Matches(labels.Set(object.GetLabels())) && object.GetDeletionTimestamp() == nil && mayBe(step.Do, phase) {
			found = append(found, known.text(object.GetName()))
		}
	}
	slices.Sort(found)
	if !step.choose.all && len(found) > 0 {
		at := step.choose.number % len(found)
		found = found[at : at+1]
	}
	step.Pods, step.choose = found, nil
	return known, nil
}

// mayBe says whether a step can happen to a pod in this phase.
func mayBe(do, phase string) bool {
	switch do {
	case "run":
		return phase == "Pending"
	case "succeed", "fail":
		return phase == "Running"
	case "evict":
		return phase == "Running" || phase == "Pending"
	}
	return true
}

// takeDown writes down what there is.
func (p *player) takeDown() {
	objects, known := p.stage.observer.get(p.namespace())
	known.hashes = p.hashes
	state := known.state(objects, p.stage.custom, p.told)
	for _, message := range slices.Sorted(maps.Keys(p.told)) {
		if !p.told[message] {
			p.told[message] = true
			state.Events = append(state.Events, known.refusal(message))
		}
	}
	p.outcome.States = append(p.outcome.States, state)
}

// clear deletes the object, so that nothing goes on working for it.
func (p *player) clear(ctx context.Context) {
	background := v1.DeletePropagationBackground
	_ = p.stage.dynamic.Resource(p.kind.resource).Namespace(p.namespace()).Delete(ctx, p.name(), v1.DeleteOptions{PropagationPolicy: &background})
}

// hasGone says whether a pod could not be written because a controller deletes it: it is gone, or has lost the finalizers that it is known by.
func hasGone(err error) bool {
	return errors.IsNotFound(err) || errors.IsInvalid(err) && strings.Contains(err.Error(), "if the object is being deleted")
}
