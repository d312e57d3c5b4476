// Parses data of store plugins and of the script on their pages. It is untrusted: text is limited
// in length, and unknown values are omitted.
import { decodeHTML } from 'entities';
import { cutText } from '#platform/server/clean-text.ts';
import { replaceSpans, removeElements } from '#platform/spans.ts';
import { MAX_LINES } from '../shared.ts';
import {
  readAmount,
  readCountry,
  readCurrency,
  readHtmlText,
  readList,
  readObject,
  readQuantity,
  readText,
  readUrl,
  parseTimestamp,
  readYes,
} from './reading.ts';
import { toSeenName } from './orders.sql.ts';
import { resolveOrderState } from './order-states.ts';
import {
  type StoreCart,
  type StoreCustomer,
  type StoreOrderLine,
  type StoreOrder,
  type StoreProduct,
} from './store-payloads.ts';

type PluginPayload = Record<string, unknown>;

/** Time zone of the store's times, and the time of this call. */
export type Moment = { zone: string; now: Date };

const MAX_NAME_LENGTH = 200;
const MAX_TITLE_LENGTH = 500;
const MAX_ID = 200;
const MAX_CATEGORIES = 50;

export function readCustomer(value: unknown, moment: Moment): StoreCustomer | null {
  const payload = readObject(value);
  const billing = readObject(payload.billing);
  const email = readText(payload.email ?? billing.email, 320);
  const remoteId = readText(payload.customer_id ?? payload.id, MAX_ID);
  if (!email && !remoteId) return null;
  const fields = fieldsOf(payload.fields);
  const readField = (name: string) => payload[name] ?? Object.fromEntries(fields)[name];
  const consent = readObject(payload.email_marketing_consent);
  const consentAt = parseTimestamp(consent.consent_updated_at, moment.zone);
  return {
    // The ID 0 means a guest.
    remoteId: remoteId === '0' ? null : remoteId,
    email,
    phone: readText(readField('phone') ?? billing.phone, 40),
    country: readCountry(payload.country ?? billing.country),
    firstname: readText(
      readField('firstname') ?? payload.first_name ?? billing.first_name,
      MAX_NAME_LENGTH,
    ),
    lastname: readText(
      readField('lastname') ?? payload.last_name ?? billing.last_name,
      MAX_NAME_LENGTH,
    ),
    consent: consentOf(payload, readText(consent.state, 30)),
    consentAt: consentAt && consentAt <= moment.now ? consentAt : null,
    smsConsent: responseOf(payload.sms_status),
    groups: groupsOf(payload),
    fields: Object.fromEntries(fields.filter(([key]) => !DEFAULT_FIELDS.has(key))),
  };
}

const MAX_FIELDS_SENT = 100;
const MAX_GROUPS_SENT = 20;
const DEFAULT_FIELDS: ReadonlySet<string> = new Set(['email', 'firstname', 'lastname', 'phone']);

/**
 * Returns values by key. Keys of the subscriber's own columns are converted to the column's name,
 * for example `{$email}` to `email`.
 */
function fieldsOf(value: unknown): [string, unknown][] {
  return Object.entries(readObject(value))
    .slice(0, MAX_FIELDS_SENT)
    .map(([key, written]) => {
      const name = /^\{\$(.*)\}$/.exec(key)?.[1] ?? key;
      return [DEFAULT_FIELDS.has(name) ? name : key, written];
    });
}

/** Groups from `tags` and `list_id`; the id 0 is not a list. */
function groupsOf(payload: PluginPayload): string[] {
  const tags = [...readList(payload.tags), ...[payload.list_id].flat()];
  const tagNames = tags.flatMap((tag) => readText(readObject(tag).id ?? tag, 255) ?? []);
  return [...new Set(tagNames.filter((text) => text !== '0'))].slice(0, MAX_GROUPS_SENT);
}

function responseOf(value: unknown): StoreCustomer['consent'] {
  const text = (readText(value, 30) ?? '').toLowerCase();
  if (text === 'subscribed' || text === 'active') return 'subscribed';
  return text === 'unsubscribed' ? 'unsubscribed' : 'open';
}

