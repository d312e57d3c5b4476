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
  ],
});
