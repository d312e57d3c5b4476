// Redirects a signed-out browser to sign-up while the installation has no users.
import type { FastifyPluginAsync } from 'fastify';
import { hasAnyUser } from './accounts.sql.ts';

export const firstPagePlugin: FastifyPluginAsync = async (app) => {
  // Never becomes false again because an account keeps its last user.
  let hasUsers = false;
  app.get('/auth', { schema: { hide: true } }, async (_request, reply) => {
    hasUsers ||= await hasAnyUser(app.db);
    return hasUsers ? reply.callNotFound() : reply.redirect('/auth/sign-up', 302);
  });
};
