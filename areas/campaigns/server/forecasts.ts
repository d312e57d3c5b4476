// The forecast of a campaign: computed on request for a draft, and stored at the start for a sent
// campaign.
import {
  asSentNow,
  resolveAudience,
  hasLaterParts,
  readChosen,
  requireDraft,
  setSegments,
  withoutHoldout,
} from '#areas/broadcasts/server/index.ts';
import {
  countForecast,
  forecastAudience,
  readForecast,
} from '#areas/deliverability/server/index.ts';
import type { CampaignForecast, StoredForecast } from '#areas/deliverability/forecast-contract.ts';
import type { InactiveMonths } from '#areas/deliverability/forecast-shared.ts';
import { toMessageId } from '#areas/delivery/lead-id.ts';
import { inactive, ensureSegment } from '#areas/segments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { campaignRow } from './campaigns.ts';
import { TABLES } from './campaigns.sql.ts';
import type { CampaignAdapter } from './adapter.ts';
import { recipientsAdapter } from './recipients.ts';

const OWN = { ...recipientsAdapter, area: 'campaigns' };
/** Time limit of the counting statements, which may continue after their request has ended. */
const STATEMENT_MS = 60_000;

export async function forecastDraft(
  db: Db,
  accountId: number,
  id: number,
): Promise<{ data: CampaignForecast | null; counting: boolean }> {
  const row = await campaignRow(db, accountId, id);
  requireDraft(row);
  return countForecast(accountId, `${id}/${row.revision}`, () =>
    inTransaction(
      db,
      async (tx) => {
        const current = await campaignRow(tx, accountId, id);
        const audience = await resolveAudience(tx, recipientsAdapter, current);
        const reached = await withoutHoldout(tx, recipientsAdapter, current, audience);
        const timed = await asSentNow(tx, OWN, current, reached);
        return forecastAudience(tx, accountId, {
          ...{ audience: timed ?? reached, isTimed: timed !== undefined },
          hasLaterParts: await hasLaterParts(tx, recipientsAdapter, current),
          ...{ asOf: clock.now(), seed: id, from: current.from_email },
        });
      },
      { statementMs: STATEMENT_MS },
    ),
  );
}

export async function findForecast(
  db: Reader,
  accountId: number,
  id: number,
): Promise<StoredForecast | null> {
  const { message_id: lead } = await campaignRow(db, accountId, id);
  return lead === null ? null : readForecast(db, accountId, toMessageId(lead));
}

/** Adds the segment of subscribers who have been inactive for `months` to the excluded segments. */
export async function excludeInactive(
  tx: Tx,
  adapter: CampaignAdapter,
  caller: Actor,
  id: number,
  { months, revision }: { months: InactiveMonths; revision?: number | undefined },
): Promise<void> {
  const { accountId } = caller;
  requireDraft(await campaignRow(tx, accountId, id));
  const segmentId = await ensureSegment(tx, caller, undefined, [inactive(months)]);
  const chosen = await readChosen(tx, TABLES, 'segments', accountId, [id]);
  const excluded = chosen.filter((row) => row.is_excluded).map((row) => row.id);
  const choice = { id, isExcluded: true };
  await setSegments(tx, adapter, accountId, choice, [...excluded, segmentId], revision);
}
