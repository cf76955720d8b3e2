// Package certs gives the webhooks a certificate that the API server trusts. Nothing else has
// to be installed for that.
//
//	          every ten seconds, every replica
//	Keeper ───────────────────────────────────▶ Secret: CA and serving pair
//	  │                                           │ Judge: good? else Make another
//	  │                                           ▼
//	  ├──▶ caBundle of the two WebhookConfigurations
//	  └──▶ GetCertificate: what is served
//
// A CA signs one serving certificate, and then its key is thrown away. So a renewal makes a
// new CA, too. The bundle keeps the old CA while that is valid, because other replicas serve
// its certificate for another moment. A replica serves a new certificate only at a look that
// finds the new CA already in the bundles. So it serves it one look after the CA was put
// there. Only the very first certificate is served at once.
//
// The first replica to write makes the Secret. The server refuses the writes of the others,
// which then read it.
//
// # Concurrency
//
// A Keeper looks from one goroutine: first from the webhook server's, before it serves,
// and then from the manager's. GetCertificate may be called from any.
//
// # Testing
//
// Make and Judge are functions of their arguments, and have tables of times and names. The
// tests of the Keeper use a fake client in a synctest bubble. In the tests of the operator a
// real API server calls the webhooks.
package certs
