// Limits how long a promise is awaited.
export async function withinTime<T>(
  asked: Promise<T>,
  milliseconds: number,
  tooLate: string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(tooLate)), milliseconds);
  });
  return await Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
