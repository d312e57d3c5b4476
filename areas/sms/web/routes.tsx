// Routes for SMS: list, the three steps, reports; senders and their compliance.
import { IconDeviceMobileMessage, IconMessage } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

const PHONE = '/sms/phone/$phone/tcpa_and_ctia_compliance';

export const routes = defineRoutes({
  texts: [
    'approvals',
    'sms',
    'broadcasts',
    'editing',
    'feedback',
    'folders',
    'segments',
    'segments.words',
    'stores',
  ],
  screens: [
    { path: '/sms', title: 'sms:title', load: () => import('./campaign/sms-screen.tsx') },
    {
      path: '/sms/create',
      title: 'sms:create',
      load: () => import('./campaign/settings-screen.tsx'),
    },
    {
      path: '/sms/create-sender',
      title: 'sms:phones.add',
      load: () => import('./campaign/sender-screen.tsx'),
    },
    { path: '/sms/$sms', load: () => import('./campaign/continue-screen.tsx') },
    { path: '/sms/$sms/editor', redirectTo: '/sms/$sms/edit' },
    {
      path: '/sms/$sms/edit',
      title: 'sms:steps.settings',
      load: () => import('./campaign/settings-screen.tsx'),
    },
    {
      path: '/sms/$sms/subscribers',
      title: 'sms:steps.recipients',
      load: () => import('./campaign/recipients-screen.tsx'),
    },
    {
      path: '/sms/$sms/experiment',
      title: 'sms:report.experiment',
      load: () => import('./campaign/experiment-screen.tsx'),
    },
    {
      path: '/sms/$sms/confirm',
      title: 'sms:steps.review',
      load: () => import('./campaign/confirm-screen.tsx'),
    },
    { path: '/sms/$sms/report', redirectTo: '/sms/$sms/report/overview' },
    {
      path: '/sms/$sms/report/overview',
      title: 'sms:acts.report',
      load: () => import('./report/report-overview.tsx'),
    },
    {
      path: '/sms/$sms/report/experiment',
      title: 'sms:report.experiment',
      load: () => import('./report/report-experiment.tsx'),
    },
    {
      path: '/sms/$sms/report/clicks',
      title: 'sms:report.clicks',
      load: () => import('./report/report-clicks.tsx'),
    },
    {
      path: '/sms/$sms/report/clicks/$link',
      title: 'sms:report.clicks',
      load: () => import('./report/report-link.tsx'),
    },
    {
      path: '/sms/$sms/report/unsubscribes',
      title: 'sms:report.unsubscribes',
      load: () => import('./report/report-subscribers.tsx'),
    },
    {
      path: '/sms/$sms/report/delivery-failed',
      title: 'sms:report.delivery-failed',
      load: () => import('./report/report-subscribers.tsx'),
    },
    {
      path: '/sms/$sms/report/replies',
      title: 'sms:report.replies',
      load: () => import('./report/report-subscribers.tsx'),
    },
    {
      path: '/transactional/sms/$step/report',
      title: 'sms:stepReport.title',
      load: () => import('./report/sms-report-screen.tsx'),
    },
    {
      path: '/transactional/sms/$step/report/clicks',
      title: 'sms:stepReport.title',
      load: () => import('./report/sms-report-screen.tsx'),
    },
    {
      path: PHONE,
      title: 'sms:compliance.title',
      load: () => import('./compliance/compliance-screen.tsx'),
    },
    {
      path: `${PHONE}/terms-of-service`,
      title: 'sms:compliance.terms',
      load: () => import('./campaign/terms-screen.tsx'),
    },
    {
      path: `${PHONE}/toll-free-number-verification`,
      title: 'sms:compliance.verification',
      load: () => import('./compliance/verification-screen.tsx'),
    },
    {
      path: '/users/sms_onboard',
      title: 'sms:onboard.title',
      load: () => import('./compliance/onboard-screen.tsx'),
    },
    {
      path: '/settings/phone',
      title: 'sms:phones.title',
      load: () => import('./senders/phones-screen.tsx'),
    },
    {
      path: '/settings/sms-providers',
      title: 'sms:providers.title',
      load: () => import('./senders/providers-screen.tsx'),
    },
    {
      path: '/settings/sms-providers/$provider',
      title: 'sms:providers.one',
      load: () => import('./senders/provider-screen.tsx'),
    },
  ],
  navigation: [{ to: '/sms', text: 'sms:navigation', icon: IconMessage, order: 30, keys: 'g m' }],
  settings: [
    { to: '/settings/phone', text: 'sms:phones.title', order: 60 },
    { to: '/settings/sms-providers', text: 'sms:providers.title', order: 61 },
  ],
  actions: [
    { id: 'sms.create', text: 'sms:create', to: '/sms/create', icon: IconMessage },
    {
      id: 'sms.sender',
      text: 'sms:phones.add',
      to: '/sms/create-sender',
      icon: IconDeviceMobileMessage,
    },
  ],
  searchResultPaths: { sms: ({ id }) => `/sms/${id}` },
});
