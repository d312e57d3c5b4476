// A worker that is told to stop at a certain point of its work, however fast the machine is.

/** The signal of a process that stops once its job has looked so often whether it must. */
export function stopsAfterLooks(looks: number): AbortSignal {
  let left = looks;
  return Object.defineProperty(new AbortController().signal, 'aborted', {
    get: () => left-- <= 0,
  });
}
