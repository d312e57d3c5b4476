// What main/ tells delivery about this installation, once per process.

export type DeliverySettings = {
  /** Where bounces come back to (`b+<token>@…`); without it, to the sender's own address. */
  bounceDomain: string | undefined;
  /** False with the built-in inbox, which lets anyone send as anybody. */
  needsVerifiedSender: boolean;
};

let settings: DeliverySettings | undefined;

export function configureDelivery(value: DeliverySettings): void {
  settings = value;
}

export function deliverySettings(): DeliverySettings {
  if (!settings) throw new Error('configureDelivery has not been called');
  return settings;
}
