// Custom fields: listing, creation, changes, deletion, and parsing of values by type.
import type { ListRequest } from '#platform/contract.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Field } from '../contract.ts';
import { MAX_FIELDS, type FieldType, toFieldName, readValue } from '../shared.ts';
import { fieldDeleted, fieldUsedBy } from './events.ts';
import * as store from './fields.sql.ts';
import type { FieldRow } from './fields.sql.ts';
import { describeNaming } from '#platform/server/erasure/addresses.ts';

export function presentField(row: FieldRow): Field {
  return {
    id: encodeId('field', row.id),
    name: row.name,
    title: row.title,
    type: row.type as FieldType,
    account_id: encodeId('account', row.account_id),
    show: row.is_shown,
    position: row.position,
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

export function listFields(
  db: Reader,
  accountId: number,
  list: ListRequest<'title' | 'created' | 'modified'>,
) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listFields(db, accountId, list, slice),
      total: () => store.countFields(db, accountId, list.search),
    },
    presentField,
  );
}

/** The data about a field that other areas can use. */
export type FieldFacts = { id: number; name: string; title: string; type: FieldType };

/** Returns all fields of an account, in order. */
export async function readFields(db: Reader, accountId: number): Promise<FieldFacts[]> {
  const rows = await store.listAllFields(db, accountId);
  return rows.map(({ id, name, title, type }) => ({ id, name, title, type: type as FieldType }));
}

const duplicateTitle = () =>
  new AppError('title_taken', { errors: { title: ['fields:errors.title_taken'] } });

const isSameTitle = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

/** Adds a field. Throws 409 `title_taken`, 422 `too_many_fields`. */
export async function createField(
  tx: Tx,
  accountId: number,
  input: { title: string; type: FieldType },
): Promise<FieldRow> {
  await store.lockFields(tx, accountId);
  const fields = await store.listAllFields(tx, accountId);
  if (fields.length >= MAX_FIELDS) {
    throw new AppError('too_many_fields', { values: { most: MAX_FIELDS } });
  }
  if (fields.some((field) => isSameTitle(field.title, input.title))) throw duplicateTitle();
  const names = new Set(fields.map((field) => field.name));
  return store.insertField(tx, accountId, {
    name: toFieldName(input.title, (name) => names.has(name)),
    title: input.title.trim(),
    type: input.type,
    position: Math.max(0, ...fields.map((field) => field.position)) + 1,
    at: clock.now(),
  });
}

export async function updateField(
  tx: Tx,
  accountId: number,
  id: number,
  change: { title?: string | undefined; show?: boolean | undefined },
): Promise<FieldRow> {
  const { title, show } = change;
  if (title !== undefined) {
    await store.lockFields(tx, accountId);
    const fields = await store.listAllFields(tx, accountId);
    if (fields.some((field) => field.id !== id && isSameTitle(field.title, title)))
      throw duplicateTitle();
  }
  const row = await store.updateField(tx, accountId, id, {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(show === undefined ? {} : { is_shown: show }),
    modified_at: clock.now(),
  });
  if (!row) throw notFound();
  return row;
}

/**
 * Deletes a field; a job deletes its values. @throws 409 `field_in_use` with the objects that
 * depend on the field, in the caller's language
 */
export async function deleteField(
  tx: Tx,
  accountId: number,
  id: number,
  language: Language,
): Promise<void> {
  const field = await store.lockField(tx, accountId, id);
  if (!field) throw notFound();
  const dependents = await fieldUsedBy.collect(tx, {
    accountId,
    fieldId: id,
    name: field.name,
    language,
  });
  if (dependents.length > 0) {
    throw new AppError('field_in_use', {
      values: {
        names: dependents.map((dependent) => dependent.title).join(', '),
        count: dependents.length,
      },
      extra: { used_by: dependents },
    });
  }
  if (!(await store.deleteField(tx, accountId, id))) throw notFound();
  await fieldDeleted.announce(tx, { accountId, fieldId: id });
}

/**
 * Locks the fields against deletion until the transaction ends; returns false if one of them does
 * not exist.
 */
