// zod's issues as {field: [codes]}. Each code exists under errors.fields in the catalogs, or is a
// catalog key from the contract.
import type { z } from 'zod';
import { dictionary } from '../../dictionary.ts';

export type FieldIssue = { key: string; values?: Record<string, string | number> };

const OWN_KEY = /^errors\.[\w.]+$/;

/** Encodes a key and its values as one string, decoded when the message is rendered. */
export function formatFieldIssue(key: string, values?: Record<string, string | number>): string {
  return values ? `${key}?${new URLSearchParams(values as Record<string, string>)}` : key;
}

export function parseFieldIssue(text: string): FieldIssue {
  const [key = '', query] = text.split('?', 2);
  return query ? { key, values: Object.fromEntries(new URLSearchParams(query)) } : { key };
}

/**
 * Maximum number of reported errors: more do not help the caller, and each takes time to format. A
 * 1 MB body can have 100,000 errors.
 */
const MAX_ERRORS = 20;
/** Maximum length of unknown field names; longer ones are cut. */
const MAX_NAME_LENGTH = 100;

export function fieldErrors(issues: readonly z.core.$ZodIssue[]): Record<string, string[]> {
  const errors: Record<string, string[]> = dictionary({});
  let count = 0;
  const add = (name: string, code: string) => {
    const field = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
    if (errors[field] === undefined) {
      if (count === MAX_ERRORS) return;
      count += 1;
      errors[field] = [];
    }
    if (!errors[field].includes(code)) errors[field].push(code);
  };
  for (const issue of issues) {
    if (count === MAX_ERRORS) break;
    const field = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, MAX_ERRORS))
        add(field ? `${field}.${key}` : key, 'errors.fields.unknown');
    } else add(field || 'body', codeOf(issue));
  }
  return errors;
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (OWN_KEY.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && /undefined/.test(issue.message)
        ? 'errors.fields.required'
        : 'errors.fields.type';
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) <= 1) return 'errors.fields.required';
      return formatFieldIssue(
        issue.origin === 'string' ? 'errors.fields.short' : 'errors.fields.small',
        {
          min: Number(issue.minimum),
        },
      );
    case 'too_big':
      return formatFieldIssue(
        issue.origin === 'string'
          ? 'errors.fields.long'
          : issue.origin === 'array'
            ? 'errors.fields.many'
            : 'errors.fields.large',
        { max: Number(issue.maximum) },
      );
    case 'invalid_format':
      return issue.format === 'email'
        ? 'errors.fields.email'
        : issue.format === 'url'
          ? 'errors.fields.url'
          : 'errors.fields.format';
    case 'invalid_value':
      return 'errors.fields.choice';
    default:
      return 'errors.fields.format';
  }
}
