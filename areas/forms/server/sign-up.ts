// Taking a sign-up: judged by the version that was shown, committed together with whatever else waits,
// and only then answered. What follows from it (people, groups, mails) is settled after.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answers, faultsOf, plain } from '#embed/forms/shared/validate.ts';
import type { Snapshot } from '#embed/forms/shared/document.ts';
import type { WordKey } from '#embed/forms/shared/words.ts';
import { readAccount } from '#areas/accounts/server/index.ts';
import { parsePhone, type PhoneFault } from '#areas/subscribers/server/index.ts';
import { decodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import type { Settings } from '../settings-contract.ts';
import { takeProof } from './challenge.ts';
import { findForm, findVersion } from './forms.sql.ts';
import { formsSettings } from './settings.ts';
import { MUST_CONFIRM, settleSome } from './settle.ts';
import * as store from './submissions.sql.ts';
import { runPieces } from '#platform/server/parallel.ts';
import { sharedRead, type Together, writeTogether } from '#platform/server/together.ts';
import { drawPrize, type Prize, WheelEmpty } from './wheel.ts';

/** Nobody reads and writes a form in less. */
const TOO_QUICK_MS = 1_500;
const BATCH = 500;
/** Their commits come together; the rest of the pool is for whoever else asks. */
const ACCOUNTS_AT_ONCE = 4;

export type SignUp = {
  key: string;
  version: number;
  data: Record<string, unknown>;
  proof: string;
  ms: number;
  trap: string;
  url: string;
};

export type Taken =
  | { is: 'taken'; prize?: Prize | undefined }
  | { is: 'refused'; errors: Record<string, string> }
  | { is: 'closed' };

type From = {
  ip: string | null;
  device: string;
  /** From the hosted page: without script nobody can prove anything, and is asked by mail instead. */
  isHosted?: boolean;
};

/** @param publicId the form's public id */
export async function takeSignUp(
  db: Db,
  publicId: string,
  signUp: SignUp,
  from: From,
): Promise<Taken> {
  const id = decodePublicId('form', publicId);
  const found = id && (await readShown({ db, ...id, version: signUp.version }));
  if (!found) return { is: 'closed' };
  const { form, shown } = found;
  const snapshot = shown.snapshot as unknown as Snapshot;
  const settings = shown.settings as unknown as Settings;
  const answers = answersOf(snapshot, signUp.data);
  const errors = {
    ...(await phoneFault(db, form.account_id, answers, snapshot.words)),
    ...faultsOf(snapshot.rules, answers, snapshot.words),
  };
  if (Object.keys(errors).length > 0) return { is: 'refused', errors };
  const row: store.NewSubmission = {
    accountId: form.account_id,
    formId: form.id,
    key: signUp.key,
    version: shown.number,
    answers,
    page: signUp.url,
    ip: from.ip,
    device: from.device,
    // A neutral answer: whoever set the trap off learns nothing.
    isTrapped: signUp.trap !== '' || signUp.ms < TOO_QUICK_MS,
    at: clock.now(),
  };
  const isProven = snapshot.captcha === 'none' || row.isTrapped;
  // Without anything that is spent by it, the insert itself sees to repeats.
  if ((!isProven || snapshot.wheel) && (await isRepeat(db, row))) return repeatOf(db, row);
  if (!isProven) {
    const found = await judgeProof(db, snapshot, signUp, from);
    const mayAsk = settings.confirmation.from_email !== '';
    if (found === 'unknown' && mayAsk) answers[MUST_CONFIRM] = '1';
    else if (found !== 'right') {
      return { is: 'refused', errors: { form: snapshot.words.captcha ?? '' } };
    }
  }
  if (snapshot.wheel && settings.wheel_config && !row.isTrapped) {
    try {
      return await takeWithPrize(db, row, settings.wheel_config);
    } catch (error) {
      if (error instanceof WheelEmpty) return { is: 'closed' };
      throw error;
    }
  }
  const failure = await writerOf(db).add(row);
  if (failure) throw failure.error;
  if (!row.isTrapped) settleSoon(db, form.account_id);
  return { is: 'taken' };
}

/**
 * `unknown`: nobody can say, since the page ran no script, or the captcha's own service is away: the mail is
 * asked instead.
 */
async function judgeProof(
  db: Db,
  { captcha, id }: Snapshot,
  { proof }: SignUp,
  { ip, isHosted }: From,
): Promise<'right' | 'wrong' | 'unknown'> {
  if (proof === '' && isHosted) return 'unknown';
  if (captcha === 'altcha') return (await takeProof(db, proof, id)) ? 'right' : 'wrong';
  const provider = formsSettings().captcha;
  // Another one, or none, since the form was published.
  if (provider?.kind !== captcha) return 'unknown';
  const said = await provider.verify(proof, ip);
  return said === 'away' ? 'unknown' : said;
}

const PHONE_WORDS = {
  phone_invalid: 'phone',
  phone_country_invalid: 'phoneCountry',
  phone_too_short: 'phoneShort',
  phone_too_long: 'phoneLong',
} as const satisfies Record<PhoneFault, WordKey>;

/** What no browser knows: the numbers that each country gives out, and which country is meant without its code. */
async function phoneFault(
  db: Db,
  accountId: number,
  { phone }: Answers,
  words: Snapshot['words'],
): Promise<Record<string, string>> {
  if (typeof phone !== 'string' || phone === '') return {};
  const { country } = await readAccount(db, accountId);
  const read = parsePhone(phone, country ?? undefined);
  return typeof read === 'string' ? { phone: words[PHONE_WORDS[read]] ?? '' } : {};
}

type Asked = { db: Db; accountId: number; id: number; version: number };

/** The form and the version that was shown; undefined where it takes no sign-ups. */
const readShown = sharedRead(
  async ({ db, accountId, id, version }: Asked) => {
    const form = await findForm(db, accountId, id);
    if (!form || !form.is_active || form.published_version === null) return undefined;
    const shown =
      (await findVersion(db, accountId, id, version)) ??
      (await findVersion(db, accountId, id, form.published_version));
    return shown && { form, shown };
  },
  ({ accountId, id, version }) => `${accountId} ${id} ${version}`,
);

/** Only what the form asked for, as texts. */
function answersOf(snapshot: Snapshot, data: Record<string, unknown>): Answers {
  const answers: Answers = Object.create(null) as Answers;
  for (const rule of snapshot.rules) {
    const { key } = rule;
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    if (typeof value === 'string') answers[key] = plain(rule, value.replaceAll('\0', '')).trim();
    else if (Array.isArray(value)) {
      answers[key] = value
        .filter((one): one is string => typeof one === 'string')
        .slice(0, 200)
        .map((one) => one.replaceAll('\0', '').trim());
    }
  }
  return answers;
}

const isRepeat = async (db: Db, { accountId, formId, key }: store.NewSubmission) =>
  (await store.findSubmission(db, accountId, formId, key)) !== undefined;

async function repeatOf(db: Db, { accountId, formId, key }: store.NewSubmission): Promise<Taken> {
  const known = await store.findSubmission(db, accountId, formId, key);
  const prize = known?.prize as unknown as Prize | null | undefined;
  return { is: 'taken', ...(prize ? { prize } : {}) };
}

async function takeWithPrize(
  db: Db,
  row: store.NewSubmission,
  wheel: NonNullable<Settings['wheel_config']>,
): Promise<Taken> {
  const { accountId, formId, key } = row;
  const answers = row.answers as Answers;
  const address = String(answers.email ?? answers.phone ?? '');
  const prize = await inTransaction(db, async (tx) => {
    if (!(await store.insertSubmission(tx, row))) return undefined;
    const drawn = await drawPrize(tx, { accountId, formId, key, address, wheel });
    if (drawn) {
      await store.saveSubmission(
        tx,
        { account_id: accountId, form_id: formId, key },
        { prize: JSON.stringify(drawn) },
      );
    }
    return drawn;
  });
  settleSoon(db, accountId);
  return prize ? { is: 'taken', prize } : repeatOf(db, row);
}

type Failure = { error: unknown };

/** Of each database (tests have several): one statement for all that wait of an account. */
const writers = new WeakMap<Db, Together<store.NewSubmission, Failure | undefined>>();

function writerOf(db: Db): Together<store.NewSubmission, Failure | undefined> {
  let writer = writers.get(db);
  if (!writer) {
    writer = writeTogether(BATCH, async (rows: store.NewSubmission[]) => {
      const failures = new Map<number, Failure>();
      // On a cluster each is on one node: where that is away, the others' are taken nonetheless.
      const byAccount = Map.groupBy(rows, (row) => row.accountId);
      const pieces = [...byAccount].map(([accountId, own]) => ({
        name: `${accountId}`,
        accountId,
        own,
      }));
      await runPieces(pieces, ACCOUNTS_AT_ONCE, async ({ accountId, own }) => {
        await store
          .insertSubmissions(db, accountId, own)
          .catch((error: unknown) => failures.set(accountId, { error }));
      });
      return rows.map((row) => failures.get(row.accountId));
    });
    writers.set(db, writer);
  }
  return writer;
}

/** A crowd is answered first: what follows from it waits for a moment of rest, though not for long. */
const REST_MS = 60;
const LATEST_MS = 10_000;
let lastAt = 0;

async function rest(): Promise<void> {
  const begun = performance.now();
  do await sleep(REST_MS);
  while (performance.now() - lastAt < REST_MS && performance.now() - begun < LATEST_MS);
}

/** Accounts with sign-ups that nothing followed from yet, of each database that is being settled here. */
const unsettled = new WeakMap<Db, Set<number>>();

/**
 * Shortly after the commit, once for all that came meanwhile; slice by slice and account by account, since two at once
 * only wait for each other's rows, each with a connection that a visitor could use. A poller takes what is left.
 */
function settleSoon(db: Db, accountId: number): void {
  lastAt = performance.now();
  const waiting = unsettled.get(db);
  if (waiting) {
    waiting.add(accountId);
    return;
  }
  const accounts = new Set([accountId]);
  unsettled.set(db, accounts);
  void settleInRest(db, accounts);
}

async function settleInRest(db: Db, accounts: Set<number>): Promise<void> {
  for (const accountId of accounts) {
    await rest();
    // What comes from here on stands at the end again.
    accounts.delete(accountId);
    const isDone = await settleSome(db, accountId).catch(() => true);
    if (!isDone) accounts.add(accountId);
  }
  unsettled.delete(db);
}
