// Email documents in API calls.
import { z } from 'zod';
import type { EmailDocument, Section } from './document.ts';

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Validated by document-rules.ts; errors are returned as `document_invalid` with `problems`. */
export const Document = z.custom<EmailDocument>(isObject);
export const SectionNode = z.custom<Section>(isObject);

export const documentErrors = {
  document_invalid: 422,
  document_newer: 422,
  document_too_slow: 422,
} as const;
export const DOCUMENT_BODY = 8 * 1024 * 1024;
