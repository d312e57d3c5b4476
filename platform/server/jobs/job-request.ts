// The request that caused a job, carried as the job's flags: the job's log lines have the same
// request ID, and its span belongs to the request's trace. The payload and the key of a job do not
// contain the request, so they can be compared with those of other jobs.

const REQUEST = 'request:';
const TRACE = 'traceparent:';

type JobCause = { requestId?: string | undefined; traceParent?: string | undefined };
type Flags = Record<string, true> | null;

/** Returns the flags of a new job; null for a job that no request caused. */
export function toJobFlags({ requestId, traceParent }: JobCause): string[] | null {
  const flags = [
    ...(requestId === undefined ? [] : [`${REQUEST}${requestId}`]),
    ...(traceParent === undefined ? [] : [`${TRACE}${traceParent}`]),
  ];
  return flags.length === 0 ? null : flags;
}

/** The request ID among the flags of a job. */
export const parseRequestId = (flags: Flags) => findFlagValue(flags, REQUEST);

/** W3C trace context, stored in the job's flags. */
export const parseTraceParent = (flags: Flags) => findFlagValue(flags, TRACE);

function findFlagValue(flags: Flags, prefix: string): string | undefined {
  const flag = Object.keys(flags ?? {}).find((name) => name.startsWith(prefix));
  return flag?.slice(prefix.length);
}
