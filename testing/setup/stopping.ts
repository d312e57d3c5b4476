// Stops a worker at a certain point of its work, independent of the machine's speed.

/** An abort signal that fires once the job has checked it this many times. */
export function abortAfterChecks(checks: number): AbortSignal {
  let left = checks;
  return Object.defineProperty(new AbortController().signal, 'aborted', {
    get: () => left-- <= 0,
  });
}
