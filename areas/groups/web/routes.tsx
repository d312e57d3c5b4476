// Adds the groups screen below Subscribers, and the command that opens it. A group in the search
// results links to the list of its subscribers, not to this screen.
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
