// Routes for the sign-in screens and the settings of the account, users and API tokens.
import { IconUserPlus } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['accounts'],
  screens: [
    {
      path: '/auth',
      title: 'accounts:signIn.title',
      frame: 'guest',
      load: () => import('./sign-in-screen.tsx'),
    },
    {
      path: '/auth/sign-up',
      title: 'accounts:signUp.title',
      frame: 'guest',
      load: () => import('./sign-up-screen.tsx'),
    },
    {
      path: '/auth/forgot-password',
      title: 'accounts:forgot.title',
      frame: 'guest',
      load: () => import('./forgot-password-screen.tsx'),
    },
    {
      path: '/reset-password',
      title: 'accounts:reset.title',
      frame: 'guest',
      load: () => import('./reset-password-screen.tsx'),
    },
    {
      path: '/verify-email',
      title: 'accounts:verify.title',
      frame: 'guest',
      load: () => import('./verify-email-screen.tsx'),
    },
    {
      path: '/accept-invitation',
      title: 'accounts:accept.submit',
      frame: 'guest',
      load: () => import('./accept-invitation-screen.tsx'),
    },
    { path: '/settings', redirectTo: '/settings/account' },
    {
      path: '/settings/account',
      title: 'accounts:account.title',
      load: () => import('./settings/account-screen.tsx'),
    },
    {
      path: '/settings/user',
      title: 'accounts:profile.title',
      load: () => import('./settings/own-profile-screen.tsx'),
    },
    {
      path: '/settings/user/$user',
      title: 'accounts:profile.title',
      load: () => import('./settings/user-screen.tsx'),
    },
    {
      path: '/settings/users',
      title: 'accounts:users.title',
      load: () => import('./settings/users-screen.tsx'),
    },
    {
      path: '/settings/tokens',
      title: 'accounts:tokens.title',
      load: () => import('./settings/tokens-screen.tsx'),
    },
  ],
  settings: [
    { to: '/settings/account', text: 'accounts:account.title', order: 10 },
    { to: '/settings/user', text: 'accounts:profile.title', order: 20 },
    { to: '/settings/users', text: 'accounts:users.title', order: 30 },
    { to: '/settings/tokens', text: 'accounts:tokens.title', order: 60, requiredRight: 'admin' },
  ],
  actions: [
    {
      id: 'accounts.users',
      text: 'accounts:invitations.invite',
      to: '/settings/users',
      icon: IconUserPlus,
    },
  ],
});
