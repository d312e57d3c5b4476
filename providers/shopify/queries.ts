// The queries and mutations for the GraphQL Admin API. Pages are as large as the cost limit of one
// query allows.
export const SHOP = `query { shop { name currencyCode ianaTimezone myshopifyDomain primaryDomain { host } } }`;

const MONEY = '{ shopMoney { amount currencyCode } }';

export const ORDERS = `query ($after: String, $query: String) {
  orders(first: 50, after: $after, query: $query, sortKey: UPDATED_AT) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id name email phone test createdAt updatedAt cancelledAt currencyCode
      billingAddress { countryCodeV2 } shippingAddress { countryCodeV2 }
      displayFinancialStatus displayFulfillmentStatus
      totalPriceSet ${MONEY} subtotalPriceSet ${MONEY} totalTaxSet ${MONEY}
      totalDiscountsSet ${MONEY} totalShippingPriceSet ${MONEY} totalRefundedSet ${MONEY}
      customer { id firstName lastName
        defaultEmailAddress { emailAddress marketingState marketingUpdatedAt }
        defaultPhoneNumber { phoneNumber } }
      lineItems(first: 50) { nodes { title sku quantity product { id } image { url }
        originalUnitPriceSet ${MONEY} } }
    }
  }
}`;

export const PRODUCTS = `query ($after: String, $query: String) {
  products(first: 50, after: $after, query: $query, sortKey: UPDATED_AT) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id title description status createdAt onlineStoreUrl
      featuredMedia { preview { image { url } } }
      collections(first: 20) { nodes { title } }
      variants(first: 1) { nodes { sku price compareAtPrice } }
    }
  }
}`;

export const CUSTOMERS = `query ($after: String, $query: String) {
  customers(first: 100, after: $after, query: $query, sortKey: UPDATED_AT) {
    pageInfo { hasNextPage endCursor }
    nodes { id firstName lastName
      defaultEmailAddress { emailAddress marketingState marketingUpdatedAt }
      defaultPhoneNumber { phoneNumber } defaultAddress { countryCodeV2 } }
  }
}`;

export const HOOKS = `query {
  webhookSubscriptions(first: 100) { nodes { id topic uri } }
}`;

export const CREATE_HOOK = `mutation ($topic: WebhookSubscriptionTopic!, $url: String!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: { uri: $url, format: JSON }) {
    webhookSubscription { id }
    userErrors { field message }
  }
}`;

export const DELETE_HOOK = `mutation ($id: ID!) {
  webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId }
}`;
