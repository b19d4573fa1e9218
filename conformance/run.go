package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"loadline/conformance/generate"
	"loadline/conformance/loadline"
	"loadline/conformance/oracle"
	"loadline/conformance/recording"
	"loadline/conformance/shrink"
	"loadline/conformance/tally"
)

type options struct {
	first, count    int64
	limit, patience time.Duration
	workers         int
	groups          bool
	topology        bool
	program, folder string
	record          string
	inputs          []string // folders to take inputs from, not seeds
}

// mostShrunk is how many divergences of one category are made small: a fault shows at many seeds.
const mostShrunk = 2

// comparison is a run of seeds.
type comparison struct {
	options
	deadline time.Time

	mutex      sync.Mutex
	next       int64
	done       int64
	counts     tally.Tally
	leftOut    int // cases that say nothing
	diverging  int
	categories map[string]int
	failure    error
}

// run compares all seeds, prints the divergences and the counts, and returns how many cases diverge. Errors: the comparison
// itself does not work.
func run(options options) (int, error) {
	if len(options.inputs) > 0 {
		options.first, options.count = 0, int64(len(options.inputs))
	}
	if options.topology {
		if err := oracle.EnableTopology(); err != nil {
			return 0, err
		}
	}
	if options.record != "" {
		return 0, options.recordOne()
	}
	c := &comparison{options: options, next: options.first, counts: tally.Tally{}, categories: map[string]int{}}
	if options.limit > 0 {
		c.deadline = time.Now().Add(options.limit)
	}
	begin := time.Now()
	var workers sync.WaitGroup
	for range options.workers {
		workers.Go(c.work)
	}
	workers.Wait()
	c.counts.Print(os.Stdout)
	fmt.Printf("%d of %d clusters from %d on compared in %.0f s, %d left out because they say nothing, %d diverge\n",
		c.done, c.count, c.first, time.Since(begin).Seconds(), c.leftOut, c.diverging)
	return c.diverging, c.failure
}

// input is the cluster of a seed, or of the folder of that number.
func (o *options) input(seed int64) (*recording.Input, error) {
	switch {
	case len(o.inputs) > 0:
	case o.groups && o.topology:
		return generate.Constrained(seed), nil
	case o.groups:
		return generate.Grouped(seed), nil
	default:
		return generate.Case(seed), nil
	}
	input, err := recording.ReadInput(o.inputs[seed])
	if err == nil && input.Name == "" {
		input.Name = filepath.Base(o.inputs[seed])
	}
	return input, err
}

func (o *options) recordOne() error {
	input, err := o.input(o.first)
	if err != nil {
		return err
	}
	recorded, err := record(input)
	if err != nil {
		return err
	}
	return recorded.Write(o.record)
}

func (c *comparison) work() {
	process, err := loadline.Start(c.program)
	if err != nil {
		c.fail(err)
		return
	}
	defer process.Close()
	for {
		seed, more := c.take()
		if !more {
			return
		}
		if err := c.compare(process, seed); err != nil {
			c.fail(fmt.Errorf("cluster %d: %w", seed, err))
		}
	}
}

func (c *comparison) fail(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.failure = errors.Join(c.failure, err)
}

// take hands out the next seed.
func (c *comparison) take() (int64, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.next >= c.first+c.count || !c.deadline.IsZero() && time.Now().After(c.deadline) {
		return 0, false
	}
	c.next++
	return c.next - 1, true
}

// record lets the real scheduler decide. A panic of the scheduler is an error.
func record(input *recording.Input) (recorded *recording.Case, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("panic: %v\n%s", caught, debug.Stack())
		}
	}()
	happened, expected, err := oracle.Run(input)
	if err != nil {
		return nil, err
	}
	return &recording.Case{Name: input.Name, Input: happened, Expected: expected}, nil
}

func (c *comparison) compare(process *loadline.Process, seed int64) error {
	input, err := c.input(seed)
	if err != nil {
		return err
	}
	recorded, err := record(input)
	if errors.Is(err, oracle.ErrUnscored) || errors.Is(err, oracle.ErrPortTwice) || errors.Is(err, oracle.ErrSumsWrap) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.leftOut++
		return nil
	}
	if err != nil {
		return err
	}
	answer, err := process.Ask(recorded)
	if err != nil {
		return err
	}
	counts := tally.Tally{}
	counts.Case(recorded.Input, recorded.Expected)
	counts.GroupTurns(answer.GroupTurns)
	found := answer.Findings()

	c.mutex.Lock()
	c.done++
	c.counts.Merge(counts)
	small := false
	if len(found) > 0 {
		c.diverging++
		c.categories[found[0].Category()]++
		small = c.categories[found[0].Category()] <= mostShrunk
	}
	c.mutex.Unlock()
	switch {
	case len(found) == 0:
		return nil
	case small:
		return c.report(process, recorded, found[0])
	}
	fmt.Printf("%s diverges too: %s\n", recorded.Name, found[0].Category())
	return nil
}

// report makes the case small, writes it down and prints it.
func (c *comparison) report(process *loadline.Process, recorded *recording.Case, first loadline.Divergence) error {
	category := first.Category()
	var smallest *recording.Case
	shows := func(input *recording.Input) bool {
		candidate, err := record(input)
		if err != nil {
			return false
		}
		answer, err := process.Ask(candidate)
		if err != nil {
			return false
		}
		for _, divergence := range answer.Findings() {
			if divergence.Category() == category {
				smallest, first = candidate, divergence
				return true
			}
		}
		return false
	}
	if _, err := shrink.Input(recorded.Input, time.Now().Add(c.patience), shows); err != nil {
		return err
	}
	if smallest == nil {
		smallest = recorded
	}
	name := fmt.Sprintf("%s-%s", recorded.Name, strings.ToLower(strings.Map(wordly, category)))
	folder := filepath.Join(c.folder, name)
	smallest.Name, smallest.Input.Name, smallest.Expected.Name = name, name, name
	if err := smallest.Write(folder); err != nil {
		return err
	}
	text := first.String() + "\n"
	fmt.Printf("%s, %d nodes, %d bound and %d pending pods: %s\n%s\n", recorded.Name, len(smallest.Input.Nodes), len(smallest.Input.Pods), len(smallest.Input.PendingPods), folder, text)
	return os.WriteFile(filepath.Join(folder, "divergence.txt"), []byte(text), 0o644)
}

func wordly(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}
