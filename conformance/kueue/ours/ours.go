// Package ours asks the child process that answers for our queues.
package ours

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"loadline/conformance/kueue/oracle"
)

// Answer is what loadline-kueue-decisions says about a trace.
type Answer struct {
	Cycles      int          `json:"cycles"`
	Step        int          `json:"step"`
	Differences []Difference `json:"differences"`
	Error       string       `json:"error"`
}

// Difference of one part of a cycle.
type Difference struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
}

// Agrees: nothing differs.
func (a *Answer) Agrees() bool { return a.Error == "" && len(a.Differences) == 0 }

// Child is a running loadline-kueue-decisions.
type Child struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

// Start runs the program of that path.
func Start(path string) (*Child, error) {
	command := exec.Command(path, "--stream")
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	return &Child{command, input, bufio.NewReaderSize(output, 1<<20)}, nil
}

// Ask sends a trace. An error: the child is dead.
func (c *Child) Ask(trace *oracle.Trace) (*Answer, error) {
	text, err := json.Marshal(trace)
	if err != nil {
		return nil, err
	}
	if _, err := c.input.Write(append(text, '\n')); err != nil {
		return nil, fmt.Errorf("it ended: %w", err)
	}
	line, err := c.output.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("it ended: %w", err)
	}
	answer := &Answer{}
	return answer, json.Unmarshal(line, answer)
}

// Close ends it.
func (c *Child) Close() {
	c.input.Close()
	_ = c.command.Wait()
}
