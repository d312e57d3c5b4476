// The demo's SMS campaigns: one per quarter, each with a different text, all from one sender.
import { compileSms } from '#areas/content/server/index.ts';
import { suppressionHash } from '#areas/subscribers/server/index.ts';
import { renderPreview } from '#areas/sms/server/message-text.ts';
import { freezeSms } from '#areas/sms/server/adapter.ts';
import { findOwnedNumbers } from '#areas/sms/server/phone-owners.sql.ts';
import { createPhone } from '#areas/sms/server/phones.ts';
import { updatePhone } from '#areas/sms/server/phones.sql.ts';
import { decodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { insertFinishedMessage } from './campaigns.sql.ts';
import { insertSuppressions, type DemoHistory } from './history.sql.ts';
import { ACCOUNT } from './shop.ts';
import * as store from './sms.sql.ts';

const DAY_MS = 86_400_000;
const RHYTHM_DAYS = 88;
/** Toll-free numbers that are reserved for fiction. */
const NUMBERS = Array.from({ length: 100 }, (_, i) => `+183355501${String(i).padStart(2, '0')}`);
const NAME = 'HarbourTea';

/** Link targets of the SMS, in the same order. */
const PATHS = 'sale evening tea/darjeeling delivery gifts thanks fog caddy'.split(' ');

export async function insertSmsHistory(
  tx: Tx,
  history: DemoHistory,
  publicUrl: string,
): Promise<void> {
  const sender = await openSender(tx, history);
  const campaigns: store.PastSms[] = [];
  const messages = history.texts.sms.map(([title = '', text = ''], index) => ({
    title,
    text: `${text} ${ACCOUNT.website}/${PATHS[index] ?? ''}`,
  }));
  for (const [index, { title, text }] of messages.entries()) {
    const age = (messages.length - 1 - index) * RHYTHM_DAYS + 5;
    const sentAt = new Date(history.now.getTime() - age * DAY_MS);
    const row = await store.insertSmsCampaign(tx, history, { title, text, ...sender, sentAt });
    const source = await freezeSms(tx, row, publicUrl);
    const { links } = compileSms(source.words);
    const { messageId } = await insertFinishedMessage(
      tx,
      history,
      { kind: 'sms_campaign', channel: 'sms', sourceId: row.id, sentAt },
      () => ({ frozen: { text: source }, links }),
    );
    const { shown } = await renderPreview(
      tx,
      history.accountId,
      source.words,
      undefined,
      publicUrl,
    );
    const sms = { campaignId: row.id, messageId, sentAt, parts: shown.parts };
    await store.setMessageOfSms(tx, history, sms);
    campaigns.push(sms);
  }
  await store.insertSmsDraft(tx, history, {
    text: messages[0]?.text ?? '',
    ...sender,
    title: history.texts.smsDraft,
  });
  await store.insertSmsLedger(tx, history, campaigns);
  const lostSubscribers = await store.insertReplies(tx, history, sender.phoneId);
  await insertSuppressions(
    tx,
    history,
    'sms',
    lostSubscribers.map(({ email_key, ...one }) => ({ ...one, hash: suppressionHash(email_key) })),
  );
}

/** Opens a sender: a number reserved for fiction or, once all of them are in use, a name. */
async function openSender(tx: Tx, { accountId, now, texts: { useCase } }: DemoHistory) {
  const ownedNumbers = await findOwnedNumbers(tx, NUMBERS);
  const number = NUMBERS.find((number) => !ownedNumbers.has(number));
  const sender = number
    ? ({ kind: 'toll_free', value: number } as const)
    : ({ kind: 'alphanumeric', value: NAME } as const);
  const phone = await createPhone(tx, accountId, { ...sender, useCase }, 'built_in');
  const phoneId = decodeId('phone', phone.id) as number;
  await updatePhone(tx, accountId, phoneId, { status: 'active', modified_at: now });
  return { sender: phone.value, phoneId };
}
