// Chooses the payment gateway that charges cards. The test gateway is allowed outside production
// only.
import type { FastifyPluginAsync } from 'fastify';
import type { Gateway } from '#areas/billing/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { braintreeGateway } from '#providers/braintree/index.ts';
import { stripe } from '#providers/stripe/index.ts';
import { openLedger, testGateway, testGatewayPlugin } from '#providers/test-gateway/index.ts';

/** Returns undefined if no plans are sold. */
export function paymentGateway({ billing, publicUrl, port }: Config): Gateway | undefined {
  if (billing.stripe) return stripe({ ...billing.stripe, returnUrl: `${publicUrl}/thank-you` });
  if (billing.braintree) return braintreeGateway(billing.braintree);
  if (billing.mode === 'off') return undefined;
  return testGateway({ baseUrl: billing.testGatewayUrl ?? `http://127.0.0.1:${port}` });
}

/** Returns the test gateway's pages and API, which run in the web process. */
export async function createTestGatewayRoutes({
  billing,
  dataDir,
  port,
}: Config): Promise<FastifyPluginAsync[]> {
  if (billing.mode !== 'test') return [];
  const hooks = `http://127.0.0.1:${port}/hooks/billing/test`;
  return [testGatewayPlugin({ ledger: await openLedger(dataDir), hooks })];
}
