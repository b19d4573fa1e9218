package operators

// Case is an object and what happens to it.
type Case struct {
	Seed   int64          `json:"seed"`
	Object map[string]any `json:"object"`
	Steps  []Step         `json:"steps,omitempty"`
}

// Step is one thing that happens: to the object, to pods as a kubelet reports it, or to what an operator asks besides.
type Step struct {
	// Do is one of:
	//   run      pods that wait are bound, and are Running and Ready
	//   succeed  all containers of running pods end with code 0
	//   fail     the container ends with this code, and others with 0; restart policies are respected
	//   evict    pods are Failed, with the reason Evicted
	//   delete   pods are deleted
	//   patch    the object is changed, by a merge patch
	//   ray      the dashboard of Ray says that the job has this status
	//   wait     time goes by
	Do        string         `json:"do"`
	Container string         `json:"container,omitempty"`
	Code      int            `json:"code,omitempty"`
	Patch     map[string]any `json:"patch,omitempty"`
	Status    string         `json:"status,omitempty"`
	Seconds   int            `json:"seconds,omitempty"`

	// Pods are names as recordings know them. A generator cannot know them: it says which ones it means, and they are found when the step is played
	// for the first time.
	Pods   []string `json:"pods,omitempty"`
	choose *choice
}

// choice says which pods a step means: of those that live and have the labels, in the order of their names, all, or the one with this number modulo how
// many there are.
type choice struct {
	labels string
	all    bool
	number int
}

// State is what there is once things are quiet after a step: objects by kind and name, as they were normalised. The events are those that are new.
type State struct {
	Objects map[string]any
	Events  []string
}

// Outcome is what became of a case.
type Outcome struct {
	Case
	Refused  string   // what the server said, if it did not take the object
	States   []State  // after creation, then after each step
	Maybe    []string // events that come in some runs only, or at another time
	Restless bool     // something went on changing
}
