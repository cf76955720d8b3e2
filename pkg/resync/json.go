package resync

import (
	"encoding/json"
	"time"
)

// MarshalJSON has durations, the Spread and the Selector as text, and leaves out what the policy
// has no opinion on.
func (p Policy) MarshalJSON() ([]byte, error) {
	said := struct {
		Period                 string   `json:"period,omitempty"`
		Jitter                 float64  `json:"jitter,omitempty"`
		Spread                 string   `json:"spread,omitempty"`
		Rate                   float64  `json:"rate,omitempty"`
		Selector               string   `json:"selector,omitempty"`
		Namespaces             []string `json:"namespaces,omitempty"`
		Except                 []string `json:"except,omitempty"`
		OnlyIfNotReconciledFor string   `json:"onlyIfNotReconciledFor,omitempty"`
		AsUpdate               bool     `json:"asUpdate,omitempty"`
	}{
		Period: spoken(p.Period), Jitter: p.Jitter, Rate: p.Rate, Namespaces: p.Namespaces, Except: p.Except,
		OnlyIfNotReconciledFor: spoken(p.OnlyIfNotReconciledFor), AsUpdate: p.AsUpdate,
	}
	if p.Spread == AllAtOnce {
		said.Spread = "AllAtOnce"
	}
	if p.Spread == OverPeriod {
		said.Spread = "OverPeriod"
	}
	switch {
	case p.Selector == nil:
	case p.Selector.String() != "":
		said.Selector = p.Selector.String()
	case p.Selector.Empty():
		said.Selector = "(everything)"
	default:
		said.Selector = "(nothing)"
	}
	return json.Marshal(said)
}

func spoken(d time.Duration) string {
	switch d {
	case 0:
		return ""
	case Never:
		return "never"
	default:
		return d.String()
	}
}
