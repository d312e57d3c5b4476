// Accepts a sign-up: validates it against a version of the form (see open-form.ts), commits it, and
// then answers it. Sign-ups without a draw are committed in batches. The effects of a sign-up
// (subscribers, groups, emails) are settled afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FormLanguage, Snapshot } from '#embed/forms/shared/document.ts';
import type { Note } from '#embed/forms/shared/success.ts';
import type { Answers } from '#embed/forms/shared/validate.ts';
import { decodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import type { Settings } from '../settings-contract.ts';
import { answersOf, validateAnswers } from './answers.ts';
import { consumeProof } from './challenge.ts';
import { formTexts } from './form-texts.ts';
import { drawGiveaway, type Giveaway } from './sign-up-reward.ts';
import { type OpenForm, readOpenForm } from './open-form.ts';
import { formsSettings } from './settings.ts';
import { settleSome } from './settle.ts';
import { createSubmissionWriter } from './submission-writer.ts';
import * as store from './submissions.sql.ts';
import { MUST_CONFIRM, UNPROVEN } from './unproven.ts';
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
      is: 'taken';
      prize?: Prize | undefined;
      note?: Note | undefined;
      /** Account and language of the confirmation email, if one is sent. */
      confirmedBy?: { accountId: number; language: FormLanguage } | undefined;
    }
  | { is: 'refused'; errors: Record<string, string> }
  | { is: 'closed' };

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
  from: RequestOrigin,
): Promise<SignUpResult> {
  const id = decodePublicId('form', publicId);
  const open = id && (await readOpenForm({ db, ...id, version: signUp.version }));
  if (!open) return { is: 'closed' };
  const { form, settings, captcha, giveaway } = open;
  const { snapshot } = open.shown;
  const answers = answersOf(snapshot, signUp.data);
  const errors = await validateAnswers(db, form.account_id, snapshot, answers);
  if (Object.keys(errors).length > 0) return { is: 'refused', errors };
  const row = submissionOf(open, signUp, from, answers);
  const isProven = captcha === 'none' || row.isTrapped;
  // Repeats must be detected before a proof or a prize is used up; otherwise the insert detects
  // them.
  if (!isProven || giveaway) {
    const known = await store.findSubmission(db, row.accountId, row.formId, row.key);
    if (known) return repeatOf(known, giveaway, snapshot);
  }
  if (settings.double_opt_in) answers[MUST_CONFIRM] = 'asked';
  if (!isProven) {
    const proof = await checkProof(db, { captcha, id: snapshot.id }, signUp, from);
    const canConfirm = settings.confirmation.from_email !== '';
    if (proof === 'unknown' && canConfirm) answers[MUST_CONFIRM] = UNPROVEN;
    else if (proof !== 'right') {
      return { is: 'refused', errors: { form: snapshot.words.captcha ?? '' } };
    }
  }
  const result =
    giveaway && !row.isTrapped
      ? await acceptWithGiveaway(db, row, { ...open, giveaway }, answers)
      : await acceptWithNote(db, row);
  const isMailed = answers[MUST_CONFIRM] === UNPROVEN || mustConfirm(settings, answers);
  if (result.is !== 'taken' || !isMailed) return result;
  return {
    ...result,
    confirmedBy: { accountId: form.account_id, language: snapshot.language },
  };
}

