// Duplicates a broadcast once: concurrent requests for the same broadcast share an idempotency key.

const duplicating = new Map<string, string>();

/**
 * Requests a duplicate. While a request is in progress, a second one has the same idempotency key,
 * so a double click makes one copy.
 */
export async function duplicateOnce(
  id: string,
  send: (idempotencyKey: string) => Promise<{ data: { id: string } }>,
): Promise<string> {
  const key = duplicating.get(id) ?? crypto.randomUUID();
  duplicating.set(id, key);
  try {
    return (await send(key)).data.id;
  } finally {
    duplicating.delete(id);
  }
}
