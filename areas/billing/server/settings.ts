// Settings of billing, which main/ passes at startup: whether billing is enabled, the catalog, and
// the gateway.

import { AppError } from '#platform/server/errors.ts';
import type { BillingCatalog } from './catalog.ts';
import type { Gateway } from './gateway-provider.ts';
import type { VatCheck } from './vat-provider.ts';

export type BillingSettings = {
  mode: 'off' | 'test' | 'braintree' | 'stripe';
  catalog: BillingCatalog;
  /** Undefined only with billing disabled. */
  gateway: Gateway | undefined;
  publicUrl: string;
  checkVat: VatCheck;
  /** Lower-case email addresses with access to the operator's page. */
  operators: readonly string[];
};

let settings: BillingSettings | undefined;

export function configureBilling(value: BillingSettings): void {
  settings = value;
}

export function billingSettings(): BillingSettings {
  if (!settings) throw new Error('configureBilling has not been called');
  return settings;
}

/**
 * Returns the gateway.
 * @throws AppError billing_off
 */
export function requireGateway(): Gateway {
  const { gateway, mode } = billingSettings();
  if (mode === 'off' || !gateway) throw new AppError('billing_off');
  return gateway;
}

export function isOn(): boolean {
  return billingSettings().mode !== 'off';
}
