package builder

// LedgerOptionsFor is ledgerOptions.
var LedgerOptionsFor = ledgerOptions
