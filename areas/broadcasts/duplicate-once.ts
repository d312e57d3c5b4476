// Duplicates a broadcast once: concurrent requests for the same broadcast share an idempotency key.

const duplicating = new Map<string, string>();

/**
 * A double click makes one copy: a second request has the same key while the first is in progress.
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
