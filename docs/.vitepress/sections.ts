// The navigation of the site, in order.
const page = (text: string, link: string) => ({ text, link: `/${link}` });

export const SECTIONS = [
  {
    text: 'First steps',
    items: [
      page('Welcome', ''),
      page('Getting started', 'getting-started'),
      page('Import and switch', 'import'),
    ],
  },
  {
    text: 'Audience',
    items: [
      page('Subscribers', 'subscribers'),
      page('Segments', 'segments'),
      page('Forms and popups', 'forms'),
      page('Forms on your website', 'forms-on-sites'),
    ],
  },
  {
    text: 'Send',
    items: [
      page('Email campaigns', 'campaigns'),
      page('Experiments', 'experiments'),
      page('Workflows', 'workflows'),
      page('SMS', 'sms'),
      page('Transactional emails', 'transactional'),
      page('Deliverability', 'deliverability'),
      page('Why am I in spam?', 'why-spam'),
    ],
  },
  {
    text: 'Sell',
    items: [
      page('Connected stores', 'stores'),
      page('Shopify', 'shopify'),
      page('Store plugins', 'store-plugins'),
    ],
  },
  {
    text: 'Measure',
    items: [page('Reports', 'reports'), page('Glossary of metrics', 'figures')],
  },
  {
    text: 'Account',
    items: [page('Team and settings', 'team'), page('Assistants', 'assistants')],
  },
  {
    text: 'API',
    items: [
      page('API and webhooks', 'api'),
      page('Merge tags', 'api/merge-tags'),
      page('Filter syntax', 'api/filter-grammar'),
      page('Email document', 'api/email-document'),
    ],
  },
  {
    text: 'Operate',
    items: [
      page('Run and configure', 'operations/running'),
      page('Containers', 'operations/container'),
      page('Kubernetes', 'operations/kubernetes/README'),
      page('SMTP relays', 'operations/relay'),
      page('Bounces and complaints', 'operations/feedback'),
      page('Deliverability of an installation', 'operations/deliverability'),
      page('SMS providers', 'operations/sms'),
      page('SMTP submission', 'operations/submission'),
      page('Single sign-on', 'operations/single-sign-on'),
      page('Billing', 'operations/billing'),
      page('Third-party services', 'operations/third-parties'),
      page('Backup and restore', 'operations/backup'),
      page('Upgrade', 'operations/upgrade'),
      page('Convert a backup', 'operations/convert'),
      page('Monitoring', 'operations/monitoring'),
      page('Runbooks', 'operations/runbooks'),
      page('Large installations', 'operations/large'),
      page('Citus cluster', 'operations/cluster'),
      page('Reliability', 'reliability'),
    ],
  },
];
