// What was typed and not yet saved survives a forced sign-out, a reload and a crash: it waits in
// IndexedDB for the same user to come back to the same account.

const databaseName = 'sendloom';
const tableName = 'unsaved';

type Source = () => unknown;

/** The editors that are open now, by the name of what they edit. */
const sources = new Map<string, { owner: string; read: Source }>();

/** An open editor names itself; `read` gives what is unsaved, or undefined if nothing is. */
export function watchUnsaved(owner: string, name: string, read: Source): () => void {
  const source = { owner, read };
  sources.set(name, source);
  // A page that goes away has no time left to open anything.
  void ready().catch(() => undefined);
  return () => {
    if (sources.get(name) === source) sources.delete(name);
  };
}

/** Writes down everything unsaved; never fails the caller. */
export async function flushUnsaved(): Promise<void> {
  const edits = [...sources].map(([name, { owner, read }]) => ({
    key: `${owner}/${name}`,
    edit: read(),
  }));
  const open = edits.filter(({ edit }) => edit !== undefined);
  if (open.length === 0) return;
  try {
    await withTable('readwrite', (table) => {
      for (const { key, edit } of open) table.put(edit, key);
    });
  } catch {
    // A browser without storage (private windows) has nowhere to keep it.
  }
}

/** Writes down one edit of an editor that is being left; never fails the caller. */
export async function keepUnsaved(owner: string, name: string, edit: unknown): Promise<void> {
  try {
    await withTable('readwrite', (table) => void table.put(edit, `${owner}/${name}`));
  } catch {
    // Nowhere to keep it.
  }
}

/** What this owner left unsaved under this name, if anything. */
export async function readUnsaved(owner: string, name: string): Promise<unknown> {
  try {
    return await withTable('readonly', (table) => table.get(`${owner}/${name}`));
  } catch {
    return undefined;
  }
}

export async function forgetUnsaved(owner: string, name: string): Promise<void> {
  try {
    await withTable('readwrite', (table) => void table.delete(`${owner}/${name}`));
  } catch {
    // Nothing was kept.
  }
}

async function withTable(
  mode: IDBTransactionMode,
  work: (table: IDBObjectStore) => IDBRequest | void,
): Promise<unknown> {
  // Begun at once where the database is open, and committed without waiting: a reload stops everything.
  const database = opened ?? (await ready());
  return await new Promise((resolve, reject) => {
    const transaction = database.transaction(tableName, mode);
    const request = work(transaction.objectStore(tableName));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
    transaction.commit();
  });
}

let opened: IDBDatabase | undefined;

async function ready(): Promise<IDBDatabase> {
  if (opened) return opened;
  const database = await openDatabase();
  // Asked for twice at once: the first one is there already.
  if (opened) {
    database.close();
    return opened;
  }
  const forget = () => {
    if (opened === database) opened = undefined;
  };
  database.onclose = forget;
  database.onversionchange = () => {
    forget();
    database.close();
  };
  opened = database;
  return database;
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(databaseName, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(tableName);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}
