// Settings of the installation for delivery, set by main/ once per process.

export type DeliverySettings = {
  /** Domain for bounces (`b+<token>@…`); without it, bounces go to the sender's own address. */
  bounceDomain: string | undefined;
  /** Return paths use the sending domain's own host if it points here (DMARC). */
  alignsReturnPath?: boolean;
  /** False with the built-in inbox, which accepts any sender. */
  needsVerifiedSender: boolean;
  /** The built-in inbox accepts email of accounts without their own relay. */
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
