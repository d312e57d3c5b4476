// Queues one transactional SMS to one number in the transaction of the call, shows its state, and
// lists the titles that group SMS statistics. Numbers that opted out are accepted too and skipped
// when the SMS is due.
import {
  compileSms,
  createRenderMoment,
  toSubscriberValues,
  type MergeValues,
} from '#areas/content/server/index.ts';
import { SYSTEM_TAGS } from '#areas/content/shared.ts';
import { measure, MAX_PARTS } from '#areas/content/text-parts.ts';
import {
  readSingleSms,
  readTransactionalSms,
  type SingleSms,
  sendOne,
} from '#areas/delivery/server/ledger/index.ts';
import { accountHasOwnSenders } from '#areas/delivery/server/sender/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { canReach } from '#areas/sms/shared.ts';
import { createAutomatedSms, findSmsSender } from '#areas/sms/server/index.ts';
import { findSubscriber, parsePhone, findPhoneCountry } from '#areas/subscribers/server/index.ts';
import { SHORT_CODE_LENGTH } from '#areas/tracking/shared.ts';
import type { ListRequest } from '#platform/contract.ts';
import { decodePublicId, encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { generateSecret } from '#platform/server/secrets.ts';
import { v2Time } from '#platform/v2-contract.ts';
import { MAX_SMS_TITLES, type TextState } from '../shared.ts';
import * as store from './sms.sql.ts';

export type SmsSendOptions = {
  publicUrl: string;
  /** False if the installation has no SMS provider; accounts may still have their own. */
  hasProvider: boolean;
};

type SmsCall = {
  to: { phone: string; name?: string | undefined };
  from?: string | undefined;
  text: string;
  title?: string | undefined;
  variables?: Record<string, string | number | boolean> | undefined;
  hasPrefix: boolean;
  hasOptOut: boolean;
};

/**
 * @throws `phone_not_active`, `number_out_of_reach`, `content_invalid`, `not_enough_credit`,
 *   `no_text_provider`, `too_many_text_titles`; `invalid` for a wrong number, for merge tags
 *   without a value, and for a text that is too long
 */
export async function sendSms(
  tx: Tx,
  accountId: number,
  call: SmsCall,
  { publicUrl, hasProvider }: SmsSendOptions,
) {
  const number = parsePhone(call.to.phone);
  if (typeof number === 'string') throw invalid({ to: [`errors.${number}`] });
  if (!hasProvider && !(await accountHasOwnSenders(tx, 'sms', accountId))) {
    throw new AppError('no_text_provider');
  }
  const sender = await senderOf(tx, accountId, call.from, number.phone);
  const draft = {
    ...{ phoneId: sender.id, title: '', text: call.text, hasAnalytics: false },
    ...{ hasPrefix: call.hasPrefix, hasOptOut: call.hasOptOut },
  };
  const { text: sms } = await createAutomatedSms(tx, accountId, draft, publicUrl);
  const subscriber = await findSubscriber(tx, accountId, { phone: number.phone });
  const values = createValues(call);
  const fields = await readFields(tx, accountId);
  const tagValues = {
    ...(subscriber ? toSubscriberValues(subscriber, fields) : {}),
    phone: number.phone,
    ...values,
  };
  const { parts, encoding } = sizeOf(sms.words, tagValues, publicUrl);
  const sourceId = await titleOf(tx, accountId, call.title?.trim() ?? '');
  const { singleId } = await sendOne(tx, {
    ...{ accountId, kind: 'sms_transactional', sourceId, text: sms, recipient: number.phone },
    ...{ subscriberId: subscriber?.id, values, idempotencyKey: generateSecret() },
  });
  return {
    smsId: encodePublicId('text', accountId, singleId),
    reportId: encodeId('transactional_text', sourceId),
    parts,
    encoding,
  };
}

async function senderOf(tx: Tx, accountId: number, from: string | undefined, to: string) {
  const sender = await findSmsSender(tx, accountId, from);
  if (!sender) {
    throw new AppError('phone_not_active', { errors: { from: ['errors.phone_not_active'] } });
  }
  if (!canReach(sender.kind, findPhoneCountry(to))) {
    throw new AppError('number_out_of_reach', { errors: { to: ['errors.number_out_of_reach'] } });
  }
  return sender;
}

function createValues({ to, variables }: SmsCall): MergeValues {
  const [firstname = '', ...rest] = (to.name ?? '').split(' ');
  const nameValues = to.name ? { firstname, lastname: rest.join(' ') } : {};
  const entries = Object.entries(variables ?? {}).map(([name, value]) => [name, String(value)]);
  return { ...nameValues, ...Object.fromEntries(entries) };
}

/**
 * Returns the size of the SMS as sent.
 * @throws `content_invalid`; `invalid` for merge tags without a value, because they would leave a
 * gap, and for a text that is too long
 */
function sizeOf(source: Parameters<typeof compileSms>[0], values: MergeValues, publicUrl: string) {
  const compiledSms = compileSms(source);
  if (compiledSms.errors.length > 0) {
    throw new AppError('content_invalid', { extra: { findings: compiledSms.errors } });
  }
  const isSystem = (name: string) => (SYSTEM_TAGS as readonly string[]).includes(name);
  const isFilled = (name: string) => isSystem(name) || (values[name] ?? '') !== '';
  const missing = [...compiledSms.namesWithoutFallback, ...listLinkTags(compiledSms.links)].filter(
    (name) => !isFilled(name),
  );
  if (missing.length > 0) {
    throw invalid(
      Object.fromEntries(missing.map((name) => [`variables.${name}`, ['errors.fields.required']])),
    );
  }
  const moment = createRenderMoment(clock.now(), source.locale);
  const link = `${publicUrl}/s/${'x'.repeat(SHORT_CODE_LENGTH)}`;
  const size = measure(compiledSms.render(values, moment, () => link));
  if (size.parts > MAX_PARTS) throw invalid({ text: ['errors.text_too_long'] });
  return size;
}

/** Returns the merge tags in URLs that have no fallback. Each needs a value to complete the URL. */
const listLinkTags = (links: readonly { url: string }[]) =>
  links.flatMap(({ url }) =>
    [...url.matchAll(/\{\{-?\s*(\w+)\s*-?\}\}/g)].map(([, name = '']) => name),
  );

async function titleOf(tx: Tx, accountId: number, title: string): Promise<number> {
  const at = clock.now();
  const report = await store.findSmsTitle(tx, accountId, title);
  if (report) {
    await store.markSmsModified(tx, accountId, report.id, at);
    return report.id;
  }
  if ((await store.countSms(tx, accountId)) >= MAX_SMS_TITLES) {
    throw new AppError('too_many_text_titles', { values: { most: MAX_SMS_TITLES } });
  }
  return store.insertSms(tx, accountId, title, at);
}

/** @throws `not_found` if it is unknown or belongs to another account */
export async function readSms(db: Reader, accountId: number, id: string) {
  const smsId = decodePublicId('text', id);
  const sms =
    smsId?.accountId === accountId ? await readSingleSms(db, accountId, smsId.id) : undefined;
  if (!sms) throw notFound();
  return {
    id,
    reportId: sms.source_id === null ? null : encodeId('transactional_text', sms.source_id),
    to: sms.recipient,
    from: sms.sender ?? '',
    ...statusOf(sms),
    parts: sms.parts,
    created: v2Time(sms.created_at),
    sent: v2Time(sms.state === 'accepted' ? sms.finished_at : null),
    delivered: v2Time(sms.delivered_at),
  };
}

function statusOf(sms: SingleSms): { status: TextState; reason: string | null } {
  const { state, reason, reply, error, delivered_at: delivered, undelivered_at: undelivered } = sms;
  if (delivered) return { status: 'delivered', reason: null };
  if (undelivered) return { status: 'undelivered', reason: error };
  if (state === 'accepted') return { status: 'sent', reason: null };
  const isOver = state === 'failed' || state === 'skipped' || state === 'unknown';
  return isOver ? { status: state, reason: reply ?? reason } : { status: 'queued', reason: null };
}

export async function listSms(
  db: Reader,
  accountId: number,
  list: ListRequest<'modified' | 'created' | 'title'>,
) {
  const page = await buildListResponse(
    list,
    {
      rows: (slice) => store.listSms(db, accountId, list, slice),
      total: () => store.countSms(db, accountId, list.search),
    },
    (row) => row,
  );
  const ids = page.data.map((row) => row.id);
  const messages = await readTransactionalSms(db, accountId, ids);
  const data = page.data.map(({ id, title, created_at: created, modified_at: modified }) => {
    const {
      sent = 0,
      delivered = null,
      failed = 0,
    } = messages.find((transactionalSms) => transactionalSms.source_id === id) ?? {};
    return {
      id: encodeId('transactional_text', id),
      title,
      figures: { sent, delivered, failed },
      created: created.toISOString(),
      modified: modified.toISOString(),
    };
  });
  return { ...page, data };
}
