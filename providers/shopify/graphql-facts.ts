// Maps responses of the GraphQL API to store payloads.
import {
  type Kind,
  readAmount,
  readCountry,
  readCurrency,
  readObject,
  readQuantity,
  readText,
  readUrl,
  type ToldCustomer,
  type ToldLine,
  type ToldOrder,
  type ToldProduct,
} from '#areas/stores/server/index.ts';
import { CONSENTS, nodes, numberOf, payment, type Words, whenOf } from './shared-facts.ts';

export function readRows(kind: Kind, rows: readonly Words[]) {
  if (kind === 'orders') return { orders: rows.flatMap((row) => orderOf(row) ?? []) };
  if (kind === 'products') return { products: rows.flatMap((row) => productOf(row) ?? []) };
  return { customers: rows.flatMap((row) => customerOf(row) ?? []) };
}

const moneyOf = (value: unknown): number | null =>
  readAmount(readObject(readObject(value).shopMoney).amount);

function orderOf(words: Words): ToldOrder | null {
  const id = numberOf(words.id);
  // A test order is not a purchase.
  if (!id || words.test === true) return null;
  const placedAt = whenOf(words.createdAt);
  const paid = String(words.displayFinancialStatus ?? '').toLowerCase();
  const cart = readText(words.cartToken, 100);
  return {
    names: [`order:${id}`],
    number: readText(words.name, 50),
    customer: customerOf({
      ...readObject(words.customer),
      ...(readText(words.email, 320) ? { email: words.email } : {}),
      ...(readText(words.phone, 40) ? { defaultPhoneNumber: { phoneNumber: words.phone } } : {}),
      defaultAddress: words.billingAddress ?? words.shippingAddress,
    }),
    status: paid,
    ...payment(paid, whenOf(words.cancelledAt) !== null),
    isFulfilled: words.displayFulfillmentStatus === 'FULFILLED' || undefined,
    refunded: moneyOf(words.totalRefundedSet),
    total: moneyOf(words.totalPriceSet),
    subtotal: moneyOf(words.subtotalPriceSet),
    tax: moneyOf(words.totalTaxSet),
    discount: moneyOf(words.totalDiscountsSet),
    shipping: moneyOf(words.totalShippingPriceSet),
    currency: readCurrency(words.currencyCode),
    placedAt,
    toldAt: whenOf(words.updatedAt) ?? placedAt ?? new Date(0),
    lines: nodes(words.lineItems).map((line): ToldLine => {
      const product = readObject(line.product);
      return {
        remoteId: numberOf(product.id),
        sku: readText(line.sku, 100),
        title: readText(line.title, 500) ?? '',
        quantity: readQuantity(line.quantity),
        price: moneyOf(line.originalUnitPriceSet),
        imageUrl: readUrl(readObject(line.image).url),
        url: null,
      };
    }),
    cart,
  };
}

function productOf(words: Words): ToldProduct | null {
  const remoteId = numberOf(words.id);
  const title = readText(words.title, 500);
  if (!remoteId || !title) return null;
  const [variant] = nodes(words.variants);
  const price = readAmount(variant?.price);
  const before = readAmount(variant?.compareAtPrice);
  return {
    remoteId,
    title,
    // Already plain text: decoding it again would corrupt it.
    description: readText(words.description, 5000),
    sku: readText(variant?.sku, 100),
    price,
    oldPrice: before !== null && price !== null && before > price ? before : null,
    currency: null,
    imageUrl: readUrl(readObject(readObject(readObject(words.featuredMedia).preview).image).url),
    url: readUrl(words.onlineStoreUrl),
    categories: [
      ...new Set(nodes(words.collections).flatMap((one) => readText(one.title, 100) ?? [])),
    ],
    isListed: words.status === 'ACTIVE',
    createdAt: whenOf(words.createdAt),
  };
}

function customerOf(words: Words): ToldCustomer | null {
  const address = readObject(words.defaultEmailAddress);
  const remoteId = numberOf(words.id);
  const email = readText(words.email ?? address.emailAddress, 320);
  if (!email && !remoteId) return null;
  return {
    remoteId,
    email,
    phone: readText(readObject(words.defaultPhoneNumber).phoneNumber, 40),
    country: readCountry(readObject(words.defaultAddress).countryCodeV2),
    firstname: readText(words.firstName, 200),
    lastname: readText(words.lastName, 200),
    consent: CONSENTS[String(address.marketingState ?? '').toLowerCase()] ?? 'open',
    consentAt: whenOf(address.marketingUpdatedAt),
    groups: [],
  };
}
