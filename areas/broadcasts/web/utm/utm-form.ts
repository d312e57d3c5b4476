// Converts UTM parameters to form values and back.
import { hasOnlyTokens, UTM_NAMES, type UtmName, type UtmValues } from '../../../content/utm.ts';

export type UtmFormValues = Record<UtmName, string>;

export const toUtmForm = (values: UtmValues): UtmFormValues => {
  const form = { source: '', medium: '', campaign: '', term: '', content: '', id: '' };
  for (const name of UTM_NAMES) form[name] = values[name] ?? '';
  return form;
};

/** Converts form values back, without blank ones. */
export function toUtmValues(form: UtmFormValues): UtmValues {
  const values: UtmValues = {};
  for (const name of UTM_NAMES) if (form[name].trim() !== '') values[name] = form[name].trim();
  return values;
}

/**
 * Creates a form's validation rules; `message` is the error for values with braces that are not a
 * token.
 */
export const createUtmRules = (message: string) =>
  Object.fromEntries(
    UTM_NAMES.map((name) => [name, (value: string) => (hasOnlyTokens(value) ? null : message)]),
  ) as Record<UtmName, (value: string) => string | null>;
