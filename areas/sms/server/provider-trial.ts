// Tests an account's own provider with one SMS, sent immediately and outside the ledger. Returns
// the provider's response.

import { measure } from '#areas/content/text-parts.ts';
import type {
  HandoffResult,
  RelayConnection,
  RelayState,
  HandoffSource,
  SmsHandoff,
} from '#areas/delivery/server/sender/index.ts';
import { parsePhone } from '#areas/subscribers/server/index.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { ProviderHealth } from '../providers-limits.ts';
import { buildReceiptUrl } from './channel.ts';
import { saveProviderHealth } from './own-providers.sql.ts';
import { getProviderRow } from './own-providers.ts';
import { openOwnRelay } from './own-relays.ts';
import { findPhone } from './phones.sql.ts';
import type { ProviderKinds } from './provider-kinds.ts';

const TIMEOUT_MS = 20_000;
const MAX_REPLY = 500;

type ProviderTest = { id: number; from: number; to: string; publicUrl: string };
type Tester = Pick<Caller, 'accountId' | 'language'>;

export async function testOwnProvider(
  db: Db,
  providerKinds: ProviderKinds,
  { accountId, language }: Tester,
  { id, from, to, publicUrl }: ProviderTest,
): Promise<{ accepted: boolean; reply: string }> {
  const row = await getProviderRow(db, accountId, id);
  const phone = await findPhone(db, accountId, from);
  if (phone?.status !== 'active') throw new AppError('phone_not_active');
  const number = parsePhone(to);
  if (typeof number === 'string') throw invalid({ to: [`errors.${number}`] });
  const text = serverTexts('sms', language)('providerTest', { provider: row.title });
  const handoff = buildTrialText(accountId, publicUrl, {
    from: phone.value,
    to: number.phone,
    text,
  });
  const { accepted, reply } = await attempt(
    (source) => openOwnRelay(db, providerKinds, row)(source),
    handoff,
  );
  const shortReply = reply.slice(0, MAX_REPLY).toWellFormed();
  await saveProviderHealth(db, accountId, id, {
    state: accepted ? 'ready' : (row.health as ProviderHealth),
    ...{ code: null, reply: shortReply || null, at: clock.now() },
  });
  return { accepted, reply: shortReply };
}

function buildTrialText(
  accountId: number,
  publicUrl: string,
  { from, to, text }: { from: string; to: string; text: string },
): SmsHandoff {
  const { encoding, parts } = measure(text);
  // The reference belongs to no message, so later receipts have no effect.
  const reference = getInstallationTokens().make(
    { account: accountId, message: 0, subscriber: 0, ordinal: 0 },
    'messageId',
  );
  return {
    ...{ accountId, from, to, text, parts, reference },
    encoding: encoding === 'GSM-7' ? 'gsm7' : 'ucs2',
    callbackUrl: buildReceiptUrl(publicUrl, reference),
    expiresAt: undefined,
  };
}

/** Sends one SMS. Connection failures, refusals and a timeout are returned, not thrown. */
async function attempt(
  openRelay: (source: HandoffSource<SmsHandoff>) => RelayConnection,
  handoff: SmsHandoff,
): Promise<{ accepted: boolean; reply: string }> {
  let waiting: SmsHandoff | null = handoff;
  let relay: RelayConnection | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      const end = (reply?: HandoffResult) =>
        resolve({ accepted: reply?.outcome === 'accepted', reply: reply?.reply ?? '' });
      const source: HandoffSource<SmsHandoff> = {
        countReady: () => (waiting ? 1 : 0),
        next: () => {
          const pending = waiting;
          waiting = null;
          return pending;
        },
        onResult: (_, reply) => end(reply),
        onStateChange: (state: RelayState) => {
          if (state.kind !== 'ready' && waiting) end(state.result);
        },
      };
      timer = setTimeout(() => end(), TIMEOUT_MS);
      relay = openRelay(source);
      relay.wake();
    });
  } catch (error) {
    return { accepted: false, reply: (error as Error).message };
  } finally {
    clearTimeout(timer);
    await relay?.close(1_000);
  }
}
