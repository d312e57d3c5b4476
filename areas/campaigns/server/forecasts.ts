// The forecast of a campaign. For a draft, it is computed on request; when sending starts, it is
// stored, and is read from then on.
import {
  resolveWavesNow,
  resolveAudience,
  hasLaterParts,
  readChosen,
  requireDraft,
  setSegments,
  excludeHoldout,
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
import { getCampaignRow } from './campaigns.ts';
import { TABLES } from './campaigns.sql.ts';
import type { CampaignAdapter } from './adapter.ts';
import { recipientsAdapter } from './recipients.ts';

const ADAPTER = { ...recipientsAdapter, area: 'campaigns' };
/** Time limit of the counting statements, which may continue after their request has ended. */
const STATEMENT_MS = 60_000;

export async function forecastDraft(
  db: Db,
  accountId: number,
  id: number,
): Promise<{ data: CampaignForecast | null; counting: boolean }> {
  const row = await getCampaignRow(db, accountId, id);
  requireDraft(row);
  return countForecast(accountId, `${id}/${row.revision}`, () =>
    inTransaction(
      db,
      async (tx) => {
        const campaign = await getCampaignRow(tx, accountId, id);
        const audience = await resolveAudience(tx, recipientsAdapter, campaign);
        const remainingAudience = await excludeHoldout(tx, recipientsAdapter, campaign, audience);
        const timedAudience = await resolveWavesNow(tx, ADAPTER, campaign, remainingAudience);
        return forecastAudience(tx, accountId, {
          ...{ audience: timedAudience ?? remainingAudience, isTimed: timedAudience !== undefined },
          hasLaterParts: await hasLaterParts(tx, recipientsAdapter, campaign),
          ...{ asOf: clock.now(), seed: id, from: campaign.from_email },
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
  const { message_id: lead } = await getCampaignRow(db, accountId, id);
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
  requireDraft(await getCampaignRow(tx, accountId, id));
  const segmentId = await ensureSegment(tx, caller, undefined, [inactive(months)]);
  const segments = await readChosen(tx, TABLES, 'segments', accountId, [id]);
  const excludedIds = segments.filter((row) => row.is_excluded).map((row) => row.id);
  const choice = { id, isExcluded: true };
  await setSegments(tx, adapter, accountId, choice, [...excludedIds, segmentId], revision);
}
