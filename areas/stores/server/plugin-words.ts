// Parses data of store plugins and of the script on their pages. It is untrusted: texts are limited
// in length, and unknown values are left out.
import { decodeHTML } from 'entities';
import { cutText } from '#platform/server/clean-text.ts';
import { replaceSpans, withoutElements } from '#platform/spans.ts';
import { LINES_MOST } from '../shared.ts';
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
  readWhen,
  readYes,
} from './reading.ts';
import { seenName } from './orders.sql.ts';
import {
  stateOf,
  type ToldCart,
  type ToldCustomer,
  type ToldLine,
  type ToldOrder,
  type ToldProduct,
} from './store-payloads.ts';

type Words = Record<string, unknown>;

/** Time zone of the store's times, and the instant of this call. */
export type Moment = { zone: string; now: Date };

const NAME_MOST = 200;
const TITLE_MOST = 500;
const ID_MOST = 200;
const CATEGORIES_MOST = 50;

export function customerOf(value: unknown, moment: Moment): ToldCustomer | null {
  const words = readObject(value);
  const billing = readObject(words.billing);
  const email = readText(words.email ?? billing.email, 320);
  const remoteId = readText(words.customer_id ?? words.id, ID_MOST);
  if (!email && !remoteId) return null;
  const consent = readObject(words.email_marketing_consent);
  const consentAt = readWhen(consent.consent_updated_at, moment.zone);
  return {
    // 0 is a guest.
    remoteId: remoteId === '0' ? null : remoteId,
    email,
    phone: readText(words.phone ?? billing.phone, 40),
    country: readCountry(words.country ?? billing.country),
    firstname: readText(words.firstname ?? words.first_name ?? billing.first_name, NAME_MOST),
    lastname: readText(words.lastname ?? words.last_name ?? billing.last_name, NAME_MOST),
    consent: consentOf(words, readText(consent.state, 30)),
    consentAt: consentAt && consentAt <= moment.now ? consentAt : null,
    groups: readList(words.tags).flatMap((tag) => readText(tag, 100) ?? []),
  };
}

/** An unchecked box is no answer; only an explicit refusal counts as one. */
function consentOf(words: Words, state: string | null): ToldCustomer['consent'] {
  const said = (state ?? readText(words.subscriber_status, 30) ?? '').toLowerCase();
  if (said === 'subscribed' || said === 'active') return 'subscribed';
  if (said === 'unsubscribed') return 'unsubscribed';
  return state === null && readYes(words.newsletter) ? 'subscribed' : 'open';
}

export function productOf(value: unknown, moment: Moment): ToldProduct | null {
  const words = readObject(value);
  const remoteId = readText(words.remote_productId ?? words.product_id ?? words.id, ID_MOST);
  const title = readHtmlText(words.title ?? words.name, TITLE_MOST);
  if (!remoteId || !title) return null;
  const status = readText(words.status, 30)?.toLowerCase();
  return {
    remoteId,
    title,
    description: plain(readText(words.description, 20_000)),
    sku: readText(words.sku, ID_MOST),
    price: readAmount(words.price),
    oldPrice: readAmount(words.old_price),
    currency: readCurrency(words.currency),
    imageUrl: imageOf(words.image),
    url: readUrl(words.url ?? words.link ?? words.permalink),
    categories: categoriesOf(words.category ?? words.categories),
    isListed:
      status === undefined || !['draft', 'private', 'trash', 'archived', '0'].includes(status),
    createdAt: readWhen(words.created_at, moment.zone),
  };
}

/** Text, a list of texts or of objects with `src` or `url`, or null. */
export function imageOf(value: unknown): string | null {
  const first = Array.isArray(value) ? value[0] : value;
  const words = readObject(first);
  return readUrl(words.src ?? words.url ?? first);
}

function categoriesOf(value: unknown): string[] {
  const names = (Array.isArray(value) ? value : [value]).flatMap(
    (one) => readHtmlText(readObject(one).name ?? one, 100) ?? [],
  );
  return [...new Set(names)].slice(0, CATEGORIES_MOST);
}

/** Descriptions are HTML and shown as plain text. */
export function plain(html: string | null): string | null {
  if (html === null) return null;
  const scriptless = replaceSpans(html, /<script\b/gi, '</script>', () => ' ');
  const styleless = replaceSpans(scriptless, /<style\b/gi, '</style>', () => ' ');
  const text = decodeHTML(withoutElements(styleless, ' ')).replace(/\s+/g, ' ').trim();
  return text === '' ? null : cutText(text, 5000);
}

