// Routes for billing: plan and usage, orders and payments.
import { defineRoutes } from '#platform/web/shell/routes.ts';

const checkout = () => import('./checkout-screen.tsx');
const credit = () => import('./credit-screen.tsx');
const thanks = () => import('./thank-you-screen.tsx');
const loadPaymentFailed = () => import('./payment-failed-screen.tsx');

export const routes = defineRoutes({
  texts: ['billing'],
  screens: [
    {
      path: '/settings/billing',
      title: 'billing:title',
      load: () => import('./billing-screen.tsx'),
    },
    {
      path: '/settings/billing/upgrade',
      title: 'billing:upgrade.title',
      load: () => import('./upgrade-screen.tsx'),
    },
    { path: '/checkout/$order', title: 'billing:checkout.title', load: checkout },
    { path: '/sms-credits-purchase', title: 'billing:credit.title', load: credit },
    { path: '/sms-credits-purchase/$order', title: 'billing:credit.title', load: checkout },
    { path: '/thank-you', title: 'billing:thanks.title', load: thanks },
    { path: '/thank-you/$order', title: 'billing:thanks.title', load: thanks },
    { path: '/payment-failed', title: 'billing:failed.title', load: loadPaymentFailed },
    { path: '/payment-failed/$order', title: 'billing:failed.title', load: loadPaymentFailed },
  ],
  settings: [
    { to: '/settings/billing', text: 'billing:title', order: 50, requiredRight: 'billing' },
  ],
});
