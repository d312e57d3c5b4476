// An SMS campaign as a broadcast: how it is frozen, checked and shown.
import {
  audienceOf,
  brokenSegmentsOf,
  type BroadcastOwner,
} from '#areas/broadcasts/server/index.ts';
import { compileText } from '#areas/content/server/index.ts';
import { countAudience, start } from '#areas/delivery/server/index.ts';
import type { Reader, Tx } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { SMS_CALLS } from '../campaign-contract.ts';
import type { SmsCampaign, SmsFinding } from '../contract.ts';
import { type PhoneKind, STEPS } from '../limits.ts';
import type { FrozenText } from './channel.ts';
import { findPhone } from './phones.sql.ts';
import { presentSms } from './present.ts';
import { wordsOf } from './settings.ts';
import { type SmsRow, TABLES } from './sms.sql.ts';
import { isTooLong, previewText, textSource } from './text.ts';

const recipientsOf = { tables: TABLES };

export type SmsOwner = BroadcastOwner<SmsRow, SmsCampaign>;

export type Sending = {
  publicUrl: string;
  /** False: nothing takes texts in this installation. */
  hasProvider: boolean;
};

export function smsOwner(sending: Sending): SmsOwner {
  return {
    ...recipientsOf,
    area: 'sms',
    idKind: 'sms',
    messageKind: 'sms_campaign',
    base: SMS_CALLS,
    steps: { all: STEPS, settled: 'step4', open: 'step1' },
    start: async (tx, row, audience) =>
      start(
        tx,
        {
          accountId: row.account_id,
          kind: 'sms_campaign',
          sourceId: row.id,
          text: await frozenOf(tx, row, sending.publicUrl),
        },
        audience,
      ),
    requireSendable: async (tx, row) => {
      const { findings } = await checkSms(tx, row, sending);
      const errors = findings.filter(({ severity }) => severity === 'error');
      if (errors.some(({ code }) => code === 'recipients_none')) {
        throw new AppError('nobody_to_send_to', { extra: { findings: errors } });
      }
      if (errors.length > 0) throw new AppError('content_invalid', { extra: { findings: errors } });
    },
    present: (db, rows) =>
      rows[0] ? presentSms(db, rows[0].account_id, rows) : Promise.resolve([]),
    // Its owner sees it in the list and at its checks: a draft again, with what is missing.
    notStarted: async () => {},
    isOwnersMatter: (error) => error instanceof AppError,
  };
}

const draftOf = (row: SmsRow) => ({
  title: row.title,
  text: row.text,
  hasPrefix: row.add_organization_name,
  hasOptOut: row.append_opt_out,
  hasAnalytics: row.google_analytics,
});

export async function frozenOf(tx: Tx, row: SmsRow, publicUrl: string): Promise<FrozenText> {
  const phone =
    row.phone_id === null ? undefined : await findPhone(tx, row.account_id, row.phone_id);
  if (phone?.status !== 'active') throw new AppError('content_invalid');
  const words = await wordsOf(tx, row.account_id);
  const kind = phone.kind as PhoneKind;
  return {
    from: phone.value,
    title: row.text,
    isName: kind === 'alphanumeric',
    publicUrl,
    words: textSource(draftOf(row), words, kind),
  };
}

const SEVERITIES = ['error', 'warning', 'tip'];

/** Everything to know before sending, worst first; and how many parts that is at most. */
export async function checkSms(db: Reader, row: SmsRow, { publicUrl, hasProvider }: Sending) {
  const { account_id: accountId } = row;
  const findings: SmsFinding[] = [];
  const say = (
    code: string,
    step: SmsFinding['step'],
    severity: SmsFinding['severity'] = 'error',
    values?: SmsFinding['values'],
  ) => findings.push({ code, step, severity, ...(values ? { values } : {}) });
  const phone = row.phone_id === null ? undefined : await findPhone(db, accountId, row.phone_id);
  if (!hasProvider) say('no_provider', 'settings');
  if (!phone) say('sender_missing', 'settings');
  else if (phone.status !== 'active')
    say('phone_not_active', 'phone', 'error', { sender: phone.value });
  const words = await wordsOf(db, accountId);
  const source = textSource(draftOf(row), words, phone?.kind as PhoneKind | undefined);
  const compiled = compileText(source);
  if (row.text.trim() === '') say('text_missing', 'settings');
  if (compiled.errors.length > 0)
    say('tags_broken', 'settings', 'error', { tag: compiled.errors[0]?.tag ?? '' });
  if (source.ending === null) say('no_opt_out', 'settings', 'warning');
  if (compiled.open.length > 0)
    say('tag_without_fallback', 'settings', 'tip', { tag: compiled.open[0] ?? '' });
  const { worst } = await previewText(db, accountId, source, undefined, publicUrl);
  if (isTooLong(worst)) say('too_long', 'settings', 'error', { parts: worst.parts });
  for (const { title } of await brokenSegmentsOf(db, recipientsOf, row)) {
    say('segment_broken', 'recipients', 'error', { title });
  }
  const audience = await audienceOf(db, recipientsOf, row);
  const chosen = audience.groups.length + (audience.segments?.length ?? 0);
  const isAnybody = audience.all || chosen > 0;
  const recipients = isAnybody ? (await countAudience(db, accountId, audience, 'sms')).count : 0;
  if (!isAnybody) say('recipients_missing', 'recipients');
  else if (recipients === 0) say('recipients_none', 'recipients');
  findings.sort(
    (one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity),
  );
  return { findings, recipients, parts: recipients * worst.parts };
}