export function linesOf(value: unknown): ToldLine[] {
  return readList(value)
    .slice(0, LINES_MOST)
    .flatMap((one): ToldLine[] => {
      const words = readObject(one);
      const title = readHtmlText(words.name ?? words.title, TITLE_MOST);
      const remoteId = readText(words.product_id ?? words.remote_productId, ID_MOST);
      const sku = readText(words.sku, ID_MOST);
      if (!title && !remoteId && !sku) return [];
      return [
        {
          remoteId,
          sku,
          title: title ?? sku ?? `#${remoteId}`,
          quantity: readQuantity(words.qty ?? words.quantity),
          price: readAmount(words.price),
          imageUrl: imageOf(words.image),
          url: readUrl(words.url ?? words.link),
        },
      ];
    });
}

/** An imported order: `orderId` is its number, `remoteId` the cart or order key. */
export function importedOrder(
  value: unknown,
  moment: Moment,
  isPrestashop: boolean,
): ToldOrder | null {
  const words = readObject(value);
  const orderId = readText(words.orderId, ID_MOST);
  const remoteId = readText(words.remoteId, ID_MOST);
  if (!orderId && !remoteId) return null;
  const names = isPrestashop
    ? [remoteId && `order:${remoteId}`, orderId && `reference:${orderId}`]
    : [orderId && `order:${orderId}`, remoteId && `cart:${remoteId}`];
  return {
    ...orderWords(words, moment),
    names: names.filter((name) => name !== null),
    number: readText(words.name, ID_MOST) ?? orderId,
    placedAt: readWhen(words.created_at, moment.zone),
    toldAt: notLater(readWhen(words.updated_at ?? words.created_at, moment.zone), moment.now),
    cart: isPrestashop ? null : remoteId,
  };
}

/** A cart that became an order. */
export function convertedOrder(cart: string, value: unknown, moment: Moment): ToldOrder {
  const words = readObject(value);
  const orderId = readText(words.order_id, ID_MOST);
  const names = [orderId && `order:${orderId}`, `cart:${cart}`].filter((name) => name !== null);
  return {
    ...orderWords(words, moment),
    names,
    number: orderId,
    placedAt: notLater(
      readWhen(readObject(words.order_details).order_date, moment.zone),
      moment.now,
    ),
    toldAt: moment.now,
    cart,
  };
}

/**
 * An order as a visitor's browser reports it. Its names are specific to the visitor, so that no
 * browser can merge orders of the store, take their numbers, or close a cart; the store's report
 * about the same buyer's order replaces it.
 */
export function seenOrder(order: ToldOrder, visitor: string): ToldOrder {
  return { ...order, names: order.names.map((name) => seenName(name, visitor)), cart: null };
}

/** A report with only the state of an order. */
export function orderStatus(cart: string | null, value: unknown, moment: Moment): ToldOrder | null {
  const words = readObject(value);
  const orderId = readText(words.order_id, ID_MOST);
  const status = readText(words.cart_status ?? words.status, 40);
  const names = [orderId && `order:${orderId}`, cart && `cart:${cart}`].filter(
    (name) => name !== null,
  );
  if (names.length === 0 || !status) return null;
  return {
    ...NOTHING_SAID,
    ...stateOf(status),
    status,
    names: names as string[],
    number: orderId,
    toldAt: moment.now,
    cart,
  };
}

const NOTHING_SAID = {
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

function orderWords(words: Words, moment: Moment) {
  const details = readObject(words.order_details);
  const billing = readObject(words.billing);
  const status = readText(words.status ?? words.cart_status, 40) ?? '';
  const lines = words.products ?? words.lines;
  return {
    customer: customerOf({ ...words, id: undefined, billing }, moment),
    status,
    ...stateOf(status),
    refunded: readAmount(details.refunded),
    total: readAmount(details.total ?? words.price ?? words.order_total),
    subtotal: readAmount(details.subtotal),
    tax: readAmount(details.tax),
    discount: readAmount(details.discount),
    shipping: readAmount(readObject(words.shipping).shipping_charge ?? details.shipping),
    currency: readCurrency(words.currency ?? details.currency),
    lines: Array.isArray(lines) ? linesOf(lines) : null,
  };
}

export function cartOf(value: unknown, moment: Moment, externalId?: string): ToldCart | null {
  const words = readObject(value);
  const remoteId = readText(externalId ?? words.external_id, ID_MOST);
  if (!remoteId) return null;
  return {
    remoteId,
    customer: customerOf({ ...words, id: undefined }, moment),
    subscriberId: null,
    visitor: visitorOf(words.visitor),
    url: readUrl(words.url),
    currency: readCurrency(words.currency),
    total: readAmount(words.order_total),
    lines: linesOf(words.products),
    toldAt: moment.now,
  };
}

/** Visitor key of a browser; null if invalid. */
export function visitorOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w-]{16,64}$/.test(value) ? value : null;
}

function notLater(at: Date | null, now: Date): Date {
  return at === null || at > now ? now : at;
}
