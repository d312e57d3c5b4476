// The ID of a campaign's lead, the first of its messages and the only one whose ID it stores. A
// campaign with an experiment has several messages, so a campaign's statistics must never be read
// from its lead alone.
declare const isLead: unique symbol;

/**
 * Not a plain number, so that code must use `findMessagesByLead` to get a campaign's messages.
 */
export interface LeadId {
  readonly [isLead]: true;
}

const isNumber = (id: unknown): id is LeadId => typeof id === 'number';

/** Returns the lead ID of a message that is the first or only one of its campaign. */
export function toLeadId(messageId: number): LeadId {
  const id: unknown = messageId;
  if (!isNumber(id)) throw new TypeError('A message ID is a number');
  return id;
}

/** Returns the message ID of the lead, for code that concerns only this message of the campaign. */
export function toMessageId(lead: LeadId): number {
  if (typeof lead !== 'number') throw new TypeError('A lead ID is a number');
  return lead;
}
