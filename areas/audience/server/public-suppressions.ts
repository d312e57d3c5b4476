// The suppression calls of the public API.
import { type Channel, mayBeLifted } from '#areas/subscribers/shared.ts';
import {
  findSuppression,
  liftSuppression,
  suppressAddresses,
  readSuppressions,
  type Suppression,
} from '#areas/subscribers/server/index.ts';
import { afterCommit, type Reader, type Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { type Caller, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { inSavepoint } from '#platform/server/database/savepoint.sql.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { formatV2Time } from '#platform/v2-contract.ts';
import { type PublicSuppression, publicSuppressionCalls } from '../public-suppressions-contract.ts';
import { clearCounts } from './list.ts';

export const publicSuppressionRoutes: Route[] = createRoutes('audience', publicSuppressionCalls, {
  listSuppressions: async ({ tx, caller, request, query: { list, address, ...by } }) => {
    const options = { ...list, search: address };
    return presentPage(
      request,
      await readSuppressions(tx, caller.accountId, options, by),
      (suppression) => present(suppression, by.channel),
    );
  },
  getSuppression: async ({ tx, caller, params: { address }, query: { channel } }) => {
    const suppression = await requireListed(tx, caller, channel, address);
    // A caller who sent the address gets it in the response; the stored hash does not reveal it.
    const addressIfSent = address === suppression.hash ? {} : { address };
    return { ...present(suppression, channel), ...addressIfSent };
  },
  addSuppressions: async ({ tx, caller, body: { addresses, ...details } }) => {
    const data = await suppressAddresses(tx, caller.accountId, addresses, {
      ...details,
      enteredBy: 'api',
    });
    afterCommit(() => clearCounts(caller.accountId));
    return { success: true as const, message: `${data.added} addresses were added`, data };
  },
  removeSuppressions: async ({ tx, caller, body: { addresses, channel } }) => {
    const data = {
      removed: [] as string[],
      kept: [] as RetainedSuppression[],
      not_listed: [] as string[],
    };
    const t = serverTexts('audience', caller.language);
    for (const address of new Set(addresses)) {
      const suppression = await findSuppression(tx, caller.accountId, channel, address);
      const code = suppression && (await retentionReason(tx, caller, channel, suppression));
      if (!suppression) data.not_listed.push(address);
      else if (code === undefined) data.removed.push(address);
      else data.kept.push({ address, reason: suppression.reason, message: t(`errors.${code}`) });
    }
    return {
      success: true as const,
      message: `${data.removed.length} addresses were removed`,
      data,
    };
  },
  removeSuppression: async ({ tx, caller, params: { address }, query: { channel } }) => {
    const suppression = await requireListed(tx, caller, channel, address);
    await lift(tx, caller, channel, suppression);
    return { success: true as const, message: 'The address may be written to again' };
  },
});

type RetainedSuppression = { address: string; reason: Suppression['reason']; message: string };

const present = (
  { hash, reason, at, subscriber }: Suppression,
  channel: Channel,
): PublicSuppression => ({
  id: hash,
  address: subscriber?.address ?? null,
  channel,
  reason,
  may_be_removed: mayBeLifted(reason),
  created: formatV2Time(at.toISOString()),
});

async function requireListed(db: Reader, caller: Caller, channel: Channel, address: string) {
  const suppression = await findSuppression(db, caller.accountId, channel, address);
  if (!suppression) throw notFound();
  return suppression;
}

async function lift(
  tx: Tx,
  caller: Caller,
  channel: Channel,
  { hash }: Suppression,
): Promise<void> {
  await liftSuppression(tx, caller.accountId, { channel, hash }, caller.userId);
  afterCommit(() => clearCounts(caller.accountId));
}

/** Returns the code of the reason why the entry remains; undefined if it was removed. */
async function retentionReason(tx: Tx, caller: Caller, channel: Channel, suppression: Suppression) {
  try {
    await inSavepoint(tx, () => lift(tx, caller, channel, suppression));
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}
