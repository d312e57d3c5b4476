// One copy of a broadcast, however often it is asked for at once.

const duplicating = new Map<string, string>();

/** A double click makes one copy: both tries carry the same key while the first is under way. */
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
