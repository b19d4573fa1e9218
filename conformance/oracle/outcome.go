package oracle

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"loadline/conformance/recording"
)

// outcomes are what the real scheduler logs of a group's cycle: the one place where it always says what came out.
var outcomes = map[string]string{
	"Successfully scheduled a pod group":  recording.GroupScheduled,
	"Unable to schedule a pod group":      recording.GroupUnschedulable,
	"Pod group is waiting for preemption": recording.GroupWaiting,
}

// outcomeSink is a log that keeps the outcome and nothing else.
type outcomeSink struct{ outcome *string }

func outcomeLogger(outcome *string) klog.Logger { return logr.New(outcomeSink{outcome}) }

func (s outcomeSink) Info(_ int, message string, _ ...any) {
	if outcome, is := outcomes[message]; is {
		*s.outcome = outcome
	}
}
func (outcomeSink) Init(logr.RuntimeInfo)            {}
func (outcomeSink) Enabled(level int) bool           { return level <= 2 }
func (outcomeSink) Error(error, string, ...any)      {}
func (s outcomeSink) WithValues(...any) logr.LogSink { return s }
func (s outcomeSink) WithName(string) logr.LogSink   { return s }