function submissionOf(
  { form, shown }: OpenForm,
  signUp: SignUp,
  from: RequestOrigin,
  answers: Answers,
): store.NewSubmission {
  return {
    accountId: form.account_id,
    formId: form.id,
    key: signUp.key,
    version: shown.number,
    answers,
    page: signUp.url,
    ip: from.ip,
    device: from.device,
    // The response is neutral, so that a trapped bot learns nothing.
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
  { settings, giveaway, shown: { snapshot } }: OpenForm & { giveaway: Giveaway },
  answers: Answers,
): Promise<SignUpResult> {
  if (answers[MUST_CONFIRM] === UNPROVEN) {
    return acceptWithNote(db, row, confirmNote(giveaway, snapshot));
  }
  if (giveaway.is === 'coupon' && mustConfirm(settings, answers)) return acceptWithNote(db, row);
  try {
    return await acceptWithPrize(db, row, giveaway, snapshot);
  } catch (error) {
    if (!(error instanceof NoPrizeLeft)) throw error;
    if (giveaway.is === 'wheel') return { is: 'closed' };
    return acceptWithNote(db, row, noCodesNote(snapshot));
  }
}

async function acceptWithNote(
  db: Db,
  row: store.NewSubmission,
  note?: Note,
): Promise<SignUpResult> {
  const failure = await createSubmissionWriter(db).add(row);
  if (failure) throw failure.error;
  if (!row.isTrapped) settleSoon(db, row.accountId);
  return { is: 'taken', ...(note ? { note } : {}) };
}

/** Whether the address must be confirmed by email. Phone numbers are not confirmed. */
const mustConfirm = ({ double_opt_in }: Settings, { email }: Answers): boolean =>
  double_opt_in && Boolean(email);

/** Shown instead of the prize, which is emailed after the address is confirmed. */
function confirmNote({ is }: Giveaway, { language }: Snapshot): Note {
  const t = formTexts(language);
  const text = is === 'wheel' ? 'site.confirmText' : 'site.confirmCode';
  return { heading: t('site.confirm'), text: t(text) };
}

function noCodesNote({ language }: Snapshot): Note {
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
  const provider = formsSettings().captcha;
  // The captcha was changed or removed after the form was published.
  if (provider?.kind !== captcha) return 'unknown';
  const verdict = await provider.verify(proof, ip);
  return verdict === 'away' ? 'unknown' : verdict;
}

function repeatOf(
  known: store.SubmissionRow,
  giveaway: Giveaway | undefined,
  snapshot: Snapshot,
): SignUpResult {
  const { prize } = known;
  // The prize of an unproven sign-up is only emailed, also after its confirmation.
  if (giveaway && known.answers[MUST_CONFIRM] === UNPROVEN)
    return { is: 'taken', note: confirmNote(giveaway, snapshot) };
  if (prize) return { is: 'taken', prize };
  const { had, hadText } = snapshot.words;
  const isWithout = giveaway?.is === 'coupon' && had !== undefined;
  return { is: 'taken', ...(isWithout ? { note: { heading: had, text: hadText ?? '' } } : {}) };
}

async function acceptWithPrize(
  db: Db,
  row: store.NewSubmission,
  giveaway: Giveaway,
  snapshot: Snapshot,
): Promise<SignUpResult> {
  const { accountId, formId, key } = row;
  const answers = row.answers as Answers;
  const address = String(answers.email || answers.phone || '');
  const prize = await inTransaction(db, async (tx) => {
    if (!(await store.insertSubmission(tx, row))) return undefined;
    const drawn = await drawGiveaway(tx, { accountId, formId, key, address, giveaway });
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
  return known ? repeatOf(known, giveaway, snapshot) : { is: 'taken' };
}

/**
 * The visitor's page may show an older wheel: it stops at that wheel's slice with the same prize,
 * if there is one.
 */
function onShownWheel(prize: Prize, { wheel }: Snapshot): Prize {
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
async function rest(): Promise<void> {
  const startedAt = performance.now();
  do await sleep(REST_MS);
  while (performance.now() - lastAt < REST_MS && performance.now() - startedAt < LATEST_MS);
}

/** Accounts with unsettled sign-ups, by database, while a settling loop is running. */
const unsettled = new WeakMap<Db, Set<number>>();

/**
 * Settles shortly after the commit, once for all sign-ups that arrived in the meantime. Batches and
 * accounts run one after another: concurrent ones would wait for each other's rows, each holding a
 * connection that a visitor could use. A poller settles the rest.
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
    // A sign-up that arrives from here on adds the account to the end again.
    accounts.delete(accountId);
    const isDone = await settleSome(db, accountId).catch(() => true);
    if (!isDone) accounts.add(accountId);
  }
  unsettled.delete(db);
}
