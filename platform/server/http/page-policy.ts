// What a page of this server may do in a browser, and who may show it in a frame of theirs. The client's
// own page has the server's policy; every other page says its own here.
import type { FastifyReply } from 'fastify';

export type PagePolicy = {
  /** A page of nowhere (an opaque origin), with these freedoms; for what others wrote. */
  sandbox?: string;
  /** Each a list of sources as CSP has them; what is left out may not be loaded. */
  scripts?: readonly string[];
  styles?: readonly string[];
  images?: readonly string[];
  fonts?: readonly string[];
  /** Where scripts may call. */
  calls?: readonly string[];
  /** What it may show in frames. */
  frames?: readonly string[];
  /** Whether it has forms, which post to this server. */
  hasForms?: boolean;
  /** Where else a post of theirs may be sent on to. */
  formsEndAt?: readonly string[];
  /** Who may show it in a frame: nobody, this server's own pages, or any site. */
  framing: 'nobody' | 'self' | 'anybody';
};

const ANCESTORS = { nobody: "'none'", self: "'self'", anybody: '*' } as const;
/** For browsers that know no frame-ancestors; there is no word for anybody. */
const FRAME_OPTIONS = { nobody: 'DENY', self: 'SAMEORIGIN' } as const;

/** @returns the policy as its header has it */
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
    ...sources('connect-src', policy.calls),
    ...sources('frame-src', policy.frames),
    "base-uri 'none'",
    `form-action ${policy.hasForms ? ["'self'", ...(policy.formsEndAt ?? [])].join(' ') : "'none'"}`,
    `frame-ancestors ${ANCESTORS[policy.framing]}`,
  ].join('; ');
}

/** Sets what a browser is to hold the page to, instead of the policy of the server's own pages. */
export function setPagePolicy(reply: FastifyReply, policy: PagePolicy): FastifyReply {
  reply.header('content-security-policy', pagePolicy(policy));
  return policy.framing === 'anybody'
    ? reply.removeHeader('x-frame-options')
    : reply.header('x-frame-options', FRAME_OPTIONS[policy.framing]);
}
