// Tests an account's relay, saved or not: sends an email to the user and returns the conversation
// with the relay.
import { randomUUID } from 'node:crypto';
import { readMember } from '#areas/accounts/server/index.ts';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { invalid, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { PrivateAddressError } from '#platform/server/outgoing/outgoing-address.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { RelayHealth, RelayKind } from '../../relay-limits.ts';
import type { SmtpConversation, TypedRelay } from '../../relays-contract.ts';
import { WholeMessage } from './provider.ts';
import type { RelayKinds, RelaySettings } from './relay-kinds.ts';
import * as store from './relays.sql.ts';
import {
  validateRelay,
  requireNewPassword,
  readPassword,
  requireHost,
  readRelaySettings,
} from './relays.ts';
import { isPermittedSender } from '../sender/sender-proof.ts';
import { findTrialCode } from './trial-code.ts';

const TRIAL_MS = 60_000;

type Tester = Pick<Caller, 'accountId' | 'userId' | 'language'>;

/** Tests a saved relay and stores its reply, and the health `ready` if it accepted the email. */
export async function testRelay(
  db: Db,
  kinds: RelayKinds,
  caller: Tester,
  id: number,
  from: string,
): Promise<SmtpConversation> {
  const row = await store.findRelay(db, caller.accountId, id);
  if (!row) throw notFound();
  const conversation = await converse(db, kinds, caller, from, {
    kind: row.kind as RelayKind,
    title: row.title,
    ...readRelaySettings(row),
  });
  // The last reply answers QUIT (221); the reply to the message is stored.
  const lastLine = conversation.lines.findLast(
    (line) => line.who !== 'us' && !line.text.startsWith('221'),
  );
  await store.saveHealth(db, caller.accountId, id, {
    state: conversation.accepted ? 'ready' : (row.health as RelayHealth),
    code: null,
    reply: lastLine?.text.slice(0, 500).toWellFormed() ?? null,
    at: clock.now(),
  });
  return conversation;
}

/** Tests unsaved settings, without storing them. */
export async function testUnsavedRelay(
  db: Db,
  kinds: RelayKinds,
  caller: Tester,
  { from, known: id, chunking, ...typed }: TypedRelay,
): Promise<SmtpConversation> {
  validateRelay(typed);
  await requireHost(typed.host);
  const password = typed.password || (await storedPassword(db, caller.accountId, id, typed));
  const singleConnection = { connections: 1, messages: 0, hasChunking: chunking };
  return converse(db, kinds, caller, from, { ...typed, ...singleConnection, password });
}

/**
 * Returns the stored password of the relay whose settings are being changed.
 * @throws if host or port have changed, because the password must not be sent to another server
 */
async function storedPassword(
  db: Db,
  accountId: number,
  id: number | undefined,
  typedRelay: Pick<TypedRelay, 'host' | 'port' | 'username'>,
): Promise<string> {
  if (id === undefined) return '';
  const existing = await store.findRelay(db, accountId, id);
  if (!existing) throw notFound();
  requireNewPassword(existing, typedRelay);
  return typedRelay.username === '' ? '' : readPassword(existing);
}

type TrialRelay = RelaySettings & { kind: RelayKind; title: string };

async function converse(
  db: Db,
  kinds: RelayKinds,
  caller: Tester,
  from: string,
  { kind, title, ...settings }: TrialRelay,
): Promise<SmtpConversation> {
  if (!(await isPermittedSender(db, caller.accountId, 'test', from))) {
    throw invalid({ from: ['errors.relay.sender_not_verified'] });
  }
  const member = await readMember(db, caller.accountId, caller.userId);
  if (!member) throw notFound();
  const message = testMessage(from, member.email, title, caller.language);
  const { lines, code } = await kinds[kind]
    .attempt(settings, message, AbortSignal.timeout(TRIAL_MS))
    .then(
      ({ result, lines }) => ({ lines, code: findTrialCode(result) }),
      (error: Error) => {
        if (!(error instanceof PrivateAddressError)) throw error;
        return { lines: [{ who: 'note' as const, text: error.message }], code: 'private' as const };
      },
    );
  return { accepted: code === 'accepted', code, lines };
}

function testMessage(from: string, to: string, title: string, language: Language): WholeMessage {
  const t = serverTexts('delivery', language);
  const at = clock.now();
  const encodedSubject = Buffer.from(t('relayTest.subject', { relay: title }), 'utf8');
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const lines = [
    `Date: ${at.toUTCString().replace('GMT', '+0000')}`,
    `From: <${from}>`,
    `To: <${to}>`,
    `Message-ID: <relay-test-${at.getTime()}-${randomUUID()}@${domain}>`,
    `Subject: =?utf-8?B?${encodedSubject.toString('base64')}?=`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(t('relayTest.body'), 'utf8')
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    '',
  ];
  return new WholeMessage(from, to, Buffer.from(lines.join('\r\n')));
}
