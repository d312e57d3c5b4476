// Limits how long a promise is awaited.

/** Throws an error with the message `tooLate` after this time. */
export async function withinTime<T>(
  promise: Promise<T>,
  milliseconds: number,
  tooLate: string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(tooLate)), milliseconds);
  });
  return await Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
