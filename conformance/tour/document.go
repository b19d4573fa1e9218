// Package tour runs docs/tour.md: its commands, in its order, with its manifests, against a cluster of ours; what they print must be what it says.
package tour

import (
	"fmt"
	"regexp"
	"strings"
)

// step is one thing the document does: a manifest it writes, or a command with what it prints.
type step struct {
	line    int      // of the document, from 1
	file    string   // the name of a manifest, whose text is in output; "" for a command
	command string   // for the shell
	output  []string // what the document says is printed
	from    int      // where output begins in the document's lines, from 0
}

const fence = "```"

var namedFile = regexp.MustCompile(`^# ([\w.-]+\.ya?ml)$`)

// parse reads the steps of a document in Markdown: "```yaml" blocks, whose first line is a comment with the file's name, and "```console" blocks of
// "$ COMMAND" lines, each followed by "> " lines that continue it and by what it prints. Other blocks are not run.
func parse(lines []string) ([]*step, error) {
	var steps []*step
	for i := 0; i < len(lines); i++ {
		language, isFence := strings.CutPrefix(lines[i], fence)
		if !isFence {
			continue
		}
		begin := i + 1
		for i++; i < len(lines) && lines[i] != fence; i++ {
		}
		if i == len(lines) {
			return nil, fmt.Errorf("line %d: the block does not end", begin)
		}
		more, err := parseBlock(language, lines[:i], begin)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// parseBlock reads the block that begins at lines[begin] and ends with lines.
func parseBlock(language string, lines []string, begin int) ([]*step, error) {
	switch language {
	case "yaml":
		if begin == len(lines) || !namedFile.MatchString(lines[begin]) {
			return nil, fmt.Errorf("line %d: the first line of a manifest is a comment with its file's name", begin+1)
		}
		return []*step{{line: begin + 1, file: namedFile.FindStringSubmatch(lines[begin])[1], output: lines[begin:], from: begin}}, nil
	case "console":
		return parseConsole(lines, begin)
	}
	return nil, nil
}

func parseConsole(lines []string, begin int) ([]*step, error) {
	var steps []*step
	for i := begin; i < len(lines); i++ {
		if command, isCommand := strings.CutPrefix(lines[i], "$ "); isCommand {
			steps = append(steps, &step{line: i + 1, command: command, from: i + 1})
			continue
		}
		if len(steps) == 0 {
			return nil, fmt.Errorf("line %d: a console begins with a command", i+1)
		}
		last := steps[len(steps)-1]
		if more, continues := strings.CutPrefix(lines[i], "> "); continues && len(last.output) == 0 {
			last.command += "\n" + more
			last.from = i + 1
			continue
		}
		last.output = append(last.output, lines[i])
	}
	return steps, nil
}

// replace puts what was printed in place of what the document said. The steps are in the document's order.
func replace(lines []string, steps []*step, printed map[*step][]string) []string {
	var made []string
	at := 0
	for _, s := range steps {
		output, ran := printed[s]
		if !ran {
			continue
		}
		made = append(append(made, lines[at:s.from]...), output...)
		at = s.from + len(s.output)
	}
	return append(made, lines[at:]...)
}
