// Package certs gives the webhooks a certificate that the API server trusts, without
// anything else having to be installed.
//
//	          every ten seconds, every replica
//	Keeper ───────────────────────────────────▶ Secret: CA and serving pair
//	  │                                           │ Judge: good? else Make another
//	  │                                           ▼
//	  ├──▶ caBundle of the two WebhookConfigurations
//	  └──▶ GetCertificate: what is served
//
// The CA signs one serving certificate, and its key is thrown away then; so a renewal
// makes a CA, too. The bundle keeps the CA before it for as long as that is valid, since
// other replicas go on with its certificate for a moment. A certificate is served at the
// first look that finds its CA in the bundles already: a look after it was put there, but
// for the very first.
//
// Whichever replica is first makes the Secret; the others are refused, and read it.
//
// # Concurrency
//
// A Keeper looks from one goroutine: first from the webhook server's, before it serves,
// and then from the manager's. GetCertificate may be called from any.
//
// # Testing
//
// Make and Judge are functions of their arguments, and tables of times and names are
// tried on them. The Keeper is tested on a fake client in a synctest bubble, and in the
// tests of the operator by an API server that calls.
package certs
