// Forms: created from a layout, edited as a draft, published as immutable versions.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ListRequest } from '#platform/contract.ts';
import {
  type FormDocument,
  type FormType,
  STYLES,
  TEMPLATE_LANGUAGES,
} from '#embed/forms/shared/document.ts';
import { readAccount } from '#areas/accounts/server/index.ts';
import type { ContentKind } from '#areas/content/shared.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { deleteItem, type PlaceFilter } from '#areas/folders/server/index.ts';
import { groupTitles, requireGroups } from '#areas/groups/server/index.ts';
import { accountKey, encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { requireCallerRight } from '#platform/server/http/rights.ts';
import { answerList } from '#platform/server/database/lists.ts';
import { hasConsent, withConsent } from '../consent.ts';
import type { Form, FormRow } from '../contract.ts';
import { Settings } from '../settings-contract.ts';
import { withSuccessTexts } from '../success-texts.ts';
import {
  createFormDocument,
  isLayoutOf,
  layoutsOf,
  slicesOf,
  type TemplateLanguage,
} from '../layouts.ts';
import { MAX_FORMS, MINUTES_OF } from '../shared.ts';
import { isCodeEmailed } from './confirmation-sender.ts';
import * as store from './forms.sql.ts';
import { previewKey } from './preview-link.ts';
import { formsSettings } from './settings.ts';
import { snapshotOf } from './snapshot.ts';
import { listSites, readTotals } from './submissions.sql.ts';

const EPOCH = new Date(0);

export const publicIdOf = (row: { account_id: number; id: number }) =>
  encodePublicId('form', row.account_id, row.id);

function settingsOf(row: { settings: unknown }): Settings {
  return Settings.parse(row.settings);
}

export function listForms(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'title' | 'modified'>,
  type: string | undefined,
  isActive?: boolean,
  place?: PlaceFilter,
) {
  return answerList(
    list,
    {
      rows: async (slice) => {
        const rows = await store.listForms(db, accountId, list, { type, isActive, place }, slice);
        const totals = await readTotals(
          db,
          accountId,
          rows.map(({ id }) => id),
          EPOCH,
        );
        return rows.map((row) =>
          presentRow(
            row,
            totals.find((total) => total.form_id === row.id),
          ),
        );
      },
      total: () => store.countForms(db, accountId, { search: list.search, type, isActive, place }),
    },
    (row) => row,
  );
}

function presentRow(
  row: store.FormRow,
  totals: { views: number; sign_ups: number } | undefined,
): FormRow {
  const document = row.document;
  const type = row.type as FormType;
  return {
    id: encodeId('form', row.id),
    type,
    title: row.title,
    is_active: row.is_active,
    views: totals?.views ?? 0,
    sign_ups: totals?.sign_ups ?? 0,
    settings: {
      id: encodeId('form', row.id),
      embed_hash: publicIdOf(row),
      layout: document.layout,
    },
    thumbnail: {
      document: { ...document, steps: document.steps.slice(0, 1), success: [] },
      wheel: type === 'spinToWin' ? slicesIn(settingsOf(row)) : null,
    },
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

/** The script that draws the account's forms. */
export const tagUrl = (accountId: number) =>
  `${formsSettings().publicUrl}/f/${accountKey(accountId)}.js`;

const slicesIn = ({ wheel_config: wheel }: Settings) =>
  wheel?.setup.map(({ label, colour }) => ({ label, colour })) ?? null;

export async function readForm(db: Reader, accountId: number, id: number): Promise<Form> {
  const row = await store.findForm(db, accountId, id);
  if (!row) throw notFound();
  return presentForm(db, row);
}

async function presentForm(db: Reader, row: store.FormRow): Promise<Form> {
  const { account_id: accountId } = row;
  const [totals] = await readTotals(db, accountId, [row.id], EPOCH);
  const groups = await store.findFormGroups(db, accountId, [row.id]);
  const titles = await groupTitles(
    db,
    accountId,
    groups.map(({ group_id }) => group_id),
  );
  const document = row.document;
  const { publicUrl } = formsSettings();
  return {
    ...presentRow(row, totals),
    document,
    styles: { ...STYLES, ...document.styles },
    settings: {
      ...settingsOf(row),
      embed_hash: publicIdOf(row),
      layout: document.layout,
      id: encodeId('form', row.id),
    },
    fields: document.steps.flatMap(({ blocks }) =>
      blocks.flatMap((block) =>
        block.kind === 'field'
          ? [{ field: block.field, as: block.as, required: block.required, label: block.label }]
          : [],
      ),
    ),
    groups: groups.map(({ group_id }) => ({
      id: encodeId('group', group_id),
      title: titles.get(group_id) ?? '',
    })),
    mandatory_tags: groups
      .filter((group) => group.is_mandatory)
      .map((group) => encodeId('group', group.group_id)),
    revision: row.revision,
    published_version: row.published_version,
    has_unpublished: !(await isPublished(db, row)),
    preview_key: previewKey({ accountId, id: row.id }, clock.now()),
    sites: (await listSites(db, accountId)).map(({ host, seen_at }) => ({
      host,
      seen: seen_at.toISOString(),
    })),
    hosted_url: `${publicUrl}/f/${publicIdOf(row)}/view`,
    embed_script: `<script async src="${tagUrl(accountId)}" data-cfasync="false"></script>`,
    mail_editor: row.mail_content_kind as ContentKind | null,
    mail_revision: row.mail_revision,
  };
}

export async function createForm(
  tx: Tx,
  accountId: number,
  input: {
    type: FormType;
    title: string;
    layout?: string | undefined;
    language?: TemplateLanguage | undefined;
  },
): Promise<Form> {
  await requireFormCapacity(tx, accountId);
  const layout = input.layout ?? layoutsOf(input.type)[0] ?? '';
  if (!isLayoutOf(input.type, layout))
    throw new AppError('layout_unknown', { errors: { layout: ['forms:errors.layout_unknown'] } });
  const account = await readAccount(tx, accountId);
  const formLanguage = TEMPLATE_LANGUAGES.find(
    (templateLanguage) => templateLanguage === account.language,
  );
  const language = input.language ?? formLanguage ?? 'eng';
  const settings = Settings.parse({
    // Embeds are always part of their page; only popups and wheels are delayed and repeated.
    ...(input.type === 'embed' ? { delay: false } : {}),
    ...(input.type === 'spinToWin' ? { wheel_config: { setup: slicesOf(language, layout) } } : {}),
  });
  const row = await store.insertForm(tx, {
    accountId,
    type: input.type,
    title: input.title.trim(),
    document: createFormDocument(layout, language, new URL(formsSettings().publicUrl).origin),
    settings,
    at: clock.now(),
  });
  return presentForm(tx, row);
}

async function requireFormCapacity(tx: Tx, accountId: number): Promise<void> {
  if ((await store.countForms(tx, accountId)) >= MAX_FORMS) {
    throw new AppError('too_many_forms', { values: { most: MAX_FORMS } });
  }
}

export async function copyForm(
  tx: Tx,
  accountId: number,
  id: number,
  title: string,
): Promise<Form> {
  await requireFormCapacity(tx, accountId);
  const row = await store.findForm(tx, accountId, id);
  if (!row) throw notFound();
  const copy = await store.insertForm(tx, {
    accountId,
    type: row.type,
    title: title.trim(),
    document: row.document,
    settings: row.settings,
    at: clock.now(),
  });
  const groups = await store.findFormGroups(tx, accountId, [id]);
  await store.setGroups(
    tx,
    accountId,
    copy.id,
    groups.map((group) => ({ id: group.group_id, isMandatory: group.is_mandatory })),
  );
  return presentForm(tx, copy);
}

export type FormChange = {
  title?: string | undefined;
  is_active?: 0 | 1 | boolean | undefined;
  document?: FormDocument | undefined;
  settings?: Partial<Settings> | undefined;
  revision?: number | undefined;
};

type DoubleOptIn = {
  double_opt_in: boolean;
  subject?: string | undefined;
  from_name?: string | undefined;
  from_email?: string | undefined;
};

/**
 * Changes title, draft, settings and activity; activation publishes unpublished changes.
 * @throws stale_revision, layout_unknown, and when it publishes, the faults of an unfinished form
 */
export async function updateForm(
  tx: Tx,
  accountId: number,
  id: number,
  change: FormChange,
): Promise<Form> {
  const row = await store.lockForm(tx, accountId, id);
  if (!row) throw notFound();
  if (change.is_active !== undefined) requireCallerRight('send');
  const isContent = change.document !== undefined || change.settings !== undefined;
  const { document, settings } = changedContent(row, change);
  const isKnown = isContent && isUnchanged(row, document, settings);
  // Changes of a live form's confirmation email, even in the draft, require the right to send.
  const isSame = isDeepStrictEqual(settings.confirmation, settingsOf(row).confirmation);
  if (isLive(row) && !isSame) requireCallerRight('send');
  if (isContent && change.revision !== undefined && change.revision !== row.revision) {
    // A repeated save after a lost response changes nothing.
    if (!isKnown) throw new AppError('stale_revision');
  }
  const saved = await store.saveForm(tx, accountId, id, {
    ...(change.title === undefined ? {} : { title: change.title.trim() }),
    ...(isContent && !isKnown
      ? {
          document: JSON.stringify(document),
          settings: JSON.stringify(settings),
          revision: row.revision + 1,
        }
      : {}),
    ...(change.is_active === undefined ? {} : { is_active: Boolean(change.is_active) }),
    modified_at: clock.now(),
  });
  if (change.is_active && !(row.is_active && (await isPublished(tx, saved)))) {
    return presentForm(tx, await publish(tx, saved));
  }
  return presentForm(tx, saved);
}

/** The document and the settings after the change; each follows changes of the other. */
function changedContent(
  row: store.FormRow,
  change: FormChange,
): { document: FormDocument; settings: Settings } {
  const changed = Object.fromEntries(
    Object.entries(change.settings ?? {}).filter(
      // These two are derived from the form and the document.
      ([name, value]) => value !== undefined && name !== 'embed_hash' && name !== 'layout',
    ),
  );
  const newSettings = withMinutes(Settings.parse({ ...row.settings, ...changed }), changed);
  const newDocument = withLayout(
    row.type as FormType,
    change.document ?? row.document,
    change.document ? undefined : change.settings?.layout,
  );
  // A change of `show_gdpr` adds or removes the consent checkbox, and the checkbox determines
  // `show_gdpr`.
  const before = settingsOf(row);
  const consented =
    newSettings.show_gdpr === before.show_gdpr
      ? newDocument
      : withConsent(newDocument, newSettings.show_gdpr, randomUUID().slice(0, 8));
  const document =
    newSettings.double_opt_in === before.double_opt_in
      ? consented
      : withSuccessTexts(consented, newSettings.double_opt_in);
  return { document, settings: { ...newSettings, show_gdpr: hasConsent(document, 'email') } };
}

/** The settings include the document's layout, and may change it if no document is sent. */
function withLayout(
  type: FormType,
  document: FormDocument,
  layout: string | undefined,
): FormDocument {
  if (layout === undefined || layout === '' || layout === document.layout) return document;
  if (!isLayoutOf(type, layout))
    throw new AppError('layout_unknown', {
      errors: { 'settings.layout': ['forms:errors.layout_unknown'] },
    });
  return { ...document, layout };
}

/** Whether sites show the form, so that confirmation emails are sent without a further decision. */
const isLive = (row: store.FormRow): boolean => row.is_active && row.published_version !== null;

/** Whether the published version equals the current draft. */
async function isPublished(db: Reader, row: store.FormRow): Promise<boolean> {
  const { account_id: accountId, id, published_version: number } = row;
  const version = number === null ? undefined : await store.findVersion(db, accountId, id, number);
  return (
    version !== undefined &&
    isDeepStrictEqual(version.document, row.document) &&
    isDeepStrictEqual(version.settings, row.settings)
  );
}

function isUnchanged(row: store.FormRow, document: FormDocument, settings: Settings): boolean {
  return isDeepStrictEqual(document, row.document) && isDeepStrictEqual(settings, settingsOf(row));
}

/** Derives the minutes from the author's number and unit, unless only the minutes were given. */
function withMinutes(settings: Settings, changed: Record<string, unknown>): Settings {
  if (!('popup_frequency_amount' in changed) && !('popup_frequency_type' in changed))
    return settings;
  const { popup_frequency_type: unit, popup_frequency_amount: amount } = settings;
  return { ...settings, popup_frequency_minutes: amount * MINUTES_OF[unit] };
}

export async function publishForm(tx: Tx, accountId: number, id: number): Promise<Form> {
  const row = await store.lockForm(tx, accountId, id);
  if (!row) throw notFound();
  return presentForm(tx, await publish(tx, row));
}

const publish = (tx: Tx, row: store.FormRow) => publishAs(tx, row, row.document, settingsOf(row));

/**
 * Publishes the live version again, with the current groups and changed settings. The draft is not
 * published, since its author may be editing it.
 */
async function republish(
  tx: Tx,
  row: store.FormRow,
  change: Partial<Settings> = {},
): Promise<store.FormRow> {
  if (row.published_version === null) return row;
  const shown = await store.findVersion(tx, row.account_id, row.id, row.published_version);
  if (!shown) return row;
  const settings = { ...shown.settings, ...change };
  const before = shown.document;
  const { double_opt_in: isDoubleOptIn } = change;
  const document = isDoubleOptIn === undefined ? before : withSuccessTexts(before, isDoubleOptIn);
  return publishAs(tx, row, document, settings);
}

async function publishAs(
  tx: Tx,
  row: store.FormRow,
  document: FormDocument,
  settings: Settings,
): Promise<store.FormRow> {
  const { account_id: accountId, id } = row;
  await refuseUnfinished(tx, accountId, row.type as FormType, document, settings);
  const number = (row.published_version ?? 0) + 1;
  const at = clock.now();
  await store.insertVersion(tx, {
    accountId,
    formId: id,
    number,
    document,
    settings,
    snapshot: snapshotOf({
      publicId: publicIdOf(row),
      type: row.type as FormType,
      version: number,
      document,
      settings,
      interests: await listInterests(tx, accountId, id),
      isEmailed: await isCodeEmailed(tx, accountId, settings),
    }),
    at,
  });
  return store.saveForm(tx, accountId, id, {
    published_version: number,
    published_at: at,
    modified_at: at,
  });
}

/** Groups that visitors can choose: those that are not mandatory. */
export async function listInterests(tx: Reader, accountId: number, formId: number) {
  const groups = (await store.findFormGroups(tx, accountId, [formId])).filter(
    (group) => !group.is_mandatory,
  );
  const titles = await groupTitles(
    tx,
    accountId,
    groups.map(({ group_id }) => group_id),
  );
  return groups.map(({ group_id }) => ({
    id: encodeId('group', group_id),
    title: titles.get(group_id) ?? '',
  }));
}

const BUILT_IN_FIELDS = new Set(['email', 'phone', 'firstname', 'lastname']);

async function refuseUnfinished(
  tx: Tx,
  accountId: number,
  type: FormType,
  document: FormDocument,
  settings: Settings,
): Promise<void> {
  const fields = document.steps.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'field' ? [block] : [])),
  );
  const reaches = fields.some(
    ({ field, required }) => required && (field === 'email' || field === 'phone'),
  );
  if (!reaches)
    throw new AppError('email_missing', { errors: { document: ['forms:errors.email_missing'] } });
  const known = new Set(
    (await readFields(tx, accountId)).map((field) => encodeId('field', field.id)),
  );
  const unknown = fields.find(({ field }) => !BUILT_IN_FIELDS.has(field) && !known.has(field));
  if (unknown)
    throw new AppError('field_unknown', {
      values: { label: unknown.label },
      errors: { document: ['forms:errors.field_unknown'] },
    });
  if (type === 'spinToWin' && !settings.wheel_config?.setup.some(({ weight }) => weight > 0)) {
    throw new AppError('wheel_missing', { errors: { settings: ['forms:errors.wheel_missing'] } });
  }
  if (settings.double_opt_in && !settings.confirmation.from_email) {
    throw new AppError('sender_missing', { errors: { settings: ['forms:errors.sender_missing'] } });
  }
}

