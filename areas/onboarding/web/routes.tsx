// The screens of a new owner: the checklist, the introduction, the address, and test tools.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['onboarding', 'accounts', 'domains'],
  screens: [
    {
      path: '/complete-registration',
      title: 'onboarding:title',
      load: () => import('./checklist-screen.tsx'),
    },
    {
      path: '/complete-registration/introduce',
      title: 'onboarding:header.introduce',
      frame: 'bare',
      load: () => import('./introduce-screen.tsx'),
    },
    {
      path: '/complete-registration/address',
      title: 'onboarding:header.profile',
      frame: 'bare',
      load: () => import('./address-screen.tsx'),
    },
    {
      path: '/test-tools',
      title: 'onboarding:tools.title',
      load: () => import('./test-tools-screen.tsx'),
    },
    // Other addresses of the first three screens.
    { path: '/onboarding', redirectTo: '/complete-registration' },
    { path: '/introduce-yourself', redirectTo: '/complete-registration/introduce' },
    { path: '/complete-profile', redirectTo: '/complete-registration/address' },
  ],
});
