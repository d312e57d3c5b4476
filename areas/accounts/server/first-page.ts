// Where a signed-out browser arrives: at sign-up while the installation has nobody who could sign in.
import type { FastifyPluginAsync } from 'fastify';
import { hasAnyUser } from './accounts.sql.ts';

export const firstPagePlugin: FastifyPluginAsync = async (app) => {
  // Once there is somebody there always is: an account's last user stays on record.
  let isUsed = false;
  app.get('/auth', { schema: { hide: true } }, async (_request, reply) => {
    isUsed ||= await hasAnyUser(app.db);
    return isUsed ? reply.callNotFound() : reply.redirect('/auth/sign-up', 302);
  });
};
