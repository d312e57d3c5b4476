// Call for the placement of one campaign's copies in seed mailboxes.
import { z } from 'zod';
import { type Mailbox, MAILBOXES } from '#areas/subscribers/shared.ts';
import { dataResponse, Day, defineCalls, itemRoutes } from '#platform/contract.ts';
import type { Kind } from '#platform/ids.ts';

const Copies = z.number().int();

/** Copies of one campaign in the seed mailboxes at one mailbox provider, by where they landed. */
export const CampaignPlacement = z.object({
  mailbox: z.enum(Object.keys(MAILBOXES) as [Mailbox, ...Mailbox[]]),
  inbox: Copies,
  /** The copies in a tab of the inbox. */
  category: Copies,
  spam: Copies,
  missing: Copies,
  /** The copies in mailboxes that could not be searched. */
  unknown: Copies,
  /** The copies that have not been found yet but will be searched for again. */
  waiting: Copies,
});
export type CampaignPlacement = z.infer<typeof CampaignPlacement>;

export const CampaignEvidence = z.object({
  /** The placements by mailbox provider; empty without seed mailboxes. */
  placements: z.array(CampaignPlacement),
  /**
   * The day with the highest spam rate at Gmail, according to Postmaster Tools; null without data.
   */
  gmail: z.object({ spam_rate: z.number(), day: Day }).nullable(),
});
export type CampaignEvidence = z.infer<typeof CampaignEvidence>;

export function placementCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    getPlacement: {
      method: 'GET',
      path: itemPath('placement'),
      caller: 'account',
      summary: 'Get the placement of a campaign',
      description:
        "Returns where the copies for seed mailboxes landed, and the campaign's highest daily spam rate at Gmail. Both are only hints: seed mailboxes never open or click, and Gmail reports only large campaigns.",
      params,
      response: dataResponse(CampaignEvidence),
    },
  });
}
