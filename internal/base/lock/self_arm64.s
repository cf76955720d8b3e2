//go:build invariants && !race

#include "textflag.h"

// func self() uint64
TEXT ·self(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET
