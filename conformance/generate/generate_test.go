package generate

import (
	"bytes"
	"testing"

	"loadline/conformance/admission"
	"loadline/conformance/recording"
)

func TestASeedMakesTheSameClusterAgain(t *testing.T) {
	for seed := int64(1); seed <= 60; seed++ {
		one, err := recording.Marshal(Case(seed))
		if err != nil {
			t.Fatal(err)
		}
		other, err := recording.Marshal(Case(seed))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, other) {
			t.Errorf("seed %d made two clusters", seed)
		}
	}
}

func TestTheAPIServerWouldTakeEveryObject(t *testing.T) {
	for seed := int64(1); seed <= 300; seed++ {
		input := Case(seed)
		admission.Default(input)
		if err := admission.Validate(input); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
