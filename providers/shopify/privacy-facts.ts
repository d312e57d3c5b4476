// Shopify's mandatory privacy webhooks. An app that several stores use receives them at one
// address, and each webhook names its store.
import { type PrivacyRequest, readObject, readText } from '#areas/stores/server/index.ts';
import { readGidNumber } from './shared-facts.ts';

const KIND_BY_TOPIC: Readonly<Record<string, PrivacyRequest['kind']>> = {
  'customers/data_request': 'customer_data',
  'customers/redact': 'customer_redaction',
  'shop/redact': 'shop_redaction',
};

export const PRIVACY_TOPICS = Object.keys(KIND_BY_TOPIC);

/** Returns undefined if the topic is not a privacy request. */
export function readPrivacyRequest(
  topic: string,
  body: Record<string, unknown>,
): PrivacyRequest | undefined {
  const kind = Object.hasOwn(KIND_BY_TOPIC, topic) ? KIND_BY_TOPIC[topic] : undefined;
  if (!kind) return undefined;
  const customer = readObject(body.customer);
  return {
    kind,
    shopHost: readText(body.shop_domain, 255)?.toLowerCase() ?? null,
    customer: {
      remoteId: readGidNumber(customer.id),
      email: readText(customer.email, 320),
    },
  };
}
