// Redirects a signed-out browser to sign-up while the installation has no users.
import type { FastifyPluginAsync } from 'fastify';
import { hasAnyUser } from './accounts.sql.ts';

export const firstPagePlugin: FastifyPluginAsync = async (app) => {
  // Never reset: an account keeps its last user.
  let isUsed = false;
  app.get('/auth', { schema: { hide: true } }, async (_request, reply) => {
    isUsed ||= await hasAnyUser(app.db);
    return isUsed ? reply.callNotFound() : reply.redirect('/auth/sign-up', 302);
  });
};
