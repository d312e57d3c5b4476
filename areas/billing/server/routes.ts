// Routes for billing.
import { encodePublicId } from '#platform/ids.ts';
import { AppError } from '#platform/server/errors.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { singlePageMeta } from '#platform/server/database/lists.ts';
import { calls } from '../contract.ts';
import { CARD_FORM } from './card-form.ts';
import { downloadInvoice, listInvoices } from './invoice-list.ts';
import { pollOrderCharge } from './charge-polling.ts';
import { chooseMethod, listMethods, removeMethod } from './methods.ts';
import { createOrder, readOrder, updateOrder } from './orders.ts';
import { payOrder, readPayment } from './pay.ts';
import { changeNextPlan, listEmailUsage, listPlans, readBilling, saveVatNumber } from './plans.ts';
import { requireGateway } from './settings.ts';

/** Limit of payment attempts per account so that stolen cards cannot be tested in large numbers. */
const PAY_LIMIT = { capacity: 20, perSecond: 20 / 3600 };

export const billingRoutes: Route[] = createRoutes(
  'billing',
  calls,
  {
    readBilling: ({ tx, caller }) => readBilling(tx, caller.accountId),
    listPlans: async () => listPlans(),
    listEmailUsage: ({ tx, caller, query }) => listEmailUsage(tx, caller.accountId, query.list),
    changeNextPlan: ({ tx, caller, body }) => changeNextPlan(tx, caller.accountId, body),
    saveVatNumber: ({ tx, caller, body }) => saveVatNumber(tx, caller.accountId, body.vat_number),
    createOrder: ({ tx, caller, body }) => createOrder(tx, caller.accountId, body),
    readOrder: ({ tx, caller, params }) => readOrder(tx, caller.accountId, params.id),
    updateOrder: ({ tx, caller, params, body }) =>
      updateOrder(tx, caller.accountId, params.id, body),
    readClientToken: async ({ caller, query }) => {
      const gateway = requireGateway();
      const id = encodePublicId('account', caller.accountId, caller.accountId);
      const token = await gateway
        .createClientToken(query.currency, { id })
        .catch((error: unknown) => {
          throw new AppError('gateway_unreachable', { extra: { cause: (error as Error).name } });
        });
      const frame = `${CARD_FORM}?language=${caller.language}`;
      return { token, gateway: gateway.name, frame };
    },
    payOrder: ({ db, caller, params, body }) => payOrder(db, caller.accountId, params.id, body),
    finishPayment: async ({ db, caller, params }) => {
      requireGateway();
      await pollOrderCharge(db, caller.accountId, params.id);
      return readPayment(db, caller.accountId, params.id);
    },
    listInvoices: ({ tx, caller, query }) => listInvoices(tx, caller.accountId, query.list),
    downloadInvoice: async ({ tx, caller, params, reply }) => {
      const { name, content } = await downloadInvoice(tx, caller.accountId, params.id);
      return reply
        .type('application/pdf')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('cache-control', 'no-store')
        .send(content);
    },
    listPaymentMethods: async ({ tx, caller }) => {
      const data = await listMethods(tx, caller.accountId);
      return { data, meta: singlePageMeta(data.length) };
    },
    chooseMethod: ({ tx, caller, params }) => chooseMethod(tx, caller.accountId, params.id),
    removeMethod: ({ db, caller, params }) => removeMethod(db, caller.accountId, params.id),
  },
  { payOrder: ({ db, caller }) => requireToken(db, `pay ${caller.accountId}`, PAY_LIMIT) },
);
