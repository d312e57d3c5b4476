// Stops a worker at a certain point of its work, regardless of the machine's speed.

/** Returns an abort signal that is aborted once a job has checked it this many times. */
export function abortAfterChecks(checks: number): AbortSignal {
  let remaining = checks;
  return Object.defineProperty(new AbortController().signal, 'aborted', {
    get: () => remaining-- <= 0,
  });
}