/** An unchecked box is not an answer; only an explicit refusal unsubscribes. */
function consentOf(payload: PluginPayload, state: string | null): StoreCustomer['consent'] {
  const consent = responseOf(state ?? payload.subscriber_status);
  if (consent !== 'open') return consent;
  return state === null && readYes(payload.newsletter) ? 'subscribed' : 'open';
}

export function readProduct(value: unknown, moment: Moment): StoreProduct | null {
  const payload = readObject(value);
  const remoteId = readText(payload.remote_productId ?? payload.product_id ?? payload.id, MAX_ID);
  const title = readHtmlText(payload.title ?? payload.name, MAX_TITLE_LENGTH);
  if (!remoteId || !title) return null;
  const status = readText(payload.status, 30)?.toLowerCase();
  return {
    remoteId,
    title,
    description: htmlToPlainText(readText(payload.description, 20_000)),
    sku: readText(payload.sku, MAX_ID),
    price: readAmount(payload.price),
    oldPrice: readAmount(payload.old_price),
    currency: readCurrency(payload.currency),
    imageUrl: readImage(payload.image),
    url: readUrl(payload.url ?? payload.link ?? payload.permalink),
    categories: categoriesOf(payload.category ?? payload.categories),
    isListed:
      status === undefined || !['draft', 'private', 'trash', 'archived', '0'].includes(status),
    createdAt: parseTimestamp(payload.created_at, moment.zone),
  };
}

/**
 * Returns the URL of an image, given as a string, an object with `src` or `url`, or a list that
 * begins with one of these.
 */
export function readImage(value: unknown): string | null {
  const first = Array.isArray(value) ? value[0] : value;
  const payload = readObject(first);
  return readUrl(payload.src ?? payload.url ?? first);
}

function categoriesOf(value: unknown): string[] {
  const names = (Array.isArray(value) ? value : [value]).flatMap(
    (entry) => readHtmlText(readObject(entry).name ?? entry, 100) ?? [],
  );
  return [...new Set(names)].slice(0, MAX_CATEGORIES);
}

/** Converts a description, which is HTML, to the plain text that is shown. */
export function htmlToPlainText(html: string | null): string | null {
  if (html === null) return null;
  const scriptless = replaceSpans(html, /<script\b/gi, '</script>', () => ' ');
  const styleless = replaceSpans(scriptless, /<style\b/gi, '</style>', () => ' ');
  const text = decodeHTML(removeElements(styleless, ' ')).replace(/\s+/g, ' ').trim();
  return text === '' ? null : cutText(text, 5000);
}

export function readOrderLines(value: unknown): StoreOrderLine[] {
  return readList(value)
    .slice(0, MAX_LINES)
    .flatMap((entry): StoreOrderLine[] => {
      const payload = readObject(entry);
      const title = readHtmlText(payload.name ?? payload.title, MAX_TITLE_LENGTH);
      const remoteId = readText(payload.product_id ?? payload.remote_productId, MAX_ID);
      const sku = readText(payload.sku, MAX_ID);
      if (!title && !remoteId && !sku) return [];
      return [
        {
          remoteId,
          sku,
          title: title ?? sku ?? `#${remoteId}`,
          quantity: readQuantity(payload.qty ?? payload.quantity),
          price: readAmount(payload.price),
          imageUrl: readImage(payload.image),
          url: readUrl(payload.url ?? payload.link),
        },
      ];
    });
}

/**
 * Parses an imported order: `orderId` is the order's number (in PrestaShop its reference),
 * `remoteId` the key of the cart (in PrestaShop the order's ID).
 */
export function parseImportedOrder(
  value: unknown,
  moment: Moment,
  isPrestashop: boolean,
): StoreOrder | null {
  const payload = readObject(value);
  const orderId = readText(payload.orderId, MAX_ID);
  const remoteId = readText(payload.remoteId, MAX_ID);
  if (!orderId && !remoteId) return null;
  const names = isPrestashop
    ? [remoteId && `order:${remoteId}`, orderId && `reference:${orderId}`]
    : [orderId && `order:${orderId}`, remoteId && `cart:${remoteId}`];
  return {
    ...orderFields(payload, moment),
    aliases: names.filter((name) => name !== null),
    number: readText(payload.name, MAX_ID) ?? orderId,
    placedAt: parseTimestamp(payload.created_at, moment.zone),
    reportedAt: notLater(
      parseTimestamp(payload.updated_at ?? payload.created_at, moment.zone),
      moment.now,
    ),
    cart: isPrestashop ? null : remoteId,
  };
}

