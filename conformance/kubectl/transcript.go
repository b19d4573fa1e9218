// Package kubectl runs the commands that were recorded with three versions of kubectl, in their order, and compares exit codes, and what they print
// where that is always the same.
package kubectl

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed transcripts
var transcripts embed.FS

// command is one recorded call of kubectl.
type command struct {
	name      string
	arguments []string
	exit      string   // a number, or "killed": it had not ended in time
	output    []string // lines it prints, where they are the same each time
}

// readTranscript reads a version's commands. Each is a block of lines: its name, "$ kubectl ARGUMENT…", "exit CODE", and "> LINE" for what it prints.
func readTranscript(version string) ([]*command, error) {
	text, err := transcripts.ReadFile("transcripts/" + version + ".txt")
	if err != nil {
		return nil, err
	}
	var commands []*command
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		c, err := parseBlock(strings.Split(block, "\n"))
		if err != nil {
			return nil, fmt.Errorf("transcript of %s: %w", version, err)
		}
		commands = append(commands, c)
	}
	return commands, nil
}

func parseBlock(lines []string) (*command, error) {
	if len(lines) < 3 {
		return nil, fmt.Errorf("%q is no command", lines)
	}
	words, isCall := strings.CutPrefix(lines[1], "$ kubectl ")
	exit, hasExit := strings.CutPrefix(lines[2], "exit ")
	if !isCall || !hasExit {
		return nil, fmt.Errorf("%q is no command", lines)
	}
	c := &command{name: lines[0], arguments: strings.Fields(words), exit: exit}
	for _, line := range lines[3:] {
		c.output = append(c.output, strings.TrimPrefix(line, "> "))
	}
	return c, nil
}
