// The policy of a page: what it may do in a browser, and which sites may frame it. The client's
// page and pages that set no policy have the server's default.
import type { FastifyReply } from 'fastify';

export type PagePolicy = {
  /** Runs the page in an opaque origin with these permissions; for content of third parties. */
  sandbox?: string;
  /** CSP source lists; anything left out may not be loaded. */
  scripts?: readonly string[];
  styles?: readonly string[];
  images?: readonly string[];
  fonts?: readonly string[];
  /** Targets of script requests. */
  connectTargets?: readonly string[];
  /** Frames the page may show. */
  frames?: readonly string[];
  /** True if the page has forms, which post to this server. */
  hasForms?: boolean;
  /** Other origins that a form post may redirect to. */
  formRedirectOrigins?: readonly string[];
  /** Sites that may frame the page: none, this server's own pages, or any. */
  framing: 'none' | 'self' | 'any';
};

const ANCESTORS = { none: "'none'", self: "'self'", any: '*' } as const;
/** X-Frame-Options for browsers without frame-ancestors; it has no value that allows every site. */
const FRAME_OPTIONS = { none: 'DENY', self: 'SAMEORIGIN' } as const;

/** @returns the policy as a header value */
export function pagePolicy(policy: PagePolicy): string {
  const sources = (directive: string, list: readonly string[] | undefined) =>
    list && list.length > 0 ? [`${directive} ${list.join(' ')}`] : [];
  return [
    ...(policy.sandbox === undefined ? [] : [`sandbox ${policy.sandbox}`.trim()]),
    "default-src 'none'",
    ...sources('script-src', policy.scripts),
    ...sources('style-src', policy.styles),
    ...sources('img-src', policy.images),
    ...sources('font-src', policy.fonts),
    ...sources('connect-src', policy.connectTargets),
    ...sources('frame-src', policy.frames),
    "base-uri 'none'",
    `form-action ${policy.hasForms ? ["'self'", ...(policy.formRedirectOrigins ?? [])].join(' ') : "'none'"}`,
    `frame-ancestors ${ANCESTORS[policy.framing]}`,
  ].join('; ');
}

/** Sets the page's policy instead of the server's default. */
export function setPagePolicy(reply: FastifyReply, policy: PagePolicy): FastifyReply {
  reply.header('content-security-policy', pagePolicy(policy));
  return policy.framing === 'any'
    ? reply.removeHeader('x-frame-options')
    : reply.header('x-frame-options', FRAME_OPTIONS[policy.framing]);
}
