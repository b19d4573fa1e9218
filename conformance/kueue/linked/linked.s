// Functions without a body, as those of linked.go, are allowed beside a file of assembler.
