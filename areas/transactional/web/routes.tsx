// Routes for transactional email in the web app: templates, editors, setup, report.
import { IconBolt, IconPlus } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

const EMAIL_PATH = '/transactional/$transactional';

export const routes = defineRoutes({
  texts: [
    'folders',
    'transactional',
    'composing',
    'content',
    'content.words',
    'editing',
    'segments',
    'segments.words',
    'sms',
  ],
  screens: [
    { path: '/transactional', redirectTo: '/transactional/transactional-emails' },
    { path: '/transactional/suppression-list', redirectTo: '/transactional/suppression_list' },
    {
      path: '/transactional/transactional-emails',
      title: 'transactional:title',
      load: () => import('./emails-screen.tsx'),
    },
    {
      path: '/transactional/sms',
      title: 'transactional:texts.title',
      load: () => import('./sms-screen.tsx'),
    },
    {
      path: '/transactional/smtp',
      title: 'transactional:smtp.title',
      load: () => import('./smtp-screen.tsx'),
    },
    {
      path: '/transactional/create',
      title: 'transactional:create',
      load: () => import('./create-screen.tsx'),
    },
    {
      path: `${EMAIL_PATH}/edit`,
      title: 'transactional:settings',
      load: () => import('./settings-screen.tsx'),
    },
    {
      path: `${EMAIL_PATH}/overview`,
      title: 'transactional:overview',
      load: () => import('./overview-screen.tsx'),
    },
    {
      path: `${EMAIL_PATH}/editor`,
      title: 'transactional:design',
      frame: 'bare',
      load: () => import('./design-screen.tsx'),
    },
    {
      path: `${EMAIL_PATH}/custom_html`,
      title: 'transactional:html',
      frame: 'bare',
      load: () => import('./custom-html-screen.tsx'),
    },
    {
      path: `${EMAIL_PATH}/plain_text`,
      title: 'transactional:plain',
      frame: 'bare',
      load: () => import('./plain-text-screen.tsx'),
    },
    {
      path: `${EMAIL_PATH}/report`,
      title: 'transactional:report',
      load: () => import('./report-layout.tsx'),
      children: [
        { path: '/', redirectTo: `${EMAIL_PATH}/report/activity` },
        {
          path: 'activity',
          title: 'transactional:tabs.activity',
          load: () => import('./activity-screen.tsx'),
        },
        {
          path: 'heatmap',
          title: 'transactional:tabs.heatmap',
          load: () => import('./heatmap-screen.tsx'),
        },
      ],
    },
  ],
  navigation: [
    {
      to: '/transactional',
      text: 'transactional:title',
      icon: IconBolt,
      order: 70,
      keys: 'g x',
    },
  ],
  actions: [
    {
      id: 'transactional.create',
      text: 'transactional:create',
      to: '/transactional/create',
      icon: IconPlus,
      keys: 'c x',
    },
  ],
  searchResultPaths: {
    transactional_email: ({ id }) => `${EMAIL_PATH.replace('$transactional', id)}/overview`,
    transactional_sms: ({ id }) => `/transactional/sms/${id}/report`,
  },
});
