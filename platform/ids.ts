// External ids: short opaque strings that encode a kind and a number, and in public ids also the
// account. An id of another kind is therefore invalid. https://sqids.org
import Sqids, { defaultOptions } from 'sqids';
import { createEncoder } from './id-alphabets.ts';

/**
 * The number of a kind is part of every issued id, so kinds are only appended and never renumbered.
 */
export const KINDS = {
  user: 1,
  account: 2,
  session: 3,
  token: 4,
  invitation: 5,
  domain: 6,
  field: 7,
  subscriber: 8,
  group: 9,
  segment: 10,
  campaign: 11,
  content: 12,
  message: 13,
  link: 14,
  import: 15,
  export: 16,
  sms: 17,
  phone: 18,
  transactional: 19,
  workflow: 20,
  step: 21,
  form: 22,
  order: 23,
  store: 24,
  template: 25,
  image: 26,
  relay: 27,
  product: 28,
  section: 29,
  cart: 30,
  email: 40,
  smtp_user: 41,
  endpoint: 42,
  attempt: 43,
  custom_event: 44,
  occurrence: 45,
  text_provider: 46,
  text: 47,
  transactional_text: 48,
  coupon_pool: 50,
  invoice: 60,
  method: 61,
  attachment: 62,
  passkey: 63,
  sms_inbound: 64,
  subscriber_view: 65,
  subscriber_note: 66,
  folder: 67,
  label: 68,
  item_note: 69,
  experiment: 70,
  variant: 71,
  sms_experiment: 72,
  sms_variant: 73,
  report_file: 80,
  act: 81,
  approval: 82,
  identity: 83,
  seed_mailbox: 90,
  agent_grant: 95,
  pilot_move: 84,
  selection: 85,
} as const;

export type Kind = keyof typeof KINDS;

const options = {
  alphabet: 'kRz6N1tVbWqGZd8XeMyJ4fL9sCpHa3TgnQ5wKvD7hBxmjPr2cYSFuU',
  minLength: 6,
};
const sqids = new Sqids(options);
/** Encodes as the library does, but does not replace ids that contain an offensive word. */
const encodeUnfiltered = createEncoder(options.alphabet, options.minLength);

/**
 * The library's rule for offensive words in an id of at least six letters, as one expression. The
 * library searches for each of 500 words, which would take most of the time of encoding an id.
 */
const BLOCKED = blockedPattern([...defaultOptions.blocklist].filter(({ length }) => length > 3));

function blockedPattern(blockedWords: readonly string[]): RegExp {
  const hasDigit = (entry: string) => /\d/.test(entry);
  const atEdges = blockedWords.filter(hasDigit).join('|');
  const anywhere = blockedWords.filter((entry) => !hasDigit(entry)).join('|');
  return new RegExp(`^(?:${atEdges})|(?:${atEdges})$|${anywhere}`);
}

function encode(numbers: number[]): string {
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0))
    return sqids.encode(numbers);
  const id = encodeUnfiltered(numbers);
  return BLOCKED.test(id.toLowerCase()) ? sqids.encode(numbers) : id;
}

export function encodeId(kind: Kind, id: number): string {
  return encode([KINDS[kind], id]);
}

/** Returns the number behind an id of this kind; undefined for anything else. */
export function decodeId(kind: Kind, text: string): number | undefined {
  const numbers = decode(text);
  return numbers?.length === 2 && numbers[0] === KINDS[kind] ? numbers[1] : undefined;
}

/** Ids used outside the product's own session (links in emails, forms) include their account. */
export function encodePublicId(kind: Kind, accountId: number, id: number): string {
  return encode([KINDS[kind], accountId, id]);
}

export function decodePublicId(
  kind: Kind,
  text: string,
): { accountId: number; id: number } | undefined {
  const numbers = decode(text);
  if (numbers?.length !== 3 || numbers[0] !== KINDS[kind]) return undefined;
  return { accountId: numbers[1] as number, id: numbers[2] as number };
}

/**
 * Returns the account's public key: on websites, in store plugins and as `resource_key` of the
 * public API.
 */
export function encodeAccountKey(accountId: number): string {
  return encodePublicId('account', accountId, accountId);
}

/**
 * Returns the account with this public key; plugins connected earlier store the account's id
 * instead.
 */
export function decodeAccountKey(key: string): number | undefined {
  const decodedId = decodePublicId('account', key);
  if (decodedId) return decodedId.accountId === decodedId.id ? decodedId.accountId : undefined;
  return decodeId('account', key);
}

const KIND_NUMBERS = new Set<number | undefined>(Object.values(KINDS));

/** Returns true if the text is an id of any kind. */
export function isId(text: string): boolean {
  const numbers = decode(text);
  const isWhole = numbers?.length === 2 || numbers?.length === 3;
  return isWhole && KIND_NUMBERS.has(numbers[0]);
}

function decode(text: string): number[] | undefined {
  if (text.length < 6 || text.length > 60) return undefined;
  const numbers = sqids.decode(text);
  // Twelve letters can encode a number that is not a safe integer, which sqids refuses to encode
  // again.
  if (!numbers.every(Number.isSafeInteger)) return undefined;
  // Several spellings decode to the same number; only the issued spelling is valid.
  return numbers.length > 0 && encode(numbers) === text ? numbers : undefined;
}
