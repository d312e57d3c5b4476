// Calls of billing, each defined as one line.
import { encodePublicId } from '#platform/ids.ts';
import { AppError } from '#platform/server/errors.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { wholeMeta } from '#platform/server/database/lists.ts';
import { calls } from '../contract.ts';
import { CARD_FORM } from './card-form.ts';
import { downloadInvoice, listInvoices } from './invoice-list.ts';
import { pollOrderCharge } from './charge-polling.ts';
import { chooseMethod, listMethods, removeMethod } from './methods.ts';
import { createOrder, readOrder, updateOrder } from './orders.ts';
import { payOrder, readPayment } from './pay.ts';
import { changeNextPlan, listEmailUsage, listPlans, readBilling, saveVatNumber } from './plans.ts';
import { requireGateway } from './settings.ts';

/** Limit of payment attempts per account, against tests of stolen cards. */
const PAY_LIMIT = { capacity: 20, perSecond: 20 / 3600 };

export const billingRoutes: Route[] = serve(
  'billing',
  calls,
  {
    readBilling: ({ tx, who }) => readBilling(tx, who.accountId),
    listPlans: async () => listPlans(),
    listEmailUsage: ({ tx, who, query }) => listEmailUsage(tx, who.accountId, query.list),
    changeNextPlan: ({ tx, who, body }) => changeNextPlan(tx, who.accountId, body),
    saveVatNumber: ({ tx, who, body }) => saveVatNumber(tx, who.accountId, body.vat_number),
    createOrder: ({ tx, who, body }) => createOrder(tx, who.accountId, body),
    readOrder: ({ tx, who, params }) => readOrder(tx, who.accountId, params.id),
    updateOrder: ({ tx, who, params, body }) => updateOrder(tx, who.accountId, params.id, body),
    readClientToken: async ({ who, query }) => {
      const gateway = requireGateway();
      const id = encodePublicId('account', who.accountId, who.accountId);
      const token = await gateway.clientToken(query.currency, { id }).catch((error: unknown) => {
        throw new AppError('gateway_unreachable', { extra: { cause: (error as Error).name } });
      });
      const frame = `${CARD_FORM}?language=${who.language}`;
      return { token, gateway: gateway.name, frame };
    },
    payOrder: ({ db, who, params, body }) => payOrder(db, who.accountId, params.id, body),
    finishPayment: async ({ db, who, params }) => {
      requireGateway();
      await pollOrderCharge(db, who.accountId, params.id);
      return readPayment(db, who.accountId, params.id);
    },
    listInvoices: ({ tx, who, query }) => listInvoices(tx, who.accountId, query.list),
    downloadInvoice: async ({ tx, who, params, reply }) => {
      const { name, content } = await downloadInvoice(tx, who.accountId, params.id);
      return reply
        .type('application/pdf')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('cache-control', 'no-store')
        .send(content);
    },
    listPaymentMethods: async ({ tx, who }) => {
      const data = await listMethods(tx, who.accountId);
      return { data, meta: wholeMeta(data.length) };
    },
    chooseMethod: ({ tx, who, params }) => chooseMethod(tx, who.accountId, params.id),
    removeMethod: ({ db, who, params }) => removeMethod(db, who.accountId, params.id),
  },
  { payOrder: ({ db, who }) => requireToken(db, `pay ${who.accountId}`, PAY_LIMIT) },
);
