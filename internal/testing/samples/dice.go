package samples

import "math/rand/v2"

// Dice make random choices.
type Dice struct{ *rand.Rand }

// NewDice returns the dice of a seed.
func NewDice(seed uint64) Dice { return Dice{rand.New(rand.NewPCG(seed, 0))} }

// OneOf returns one of the values.
func (d Dice) OneOf(values ...any) any { return values[d.IntN(len(values))] }

// Often is true two times out of three.
func (d Dice) Often() bool { return d.IntN(3) > 0 }

// Seldom is true one time out of eight.
func (d Dice) Seldom() bool { return d.IntN(8) == 0 }
