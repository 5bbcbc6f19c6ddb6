// Package sabika is a client of Sabika: buying and selling physical-backed 24K gold over mutual TLS,
// with signed orders that can be repeated safely, and webhooks. See README.md.
package sabika
