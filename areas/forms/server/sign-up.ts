// Taking a sign-up: judged by the version that was shown, committed together with whatever else waits,
// and only then answered. What follows from it (people, groups, mails) is settled after.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FormLanguage, Snapshot } from '#embed/forms/shared/document.ts';
import type { Note } from '#embed/forms/shared/success.ts';
import type { Answers } from '#embed/forms/shared/validate.ts';
import { decodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import type { Settings } from '../settings-contract.ts';
import { answersOf, faultsOfAnswers } from './answers.ts';
import { takeProof } from './challenge.ts';
import { formTexts } from './form-texts.ts';
import { readOpenForm } from './open-form.ts';
import { formsSettings } from './settings.ts';
import { settleSome } from './settle.ts';
import { writerOf } from './submission-writer.ts';
import * as store from './submissions.sql.ts';
import { MUST_CONFIRM, UNPROVEN } from './unproven.ts';
import { drawPrize, type Prize, WheelEmpty } from './wheel.ts';

/** Nobody reads and writes a form in less. */
const TOO_QUICK_MS = 1_500;

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
  | { is: 'taken'; prize?: Prize | undefined; note?: Note | undefined }
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
  const open = id && (await readOpenForm({ db, ...id, version: signUp.version }));
  if (!open) return { is: 'closed' };
  const { form, settings, captcha, shown } = open;
  const { snapshot } = shown;
  const answers = answersOf(snapshot, signUp.data);
  const errors = await faultsOfAnswers(db, form.account_id, snapshot, answers);
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
  const wheel = form.type === 'spinToWin' ? settings.wheel_config : null;
  const { language } = snapshot;
  const isProven = captcha === 'none' || row.isTrapped;
  // Without anything that is spent by it, the insert itself sees to repeats.
  if (!isProven || wheel) {
    const known = await store.findSubmission(db, row.accountId, row.formId, row.key);
    if (known) return repeatOf(known, language);
  }
  if (settings.double_opt_in) answers[MUST_CONFIRM] = 'asked';
  if (!isProven) {
    const proof = await judgeProof(db, { captcha, id: snapshot.id }, signUp, from);
    const mayAsk = settings.confirmation.from_email !== '';
    if (proof === 'unknown' && mayAsk) answers[MUST_CONFIRM] = UNPROVEN;
    else if (proof !== 'right') {
      return { is: 'refused', errors: { form: snapshot.words.captcha ?? '' } };
    }
  }
  const isUnproven = answers[MUST_CONFIRM] === UNPROVEN;
  // Without a proof the draw waits until the mailed link is confirmed.
  if (wheel && !row.isTrapped && !isUnproven) {
    try {
      return await takeWithPrize(db, row, wheel, snapshot);
    } catch (error) {
      if (error instanceof WheelEmpty) return { is: 'closed' };
      throw error;
    }
  }
  const failure = await writerOf(db).add(row);
  if (failure) throw failure.error;
  if (!row.isTrapped) settleSoon(db, form.account_id);
  return { is: 'taken', ...(wheel && isUnproven ? { note: confirmNote(language) } : {}) };
}

/** In place of the prize, which comes by email once the address is confirmed. */
function confirmNote(language: FormLanguage): Note {
  const t = formTexts(language);
  return { heading: t('site.confirm'), text: t('site.confirmText') };
}

/**
 * `unknown`: nobody can say, since the page ran no script, or the captcha's own service is away: the mail is
 * asked instead.
 */
async function judgeProof(
  db: Db,
  { captcha, id }: Pick<Snapshot, 'captcha' | 'id'>,
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

function repeatOf(known: store.SubmissionRow, language: FormLanguage): Taken {
  const prize = known.prize as unknown as Prize | null;
  // A prize of an unproven sign-up goes to its mailbox alone, also after it was confirmed.
  if ((known.answers as unknown as Answers)[MUST_CONFIRM] === UNPROVEN)
    return { is: 'taken', note: confirmNote(language) };
  return { is: 'taken', ...(prize ? { prize } : {}) };
}

async function takeWithPrize(
  db: Db,
  row: store.NewSubmission,
  wheel: NonNullable<Settings['wheel_config']>,
  snapshot: Snapshot,
): Promise<Taken> {
  const { accountId, formId, key } = row;
  const answers = row.answers as Answers;
  const address = String(answers.email || answers.phone || '');
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
  if (prize) return { is: 'taken', prize: onShownWheel(prize, snapshot) };
  const known = await store.findSubmission(db, accountId, formId, key);
  return known ? repeatOf(known, snapshot.language) : { is: 'taken' };
}

/** The visitor's page may show an older wheel: it stops where that one has the prize, if it has it. */
function onShownWheel(prize: Prize, { wheel }: Snapshot): Prize {
  if (!wheel || wheel[prize.slice]?.label === prize.label) return prize;
  const slice = wheel.findIndex(({ label }) => label === prize.label);
  return { ...prize, slice: slice < 0 ? Math.min(prize.slice, wheel.length - 1) : slice };
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
