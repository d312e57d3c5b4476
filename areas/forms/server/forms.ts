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
import { readGroupTitles, requireGroups } from '#areas/groups/server/index.ts';
import { encodeAccountKey, encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { requireCallerRight } from '#platform/server/http/rights.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { hasConsent, setConsent } from '../consent.ts';
import type { Form, FormSummary } from '../contract.ts';
import { FormSettings } from '../settings-contract.ts';
import { replaceSuccessTexts } from '../success-texts.ts';
import {
  createFormDocument,
  isLayoutOf,
  listLayouts,
  createSlices,
  type TemplateLanguage,
} from '../layouts.ts';
import { MAX_FORMS, MINUTES_OF } from '../shared.ts';
import { isCodeEmailed } from './confirmation-sender.ts';
import * as store from './forms.sql.ts';
import { createPreviewKey } from './preview-link.ts';
import { getFormsSettings } from './settings.ts';
import { createSnapshot } from './snapshot.ts';
import { listSites, readTotals } from './submissions.sql.ts';

const EPOCH = new Date(0);

export const toPublicId = (row: { account_id: number; id: number }) =>
  encodePublicId('form', row.account_id, row.id);

function parseSettings(row: { settings: unknown }): FormSettings {
  return FormSettings.parse(row.settings);
}

export function listForms(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'title' | 'modified'>,
  type: string | undefined,
  isActive?: boolean,
  place?: PlaceFilter,
) {
  return buildListResponse(
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
): FormSummary {
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
      embed_hash: toPublicId(row),
      layout: document.layout,
    },
    thumbnail: {
      document: { ...document, steps: document.steps.slice(0, 1), success: [] },
      wheel: type === 'spinToWin' ? listSlices(parseSettings(row)) : null,
    },
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

/** Returns the URL of the script that draws the account's forms. */
export const buildTagUrl = (accountId: number) =>
  `${getFormsSettings().publicUrl}/f/${encodeAccountKey(accountId)}.js`;

const listSlices = ({ wheel_config: wheel }: FormSettings) =>
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
  const titles = await readGroupTitles(
    db,
    accountId,
    groups.map(({ group_id }) => group_id),
  );
  const document = row.document;
  const { publicUrl } = getFormsSettings();
  return {
    ...presentRow(row, totals),
    document,
    styles: { ...STYLES, ...document.styles },
    settings: {
      ...parseSettings(row),
      embed_hash: toPublicId(row),
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
    preview_key: createPreviewKey({ accountId, id: row.id }, clock.now()),
    sites: (await listSites(db, accountId)).map(({ host, seen_at }) => ({
      host,
      seen: seen_at.toISOString(),
    })),
    hosted_url: `${publicUrl}/f/${toPublicId(row)}/view`,
    embed_script: `<script async src="${buildTagUrl(accountId)}" data-cfasync="false"></script>`,
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
  const layout = input.layout ?? listLayouts(input.type)[0] ?? '';
  if (!isLayoutOf(input.type, layout))
    throw new AppError('layout_unknown', { errors: { layout: ['forms:errors.layout_unknown'] } });
  const account = await readAccount(tx, accountId);
  const formLanguage = TEMPLATE_LANGUAGES.find(
    (templateLanguage) => templateLanguage === account.language,
  );
  const language = input.language ?? formLanguage ?? 'eng';
  const settings = FormSettings.parse({
    // Embeds are always part of their page; only popups and wheels are delayed and repeated.
    ...(input.type === 'embed' ? { delay: false } : {}),
    ...(input.type === 'spinToWin'
      ? { wheel_config: { setup: createSlices(language, layout) } }
      : {}),
  });
  const row = await store.insertForm(tx, {
    accountId,
    type: input.type,
    title: input.title.trim(),
    document: createFormDocument(layout, language, new URL(getFormsSettings().publicUrl).origin),
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
  settings?: Partial<FormSettings> | undefined;
  revision?: number | undefined;
};

type DoubleOptIn = {
  double_opt_in: boolean;
  subject?: string | undefined;
  from_name?: string | undefined;
  from_email?: string | undefined;
};

/**
 * Changes the title, the draft, the settings, and whether the form is active. Activation publishes
 * unpublished changes.
 * @throws stale_revision, layout_unknown, and when it publishes, the errors of an unfinished form
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
  const { document, settings } = applyChange(row, change);
  const isKnown = isContent && isUnchanged(row, document, settings);
  // Changes of a live form's confirmation email, even in the draft, require the right to send.
  const isSame = isDeepStrictEqual(settings.confirmation, parseSettings(row).confirmation);
  if (isLive(row) && !isSame) requireCallerRight('send');
  if (isContent && change.revision !== undefined && change.revision !== row.revision) {
    // A repeated save after a lost response changes nothing.
    if (!isKnown) throw new AppError('stale_revision');
  }
  const savedRow = await store.saveForm(tx, accountId, id, {
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
  if (change.is_active && !(row.is_active && (await isPublished(tx, savedRow)))) {
    return presentForm(tx, await publish(tx, savedRow));
  }
  return presentForm(tx, savedRow);
}

/** Returns the document and the settings after the change; each follows changes of the other. */
function applyChange(
  row: store.FormRow,
  change: FormChange,
): { document: FormDocument; settings: FormSettings } {
  const changedSettings = Object.fromEntries(
    Object.entries(change.settings ?? {}).filter(
      // These two are derived from the form and the document.
      ([name, value]) => value !== undefined && name !== 'embed_hash' && name !== 'layout',
    ),
  );
  const newSettings = deriveMinutes(
    FormSettings.parse({ ...row.settings, ...changedSettings }),
    changedSettings,
  );
  const newDocument = applyLayout(
    row.type as FormType,
    change.document ?? row.document,
    change.document ? undefined : change.settings?.layout,
  );
  // A change of `show_gdpr` adds or removes the consent checkbox, and the checkbox determines
  // `show_gdpr`.
  const currentSettings = parseSettings(row);
  const documentWithConsent =
    newSettings.show_gdpr === currentSettings.show_gdpr
      ? newDocument
      : setConsent(newDocument, newSettings.show_gdpr, randomUUID().slice(0, 8));
  const document =
    newSettings.double_opt_in === currentSettings.double_opt_in
      ? documentWithConsent
      : replaceSuccessTexts(documentWithConsent, newSettings.double_opt_in);
  return { document, settings: { ...newSettings, show_gdpr: hasConsent(document, 'email') } };
}

/** Applies the layout in the settings to the document if no document is sent. */
function applyLayout(
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

/**
 * Returns whether sites show the form, so that confirmation emails are sent without a further
 * decision.
 */
const isLive = (row: store.FormRow): boolean => row.is_active && row.published_version !== null;

/** Returns whether the published version equals the current draft. */
async function isPublished(db: Reader, row: store.FormRow): Promise<boolean> {
  const { account_id: accountId, id, published_version: number } = row;
  const version = number === null ? undefined : await store.findVersion(db, accountId, id, number);
  return (
    version !== undefined &&
    isDeepStrictEqual(version.document, row.document) &&
    isDeepStrictEqual(version.settings, row.settings)
  );
}

function isUnchanged(row: store.FormRow, document: FormDocument, settings: FormSettings): boolean {
  return (
    isDeepStrictEqual(document, row.document) && isDeepStrictEqual(settings, parseSettings(row))
  );
}

/** Derives the minutes from the author's number and unit, unless only the minutes were given. */
function deriveMinutes(
  settings: FormSettings,
  changedSettings: Record<string, unknown>,
): FormSettings {
  if (
    !('popup_frequency_amount' in changedSettings) &&
    !('popup_frequency_type' in changedSettings)
  )
    return settings;
  const { popup_frequency_type: unit, popup_frequency_amount: amount } = settings;
  return { ...settings, popup_frequency_minutes: amount * MINUTES_OF[unit] };
}

export async function publishForm(tx: Tx, accountId: number, id: number): Promise<Form> {
  const row = await store.lockForm(tx, accountId, id);
  if (!row) throw notFound();
  return presentForm(tx, await publish(tx, row));
}

const publish = (tx: Tx, row: store.FormRow) =>
  publishAs(tx, row, row.document, parseSettings(row));

/**
 * Publishes the live version again, with the current groups and changed settings. The draft is not
 * published because its author may be editing it.
 */
async function republish(
  tx: Tx,
  row: store.FormRow,
  change: Partial<FormSettings> = {},
): Promise<store.FormRow> {
  if (row.published_version === null) return row;
  const publishedVersion = await store.findVersion(
    tx,
    row.account_id,
    row.id,
    row.published_version,
  );
  if (!publishedVersion) return row;
  const settings = { ...publishedVersion.settings, ...change };
  const publishedDocument = publishedVersion.document;
  const { double_opt_in: isDoubleOptIn } = change;
  const document =
    isDoubleOptIn === undefined
      ? publishedDocument
      : replaceSuccessTexts(publishedDocument, isDoubleOptIn);
  return publishAs(tx, row, document, settings);
}

async function publishAs(
  tx: Tx,
  row: store.FormRow,
  document: FormDocument,
  settings: FormSettings,
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
    snapshot: createSnapshot({
      publicId: toPublicId(row),
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

/** Groups that visitors can choose: all that are not mandatory. */
export async function listInterests(tx: Reader, accountId: number, formId: number) {
  const groups = (await store.findFormGroups(tx, accountId, [formId])).filter(
    (group) => !group.is_mandatory,
  );
  const titles = await readGroupTitles(
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
  settings: FormSettings,
): Promise<void> {
  const fields = document.steps.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'field' ? [block] : [])),
  );
  const reaches = fields.some(
    ({ field, required }) => required && (field === 'email' || field === 'phone'),
  );
  if (!reaches)
    throw new AppError('email_missing', { errors: { document: ['forms:errors.email_missing'] } });
  const fieldIds = new Set(
    (await readFields(tx, accountId)).map((field) => encodeId('field', field.id)),
  );
  const unknown = fields.find(({ field }) => !BUILT_IN_FIELDS.has(field) && !fieldIds.has(field));
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

/** Sets the groups. `mandatory_tags` lists the mandatory ones; if omitted, all are mandatory. */
export async function setFormGroups(
  tx: Tx,
  accountId: number,
  id: number,
  groups: { tags_ids: readonly number[]; mandatory_tags?: readonly number[] | undefined },
): Promise<Form> {
  const row = await store.lockForm(tx, accountId, id);
  if (!row) throw notFound();
  if (isLive(row)) requireCallerRight('send');
  const existingGroups = await requireGroups(tx, accountId, groups.tags_ids);
  const mandatory = new Set(groups.mandatory_tags ?? groups.tags_ids);
  await store.setGroups(
    tx,
    accountId,
    id,
    existingGroups.map((group) => ({ id: group.id, isMandatory: mandatory.has(group.id) })),
  );
  const savedRow = await store.saveForm(tx, accountId, id, { modified_at: clock.now() });
  // Sites must offer the new choices immediately.
  return presentForm(tx, await republish(tx, savedRow));
}

/**
 * Sets double opt-in and the sender of the confirmation email in the draft and in the live version.
 * Also publishes the draft's changes of the confirmation email, but none of its other changes.
 */
export async function setDoubleOptIn(
  tx: Tx,
  accountId: number,
  id: number,
  { double_opt_in, ...from }: DoubleOptIn,
): Promise<Form> {
  const row = await store.lockForm(tx, accountId, id);
  if (!row) throw notFound();
  const draft = parseSettings(row);
  const sender = Object.fromEntries(
    Object.entries(from).map(([name, value]) => [name, value?.trim()]),
  );
  const change = { double_opt_in, confirmation: { ...draft.confirmation, ...sender } };
  if (double_opt_in && !change.confirmation.from_email) {
    throw new AppError('sender_missing', {
      errors: { from_email: ['forms:errors.sender_missing'] },
    });
  }
  const savedRow = await store.saveForm(tx, accountId, id, {
    document: JSON.stringify(replaceSuccessTexts(row.document, double_opt_in)),
    settings: JSON.stringify({ ...draft, ...change }),
    revision: row.revision + 1,
    modified_at: clock.now(),
  });
  return presentForm(tx, await republish(tx, savedRow, change));
}

export async function deleteForm(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.deleteForm(tx, accountId, id))) throw notFound();
  await deleteItem(tx, accountId, 'form', id);
}
