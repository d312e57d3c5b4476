// The sign-in service's screens: sign in, sign up, forgotten and new password, verified address.
import { defineRoutes } from '#platform/web/routes.ts';

export const routes = defineRoutes({
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
  ],
});
