// Applies committed sign-ups: subscribers, groups, consents, and the email with the confirmation
// link or the prize. Each sign-up is applied once, even if the process is killed in between.
import { readFields, readFieldValue } from '#areas/fields/server/index.ts';
import { addToGroups } from '#areas/groups/server/index.ts';
import {
  confirm,
  createSubscriber,
  type FieldValue,
  findSubscriber,
  insertConsents,
  parseEmail,
  parsePhone,
  type SubscriberRow,
  findSuppressionReasons,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import { readAccount } from '#areas/accounts/server/index.ts';
import type { FormBlock, FormDocument, FormType } from '#embed/forms/shared/document.ts';
import { type FormAnswers, parseNumber } from '#embed/forms/shared/validate.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';
import { inSavepoint } from '#platform/server/database/savepoint.sql.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { hasConsent } from '../consent.ts';
import type { FormSettings } from '../settings-contract.ts';
import { sendConfirmation, emailPrize } from './confirmation.ts';
import { findConfirmationSender } from './confirmation-sender.ts';
import { formSubmitted } from './events.ts';
import {
  findForm,
  findVersion,
  type FormRow,
  findFormGroups,
  type FormVersionRow,
} from './forms.sql.ts';
import { type Giveaway, findSignUpReward } from './sign-up-reward.ts';
import { drawRewardAfterConfirmation } from './late-draw.ts';
import * as store from './submissions.sql.ts';
import { MUST_CONFIRM, toPrizeValue, UNPROVEN } from './confirmation-marker.ts';
import type { Prize } from './wheel.ts';

const SIGN_UPS_PER_SLICE = 50;
/** The first retry is soon, because failures are mostly conflicts between two concurrent runs. */
const RETRY_MS = [5_000, 60_000, 600_000, 3_600_000];
const DAY_MS = 86_400_000;

export const formsPoller: Poller = {
  name: 'forms.settle',
  intervalMs: 5_000,
  async run(db) {
    for (const accountId of await store.listAccountsToSettle(db, clock.now(), 100)) {
      await settleAccount(db, accountId);
    }
    await store.deleteProofs(db, clock.now());
  },
};

export async function settleAccount(db: Db, accountId: number): Promise<void> {
  while (!(await settleBatch(db, accountId)));
}

/** Settles the oldest sign-ups; true if no further ones can be settled now. */
export async function settleBatch(db: Db, accountId: number): Promise<boolean> {
  const settledCount = await inTransaction(db, (tx) => settleSlice(tx, accountId));
  return settledCount < SIGN_UPS_PER_SLICE;
}

async function settleSlice(tx: Tx, accountId: number): Promise<number> {
  const rows = await store.lockPendingSubmissions(tx, accountId, clock.now(), SIGN_UPS_PER_SLICE);
  if (rows.length === 0) return 0;
  const fields = await readFields(tx, accountId);
  const batchReads: BatchReads = { fields, readVersions: createVersionReader(tx, accountId) };
  for (const row of rows) await settleOne(tx, row, batchReads);
  return rows.length;
}

type AccountFields = Awaited<ReturnType<typeof readFields>>;

/** Data read once for all sign-ups of a batch. */
type BatchReads = { fields: AccountFields; readVersions: ReturnType<typeof createVersionReader> };

/**
 * Returns a function that reads the version that validated a sign-up, and the settings and the
 * reward of the currently published version.
 */
function createVersionReader(tx: Tx, accountId: number) {
  const forms = new Map<number, Promise<FormRow | undefined>>();
  const versions = new Map<string, Promise<FormVersionRow | undefined>>();
  const readForm = (id: number) => readOnce(forms, id, () => findForm(tx, accountId, id));
  const readVersion = (id: number, number: number) =>
    readOnce(versions, `${id} ${number}`, () => findVersion(tx, accountId, id, number));
  return async ({ form_id: id, version }: store.SubmissionRow) => {
    const form = await readForm(id);
    const shownVersion = await readVersion(id, version);
    if (!shownVersion) return undefined;
    const currentVersion =
      (await readVersion(id, form?.published_version ?? version)) ?? shownVersion;
    const { settings, document } = currentVersion;
    const giveaway = form && findSignUpReward(form.type as FormType, document, settings);
    return { shownVersion, settings, giveaway };
  };
}

function readOnce<Key, Value>(
  cache: Map<Key, Promise<Value>>,
  key: Key,
  read: () => Promise<Value>,
): Promise<Value> {
  const value = cache.get(key) ?? read();
  cache.set(key, value);
  return value;
}

/** Settles one sign-up. If it fails, it is retried later and does not delay the others. */
async function settleOne(tx: Tx, row: store.SubmissionRow, batchReads: BatchReads): Promise<void> {
  const at = clock.now();
  try {
    const result = await inSavepoint(tx, () => applySignUp(tx, row, batchReads));
    const heldReason = result && (await inSavepoint(tx, () => sendEmails(tx, row, result)));
    await store.saveSubmission(tx, row, {
      subscriber_id: result?.subscriber.id ?? null,
      held_reason: heldReason ?? null,
      // Retried, so that the confirmation email is sent once the sender is verified.
      ...(heldReason === 'sender_not_verified' ? toRetryColumns(row, at) : { settled_at: at }),
    });
  } catch (error) {
    log.warn('Could not process a sign-up', {
      form: row.form_id,
      reason: (error as Error).message,
    });
    await store.saveSubmission(tx, row, toRetryColumns(row, at));
  }
}

const toRetryColumns = (row: store.SubmissionRow, at: Date) => ({
  failures: row.failures + 1,
  retry_at: new Date(at.getTime() + (RETRY_MS[row.failures] ?? DAY_MS)),
});

type AppliedSignUp = SettledSignUp & {
  document: FormDocument;
  settings: FormSettings;
  giveaway: Giveaway | undefined;
};

async function applySignUp(
  tx: Tx,
  row: store.SubmissionRow,
  { fields, readVersions }: BatchReads,
): Promise<AppliedSignUp | undefined> {
  const { account_id: accountId, form_id: formId } = row;
  const versions = await readVersions(row);
  if (!versions) return undefined;
  const { shownVersion, settings, giveaway } = versions;
  const { document } = shownVersion;
  const { answers } = row;
  const settledSignUp = await findOrCreateSubscriber(tx, row, {
    document,
    settings,
    answers,
    fields,
  });
  if (!settledSignUp) return undefined;
  const { subscriber, needsConfirmation, isInactive } = settledSignUp;
  const groupIds = await listChosenGroups(tx, row, answers);
  if (groupIds.length > 0) {
    await addToGroups(tx, accountId, {
      groupIds,
      subscriberIds: [subscriber.id],
      // Workflows start after the confirmation; for an unsubscribed subscriber they do not start
      // here.
      origin: needsConfirmation || isInactive ? 'bulk' : 'form',
    });
  }
  await recordConsents(tx, row, document, answers, subscriber.id);
  // A retry of the email alone must not publish the event again.
  if (row.subscriber_id === null) {
    await formSubmitted.announce(tx, {
      accountId,
      formId,
      subscriberIds: [subscriber.id],
      isConfirmed: !needsConfirmation && !isInactive,
      at: row.at,
    });
  }
  return { ...settledSignUp, document, settings, giveaway };
}

/**
 * Sends the confirmation email or the prize; returns the reason if no confirmation email can be
 * sent.
 */
async function sendEmails(
  tx: Tx,
  row: store.SubmissionRow,
  { subscriber, needsConfirmation, document, settings, giveaway }: AppliedSignUp,
): Promise<store.UnsentReason | undefined> {
  const { account_id: accountId, form_id: formId, key } = row;
  if (!subscriber.email) return undefined;
  const { email } = subscriber;
  const recipient = { accountId, formId, key, subscriberId: subscriber.id, email, document };
  if (!needsConfirmation) {
    // A coupon that waited for a confirmation is drawn here if no confirmation is needed.
    const isLate = giveaway?.kind === 'coupon' && row.answers[MUST_CONFIRM] !== undefined;
    const lateDraw = { address: email, subscriberId: subscriber.id, settings };
    const prize =
      row.prize ??
      (isLate ? await drawRewardAfterConfirmation(tx, row, { ...lateDraw, giveaway }) : undefined);
    if (prize) await emailPrize(tx, { ...recipient, settings, prize });
    return undefined;
  }
  const sender = await findConfirmationSender(tx, accountId, settings);
  if (typeof sender === 'string') return sender;
  await sendConfirmation(tx, { ...recipient, settings: { ...settings, confirmation: sender } });
  return undefined;
}

/**
 * `needsConfirmation`: a confirmation email is sent. `isInactive`: the subscriber had unsubscribed
 * or bounced, and only the confirmation reverses this.
 */
type SettledSignUp = { subscriber: SubscriberRow; needsConfirmation: boolean; isInactive: boolean };

type SubmittedForm = {
  document: FormDocument;
  settings: FormSettings;
  answers: FormAnswers;
  fields: AccountFields;
};

/**
 * Creates the subscriber, or fills only the empty fields of an existing one, because anyone can
 * type any address. An unsubscribed or bounced subscriber returns only by the confirmation email.
 * Returns undefined if the subscriber reported spam, or if the sign-up has neither a valid email
 * address nor a valid phone number.
 */
async function findOrCreateSubscriber(
  tx: Tx,
  row: store.SubmissionRow,
  form: SubmittedForm,
): Promise<SettledSignUp | undefined> {
  const { account_id: accountId, ip } = row;
  const { settings, answers } = form;
  const input = await toInput(tx, accountId, form, row.prize);
  if (!input.email && !input.phone) return undefined;
  const existing = await findSubscriber(tx, accountId, toAddress(input));
  await omitForeignPhone(tx, accountId, input, existing?.id);
  const consents = toConsent(form);
  const isUnproven = answers[MUST_CONFIRM] === UNPROVEN;
  const mustConfirm =
    (settings.double_opt_in || answers[MUST_CONFIRM] !== undefined) &&
    (consents.email || isUnproven);
  if (!existing) {
    const subscriber = await createSubscriber(tx, accountId, {
      ...input,
      source: 'form',
      ...(ip ? { ip } : {}),
      ...createInitialStatuses(row, form.document, input, { consents, mustConfirm }),
    });
    return { subscriber, ...(await readState(tx, row, subscriber, mustConfirm)) };
  }
  if (existing.email_status === 'reported') return undefined;
  const state = await readState(tx, row, existing, mustConfirm);
  if (!consents.email && !isUnproven) state.needsConfirmation = false;
  const subscriber = await updateSubscriber(tx, accountId, existing.id, {
    ...selectBlankFields(existing, input),
    // Workflows start after the confirmation; for an unsubscribed subscriber they do not start
    // here.
    cause: { origin: state.needsConfirmation || state.isInactive ? 'bulk' : 'form' },
  });
  const isOwnPhone = input.phone !== undefined && subscriber.phone === input.phone;
  const isOpen = existing.email_status === 'non-subscribed' && !mustConfirm;
  await confirmExisting(tx, row, form.document, existing.id, {
    sms: consents.sms && isOwnPhone,
    email: consents.email && isOpen,
  });
  return { subscriber, ...state };
}

/** Statuses of a new subscriber, with the consent to emails. */
function createInitialStatuses(
  row: store.SubmissionRow,
  document: FormDocument,
  { email }: Input,
  { consents, mustConfirm }: { consents: GivenConsents; mustConfirm: boolean },
): Pick<Parameters<typeof createSubscriber>[2], 'statuses' | 'consent'> {
  const consent = { channel: 'email', kind: 'given', ...createEvidence(row, document) } as const;
  return {
    statuses: {
      email: mustConfirm || !consents.email ? 'non-subscribed' : 'active',
      sms: consents.sms ? 'active' : 'non-subscribed',
    },
    ...(email && consents.email ? { consent } : {}),
  };
}

type GivenConsents = { email: boolean; sms: boolean };

/**
 * Returns the consents. If the form asks for email consent, only the ticked checkbox subscribes.
 */
const toConsent = ({ document, answers }: SubmittedForm): GivenConsents => ({
  email: !hasConsent(document, 'email') || answers.consent_email === '1',
  sms: answers.consent_sms === '1',
});

/**
 * Activates the non-subscribed channels to which an existing subscriber consented. A sign-up does
 * not reverse an SMS opt-out; START does.
 */
async function confirmExisting(
  tx: Tx,
  row: store.SubmissionRow,
  document: FormDocument,
  id: number,
  consents: GivenConsents,
): Promise<void> {
  for (const channel of ['sms', 'email'] as const) {
    if (!consents[channel]) continue;
    const proof = { channel, ...createEvidence(row, document) };
    await confirm(tx, row.account_id, { subscriberIds: [id] }, proof);
  }
}

/**
 * Determines the state from the subscriber as it was before this sign-up, or as this sign-up
 * created it.
 */
async function readState(
  tx: Tx,
  { account_id: accountId, answers }: store.SubmissionRow,
  { email_status: status, email_key: emailKey }: SubscriberRow,
  mustConfirm: boolean,
): Promise<{ needsConfirmation: boolean; isInactive: boolean }> {
  if (status === 'non-subscribed')
    return { needsConfirmation: mustConfirm && emailKey !== null, isInactive: false };
  if (status === 'active') {
    // The prize of an unproven sign-up waits for the confirmation.
    const isUnproven = answers[MUST_CONFIRM] === UNPROVEN;
    return { needsConfirmation: isUnproven, isInactive: false };
  }
  const suppressions = await findSuppressionReasons(tx, accountId, { emailKey, phoneKey: null });
  const isBlocked = suppressions.email === 'erased' || suppressions.email === 'reported';
  return { needsConfirmation: !isBlocked && status !== 'reported', isInactive: true };
}

/** Omits a value that its field refuses; throws other errors. */
function ignoreRejectedValue(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

/** Omits the phone number of the sign-up if it belongs to another subscriber. */
async function omitForeignPhone(
  tx: Tx,
  accountId: number,
  input: Input,
  id: number | undefined,
): Promise<void> {
  if (!input.phone) return;
  const holder = await findSubscriber(tx, accountId, { phone: input.phone });
  if (holder && holder.id !== id) delete input.phone;
}

const toAddress = (input: Input) =>
  input.email ? { email: input.email } : { phone: input.phone ?? '' };

type Input = {
  email?: string;
  phone?: string;
  firstname?: string;
  lastname?: string;
  fieldValues: Record<number, FieldValue | null>;
};

/** Converts the answers to subscriber values; omits values that their fields refuse. */
async function toInput(
  tx: Tx,
  accountId: number,
  { answers, fields, settings }: SubmittedForm,
  prize: Prize | null,
): Promise<Input> {
  const input: Input = { fieldValues: {} };
  const text = (key: string) => {
    const value = answers[key];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const email = text('email');
  if (email && typeof parseEmail(email) !== 'string') input.email = email;
  const typedPhone = text('phone');
  const { country } = typedPhone ? await readAccount(tx, accountId) : { country: null };
  const phone = parsePhone(typedPhone ?? '', country ?? undefined);
  if (typeof phone === 'object') input.phone = phone.phone;
  for (const key of ['firstname', 'lastname'] as const) {
    const value = text(key);
    if (value) input[key] = value;
  }
  for (const field of fields) {
    const written = text(encodeId('field', field.id));
    if (!written) continue;
    const value = field.type === 'number' ? parseNumber(written) : written;
    const fieldValue = await readFieldValue(tx, accountId, field.id, value).catch(
      ignoreRejectedValue,
    );
    if (fieldValue !== null) input.fieldValues[field.id] = fieldValue;
  }
  if (prize) Object.assign(input.fieldValues, toPrizeValue(settings, prize, fields));
  return input;
}

function selectBlankFields(existing: SubscriberRow, input: Input) {
  const { field_values: values } = existing;
  return {
    ...(existing.firstname === null && input.firstname ? { firstname: input.firstname } : {}),
    ...(existing.lastname === null && input.lastname ? { lastname: input.lastname } : {}),
    ...(existing.phone === null && input.phone ? { phone: input.phone } : {}),
    fieldValues: Object.fromEntries(
      Object.entries(input.fieldValues).filter(([id]) => values[id] === undefined),
    ),
  };
}

/** Lists the mandatory groups and the chosen ones, or all groups if the form offers no choice. */
async function listChosenGroups(
  tx: Tx,
  row: store.SubmissionRow,
  answers: FormAnswers,
): Promise<number[]> {
  const groups = await findFormGroups(tx, row.account_id, [row.form_id]);
  const { interests } = answers;
  const chosenIds = interests === undefined ? undefined : new Set([interests].flat());
  return groups
    .filter(
      (group) =>
        group.is_mandatory ||
        chosenIds === undefined ||
        chosenIds.has(encodeId('group', group.group_id)),
    )
    .map((group) => group.group_id);
}

/**
 * Creates the evidence of a sign-up: the text that the form showed, its version and language, the
 * page, and the IP address.
 */
function createEvidence(
  { form_id: sourceId, ip, version, page }: store.SubmissionRow,
  document: FormDocument,
) {
  const wording = document.steps
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) =>
      block.kind === 'heading' || block.kind === 'text' || block.kind === 'button'
        ? [block.text]
        : [],
    );
  return {
    source: 'form',
    sourceId,
    wording: wording.join('\n'),
    details: { version, page, language: document.language },
    ...(ip ? { ip } : {}),
  };
}

/** Records the exact text of each consent, with the form's version and page. */
async function recordConsents(
  tx: Tx,
  row: store.SubmissionRow,
  document: FormDocument,
  answers: FormAnswers,
  subscriberId: number,
): Promise<void> {
  const agreedBlocks = document.steps
    .flatMap(({ blocks }) => blocks)
    .filter(
      (block): block is Extract<FormBlock, { kind: 'consent' }> =>
        block.kind === 'consent' && answers[`consent_${block.as}`] === '1',
    );
  for (const [i, block] of agreedBlocks.entries()) {
    await insertConsents(tx, row.account_id, [subscriberId], {
      channel: block.as,
      kind: 'given',
      source: 'form',
      // Consents at the same instant would be treated as one.
      at: new Date(row.at.getTime() + i + 1),
      wording: block.text,
      sourceId: row.form_id,
      ...(row.ip ? { ip: row.ip } : {}),
      details: {
        kind: block.as,
        version: row.version,
        page: row.page,
        language: document.language,
      },
    });
  }
}
