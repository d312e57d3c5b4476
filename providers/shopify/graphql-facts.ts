// Maps responses of the GraphQL API to store payloads.
import {
  type SyncedKind,
  selectOldPrice,
  readAmount,
  readCountry,
  readCurrency,
  readObject,
  readQuantity,
  readText,
  readUrl,
  type StoreCustomer,
  type StoreOrderLine,
  type StoreOrder,
  type StoreProduct,
} from '#areas/stores/server/index.ts';
import {
  CONSENTS,
  nodes,
  readGidNumber,
  payment,
  type JsonObject,
  readUtcTime,
} from './shared-facts.ts';

export function readRows(kind: SyncedKind, rows: readonly JsonObject[]) {
  if (kind === 'orders') return { orders: rows.flatMap((row) => orderOf(row) ?? []) };
  if (kind === 'products') return { products: rows.flatMap((row) => productOf(row) ?? []) };
  return { customers: rows.flatMap((row) => customerOf(row) ?? []) };
}

const moneyOf = (value: unknown): number | null =>
  readAmount(readObject(readObject(value).shopMoney).amount);

function orderOf(payload: JsonObject): StoreOrder | null {
  const id = readGidNumber(payload.id);
  // A test order is not a purchase.
  if (!id || payload.test === true) return null;
  const placedAt = readUtcTime(payload.createdAt);
  const financialStatus = String(payload.displayFinancialStatus ?? '').toLowerCase();
  return {
    aliases: [`order:${id}`],
    number: readText(payload.name, 50),
    customer: customerOf({
      ...readObject(payload.customer),
      ...(readText(payload.email, 320) ? { email: payload.email } : {}),
      ...(readText(payload.phone, 40)
        ? { defaultPhoneNumber: { phoneNumber: payload.phone } }
        : {}),
      defaultAddress: payload.billingAddress ?? payload.shippingAddress,
    }),
    status: financialStatus,
    ...payment(financialStatus, readUtcTime(payload.cancelledAt) !== null),
    isFulfilled: payload.displayFulfillmentStatus === 'FULFILLED' || undefined,
    refunded: moneyOf(payload.totalRefundedSet),
    total: moneyOf(payload.totalPriceSet),
    subtotal: moneyOf(payload.subtotalPriceSet),
    tax: moneyOf(payload.totalTaxSet),
    discount: moneyOf(payload.totalDiscountsSet),
    shipping: moneyOf(payload.totalShippingPriceSet),
    currency: readCurrency(payload.currencyCode),
    placedAt,
    reportedAt: readUtcTime(payload.updatedAt) ?? placedAt ?? new Date(0),
    lines: nodes(payload.lineItems).map((line): StoreOrderLine => {
      const product = readObject(line.product);
      return {
        remoteId: readGidNumber(product.id),
        sku: readText(line.sku, 100),
        title: readText(line.title, 500) ?? '',
        quantity: readQuantity(line.quantity),
        price: moneyOf(line.originalUnitPriceSet),
        imageUrl: readUrl(readObject(line.image).url),
        url: null,
      };
    }),
    // GraphQL orders have no cart token; those of webhooks do.
    cart: null,
  };
}

function productOf(payload: JsonObject): StoreProduct | null {
  const remoteId = readGidNumber(payload.id);
  const title = readText(payload.title, 500);
  if (!remoteId || !title) return null;
  const [variant] = nodes(payload.variants);
  const price = readAmount(variant?.price);
  const compareAtPrice = readAmount(variant?.compareAtPrice);
  return {
    remoteId,
    title,
    // The text is already plain; decoding it again would corrupt it.
    description: readText(payload.description, 5000),
    sku: readText(variant?.sku, 100),
    price,
    oldPrice: selectOldPrice(compareAtPrice, price),
    currency: null,
    imageUrl: readUrl(readObject(readObject(readObject(payload.featuredMedia).preview).image).url),
    url: readUrl(payload.onlineStoreUrl),
    categories: [
      ...new Set(
        nodes(payload.collections).flatMap((collection) => readText(collection.title, 100) ?? []),
      ),
    ],
    isListed: payload.status === 'ACTIVE',
    createdAt: readUtcTime(payload.createdAt),
  };
}

function customerOf(payload: JsonObject): StoreCustomer | null {
  const address = readObject(payload.defaultEmailAddress);
  const remoteId = readGidNumber(payload.id);
  const email = readText(payload.email ?? address.emailAddress, 320);
  if (!email && !remoteId) return null;
  return {
    remoteId,
    email,
    phone: readText(readObject(payload.defaultPhoneNumber).phoneNumber, 40),
    country: readCountry(readObject(payload.defaultAddress).countryCodeV2),
    firstname: readText(payload.firstName, 200),
    lastname: readText(payload.lastName, 200),
    consent: CONSENTS[String(address.marketingState ?? '').toLowerCase()] ?? 'open',
    consentAt: readUtcTime(address.marketingUpdatedAt),
    groups: [],
  };
}