/** Parses an order that a cart became. */
export function parseConvertedOrder(
  cart: string,
  value: unknown,
  moment: Moment,
): StoreOrder & { cart: string } {
  const payload = readObject(value);
  const orderId = readText(payload.order_id, MAX_ID);
  const names = [orderId && `order:${orderId}`, `cart:${cart}`].filter((name) => name !== null);
  return {
    ...orderFields(payload, moment),
    aliases: names,
    number: orderId,
    placedAt: notLater(
      parseTimestamp(readObject(payload.order_details).order_date, moment.zone),
      moment.now,
    ),
    reportedAt: moment.now,
    cart,
  };
}

/**
 * Marks an order as reported by a visitor's browser. Its aliases are specific to the visitor, so
 * that no browser can merge orders of the store, take their numbers, or close a cart; the store's
 * report about the same buyer's order replaces it.
 */
export function toSeenOrder(order: StoreOrder, visitor: string): StoreOrder {
  return { ...order, aliases: order.aliases.map((name) => toSeenName(name, visitor)), cart: null };
}

/** Parses a report with only the state of an order. */
export function parseOrderStatus(
  cart: string | null,
  value: unknown,
  moment: Moment,
): StoreOrder | null {
  const payload = readObject(value);
  const orderId = readText(payload.order_id, MAX_ID);
  const status = readText(payload.cart_status ?? payload.status, 40);
  const names = [orderId && `order:${orderId}`, cart && `cart:${cart}`].filter(
    (name) => name !== null,
  );
  if (names.length === 0 || !status) return null;
  return {
    ...UNREPORTED,
    ...resolveOrderState(status),
    status,
    aliases: names as string[],
    number: orderId,
    reportedAt: moment.now,
    cart,
  };
}

/** Fields missing in a report with only identifiers and a state. */
export const UNREPORTED = {
  customer: null,
  refunded: null,
  total: null,
  subtotal: null,
  tax: null,
  discount: null,
  shipping: null,
  currency: null,
  placedAt: null,
  lines: null,
} as const;

function orderFields(payload: PluginPayload, moment: Moment) {
  const details = readObject(payload.order_details);
  const billing = readObject(payload.billing);
  const status = readText(payload.status ?? payload.cart_status, 40) ?? '';
  const lines = payload.products ?? payload.lines;
  return {
    customer: readCustomer({ ...payload, id: undefined, billing }, moment),
    status,
    ...resolveOrderState(status),
    refunded: readAmount(details.refunded),
    total: readAmount(details.total ?? payload.price ?? payload.order_total),
    subtotal: readAmount(details.subtotal),
    tax: readAmount(details.tax),
    discount: readAmount(details.discount),
    shipping: readAmount(readObject(payload.shipping).shipping_charge ?? details.shipping),
    currency: readCurrency(payload.currency ?? details.currency),
    lines: Array.isArray(lines) ? readOrderLines(lines) : null,
  };
}

export function parseCart(value: unknown, moment: Moment, externalId?: string): StoreCart | null {
  const payload = readObject(value);
  const remoteId = readText(externalId ?? payload.external_id, MAX_ID);
  if (!remoteId) return null;
  return {
    remoteId,
    customer: readCustomer({ ...payload, id: undefined }, moment),
    subscriberId: null,
    visitor: readVisitor(payload.visitor),
    url: readUrl(payload.url),
    currency: readCurrency(payload.currency),
    total: readAmount(payload.order_total),
    lines: readOrderLines(payload.products),
    reportedAt: moment.now,
  };
}

/** Returns the visitor key of a browser, or null if invalid. */
export function readVisitor(value: unknown): string | null {
  return typeof value === 'string' && /^[\w-]{16,64}$/.test(value) ? value : null;
}

function notLater(at: Date | null, now: Date): Date {
  return at === null || at > now ? now : at;
}
