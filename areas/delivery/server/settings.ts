// What main/ tells delivery about this installation, once per process.

export type DeliverySettings = {
  /** Where bounces come back to (`b+<token>@…`); without it, to the sender's own address. */
  bounceDomain: string | undefined;
  /** Return paths are written with the sending domain's own host where it points here (DMARC). */
  alignsReturnPath?: boolean;
  /** False with the built-in inbox, which lets anyone send as anybody. */
  needsVerifiedSender: boolean;
  /** The built-in inbox takes what has no relay of its account's own. */
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
