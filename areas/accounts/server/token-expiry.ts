// Notifies the owner a week before an API token expires, once per token and validity period.
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { tokenExpiring } from './events.ts';
import { forEachAccount } from './for-each-account.ts';
import { claimExpiringTokens } from './settings.sql.ts';

const NOTICE_MS = 7 * 86_400_000;

export const tokenExpiryPoller: Poller = {
  name: 'accounts.token-expiry',
  intervalMs: 3_600_000,
  run: (db, signal) =>
    forEachAccount(db, signal, (accountId) =>
      inTransaction(db, async (tx) => {
        const at = clock.now();
        const noticeBefore = new Date(at.getTime() + NOTICE_MS);
        for (const token of await claimExpiringTokens(tx, accountId, { at, until: noticeBefore })) {
          const { id: tokenId, title, expires_at: expiresAt } = token;
          if (expiresAt) await tokenExpiring.announce(tx, { accountId, tokenId, title, expiresAt });
        }
      }),
    ),
};
