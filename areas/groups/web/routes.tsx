// The groups screen in the web client, below Subscribers, and its command. A group in the search
// results opens its list of subscribers instead.
import { IconTags } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['groups'],
  screens: [
    { path: '/subscribers/tags', title: 'groups:title', load: () => import('./groups-screen.tsx') },
  ],
  subNavigation: [
    { parent: '/subscribers', to: '/subscribers/tags', text: 'groups:title', order: 10 },
  ],
  actions: [
    {
      id: 'groups.open',
      text: 'groups:open',
      to: '/subscribers/tags',
      icon: IconTags,
      keys: 'g t',
    },
  ],
  searchResultPaths: {
    group: ({ id }) =>
      `/subscribers?${new URLSearchParams({ filter: `tag,have,${id},1,and,and,` }).toString()}`,
  },
});
