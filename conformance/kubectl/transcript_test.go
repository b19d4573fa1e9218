package kubectl

import "testing"

// TestTranscripts: each version has the whole list, with the same commands in the same order.
func TestTranscripts(t *testing.T) {
	const commands = 118
	first, err := readTranscript("1.20")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		list, err := readTranscript(v.name)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != commands {
			t.Errorf("%s has %d commands, not %d", v.name, len(list), commands)
		}
		for i := range list {
			if list[i].name != first[i].name {
				t.Errorf("%s: command %d is %s, not %s", v.name, i, list[i].name, first[i].name)
			}
		}
	}
}

func TestDifference(t *testing.T) {
	c := &command{exit: "0", output: []string{"pod/p created"}}
	for _, test := range []struct {
		actual result
		same   bool
	}{
		{result{exit: "0", output: "pod/p created\n"}, true},
		{result{exit: "0", output: "pod/p unchanged\n"}, false},
		{result{exit: "1", output: "pod/p created\n"}, false},
		{result{exit: "killed", output: "pod/p created\n"}, false},
	} {
		if difference := c.difference(&test.actual); (difference == "") != test.same {
			t.Errorf("%+v: %q", test.actual, difference)
		}
	}
}
