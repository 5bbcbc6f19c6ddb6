/**
 * A client of Sabika: buying and selling physical-backed 24K gold over mutual TLS, with signed orders that
 * can be repeated safely, and webhooks. Start with {@link sabika.client.Client}.
 */
package sabika.client;
