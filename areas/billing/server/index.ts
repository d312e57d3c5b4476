// Exports of billing: usage, limits and payments of an account.
import { unpaidPlan } from '#areas/accounts/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { cardFormPlugin } from './card-form.ts';
import { readCatalog } from './catalog.ts';
import type { Gateway } from './gateway-provider.ts';
import { billingHooks } from './hooks-plugin.ts';
import { chargesPoller } from './charge-polling.ts';
import { renewalsPoller } from './renewals.ts';
import { billingRoutes } from './routes.ts';
import { configureBilling, isOn } from './settings.ts';
import type { VatCheck } from './vat-provider.ts';
import { addressesErased, eraseFromTexts } from '#platform/server/erasure/erasure.ts';
import { rewriteSuspensions, rewriteUsageLabels } from './billing.sql.ts';
import { rewriteRefunds } from './orders.sql.ts';

export function area(
  { billing, publicUrl }: Config,
  { gateway, checkVat }: { gateway: Gateway | undefined; checkVat: VatCheck },
): Area {
  return {
    name: 'billing',
    description: 'Plans, orders, payments, invoices and SMS credit.',
    routes: billingRoutes,
    plugins: gateway ? [cardFormPlugin(gateway), billingHooks(gateway)] : [],
    pollers: [chargesPoller, renewalsPoller],
    eventHandlers: [
      on(addressesErased, eraseFromTexts(rewriteUsageLabels, rewriteSuspensions, rewriteRefunds)),
    ],
    questionHandlers: [handleQuestion(unpaidPlan, async () => [isOn() ? 'free' : 'unlimited'])],
    setUp: () =>
      configureBilling({
        mode: billing.mode,
        catalog: readCatalog(billing.file),
        gateway,
        checkVat,
        publicUrl,
        operators: billing.operatorEmails,
      }),
  };
}

export {
  findCreditCurrency,
  readFreeCredit,
  reserveCredit,
  isCreditEnforced,
  releaseCredit,
  spendCredit,
  type SmsPrices,
  listSmsPrices,
} from './credit.ts';
export { billingEmailNeeded, planChanged, usageQuestion } from './events.ts';
export type {
  Gateway,
  GatewayWebhookRequest,
} from './gateway-provider.ts';
export {
  operators,
  listPaidOrders,
  restoreAccount,
  type AccountPlan,
  readAccountPlans,
  suspendAccount,
} from './operator.ts';
export { refundOrder } from './refunds.ts';
export { readEmailUsage, type PlanCapacity, readPlanCapacity } from './usage.ts';
export { recordSentEmails } from './usage-log.ts';
export type { VatCheck } from './vat-provider.ts';
