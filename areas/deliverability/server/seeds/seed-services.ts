// Services whose mailboxes can be opened with the user's consent (XOAUTH2) instead of a password.
// Microsoft's consumer mailboxes accept only this method.
import type { SeedService } from '../../signals-shared.ts';
import {
  type OAuthClient,
  type OAuthUrls,
  refreshAccess,
  ServiceError,
  type ServiceTokens,
} from '../oauth/oauth.ts';
import { type ImapDependencies, SeedError } from './imap.ts';

export type SeedServiceDependencies = {
  urls: OAuthUrls;
  client: OAuthClient;
  scope: string;
  host: string;
  port: number;
};

export type SeedDependencies = ImapDependencies & {
  /** The services for which the installation has an OAuth client. */
  services?: Partial<Record<SeedService, SeedServiceDependencies>>;
  /** The page that a service redirects the user to after consent. */
  redirect?: string;
};

const SERVICES: Readonly<Record<SeedService, Omit<SeedServiceDependencies, 'client'>>> = {
  google: {
    urls: {
      consent: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      revoke: 'https://oauth2.googleapis.com/revoke',
    },
    // IMAP requires this scope; there is no narrower one.
    scope: 'https://mail.google.com/',
    ...{ host: 'imap.gmail.com', port: 993 },
  },
  microsoft: {
    urls: {
      consent: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
      token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    },
    scope: 'https://outlook.office.com/IMAP.AccessAsUser.All offline_access',
    ...{ host: 'outlook.office365.com', port: 993 },
  },
};

export function createSeedServices(
  clients: Partial<Record<SeedService, OAuthClient | undefined>>,
): SeedDependencies['services'] {
  return Object.fromEntries(
    Object.entries(clients).flatMap(([service, client]) =>
      client ? [[service, { ...SERVICES[service as SeedService], client }]] : [],
    ),
  );
}

/**
 * Requests a new access token. Some services also replace the refresh token.
 * @throws SeedError
 */
export async function refreshSeed(
  { services }: SeedDependencies,
  service: SeedService,
  refreshToken: string,
): Promise<ServiceTokens> {
  const knownService = services?.[service];
  if (!knownService)
    throw new SeedError('refused', new Error('the installation has no OAuth client'));
  return refreshAccess(knownService.urls, knownService.client, refreshToken).catch(throwSeedError);
}

export function throwSeedError(error: unknown): never {
  if (!(error instanceof ServiceError)) throw error;
  throw new SeedError(error.fault === 'unavailable' ? 'unreachable' : 'refused', error);
}
