// The demo's SMS campaigns: one a quarter, each a different text, from one sender.
import { compileText } from '#areas/content/server/index.ts';
import { suppressionHash } from '#areas/subscribers/server/index.ts';
import { frozenOf } from '#areas/sms/server/owner.ts';
import { ownedAmong } from '#areas/sms/server/phone-owners.sql.ts';
import { createPhone } from '#areas/sms/server/phones.ts';
import { updatePhone } from '#areas/sms/server/phones.sql.ts';
import { decodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { insertFinishedMessage } from './campaigns.sql.ts';
import { insertSuppressions, type Past } from './history.sql.ts';
import * as store from './sms.sql.ts';

const DAY_MS = 86_400_000;
const RHYTHM_DAYS = 88;
/** Toll-free numbers that are reserved for fiction. */
const NUMBERS = Array.from({ length: 100 }, (_, at) => `+183355501${String(at).padStart(2, '0')}`);
const NAME = 'HarbourTea';

const TEXTS: { title: string; text: string }[] = [
  {
    title: 'Spring sale',
    text: 'Hi {{firstname | default: "there"}}, every tin is 20% off until Sunday: https://harbourtea.example/sale',
  },
  {
    title: 'Tasting evening',
    text: 'Six oolongs, twelve chairs, Thursday at seven. Book yours: https://harbourtea.example/evening',
  },
  {
    title: 'Back in stock',
    text: 'Darjeeling first flush is back, {{firstname | default: "friend"}}: https://harbourtea.example/tea/darjeeling',
  },
  {
    title: 'Free delivery',
    text: 'Delivery is on us until Friday: https://harbourtea.example/delivery',
  },
  {
    title: 'Gift boxes',
    text: 'Gifts that fit through a letter box: https://harbourtea.example/gifts',
  },
  {
    title: 'Loyalty thanks',
    text: 'Thank you, {{firstname | default: "friend"}}. Your gift waits in the shop: https://harbourtea.example/thanks',
  },
  {
    title: 'New blend',
    text: 'Smoke, bergamot and a little vanilla. Meet Harbour Fog: https://harbourtea.example/fog',
  },
  { title: 'Last boxes', text: '61 winter caddies are left: https://harbourtea.example/caddy' },
];

export async function insertSmsHistory(tx: Tx, past: Past, publicUrl: string): Promise<void> {
  const sender = await openSender(tx, past);
  const campaigns: store.PastSms[] = [];
  for (const [index, { title, text }] of TEXTS.entries()) {
    const age = (TEXTS.length - 1 - index) * RHYTHM_DAYS + 5;
    const sentAt = new Date(past.now.getTime() - age * DAY_MS);
    const row = await store.insertSmsCampaign(tx, past, { title, text, ...sender, sentAt });
    const source = await frozenOf(tx, row, publicUrl);
    const { links } = compileText(source.words);
    const { messageId } = await insertFinishedMessage(
      tx,
      past,
      { kind: 'sms_campaign', channel: 'sms', sourceId: row.id, sentAt },
      () => ({ frozen: { text: source }, links }),
    );
    const sms = { campaignId: row.id, messageId, sentAt };
    await store.setMessageOfSms(tx, past, sms);
    campaigns.push(sms);
  }
  await store.insertSmsDraft(tx, past, {
    ...(TEXTS[0] as (typeof TEXTS)[0]),
    ...sender,
    title: 'Summer sale (draft)',
  });
  await store.insertSmsLedger(tx, past, campaigns);
  const left = await store.insertReplies(tx, past, sender.phoneId);
  await insertSuppressions(
    tx,
    past,
    'sms',
    left.map(({ email_key, ...one }) => ({ ...one, hash: suppressionHash(email_key) })),
  );
}

/** A number for fiction; once all of them are in use, a name. */
async function openSender(tx: Tx, { accountId, now }: Past) {
  const owned = await ownedAmong(tx, NUMBERS);
  const number = NUMBERS.find((one) => !owned.has(one));
  const sender = number
    ? ({ kind: 'toll_free', value: number } as const)
    : ({ kind: 'alphanumeric', value: NAME } as const);
  const useCase = 'Offers and news of the shop';
  const phone = await createPhone(tx, accountId, { ...sender, useCase }, 'built_in');
  const phoneId = decodeId('phone', phone.id) as number;
  await updatePhone(tx, accountId, phoneId, { status: 'active', modified_at: now });
  return { sender: phone.value, phoneId };
}
