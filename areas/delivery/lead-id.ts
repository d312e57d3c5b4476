// The ID of the lead of a campaign's messages, which the campaign stores. A campaign with an experiment
// has several messages, so figures of a campaign must never be read from its lead alone.
declare const isLead: unique symbol;

/** A type other than number, so that code must use `findMessagesByLead` to get a campaign's messages. */
export interface LeadId {
  readonly [isLead]: true;
}

/** Returns the lead ID of a message that is the first one of its campaign, or its only one. */
export const leadIdOf = (messageId: number): LeadId => messageId as unknown as LeadId;

/** Returns the message ID of the lead, for code that concerns only this message of the campaign. */
export const messageIdOf = (lead: LeadId): number => lead as unknown as number;