export async function lockAllFields(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<boolean> {
  const requestedIds = new Set(ids);
  return (
    (await store.lockFieldsById(tx, accountId, [...requestedIds])).length === requestedIds.size
  );
}

/**
 * Parses one value of a field into its stored form and locks the field against deletion until the
 * transaction ends. Throws 404 if the field is not the account's, 422 on `path` if the value does
 * not fit the type.
 */
export async function readFieldValue(
  tx: Tx,
  accountId: number,
  fieldId: number,
  value: string | number | null,
  path = 'value',
): Promise<string | number | null> {
  const [field] = await store.lockFieldsById(tx, accountId, [fieldId]);
  if (!field) throw notFound();
  const result = readValue(field.type as FieldType, value);
  if ('fault' in result) throw invalid({ [path]: [`fields:errors.${result.fault}`] });
  return result.value;
}

/** Finds a field by its id, by `{$name}` or by its name. */
export function findFieldByName(
  fields: readonly FieldFacts[],
  key: string,
): FieldFacts | undefined {
  const name = /^\{\$(.*)\}$/.exec(key)?.[1] ?? key;
  const id = decodeId('field', key);
  return fields.find((field) => field.id === id || field.name === name);
}

type ParsedValues = {
  /** One record for each subscriber in the input, with values by field id. */
  values: Record<number, string | number | null>[];
  /** Keys that name no field. */
  unknownKeys: string[];
  /** Keys whose value does not have the field's type. */
  invalidKeys: string[];
};

/**
 * Parses values of several subscribers into their stored form and locks the fields against deletion
 * until the transaction ends. Unknown keys and values of another type are reported instead of
 * refused.
 */
export async function parseFieldValues(
  tx: Tx,
  accountId: number,
  records: readonly Readonly<Record<string, unknown>>[],
): Promise<ParsedValues> {
  const unknown = new Set<string>();
  const unfit = new Set<string>();
  const keys = new Set(records.flatMap((values) => Object.keys(values)));
  if (keys.size === 0) return { values: records.map(() => ({})), unknownKeys: [], invalidKeys: [] };
  const all = await readFields(tx, accountId);
  const fieldsByKey = new Map([...keys].map((key) => [key, findFieldByName(all, key)]));
  const ids = [...new Set([...fieldsByKey.values()].flatMap((field) => field?.id ?? []))];
  const lockedIds = new Set((await store.lockFieldsById(tx, accountId, ids)).map(({ id }) => id));
  const values = records.map((values) => {
    const parsedValues: Record<number, string | number | null> = {};
    for (const [key, value] of Object.entries(values)) {
      const field = fieldsByKey.get(key);
      if (!field || !lockedIds.has(field.id)) {
        unknown.add(key);
        continue;
      }
      const plainValue = typeof value === 'boolean' ? String(value) : value;
      const isPlain =
        plainValue === null || typeof plainValue === 'string' || typeof plainValue === 'number';
      const result = isPlain ? readValue(field.type, plainValue) : { fault: 'object' };
      if ('fault' in result) unfit.add(key);
      else parsedValues[field.id] = result.value;
    }
    return parsedValues;
  });
  return { values, unknownKeys: [...unknown], invalidKeys: [...unfit] };
}

/**
 * Handles `addresses.contents_naming`: finds fields whose name contains an address, because it was
 * derived from the title. Content and imports refer to fields by name, so it is not changed.
 */
export async function findFieldsWithAddresses(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<{ kind: string; id: string; title: string }[]> {
  const { emails, phoneDigits } = describeNaming(addresses);
  const derivedNames = emails.map((email) => toFieldName(email, () => false));
  const isNaming = ({ name }: store.FieldRow) =>
    derivedNames.some((derived) => name.includes(derived)) ||
    phoneDigits.some((digits) => name.replace(/\D/g, '').includes(digits));
  return (await store.listAllFields(tx, accountId))
    .filter(isNaming)
    .map(({ id, title }) => ({ kind: 'field', id: encodeId('field', id), title }));
}
