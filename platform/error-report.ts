// Error reports in Sentry's envelope protocol, built the same way in browser and server. They
// contain no personal data: possible addresses, secrets, quotations, paths of links, ids and long
// numbers are blanked, and no user, request body, page address or header is added.
// https://develop.sentry.dev/sdk/data-model/envelopes/

export interface Dsn {
  /** The URL that envelopes are posted to. */
  endpoint: string;
  publicKey: string;
}

/**
 * Parses `https://<key>@<host>/<path>/<project>`, with http or https and an optional path;
 * undefined for anything else.
 */
export function parseDsn(dsn: string): Dsn | undefined {
  const url = URL.parse(dsn);
  const project = url?.pathname.split('/').at(-1);
  if (!url?.username || !project || !/^https?:$/.test(url.protocol)) return undefined;
  const path = url.pathname.split('/').slice(0, -1).join('/');
  return {
    endpoint: `${url.protocol}//${url.host}${path}/api/${project}/envelope/`,
    publicKey: url.username,
  };
}

export interface ErrorContext {
  error: unknown;
  /** The failed operation without personal data: a log line, or a route with placeholders. */
  operation: string;
  side: 'browser' | 'server';
  release: string;
  tags?: Record<string, string>;
}

const MAX_FRAMES = 50;
const MAX_FRAME_LENGTH = 300;
const MAX_VALUE = 500;

/** Returns the envelope as text: three lines of JSON. */
export function serializeErrorReport(context: ErrorContext, at: Date, eventId: string): string {
  const { error, operation, side, release, tags } = context;
  const id = eventId.replaceAll('-', '');
  const event = {
    event_id: id,
    timestamp: at.getTime() / 1000,
    platform: side === 'browser' ? 'javascript' : 'node',
    level: 'error',
    release,
    transaction: blank(operation),
    tags: { side, ...tags },
    exception: {
      values: [
        {
          type: error instanceof Error ? error.name : typeof error,
          value: blank(error instanceof Error ? error.message : String(error)).slice(0, MAX_VALUE),
          stacktrace: { frames: framesOf(error) },
        },
      ],
    },
  };
  const header = { event_id: id, sent_at: at.toISOString() };
  return [header, { type: 'event', content_type: 'application/json' }, event]
    .map((line) => JSON.stringify(line))
    .join('\n');
}

/**
 * Blanks possible personal data: email addresses, paths and query strings of links, quotations, ids
 * (six or more letters and digits), long numbers.
 */
export function blank(text: string): string {
  return text
    .replace(/(^|[\s<>"'()])[^\s<>"'()]+@[^\s<>"'()]+/g, '$1[address]')
    .replace(/(https?:\/\/[^\s/?#]+)[^\s)]*/g, '$1/[path]')
    .replace(/"[^"]*"|“[^“”]*”|'[^']{3,}'|`[^`]*`/g, '[quoted]')
    .replace(/\b(?=\w*\d)(?=\w*[A-Za-z])\w{6,}\b/g, '[id]')
    .replace(/\+?\d[\d\s().-]{4,}\d/g, '[number]');
}

/**
 * Returns the 50 innermost stack frames, outermost first as the protocol requires. File names are
 * relative to the product or a package, so they reveal no paths on the machine.
 */
function framesOf(error: unknown) {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack
    .split('\n')
    .flatMap((line) => {
      // Lines of the message come first in a stack and may contain anything.
      if (line.length > MAX_FRAME_LENGTH) return [];
      const [, name, file, lineno, colno] =
        /^\s*(?:at )?(?:(.*?)(?: \(|@))?((?:file|https?|node):[^\s)]+?|\/[^\s)]+?):(\d+):(\d+)\)?$/.exec(
          line,
        ) ?? [];
      if (!file) return [];
      return [
        {
          function: name || '?',
          filename: ownPath(file),
          lineno: Number(lineno),
          colno: Number(colno),
          in_app: !/node_modules|^node:/.test(file),
        },
      ];
    })
    .slice(0, MAX_FRAMES)
    .reverse();
}

function ownPath(file: string): string {
  // Uses the innermost match, because a folder above the product's may have one of these names as
  // well.
  const inside = /^.*\/((?:node_modules|areas|platform|providers|main|assets)\/[^?#]*)/.exec(
    file,
  )?.[1];
  return (
    inside ??
    file
      .replace(/[?#][^]*$/, '')
      .split('/')
      .at(-1) ??
    ''
  );
}
