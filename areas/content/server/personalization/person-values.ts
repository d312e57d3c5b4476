// Converts a subscriber's row to values of merge tags: columns, and custom fields by name.
import { PERSON_TAGS } from '../../shared.ts';
import type { MergeValue, MergeValues } from './merge-tags.ts';

export type MergeSubscriberRow = {
  email: string | null;
  firstname: string | null;
  lastname: string | null;
  phone: string | null;
  /** Values by field id. */
  field_values: unknown;
};

/** @param fields id and name of the account's custom fields; no field has the name of a column */
export function toSubscriberValues(
  subscriber: MergeSubscriberRow,
  fields: readonly { id: number; name: string }[],
): MergeValues {
  const values: Record<string, MergeValue> = Object.create(null);
  const fieldValues = (subscriber.field_values ?? {}) as Record<string, MergeValue>;
  for (const field of fields) values[field.name] = fieldValues[field.id];
  for (const name of PERSON_TAGS) values[name] = subscriber[name];
  return values;
}
