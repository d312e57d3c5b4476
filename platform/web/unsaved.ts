// Unsaved edits survive a forced sign-out, a reload and a crash: IndexedDB stores them until the
// same user returns to the same account.

const DATABASE_NAME = 'sendloom';
const TABLE_NAME = 'unsaved';

type UnsavedSource = () => unknown;

/** Open editors, by the name of the edited object. */
const sources = new Map<string, { owner: string; read: UnsavedSource }>();

/** Registers an open editor; `read` returns its unsaved edits, or undefined. */
export function watchUnsaved(owner: string, name: string, read: UnsavedSource): () => void {
  const source = { owner, read };
  sources.set(name, source);
  // A page that closes has no time left to open the database.
  void ready().catch(() => undefined);
  return () => {
    if (sources.get(name) === source) sources.delete(name);
  };
}

/** Stores the unsaved edits of all open editors; does nothing if there is no storage. */
export async function flushUnsaved(): Promise<void> {
  const edits = [...sources].map(([name, { owner, read }]) => ({
    key: `${owner}/${name}`,
    edit: read(),
  }));
  const openEdits = edits.filter(({ edit }) => edit !== undefined);
  if (openEdits.length === 0) return;
  try {
    await withTable('readwrite', (table) => {
      for (const { key, edit } of openEdits) table.put(edit, key);
    });
  } catch {
    // Without storage (private windows) edits cannot be kept.
  }
}

/** Stores an edit; does nothing if there is no storage. */
export async function saveUnsaved(owner: string, name: string, edit: unknown): Promise<void> {
  try {
    await withTable('readwrite', (table) => void table.put(edit, `${owner}/${name}`));
  } catch {
    // No storage available.
  }
}

/** Returns the owner's unsaved edit under this name, if any. */
export async function readUnsaved(owner: string, name: string): Promise<unknown> {
  try {
    return await withTable('readonly', (table) => table.get(`${owner}/${name}`));
  } catch {
    return undefined;
  }
}

export async function discardUnsaved(owner: string, name: string): Promise<void> {
  try {
    await withTable('readwrite', (table) => void table.delete(`${owner}/${name}`));
  } catch {
    // Without storage there is nothing to delete.
  }
}

async function withTable(
  mode: IDBTransactionMode,
  work: (table: IDBObjectStore) => IDBRequest | void,
): Promise<unknown> {
  // Starts the transaction immediately if the database is open and commits without waiting, because
  // a reload would stop it.
  const database = openedDatabase ?? (await ready());
  return await new Promise((resolve, reject) => {
    const transaction = database.transaction(TABLE_NAME, mode);
    const request = work(transaction.objectStore(TABLE_NAME));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
    transaction.commit();
  });
}

let openedDatabase: IDBDatabase | undefined;

async function ready(): Promise<IDBDatabase> {
  if (openedDatabase) return openedDatabase;
  const database = await openDatabase();
  // Another concurrent call has already opened the database.
  if (openedDatabase) {
    database.close();
    return openedDatabase;
  }
  const close = () => {
    if (openedDatabase === database) openedDatabase = undefined;
  };
  database.onclose = close;
  database.onversionchange = () => {
    close();
    database.close();
  };
  openedDatabase = database;
  return database;
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE_NAME, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(TABLE_NAME);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}
