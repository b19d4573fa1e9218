// Package loadline has Loadline compare recorded cases with its own decisions.
package loadline

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"loadline/conformance/recording"
)

// patience is how long one case may take.
const patience = 2 * time.Minute

// Divergence is one part of a decision that Loadline decides otherwise.
type Divergence struct {
	Attempt  int    `json:"attempt"`
	Pod      string `json:"pod"`
	What     string `json:"what"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
}

// Category is what diverges, without the node: "refusal", "score of NodeAffinity", "message".
func (d Divergence) Category() string {
	category := d.What
	for _, cut := range []string{" by ", " for ", " on ", " of n"} {
		category, _, _ = strings.Cut(category, cut)
	}
	if rest, is := strings.CutPrefix(d.What, "score of "); is {
		plugin, _, _ := strings.Cut(rest, " ")
		return "score of " + plugin
	}
	return strings.TrimRight(category, "0123456789 ")
}

func (d Divergence) String() string {
	return fmt.Sprintf("attempt %d (%s): %s\n  expected: %s\n  actual:   %s", d.Attempt, d.Pod, d.What, d.Expected, d.Actual)
}

// Answer is Loadline's comparison of a case with its own decisions.
type Answer struct {
	Name        string       `json:"name"`
	Attempts    int          `json:"attempts"`
	GroupTurns  int          `json:"groupTurns"`
	Divergences []Divergence `json:"divergences"`
	Error       string       `json:"error"`
}

// Findings are the divergences; a case that cannot be replayed is one too.
func (a *Answer) Findings() []Divergence {
	if a.Error == "" {
		return a.Divergences
	}
	return append([]Divergence{{What: "not replayed", Expected: "a replay", Actual: a.Error}}, a.Divergences...)
}

// Process is a running loadline-conformance. It is not safe for use by several goroutines.
type Process struct {
	program string
	command *exec.Cmd
	cases   io.WriteCloser
	answers *bufio.Reader
}

// Start runs the program.
func Start(program string) (*Process, error) {
	p := &Process{program: program}
	return p, p.start()
}

func (p *Process) start() error {
	p.command = exec.Command(p.program, "--stream")
	p.command.Stderr = os.Stderr
	var err error
	if p.cases, err = p.command.StdinPipe(); err != nil {
		return err
	}
	output, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	p.answers = bufio.NewReaderSize(output, 1<<20)
	return p.command.Start()
}

// Close ends the program.
func (p *Process) Close() {
	p.cases.Close()
	_ = p.command.Wait()
}

// Ask lets Loadline replay a case. A program that crashes or does not answer is a divergence, and is started anew.
func (p *Process) Ask(c *recording.Case) (*Answer, error) {
	text, err := recording.Marshal(c)
	if err != nil {
		return nil, err
	}
	slow := time.AfterFunc(patience, func() { _ = p.command.Process.Kill() })
	defer slow.Stop()
	_, unwritten := p.cases.Write(append(text, '\n'))
	line, unread := p.answers.ReadBytes('\n')
	if unwritten != nil || unread != nil {
		p.Close()
		end := p.command.ProcessState.String()
		if err := p.start(); err != nil {
			return nil, err
		}
		return &Answer{Name: c.Name, Divergences: []Divergence{{What: "crash", Expected: "an answer", Actual: end}}}, nil
	}
	answer := &Answer{}
	if err := json.Unmarshal(line, answer); err != nil {
		return nil, fmt.Errorf("%s answers %q: %w", p.program, line, err)
	}
	return answer, nil
}
