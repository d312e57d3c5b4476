// Parses callbacks and responses of SMS providers: JSON of unknown shape, forms, signatures and
// times.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SmsEvent } from '#areas/delivery/server/sender/index.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;
export type ReportCall = {
  url: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
};
export type ReadEvents = { events: SmsEvent[]; reply: { type: string; body: string } };

export const NO_REPLY = { type: 'text/plain; charset=utf-8', body: '' };

export const asObject = (value: unknown): JsonRecord =>
  typeof value === 'object' && value !== null ? (value as JsonRecord) : {};
export const asList = (value: unknown): JsonRecord[] =>
  Array.isArray(value) ? value.map(asObject) : [];
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

export function parseJsonBody(body: Buffer): JsonRecord | undefined {
  try {
    return asObject(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}

export const parseFormBody = (body: Buffer): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(body.toString('utf8')));

export const toPlusNumber = (phone: string) => (/^\d{7,}$/.test(phone) ? `+${phone}` : phone);
export const withoutPlus = (phone: string) => phone.replace(/^\+/, '');

/** Parses an instant in a provider's format; returns the current time if that fails. */
export function parseTime(value: unknown): Date {
  const instant = new Date(asText(value));
  return Number.isNaN(instant.getTime()) ? new Date() : instant;
}

/** Returns the token at the end of a callback's path. */
export function parseReference(url: string): string {
  const [, reference = ''] = /\/hooks\/sms\/receipts\/([\w-]+)/.exec(url) ?? [];
  return reference;
}

export function hmac(hash: 'sha1' | 'sha256', key: string, text: string | Buffer): string {
  return createHmac(hash, key).update(text).digest('base64');
}

export function isSame(receivedText: string | undefined, expectedText: string): boolean {
  const [a, b] = [Buffer.from(receivedText ?? ''), Buffer.from(expectedText)];
  return a.length === b.length && a.length > 0 && timingSafeEqual(a, b);
}

/** Signatures older than this are treated as replays. */
const MAX_SIGNATURE_AGE_MS = 5 * 60_000;

export const isFresh = (seconds: number) =>
  Math.abs(Date.now() - seconds * 1000) <= MAX_SIGNATURE_AGE_MS;

/** Converts a price (a string or a number) to millionths; undefined if it is missing. */
export function toMicros(price: unknown): number | undefined {
  const value = Math.abs(Number(asText(price)));
  return asText(price) !== '' && Number.isFinite(value) ? Math.round(value * 1e6) : undefined;
}

export const secondsUntil = (expiresAt: Date | undefined) =>
  expiresAt && Math.max(60, Math.round((expiresAt.getTime() - Date.now()) / 1000));

export const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
