// Accepts a sign-up: validates it against a version of the form (see open-form.ts), commits it, and
// then responds. Sign-ups without a draw are committed in batches. The effects of a sign-up
// (subscribers, groups, emails) are settled afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FormLanguage, Snapshot } from '#embed/forms/shared/document.ts';
import type { SuccessNote } from '#embed/forms/shared/success.ts';
import type { FormAnswers } from '#embed/forms/shared/validate.ts';
import { decodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import type { FormSettings } from '../settings-contract.ts';
import { readAnswers, validateAnswers } from './answers.ts';
import { consumeProof } from './challenge.ts';
import { formTexts } from './form-texts.ts';
import { drawGiveaway, type Giveaway } from './sign-up-reward.ts';
import { type OpenForm, readOpenForm } from './open-form.ts';
import { getFormsSettings } from './settings.ts';
import { settleBatch } from './settle.ts';
import { createSubmissionWriter } from './submission-writer.ts';
import * as store from './submissions.sql.ts';
import { MUST_CONFIRM, UNPROVEN } from './confirmation-marker.ts';
import { NoPrizeLeft, type Prize } from './wheel.ts';

/** Submissions faster than this are treated as bots. */
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

export type SignUpResult =
  | {
      status: 'taken';
      prize?: Prize | undefined;
      note?: SuccessNote | undefined;
      /** Account and language of the confirmation email, if one is sent. */
      confirmationEmail?: { accountId: number; language: FormLanguage } | undefined;
    }
  | { status: 'refused'; errors: Record<string, string> }
  | { status: 'closed' };

type RequestOrigin = {
  ip: string | null;
  device: string;
  /**
   * The sign-up comes from the hosted page. Visitors without script cannot provide a proof, and get
   * a confirmation email instead.
   */
  isHosted?: boolean;
};

export async function acceptSignUp(
  db: Db,
  publicId: string,
  signUp: SignUp,
  origin: RequestOrigin,
): Promise<SignUpResult> {
  const id = decodePublicId('form', publicId);
  const openForm = id && (await readOpenForm({ db, ...id, version: signUp.version }));
  if (!openForm) return { status: 'closed' };
  const { form, settings, captcha, giveaway } = openForm;
  const { snapshot } = openForm.shownVersion;
  const answers = readAnswers(snapshot, signUp.data);
  const errors = await validateAnswers(db, form.account_id, snapshot, answers);
  if (Object.keys(errors).length > 0) return { status: 'refused', errors };
  const row = createSubmission(openForm, signUp, origin, answers);
  const isProven = captcha === 'none' || row.isTrapped;
  // If a sign-up would use up a proof or a prize, a repeated one must not use up another, so it is
  // looked up first. Any other repeated sign-up is detected by the insert.
  if (!isProven || giveaway) {
    const earlier = await store.findSubmission(db, row.accountId, row.formId, row.key);
    if (earlier) return toRepeatedResult(earlier, giveaway, snapshot);
  }
  if (settings.double_opt_in) answers[MUST_CONFIRM] = 'asked';
  if (!isProven) {
    const proof = await checkProof(db, { captcha, id: snapshot.id }, signUp, origin);
    const canConfirm = settings.confirmation.from_email !== '';
    if (proof === 'unknown' && canConfirm) answers[MUST_CONFIRM] = UNPROVEN;
    else if (proof !== 'right') {
      return { status: 'refused', errors: { form: snapshot.words.captcha ?? '' } };
    }
  }
  const result =
    giveaway && !row.isTrapped
      ? await acceptWithGiveaway(db, row, { ...openForm, giveaway }, answers)
      : await acceptWithNote(db, row);
  const isMailed = answers[MUST_CONFIRM] === UNPROVEN || mustConfirm(settings, answers);
  if (result.status !== 'taken' || !isMailed) return result;
  return {
    ...result,
    confirmationEmail: { accountId: form.account_id, language: snapshot.language },
  };
}

function createSubmission(
  { form, shownVersion }: OpenForm,
  signUp: SignUp,
  origin: RequestOrigin,
  answers: FormAnswers,
): store.NewSubmission {
  return {
    accountId: form.account_id,
    formId: form.id,
    key: signUp.key,
    version: shownVersion.number,
    answers,
    page: signUp.url,
    ip: origin.ip,
    device: origin.device,
    // A trapped sign-up is stored and gets the response of an accepted one, so that a bot learns
    // nothing.
    isTrapped: signUp.trap !== '' || signUp.ms < TOO_QUICK_MS,
    at: clock.now(),
  };
}

/**
 * Accepts a sign-up with a reward. Without a proof, the draw waits until the emailed link is used.
 * A coupon always waits for this if the form requires a confirmation.
 */
async function acceptWithGiveaway(
  db: Db,
  row: store.NewSubmission,
  { settings, giveaway, shownVersion: { snapshot } }: OpenForm & { giveaway: Giveaway },
  answers: FormAnswers,
): Promise<SignUpResult> {
  if (answers[MUST_CONFIRM] === UNPROVEN) {
    return acceptWithNote(db, row, createConfirmNote(giveaway, snapshot));
  }
  if (giveaway.kind === 'coupon' && mustConfirm(settings, answers)) return acceptWithNote(db, row);
  try {
    return await acceptWithPrize(db, row, giveaway, snapshot);
  } catch (error) {
    if (!(error instanceof NoPrizeLeft)) throw error;
    if (giveaway.kind === 'wheel') return { status: 'closed' };
    return acceptWithNote(db, row, createNoCodesNote(snapshot));
  }
}

async function acceptWithNote(
  db: Db,
  row: store.NewSubmission,
  note?: SuccessNote,
): Promise<SignUpResult> {
  const failure = await createSubmissionWriter(db).add(row);
  if (failure) throw failure.error;
  if (!row.isTrapped) settleSoon(db, row.accountId);
  return { status: 'taken', ...(note ? { note } : {}) };
}

/** Returns whether the address must be confirmed by email. Phone numbers are not confirmed. */
const mustConfirm = ({ double_opt_in }: FormSettings, { email }: FormAnswers): boolean =>
  double_opt_in && Boolean(email);

/** Creates the note shown instead of the prize, which is emailed after the address is confirmed. */
function createConfirmNote({ kind }: Giveaway, { language }: Snapshot): SuccessNote {
  const t = formTexts(language);
  const text = kind === 'wheel' ? 'site.confirmText' : 'site.confirmCode';
  return { heading: t('site.confirm'), text: t(text) };
}

function createNoCodesNote({ language }: Snapshot): SuccessNote {
  const t = formTexts(language);
  return { heading: t('site.noCodes'), text: t('site.noCodesText') };
}

/**
 * `unknown`: no proof is possible, because the page ran no script, or the captcha's service is
 * unavailable or no longer configured. A confirmation email is sent instead if the form has a
 * sender.
 */
async function checkProof(
  db: Db,
  { captcha, id }: Pick<Snapshot, 'captcha' | 'id'>,
  { proof }: SignUp,
  { ip, isHosted }: RequestOrigin,
): Promise<'right' | 'wrong' | 'unknown'> {
  if (proof === '' && isHosted) return 'unknown';
  if (captcha === 'altcha') return (await consumeProof(db, proof, id)) ? 'right' : 'wrong';
  const provider = getFormsSettings().captcha;
  // The captcha was changed or removed after the form was published.
  if (provider?.kind !== captcha) return 'unknown';
  const verdict = await provider.verify(proof, ip);
  return verdict === 'away' ? 'unknown' : verdict;
}

function toRepeatedResult(
  earlier: store.SubmissionRow,
  giveaway: Giveaway | undefined,
  snapshot: Snapshot,
): SignUpResult {
  const { prize } = earlier;
  // The prize of an unproven sign-up is sent by email and never shown on the page, not even after
  // the confirmation.
  if (giveaway && earlier.answers[MUST_CONFIRM] === UNPROVEN)
    return { status: 'taken', note: createConfirmNote(giveaway, snapshot) };
  if (prize) return { status: 'taken', prize };
  const { had, hadText } = snapshot.words;
  const isWithout = giveaway?.kind === 'coupon' && had !== undefined;
  return { status: 'taken', ...(isWithout ? { note: { heading: had, text: hadText ?? '' } } : {}) };
}

async function acceptWithPrize(
  db: Db,
  row: store.NewSubmission,
  giveaway: Giveaway,
  snapshot: Snapshot,
): Promise<SignUpResult> {
  const { accountId, formId, key } = row;
  const answers = row.answers as FormAnswers;
  const address = String(answers.email || answers.phone || '');
  const prize = await inTransaction(db, async (tx) => {
    if (!(await store.insertSubmission(tx, row))) return undefined;
    const drawnPrize = await drawGiveaway(tx, { accountId, formId, key, address, giveaway });
    if (drawnPrize) {
      await store.saveSubmission(
        tx,
        { account_id: accountId, form_id: formId, key },
        { prize: JSON.stringify(drawnPrize) },
      );
    }
    return drawnPrize;
  });
  settleSoon(db, accountId);
  if (prize) return { status: 'taken', prize: toShownPrize(prize, snapshot) };
  const earlier = await store.findSubmission(db, accountId, formId, key);
  return earlier ? toRepeatedResult(earlier, giveaway, snapshot) : { status: 'taken' };
}

/**
 * The visitor's page may show an older wheel: it stops at that wheel's slice with the same prize,
 * if there is one.
 */
function toShownPrize(prize: Prize, { wheel }: Snapshot): Prize {
  if (!wheel || wheel[prize.slice]?.label === prize.label) return prize;
  const slice = wheel.findIndex(({ label }) => label === prize.label);
  return { ...prize, slice: slice < 0 ? Math.min(prize.slice, wheel.length - 1) : slice };
}

const REST_MS = 60;
const LATEST_MS = 10_000;
let lastAt = 0;

/**
 * Waits for a pause in requests, but at most `LATEST_MS`: responses take priority over settling.
 */
async function waitForPause(): Promise<void> {
  const startedAt = performance.now();
  do await sleep(REST_MS);
  while (performance.now() - lastAt < REST_MS && performance.now() - startedAt < LATEST_MS);
}

/** Accounts with unsettled sign-ups, by database, while a settling loop is running. */
const unsettledAccounts = new WeakMap<Db, Set<number>>();

/**
 * Settles shortly after the commit, once for all sign-ups that have arrived by then. Batches and
 * accounts run one after another: concurrent ones would wait for each other's rows and block
 * connections that visitors could use. A poller settles the rest.
 */
function settleSoon(db: Db, accountId: number): void {
  lastAt = performance.now();
  const waiting = unsettledAccounts.get(db);
  if (waiting) {
    waiting.add(accountId);
    return;
  }
  const accounts = new Set([accountId]);
  unsettledAccounts.set(db, accounts);
  void settleInRest(db, accounts);
}

async function settleInRest(db: Db, accounts: Set<number>): Promise<void> {
  for (const accountId of accounts) {
    await waitForPause();
    // A sign-up that arrives from this point on adds the account to the end again.
    accounts.delete(accountId);
    const isDone = await settleBatch(db, accountId).catch(() => true);
    if (!isDone) accounts.add(accountId);
  }
  unsettledAccounts.delete(db);
}
