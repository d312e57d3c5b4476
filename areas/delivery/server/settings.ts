// The installation's settings for delivery, which are set once per process.

export type DeliverySettings = {
  /** Domain of return paths (`b+<token>@…`); if unset, bounces go to the sender's address. */
  bounceDomain: string | undefined;
  /**
   * Whether return paths use the sending domain's own host if it is verified, to align with SPF
   * (DMARC).
   */
  alignsReturnPath?: boolean;
  /** False with the built-in inbox, which accepts any sender. */
  needsVerifiedSender: boolean;
  /** Whether the built-in inbox accepts email of accounts that have no relays of their own. */
  hasInbox?: boolean;
};

let settings: DeliverySettings | undefined;

export function configureDelivery(value: DeliverySettings): void {
  settings = value;
}

export function deliverySettings(): DeliverySettings {
  if (!settings) throw new Error('configureDelivery has not been called');
  return settings;
}