/** Sets the groups. Those in `mandatory_tags` are mandatory; if it is omitted, all of them are. */
export async function setFormGroups(
  tx: Tx,
  accountId: number,
  id: number,
  groups: { tags_ids: readonly number[]; mandatory_tags?: readonly number[] | undefined },
): Promise<Form> {
  const row = await store.lockForm(tx, accountId, id);
  if (!row) throw notFound();
  if (isLive(row)) requireCallerRight('send');
  const found = await requireGroups(tx, accountId, groups.tags_ids);
  const mandatory = new Set(groups.mandatory_tags ?? groups.tags_ids);
  await store.setGroups(
    tx,
    accountId,
    id,
    found.map((group) => ({ id: group.id, isMandatory: mandatory.has(group.id) })),
  );
  const saved = await store.saveForm(tx, accountId, id, { modified_at: clock.now() });
  // Sites must offer the new choices immediately.
  return presentForm(tx, await republish(tx, saved));
}

/**
 * Sets double opt-in and the sender of the confirmation email in the draft and in the live version.
 * Of the draft's other changes, only those of the confirmation email are published.
 */
export async function setDoubleOptIn(
  tx: Tx,
  accountId: number,
  id: number,
  { double_opt_in, ...from }: DoubleOptIn,
): Promise<Form> {
  const row = await store.lockForm(tx, accountId, id);
  if (!row) throw notFound();
  const draft = settingsOf(row);
  const sender = Object.fromEntries(
    Object.entries(from).map(([name, value]) => [name, value?.trim()]),
  );
  const change = { double_opt_in, confirmation: { ...draft.confirmation, ...sender } };
  if (double_opt_in && !change.confirmation.from_email) {
    throw new AppError('sender_missing', {
      errors: { from_email: ['forms:errors.sender_missing'] },
    });
  }
  const saved = await store.saveForm(tx, accountId, id, {
    document: JSON.stringify(withSuccessTexts(row.document, double_opt_in)),
    settings: JSON.stringify({ ...draft, ...change }),
    revision: row.revision + 1,
    modified_at: clock.now(),
  });
  return presentForm(tx, await republish(tx, saved, change));
}

export async function deleteForm(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.deleteForm(tx, accountId, id))) throw notFound();
  await deleteItem(tx, accountId, 'form', id);
}
