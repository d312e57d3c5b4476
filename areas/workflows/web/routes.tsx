// Screens of workflows in the web client: the list, the screen that creates a workflow, the
// builder, the editors of its emails, the reports of a workflow and of one email, and the contact
// guard.
import { IconPlus, IconRoute } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

const BUILDER = '/automation/builder/$workflow';
const EMAIL = `${BUILDER}/email/$step`;

export const routes = defineRoutes({
  texts: [
    'approvals',
    'workflows',
    'composing',
    'content',
    'content.words',
    'editing',
    'segments',
    'segments.words',
    'stores',
    'reports',
    'sms',
    'folders',
  ],
  screens: [
    { path: '/automation', redirectTo: '/automation/index' },
    {
      path: '/automation/index',
      title: 'workflows:title',
      load: () => import('./workflows-screen.tsx'),
    },
    {
      path: '/automation/create',
      title: 'workflows:create.title',
      load: () => import('./create-screen.tsx'),
    },
    {
      path: BUILDER,
      title: 'workflows:builder.title',
      frame: 'bare',
      load: () => import('./builder-screen.tsx'),
    },
    {
      path: '/automation/$workflow/report',
      title: 'workflows:acts.report',
      load: () => import('./report-screen.tsx'),
    },
    {
      path: '/automation/$workflow/report/$step',
      title: 'workflows:report.ofEmail',
      load: () => import('./step-report-screen.tsx'),
    },
    {
      path: '/settings/contact-guard',
      title: 'workflows:guard.title',
      load: () => import('./guard-screen.tsx'),
    },
    {
      path: `${EMAIL}/editor`,
      title: 'workflows:email.design',
      frame: 'bare',
      load: () => import('./emails/design-screen.tsx'),
    },
    {
      path: `${EMAIL}/custom_html`,
      title: 'composing:editor.html',
      frame: 'bare',
      load: () => import('./emails/custom-html-screen.tsx'),
    },
    {
      path: `${EMAIL}/plain_text`,
      title: 'composing:editor.text',
      frame: 'bare',
      load: () => import('./emails/plain-text-screen.tsx'),
    },
  ],
  navigation: [
    {
      to: '/automation',
      text: 'workflows:navigation',
      icon: IconRoute,
      order: 50,
      keys: 'g a',
    },
  ],
  actions: [
    {
      id: 'workflows.create',
      text: 'workflows:create.title',
      to: '/automation/create',
      icon: IconPlus,
      keys: 'c w',
    },
  ],
  settings: [{ to: '/settings/contact-guard', text: 'workflows:guard.title', order: 75 }],
  searchResultPaths: { workflow: ({ id }) => `/automation/builder/${id}` },
});
