//go:build invariants && !race

#include "textflag.h"

// func self() uint64
TEXT ·self(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
