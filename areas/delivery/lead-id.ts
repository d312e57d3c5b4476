// The lead of a campaign's messages, stored with the campaign. A campaign with an experiment has
// several messages, and the lead is only one of them. So figures of a campaign must never be read
// from its lead alone.
declare const isLead: unique symbol;

/** A type other than number, so that code has to use `findMessagesByLead` to get a campaign's messages. */
export interface LeadId {
  readonly [isLead]: true;
}

/** The first message of a campaign becomes its lead. */
export const leadIdOf = (messageId: number): LeadId => messageId as unknown as LeadId;

/** Returns the id of the lead as a single message, without the other messages of its campaign. */
export const messageIdOf = (lead: LeadId): number => lead as unknown as number;
