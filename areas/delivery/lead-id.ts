// The lead of a campaign's messages, stored with the campaign. With an experiment a campaign has
// several messages: the lead is one of them, so no figure of a campaign is a figure of its lead.
declare const isLead: unique symbol;

/** No number for the compiler: readers get the messages of a campaign by `messagesOf`. */
export interface LeadId {
  readonly [isLead]: true;
}

/** The first message of a campaign becomes its lead. */
export const leadIdOf = (messageId: number): LeadId => messageId as unknown as LeadId;

/** The lead as one message, without the others of its campaign. */
export const messageIdOf = (lead: LeadId): number => lead as unknown as number;
